// Finds the keys of a change and their shards: from standard input, by the policies, or from the primaries.
#include "commands/write/planned_keys.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "commands/sweep/second_looks.h"
#include "commands/sweep/seen_keys.h"
#include "commands/sweep/subject.h"
#include "commands/write/key_homes.h"
#include "commands/write/pins.h"
#include "commands/write/rows_of_keys.h"
#include "domain/cluster/slot_faults.h"
#include "domain/key_template.h"
#include "store/directory.h"
#include "support/quote.h"

namespace ratectl::commands {

namespace {

using support::Failure;

const std::vector<std::string> kFromInput{"-"};

bool narrows_by_look(const Selection& selection) {
    return !selection.states.empty() || selection.min_used || selection.resets_within;
}

/// The row tells of a window, or of a part of one.
bool was_there(const input::SeenWindow& seen) {
    const auto state = domain::window_state_from(seen.state);
    if (state) return state != domain::WindowState::absent;
    return seen.stored && (seen.stored->used || seen.stored->reset_at);
}

/// Key -> shard for writes: the application's way, or the one shard that --shard names.
class Placement {
public:
    Placement(const Filter& filter, Context& context)
        : filter_(filter), directory_(context.directory()), homes_(filter, context) {}
    std::size_t shard_of(std::string_view key) const {
        if (const auto place = directory_.place_of(key)) return place->shard;
        return filter_.shards().empty() ? 0 : filter_.shards().front();
    }
    /// Where no rule places keys, every shard is asked for them.
    void settle(std::span<PlannedKey> keys) {
        if (homes_.are_unknown() && !keys.empty()) homes_.find(keys);
    }
    const std::vector<store::NodeFailure>& failures() const { return homes_.failures(); }
    /// Where its row saw it, if that is a shard on which the application does not look for it.
    std::optional<std::size_t> stray_of(const NamedKey& named) const {
        const auto home =
            was_there(named.seen) && !directory_.leads_to_keys() ? directory_.place_of(named.key) : std::nullopt;
        if (!home || directory_.name_of(home->shard) == named.seen.shard) return std::nullopt;
        return directory_.find(named.seen.shard);
    }
    /// Known to belong elsewhere, and this very shard was not asked for.
    bool is_misplaced(std::string_view key, std::size_t found_on) const {
        const bool may_be = filter_.shards().empty() && !directory_.leads_to_keys();
        const auto home = may_be ? directory_.place_of(key) : std::nullopt;
        return home && home->shard != found_on;
    }

private:
    const Filter& filter_;
    const store::Directory& directory_;
    KeyHomes homes_;
};

class NamedKeys final : public PlannedKeys {
public:
    NamedKeys(const Selection& selection, const PlanRules& rules, Context& context)
        : context_(context),
          filter_(selection, context.settings(), context.directory()),
          placement_(filter_, context),
          stream_(selection, context, true),
          from_input_(selection.keys == kFromInput || selection.clients == kFromInput),
          by_policy_(!selection.policies.empty() || !selection.classes.empty()),
          rules_(rules),
          looks_(narrows_by_look(selection)),
          rows_(context.new_operation_id()) {}

    std::vector<PlannedKey> next(std::size_t most) override {
        for (;;) {
            auto named = stream_.next(most);
            if (named.empty()) return {};
            std::vector<PlannedKey> keys;
            keys.reserve(named.size());
            for (auto& one : named) {
                if (rules_.takes_amount) check_amount(one);
                if (!wanted(one.key)) continue;
                const bool counts = rules_.counts_requests && one.is_request;
                auto key = placed(std::move(one));
                key.may_come_again = counts;
                if (is_new(key, counts)) keys.push_back(std::move(key));
            }
            placement_.settle(keys);
            leave_out_other_shards(keys);
            if (looks_) keep_accepted(keys);
            if (!keys.empty()) return keys;
        }
    }
    bool are_given() const override { return !from_input_; }
    std::vector<store::NodeFailure> failures() const override { return placement_.failures(); }
    void tell_left_out(Outcome& outcome) override {
        stream_.left_out().tell(outcome);
        if (repeats_ == 0) return;
        context_.messages().notice(
            fmt::format("{} {} dropped: a command changes a window once", repeats_,
                        repeats_ == 1 ? "key that came again was" : "keys that came again were"));
        repeats_ = 0;
    }
    bool may_wait() const override { return from_input_ && !context_.in().ready(); }
    bool are_chosen_by_look() const override { return looks_; }

private:
    bool wanted(const std::string& key) {
        if (!by_policy_) return true;
        const auto refused = filter_.refused_by(meaning_of(key, context_.settings()).match);
        if (!refused.empty()) stream_.left_out().note(key, refused);
        return refused.empty();
    }

    /// Both before the first write that follows from it.
    void check_amount(const NamedKey& named) {
        if (!named.amount && !rules_.amount && !rules_.opens && !any_named_) {
            throw Failure(ExitCode::usage, "how many requests should be given back? Neither a row nor a flag says it",
                          "--amount N, or --amount P% of those used");
        }
        any_named_ = true;
        if (!named.amount || !rules_.amount || *rules_.amount == std::to_string(*named.amount)) return;
        if (std::exchange(said_amount_, true)) return;
        context_.messages().notice(
            fmt::format("rows have amounts of their own, {} for key {}, and these count; --amount {} is for rows "
                        "without one",
                        *named.amount, support::quoted(named.key), *rules_.amount),
            "-o name prints keys alone, where --amount is meant for all of them");
    }

    /// Rows describe windows, and several may be about one: of every node, of every header, of every change.
    bool is_new(const PlannedKey& key, bool counts) {
        const auto standing = counts ? rows_.count(key) : rows_.take(key);
        if (standing == RowsOfKeys::Standing::contradicts) {
            throw Failure(ExitCode::usage,
                          "the rows of key " + support::quoted(key.key) +
                              " contradict one another: they name other amounts or other windows, or only some of "
                              "them name one",
                          "a command changes a window once: leave one row of each key");
        }
        if (standing == RowsOfKeys::Standing::repeats) ++repeats_;
        return standing == RowsOfKeys::Standing::first;
    }

    void leave_out_other_shards(std::vector<PlannedKey>& keys) {
        std::erase_if(keys, [this](const PlannedKey& one) {
            if (filter_.accepts_shard(one.shard)) return false;
            stream_.left_out().note(one.key, "--shard");
            return true;
        });
    }

    PlannedKey placed(NamedKey named) const {
        PlannedKey one;
        const auto stray = placement_.stray_of(named);
        one.shard = stray.value_or(placement_.shard_of(named.key));
        one.misplaced = stray && placement_.is_misplaced(named.key, *stray);
        one.key = std::move(named.key);
        one.amount = named.amount;
        pin(one, named.seen, context_.now(), rules_);
        one.layout = std::move(named.seen.layout);
        return one;
    }

    /// Keys that could not be looked at stay, so that their rows say why they are not changed: whether they are meant
    /// is not known.
    void keep_accepted(std::vector<PlannedKey>& keys) {
        std::vector<store::KeyAt> question;
        question.reserve(keys.size());
        for (const auto& one : keys) question.push_back({one.key, one.shard});
        const auto depth = filter_.judges_states() ? domain::LookDepth::full : domain::LookDepth::light;
        const auto answers =
            context_.store().look({question, {domain::ReadFrom::Which::primary, {}}, depth, false, true});
        const auto now = context_.now();
        std::vector<PlannedKey> kept;
        for (const auto& answer : answers) {
            auto& one = keys.at(answer.key);
            const bool homeless = one.home == Home::several || one.home == Home::unseen;
            if (homeless || !answer.look) {
                // An error of the key's own is found again, and told in its row.
                if (!homeless && !domain::blames_no_node(answer.look)) leave_unlooked(one, answer);
                kept.push_back(std::move(one));
                continue;
            }
            const auto limit = meaning_of(one.key, context_.settings()).limit;
            const auto window = domain::judge(*answer.look, now, limit);
            if (!lets_through(filter_, stream_.left_out(), one.key, window, now)) continue;
            // What the row of a pipe saw before is older, and stays what is demanded.
            if (!one.if_reset && !one.if_stored) pin(one, *answer.look, now, rules_);
            if (one.if_reset) one.if_used_at_least = filter_.least_used(*answer.look, window);
            kept.push_back(std::move(one));
        }
        keys = std::move(kept);
    }

    void leave_unlooked(PlannedKey& key, const store::LookAnswer& answer) {
        key.home = Home::unlooked;
        key.homes.assign(1, context_.directory().find(answer.node.shard).value_or(key.shard));
        if (context_.stop() || !silent_.insert(key.homes.front()).second) return;
        context_.messages().error(answer.look.error(), answer.node.shard, answer.node.name());
    }

    Context& context_;
    Filter filter_;
    Placement placement_;
    std::set<std::size_t> silent_;  // shards that did not answer to a look
    KeyStream stream_;
    bool from_input_;  // from standard input
    bool by_policy_;   // narrowed by --policy or --class
    PlanRules rules_;
    bool looks_;
    bool any_named_ = false;
    bool said_amount_ = false;
    RowsOfKeys rows_;
    std::uint64_t repeats_ = 0;
};

/// Who names a state means all keys in it.
SubjectRules rules_for(const Selection& selection, bool orphans) {
    using enum SubjectRules::Others;
    SubjectRules rules;
    rules.orphans = orphans;
    rules.glob = selection.match;
    rules.others = selection.states.empty() ? counted : meant;
    return rules;
}

class SweptKeys final : public PlannedKeys {
public:
    SweptKeys(const Selection& selection, PlanRules rules, Context& context)
        : context_(context),
          filter_(selection, context.settings(), context.directory()),
          placement_(filter_, context),
          rules_(std::move(rules)),
          subject_(rules_for(selection, rules_.orphans), filter_, context.settings()),
          prefix_(domain::literal_prefix(subject_.pattern())),
          seen_(context.new_operation_id()) {
        const bool narrowed = !selection.policies.empty() || !selection.classes.empty();
        if (prefix_.empty() && !selection.all && !narrowed) {
            throw Failure(ExitCode::guard,
                          "the pattern " + support::quoted(subject_.pattern()) +
                              " has no literal beginning: it would touch every window; nothing was written",
                          "if that is meant: --all");
        }
        auto question = subject_.question();
        question.from = {domain::ReadFrom::Which::primary, {}};
        question.depth = filter_.needs_full_look() ? domain::LookDepth::full : domain::LookDepth::light;
        stream_ = with_second_looks(context.store().scan(std::move(question)), subject_, filter_, context,
                                    [&context](support::WallTime) { return context.now(); });
    }

    std::vector<PlannedKey> next(std::size_t most) override {
        while (found_.empty()) {
            const auto* page = stream_->next();
            if (!page) return finish();
            take(*page);
        }
        std::vector<PlannedKey> keys;
        while (!found_.empty() && keys.size() < most) {
            keys.push_back(std::move(found_.front()));
            found_.pop_front();
        }
        return keys;
    }
    std::vector<store::NodeFailure> failures() const override {
        note(stream_->failures());
        note(placement_.failures());
        return failures_;
    }
    bool is_sweep() const override { return true; }

private:
    /// In the order in which they are learnt, each shard once.
    void note(const std::vector<store::NodeFailure>& failures) const {
        for (const auto& failure : failures) {
            const bool known = std::any_of(failures_.begin(), failures_.end(), [&](const store::NodeFailure& other) {
                return failure.node.shard == other.node.shard;
            });
            if (!known) failures_.push_back(failure);
        }
    }

    void take(const store::ScanPage& page) {
        const auto now = context_.now();
        std::vector<PlannedKey> found;
        for (const auto& look : page.looks) {
            // What a server answers to a pattern is not believed: a key is changed only if it matches here too.
            if (!look.key.starts_with(prefix_) || !domain::glob_matches(subject_.pattern(), look.key)) continue;
            const auto meaning = meaning_of(look, context_.settings());
            const auto window = domain::judge(look, now, meaning.limit);
            if (!is_meant(meaning, window.state)) continue;
            if (!filter_.accepts(look.key, window, now)) continue;
            // The same key on two shards is two windows; one of them is misplaced.
            if (!seen_.add(page.shard, look.key)) continue;
            PlannedKey one;
            one.key = look.key;
            one.shard = page.shard;
            one.misplaced = placement_.is_misplaced(look.key, page.shard);
            pin(one, look, now, rules_);
            // Exactly these bytes are as many requests as were seen.
            if (one.if_reset) one.if_used_at_least = filter_.least_used(look, window);
            found.push_back(std::move(one));
        }
        placement_.settle(found);
        std::move(found.begin(), found.end(), std::back_inserter(found_));
    }

    /// What is not a sound window is met by sweeps all the time and changed only on purpose.
    bool is_meant(const KeyMeaning& meaning, domain::WindowState state) {
        if (!subject_.takes(meaning)) return false;
        if (!filter_.states().empty()) return true;
        if (!rules_.sweeps(state)) return false;
        const bool sound = state == domain::WindowState::open || state == domain::WindowState::exhausted ||
                           state == domain::WindowState::closed || state == domain::WindowState::negative;
        if (meaning.match || sound) return true;
        subject_.pass_over();
        return false;
    }

    std::vector<PlannedKey> finish() {
        if (subject_.unknown() > 0 && !filter_.judges_names()) {
            context_.messages().notice(unknown_keys_are(subject_.unknown(), "left alone"),
                                       "--match GLOB selects sound windows without a policy, --state the others");
        }
        subject_.begin();
        return {};
    }

    Context& context_;
    Filter filter_;
    Placement placement_;
    PlanRules rules_;
    SweepSubject subject_;
    std::string prefix_;
    std::unique_ptr<store::ScanStream> stream_;
    std::deque<PlannedKey> found_;
    mutable std::vector<store::NodeFailure> failures_;
    SeenKeys seen_;  // a node that changes in mid-sweep is swept again; nothing may be counted twice
};

}  // namespace

std::unique_ptr<PlannedKeys> plan_keys(const Selection& selection, const PlanRules& rules, Context& context) {
    check_selection(selection);
    if (!names_keys(selection) && !selects_by_sweep(selection)) {
        throw Failure(
            ExitCode::usage, "which windows? nothing was selected",
            "name keys, --client ID, `-` for standard input, or sweep with --match GLOB, --policy NAME or --all");
    }
    if (names_keys(selection)) return std::make_unique<NamedKeys>(selection, rules, context);
    return std::make_unique<SweptKeys>(selection, rules, context);
}

}  // namespace ratectl::commands
