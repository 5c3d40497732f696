// rollout compare: which deployment serves a client, and what both have of it, at one moment.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "commands/outcome.h"
#include "commands/report/fields/rollout_fields.h"
#include "commands/report/key_mask.h"
#include "commands/rollout/carried.h"
#include "commands/rollout/feature.h"
#include "commands/rollout/old_side.h"
#include "commands/rollout/rollout_requests.h"
#include "domain/rollout.h"
#include "sharding/hash_functions.h"
#include "support/quote.h"

namespace ratectl::commands::rollout {
namespace {

constexpr std::string_view kCompareSchema = "ratectl.rollout-compare.v1";
constexpr std::size_t kAtOnce = 500;

using domain::Window;
using support::Moment;

/// What it counts at `now`; null: no window is open.
std::optional<std::int64_t> open_used(const Window& window, Moment now) {
    if (!window.reset_at || !domain::counts_at(window, now)) return std::nullopt;
    return window.used.value_or(0);
}

bool is_corrupt(const Window& window) { return window.state == domain::WindowState::corrupt; }

struct Standing {
    std::string_view word;
    std::optional<std::int64_t> given_anew = 0;
};

/// What the old one counts, also without an end.
std::int64_t counted_there(const RolloutPair& row, std::int64_t lost, Moment now) {
    return std::max<std::int64_t>(0, lost > 0 ? lost : open_used(*row.old_window, now).value_or(0));
}

/// `lost`: so much counts on in the old one's counter, which has no end. `into`: what was carried into the new one, as
/// long as that is open.
Standing standing_of(const RolloutPair& row, std::int64_t lost, const CarriedOver::Into* into, Moment now) {
    if (is_corrupt(*row.old_window) || is_corrupt(*row.new_window)) return {"corrupt", std::nullopt};
    const auto there = counted_there(row, lost, now);
    const auto here = open_used(*row.new_window, now);
    const auto carried = into != nullptr ? into->used : 0;
    if (lost > 0) return {"orphan", std::max<std::int64_t>(0, there - carried)};
    if (!open_used(*row.old_window, now)) return {here ? "new-only" : "none"};
    if (!here) return {"old-only", there};
    // Less than was carried over, with another end: it has begun anew since.
    if (into == nullptr || (there < carried && into->reset != row.old_window->reset_at)) return {"apart", there};
    const auto missing = std::max<std::int64_t>(0, there - carried);
    if (const auto gone = std::min(carried, there) - *here; gone > 0) return {"short", missing + gone};
    return {missing == 0 ? "carried" : "behind", missing};
}

class Compare {
public:
    Compare(const CompareRequest& request, Context& context)
        : request_(request),
          context_(context),
          share_(request.at ? StoredShare{percentage_of("--at", *request.at)}
                            : share_of_actors(request.feature, context)),
          old_(request.old, context),
          selection_(request.selection),
          filter_(selection_, context.settings(), context.directory()),
          keys_(named(), context),
          outcome_(context),
          rows_(context, rollout_compare_fields(), kCompareSchema, {}, true, request.order) {}

    ExitCode run() {
        if (!share_.besides.empty()) {
            context_.messages().warning(
                fmt::format("feature {} is on for {} as well: rows go by its percentage of actors",
                            support::quoted(request_.feature), share_.besides));
            outcome_.attend();
        }
        for (auto named = keys_.next(kAtOnce); !named.empty() && !context_.stop(); named = keys_.next(kAtOnce)) {
            std::erase_if(named, [this](const NamedKey& one) { return !is_meant(one.key); });
            compare(named);
        }
        keys_.left_out().tell(outcome_);
        outcome_.add(rows_.end(outcome_.footer(!context_.stop())));
        return outcome_.close(words(), {{"clients", compared_}, {"moved", moved_}, {"afresh", afresh_}});
    }

private:
    /// Rows of either side.
    const Selection& named() {
        selection_.beside = &old_.context().settings();
        return selection_;
    }

    bool is_meant(const std::string& key) {
        const auto refused = filter_.refused_by(meaning_of(key, context_.settings()).match);
        if (!refused.empty()) keys_.left_out().note(key, refused);
        return refused.empty();
    }

    void compare(std::span<const NamedKey> named) {
        std::vector<std::string_view> keys;
        std::vector<std::string> old_keys;
        for (const auto& one : named) {
            keys.push_back(one.key);
            old_keys.push_back(old_.key_of(one.key, one.client));
        }
        const auto old_looks = old_.look(std::vector<std::string_view>(old_keys.begin(), old_keys.end()));
        const auto new_looks = look_surely(keys, context_.store());
        const auto now = context_.now();
        std::vector<RolloutPair> rows;
        for (std::size_t i = 0; i < keys.size(); ++i)
            rows.push_back(pair_of(named[i], old_looks.at(i), new_looks.at(i), now));
        // Asked for behind the looks, so that whatever is seen there is known.
        bool doubts = false;
        for (std::size_t i = 0; i < rows.size(); ++i)
            doubts = doubts || is_doubtful(rows[i], lost_in(rows[i], old_looks.at(i)), now);
        if (doubts) learn();
        for (std::size_t i = 0; i < rows.size(); ++i) judge_standing(rows[i], lost_in(rows[i], old_looks.at(i)), now);
        look_again_at_short(rows, old_looks, now);
        for (const auto& row : rows) print(row);
    }

    /// What was carried over meanwhile is known now, and was not seen: behind that these windows are looked at once
    /// more.
    void look_again_at_short(std::vector<RolloutPair>& rows, std::span<const store::LookAnswer> old_looks, Moment now) {
        std::vector<std::size_t> places;
        std::vector<std::string_view> keys;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (rows[i].standing != "short") continue;
            places.push_back(i);
            keys.push_back(rows[i].key);
        }
        const auto looks = look_surely(keys, context_.store());
        for (std::size_t i = 0; i < looks.size(); ++i) {
            auto& row = rows[places[i]];
            row.new_window = judged(looks[i], now, row.limit);
            row.standing = {};
            row.given_anew.reset();
            judge_standing(row, lost_in(row, old_looks[places[i]]), now);
        }
    }

    /// So much counts on in the old one's counter, which has no end.
    static std::int64_t lost_in(const RolloutPair& row, const store::LookAnswer& old_look) {
        return row.old_window ? old_look.look->limiter->carried_over(*old_look.look, row.limit) : 0;
    }

    /// What was carried into the new window; null: none is open, or nothing is known to have been.
    const CarriedOver::Into* into_of(const RolloutPair& row, Moment now) const {
        if (!row.new_window || !open_used(*row.new_window, now)) return nullptr;
        return carried_.into(row.key, *row.new_window->reset_at);
    }

    /// What is known does not show that all was carried over, into a window that a copy may have opened.
    bool is_doubtful(const RolloutPair& row, std::int64_t lost, Moment now) const {
        if (!row.old_window || !row.new_window || !open_used(*row.new_window, now)) return false;
        const auto* into = into_of(row, now);
        return into == nullptr ? counted_there(row, lost, now) > 0 : into->used < counted_there(row, lost, now);
    }

    void learn() {
        carried_.learn(context_);
        for (const auto& [node, error] : carried_.silent()) outcome_.fail_once(node, error);
    }

    std::string actor_of(std::string_view client) const {
        auto actor = request_.selection.actor;
        return actor.replace(actor.find(kClientHole), kClientHole.size(), client);
    }

    std::optional<Window> judged(const store::LookAnswer& answer, Moment now, std::optional<std::int64_t> limit) {
        if (!answer.look) {
            outcome_.fail_once(answer.node, answer.look.error());
            return std::nullopt;
        }
        outcome_.answer();
        return domain::judge(*answer.look, now, limit);
    }

    /// As it was named, or as its key has it. Null: that has it in another form.
    static std::optional<std::string_view> client_of(const NamedKey& named, const KeyMeaning& meaning) {
        if (!named.client.empty()) return named.client;
        if (!meaning.match) return named.key;
        const auto& policy = *meaning.match->policy;
        if (policy.key.holds_as_given(domain::PolicyBook::client_hole(policy))) return meaning.match->client;
        return std::nullopt;
    }

    void take_side(RolloutPair& row, std::string_view client) {
        auto shown = row.match;
        if (shown) shown->client = client;
        row.actor = actor_of(shown ? visible_client(*shown) : std::string(client));
        const auto crc = sharding::hashes::crc32(request_.feature + actor_of(client));
        row.bucket = domain::rollout_bucket(crc.words.front());
        row.moved = domain::is_on_at(*row.bucket, share_.of_actors);
        row.served_by = *row.moved ? context_.settings().deployment : old_.context().settings().deployment;
    }

    void say_unknown_side(const std::string& key) {
        if (std::exchange(told_unknown_side_, true)) return outcome_.fail(ExitCode::partial);
        outcome_.cannot_tell({ExitCode::partial,
                              fmt::format("key {} has its client in another form, so it is not known which deployment "
                                          "serves it",
                                          support::quoted(key)),
                              "name clients: --client ID"});
    }

    RolloutPair pair_of(const NamedKey& named, const store::LookAnswer& old_look, const store::LookAnswer& new_look,
                        Moment now) {
        const auto meaning = meaning_of(named.key, context_.settings());
        RolloutPair row;
        row.key = named.key;
        row.match = meaning.match;
        row.limit = meaning.limit;
        if (const auto client = client_of(named, meaning)) {
            take_side(row, *client);
        } else {
            say_unknown_side(named.key);
        }
        row.old_window = judged(old_look, now, meaning.limit);
        row.new_window = judged(new_look, now, meaning.limit);
        return row;
    }

    void judge_standing(RolloutPair& row, std::int64_t lost, Moment now) const {
        if (!row.old_window || !row.new_window) return;
        const auto& directory = context_.directory();
        const auto place = directory.place_of(row.key);
        const bool is_known = !place || carried_.silence_of(directory.name_of(place->shard)) == nullptr;
        if (!is_known && counted_there(row, lost, now) > 0 && open_used(*row.new_window, now)) return;
        const auto standing = standing_of(row, lost, into_of(row, now), now);
        row.standing = standing.word;
        row.given_anew = standing.given_anew;
    }

    void print(const RolloutPair& row) {
        ++compared_;
        moved_ += row.moved.value_or(false) ? 1 : 0;
        if (row.standing == "corrupt") outcome_.attend();
        if (row.moved.value_or(true) && row.given_anew.value_or(0) > 0) {
            ++afresh_;
            outcome_.attend();
        }
        rows_.write(row);
    }

    std::string words() const {
        auto text = fmt::format("{} of {} served by '{}' at {} %", moved_, compared_, context_.settings().deployment,
                                share_.of_actors);
        if (afresh_ > 0) text += fmt::format("; {} of them may make requests once more that were counted", afresh_);
        return text;
    }

    const CompareRequest& request_;
    Context& context_;
    StoredShare share_;
    OldSide old_;
    Selection selection_;
    Filter filter_;
    KeyStream keys_;
    Outcome outcome_;
    RowWriter<RolloutPair> rows_;
    CarriedOver carried_;
    bool told_unknown_side_ = false;
    std::int64_t compared_ = 0, moved_ = 0, afresh_ = 0;
};

}  // namespace

ExitCode run_compare(const CompareRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(rollout_compare_fields()))) return ExitCode::done;
    if (request.feature.empty()) throw support::Failure(ExitCode::usage, "--feature names none", {});
    check_selection(request.selection);
    if (!names_keys(request.selection))
        throw support::Failure(ExitCode::usage, "no client is named", "a KEY, `-`, or --client ID");
    return Compare(request, context).run();
}

}  // namespace ratectl::commands::rollout
