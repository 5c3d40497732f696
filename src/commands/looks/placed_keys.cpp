// Hands out keys and their shards one by one: from the command line, from standard input, or from the servers.
#include "commands/looks/placed_keys.h"

#include <utility>

#include "commands/context.h"
#include "commands/looks/named_looks.h"
#include "commands/sweep/second_looks.h"

namespace ratectl::commands {
namespace {

/// As scan has it: with a pattern whatever matches; else what some policy knows, and without policies whole pairs.
SubjectRules rules_for(const Selection& selection) {
    SubjectRules rules;
    rules.glob = selection.match;
    rules.others = SubjectRules::Others::counted;
    rules.idle = true;
    return rules;
}

}  // namespace

PlacedKeys::PlacedKeys(const Selection& selection, const Filter& filter, Context& context,
                       const std::optional<domain::ReadFrom>& scan_from)
    : filter_(filter),
      context_(context),
      subject_(rules_for(selection), filter, context.settings()),
      seen_(context.new_operation_id()) {
    check_selection(selection);
    if (selects_by_sweep(selection)) {
        const auto& settings = context.settings();
        auto question = subject_.question();
        question.from = settings.from_given ? settings.read_from : scan_from.value_or(settings.scan_from);
        question.depth = filter.needs_full_look() ? domain::LookDepth::full : domain::LookDepth::light;
        scan_ = with_second_looks(context.store().scan(std::move(question)), subject_, filter, context,
                                  [&settings](support::WallTime at) { return settings.clock_at(at); });
    } else if (names_keys(selection)) {
        stream_ = std::make_unique<KeyStream>(selection, context);
        say_home_unknown(context);
    } else {
        throw support::Failure(ExitCode::usage, "which windows? nothing was selected",
                               "name keys, --client ID, `-` for standard input, --policy NAME or --match GLOB");
    }
}

PlacedKeys::~PlacedKeys() = default;

std::vector<store::KeyAt> PlacedKeys::next(std::size_t most) { return stream_ ? named(most) : swept(most); }

const std::vector<store::NodeFailure>& PlacedKeys::failures() const {
    static const std::vector<store::NodeFailure> none;
    return scan_ ? scan_->failures() : none;
}

bool PlacedKeys::lets_through(std::string_view key, const domain::Window& window, support::Moment now) {
    return !stream_ || commands::lets_through(filter_, stream_->left_out(), key, window, now);
}

void PlacedKeys::drop(std::span<const store::KeyAt> keys) {
    for (std::size_t i = 0; i < keys.size(); ++i) dropped_ += i == 0 || keys[i].key != keys[i - 1].key ? 1 : 0;
}

void PlacedKeys::tell_left_out(Outcome& outcome, bool with_names) {
    if (!stream_) return;
    if (context_.stop()) stream_->note_untried(dropped_);
    stream_->left_out().tell(outcome, with_names);
}

std::vector<store::KeyAt> PlacedKeys::named(std::size_t most) {
    std::vector<store::KeyAt> keys;
    while (keys.empty() && !context_.stop()) {
        const auto chunk = stream_->next(most);
        if (chunk.empty()) break;
        for (const NamedKey& one : chunk) {
            const auto refused = filter_.refused_by(meaning_of(one.key, context_.settings()).match);
            if (!refused.empty()) {
                stream_->left_out().note(one.key, refused);
                continue;
            }
            const std::size_t before = keys.size();
            for (const auto& place : places_to_ask(one.key, context_)) {
                if (filter_.accepts_shard(place.shard)) keys.push_back({one.key, place});
            }
            if (keys.size() == before) stream_->left_out().note(one.key, "--shard");
        }
    }
    return keys;
}

std::vector<store::KeyAt> PlacedKeys::swept(std::size_t most) {
    while (found_.empty() && !context_.stop()) {
        const auto* page = scan_->next();
        if (page == nullptr) break;
        take(*page);
    }
    std::vector<store::KeyAt> keys;
    for (; !found_.empty() && keys.size() < most; found_.pop_front()) keys.push_back(std::move(found_.front()));
    return keys;
}

void PlacedKeys::take(const store::ScanPage& page) {
    const auto& settings = context_.settings();
    const auto now = settings.clock_at(page.read_at);
    for (const auto& look : page.looks) {
        const auto meaning = meaning_of(look, settings);
        if (!subject_.takes(look, meaning)) continue;
        if (!filter_.accepts(look.key, domain::judge(look, now, meaning.limit), now)) continue;
        if (seen_.add(page.shard, look.key)) found_.push_back({look.key, {page.shard}});
    }
}

}  // namespace ratectl::commands
