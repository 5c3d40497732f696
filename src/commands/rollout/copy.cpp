// rollout copy: carries windows over, so that no client starts afresh where it moves to. Only into windows that copies
// have opened: what was carried before is known of those alone, and nothing counts twice.
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands/looks/meant_instead.h"
#include "commands/report/key_mask.h"
#include "commands/rollout/carried.h"
#include "commands/rollout/old_side.h"
#include "commands/rollout/rollout_requests.h"
#include "commands/write/previous_attempt.h"
#include "commands/write/unresolved_entries.h"
#include "commands/write/write_run.h"
#include "store/directory.h"
#include "support/number_text.h"

namespace ratectl::commands::rollout {
namespace {

using domain::WindowState;
using support::Instant;
using support::Moment;

/// What was met on the way and stays as it is, for the closing words.
struct LeftAsTheyAre {
    std::uint64_t moved_before = 0;  // clients that have a window of their own here
    std::uint64_t began_anew = 0;    // windows of the old side that are other ones than those that were copied
    std::uint64_t gone = 0;          // copied windows that are not here any more
    std::uint64_t gone_on = 0;       // of those that are, or would be, opened again: they were counted in meanwhile
    std::uint64_t orphans = 0;       // counters of the old side without an end
    std::int64_t in_orphans = 0;     // how many requests those hold
    bool unsure = false;             // into some of them copies may have carried more than is known
    /// Servers here that did not tell what was copied before: nothing is written to their shards' windows.
    std::vector<store::NodeFailure> silent = {};
};

/// The windows of the old side, placed where they are to be.
class ComingKeys final : public PlannedKeys {
public:
    ComingKeys(std::unique_ptr<PlannedKeys> there, const store::Directory& here, const LeftAsTheyAre& left)
        : there_(std::move(there)), here_(here), left_(left) {}

    std::vector<PlannedKey> next(std::size_t most) override {
        std::vector<PlannedKey> keys;
        for (auto& found : there_->next(most)) {
            PlannedKey key;  // what was seen of it there is no guard of what is here
            key.key = std::move(found.key);
            key.shard = here_.place_of(key.key).value_or(store::Place{}).shard;
            key.misplaced = found.misplaced;
            keys.push_back(std::move(key));
        }
        return keys;
    }
    std::vector<store::NodeFailure> failures() const override { return there_->failures(); }
    bool are_given() const override { return there_->are_given(); }
    bool may_wait() const override { return there_->may_wait(); }
    void tell_left_out(Outcome& outcome) override {
        there_->tell_left_out(outcome);
        if (left_.orphans + left_.gone + left_.gone_on > 0) outcome.attend();
        for (const auto& [node, error] : left_.silent) outcome.fail_once(node, error);
    }
    bool is_sweep() const override { return there_->is_sweep(); }
    bool are_chosen_by_look() const override { return there_->are_chosen_by_look(); }

private:
    std::unique_ptr<PlannedKeys> there_;
    const store::Directory& here_;
    const LeftAsTheyAre& left_;
};

/// Its programs go on counting in a counter that has lost its end.
bool counts_on_without_end(const domain::Limiter& limiter) {
    const auto lone = limiter.look_at("k", {"1", std::nullopt, {}});
    return limiter.carried_over(lone, std::nullopt) > 0;
}

bool stores_ends(const domain::Limiter& limiter) {
    return limiter.used_part() && limiter.reset_part() && !limiter.end_moves();
}

/// What the old side has of one client.
struct Source {
    std::int64_t used = 0;
    Instant reset{};
    bool keeps_count = false;  // also where it gets another end
};

class Copy final : public Change {
public:
    Copy(OldSide& old, Context& context)
        : old_(old), context_(context), meets_orphans_(counts_on_without_end(limiter_of(old.context().settings()))) {}

    domain::WriteKind kind() const override { return domain::WriteKind::count; }
    std::string_view command() const override { return kCopyCommand; }
    std::string asked() const override { return "copy from " + old_.name(); }
    std::string_view mark() const override { return kCopyFingerprint; }
    std::string verb() const override { return "carry requests over from " + old_.name() + " into"; }
    PlanRules rules() const override {
        const auto is_swept = [this](WindowState state) {
            // A corrupt one is refused by name: what it counts is not carried over, and its client starts afresh.
            // So is one whose count is below 0.
            return state == WindowState::open || state == WindowState::exhausted || state == WindowState::corrupt ||
                   state == WindowState::negative || (meets_orphans_ && state == WindowState::orphan_counter);
        };
        return {.opens = true, .sweeps = is_swept, .orphans = meets_orphans_};
    }
    bool needs_look(const PlannedKey& /*planned*/, const KeyMeaning& /*meaning*/) const override { return true; }

    /// The order decides: what was carried is asked for when the windows have been looked at, so that whatever another
    /// copy writes meanwhile is either known, or not what was looked at; and the old side last of all.
    void take_looks(std::span<const store::LookAnswer> answers) override {
        const auto now = context_.now();
        std::vector<std::string_view> keys;
        bool doubtful = !learned_;
        for (const auto& answer : answers) {
            if (!answer.look) continue;
            keys.push_back(answer.look->key);
            doubtful = doubtful || was_counted_in(*answer.look, now);
        }
        if (doubtful) learn();
        sources_.clear();
        for (auto& answer : old_.look(keys)) sources_.emplace(keys.at(answer.key), std::move(answer));
    }

    std::optional<std::int64_t> amount_of(const Subject& subject) const override {
        const auto item = item_for(subject);
        return item ? std::optional(item->amount) : std::nullopt;
    }

    std::optional<Refusal> prepare(const Subject& subject) override {
        auto item = item_for(subject);
        if (!item) return note(subject, item.error());
        note_gone(subject);
        items_.push_back(std::move(*item));
        return std::nullopt;
    }

    Forecast forecast(const Subject& subject) const override {
        const auto item = item_for(subject);
        if (!item) return {note(subject, item.error()), {}, {}};
        note_gone(subject);
        const auto open = domain::open_until(subject.look, subject.now);
        const auto stands = open ? domain::integer_of(domain::stored_used(subject.look)).value_or(0) : 0;
        const auto end = support::epoch_seconds(open.value_or(item->next_reset));
        return {std::nullopt, {std::to_string(item->amount + stands), std::to_string(end), {}, {}}, {}};
    }

    void send(store::WriteStream& stream, store::WriteOrder order) override {
        stream.submit(std::exchange(items_, {}), std::move(order));
    }
    /// Applications go on counting here.
    bool looks_again() const override { return true; }
    std::string hint_for(std::string_view reason) const override {
        return reason == "window-changed" ? "its client counted here at every look; the same command again carries "
                                            "over what is left, under another id where --op-id named one"
                                          : std::string();
    }

    const LeftAsTheyAre& left() const { return left_; }

private:
    void learn() {
        carried_.learn(context_);
        left_.silent = carried_.silent();
        learned_ = true;
    }

    const Refusal& note(const Subject& subject, const Refusal& refusal) const {
        if (refusal.reason == "window-there") {
            const auto open = domain::open_until(subject.look, subject.now);
            const auto* into = open ? carried_.into(subject.planned.key, *open) : nullptr;
            const bool unsure = into != nullptr && may_lack_some(*into, subject);
            ++(into == nullptr || unsure ? left_.moved_before : left_.began_anew);
            left_.unsure = left_.unsure || unsure;
        }
        if (refusal.reason == "gone") ++left_.gone;
        if (refusal.reason != "absent" && refusal.reason != "orphan") return refusal;
        const auto& look = *sources_.find(subject.planned.key)->second.look;
        // Another half of a window was named, perhaps.
        meant_.note_if_part(look.key, domain::judge(look, subject.now, std::nullopt).state);
        if (refusal.reason == "absent") return refusal;
        const auto lost = look.limiter->carried_over(look, subject.meaning.limit);
        left_.orphans += lost > 0 ? 1 : 0;
        left_.in_orphans += lost;
        return refusal;
    }

    /// Its requests are carried over from here on: those that were before are not here any more.
    void note_gone(const Subject& subject) const {
        const auto source = source_of(subject);
        const bool open = domain::open_until(subject.look, subject.now).has_value();
        const auto* into = source && !open ? carried_.into(subject.planned.key, source->reset) : nullptr;
        if (into != nullptr && into->used > 0) ++left_.gone_on;
    }

    bool may_lack_some(const CarriedOver::Into& into, const Subject& subject) const {
        return carried_.may_lack_some(into, domain::stored_window(subject.look).used, subject.planned.shard);
    }

    /// Not as the latest copy has left it: by the application, or by a copy that is not known yet.
    bool was_counted_in(const domain::WindowLook& look, Moment now) const {
        const auto end = domain::open_until(look, now);
        if (!end) return false;
        const auto* into = carried_.into(look.key, *end);
        return into == nullptr || into->left != domain::stored_window(look).used;
    }

    tl::expected<Source, Refusal> source_of(const Subject& subject) const {
        const auto& key = subject.planned.key;
        const auto found = sources_.find(key);
        if (found == sources_.end() || !found->second.look) {
            if (found == sources_.end())
                return tl::make_unexpected(lost_look({ExitCode::unavailable, "no answer", ""}));
            auto refusal = lost_look(found->second.look.error());
            refusal.elsewhere = OtherServer{old_.context().settings().deployment, found->second.node};
            return tl::make_unexpected(std::move(refusal));
        }
        const auto& look = *found->second.look;
        const auto window = domain::judge(look, subject.now, std::nullopt);
        if (window.state == WindowState::absent || part_alone(key, window.state, *look.limiter))
            return tl::make_unexpected(skipped("absent"));
        if (window.state == WindowState::closed) return tl::make_unexpected(skipped("closed"));
        if (window.state == WindowState::corrupt)
            return tl::make_unexpected(
                refused(subject.planned, "not-an-integer",
                        "is no window in " + old_.name() + ": " + look.limiter->corruption(look)));
        if (!window.used || !window.reset_at || !domain::open_until(look, subject.now))
            return tl::make_unexpected(skipped("orphan"));
        if (*window.used < 0)
            return tl::make_unexpected(
                refused(subject.planned, std::string(domain::name_of(WindowState::negative)),
                        fmt::format("has {} used in {}: a count below 0 is none of requests, and is not carried over",
                                    *window.used, old_.name()),
                        "`ratectl reset` in that deployment removes it, and the next request begins a window"));
        if (*window.used > static_cast<std::int64_t>(support::kMaxExactInteger))
            return tl::make_unexpected(refused(subject.planned, "overflow",
                                               "has a number used in " + old_.name() + " that cannot be counted"));
        return Source{*window.used, *window.reset_at, counts_on_without_end(look.limiter->of(key))};
    }

    /// Records are about the deployment here, and hide what its policies do: what the old side hides they would tell.
    std::optional<Refusal> refuse_recorded(const PlannedKey& planned) const {
        const auto hidden = recorded_key(planned.key, old_.context().settings());
        if (hidden == planned.key || hidden == recorded_key(planned.key, context_.settings())) return std::nullopt;
        return refused(planned, "secret",
                       fmt::format("is of a secret policy in {}, and no policy of deployment '{}' keeps its client out "
                                   "of records in the same way",
                                   old_.name(), context_.settings().deployment),
                       old_.how_to_hide(), ExitCode::configuration);
    }

    /// No limiter would count on in it.
    std::optional<Refusal> refuse_other_key(const PlannedKey& planned) const {
        const auto* here = old_.policy_with_other_keys(planned.key);
        if (here == nullptr) return std::nullopt;
        return refused(
            planned, "other-key",
            fmt::format("is of policy '{}' in {}, whose keys are `{}` in deployment '{}': no client would count "
                        "on in it there",
                        here->name, old_.name(), here->key.text(), context_.settings().deployment),
            "its client starts afresh; `ratectl rollout compare` tells with how many requests",
            ExitCode::configuration);
    }

    tl::expected<domain::CountItem, Refusal> item_for(const Subject& subject) const {
        const auto& planned = subject.planned;
        if (!stores_ends(subject.look.limiter->of(planned.key)))
            return tl::make_unexpected(refused(planned, "no-end",
                                               "is of a limiter here that stores no end with its windows, so it cannot "
                                               "be carried over with the end that clients were told",
                                               "--policy names the policies whose windows are meant",
                                               ExitCode::configuration));
        const auto source = source_of(subject);
        if (!source) return tl::make_unexpected(source.error());
        if (auto refusal = refuse_recorded(planned)) return tl::make_unexpected(*std::move(refusal));
        if (auto refusal = refuse_other_key(planned)) return tl::make_unexpected(*std::move(refusal));
        if (subject.window.state == WindowState::corrupt) return tl::make_unexpected(refuse_corrupt(subject));
        if (auto refusal = refuse_uncountable(subject)) return tl::make_unexpected(*std::move(refusal));
        if (const auto* silence = carried_.silence_of(context_.directory().name_of(planned.shard))) {
            auto error = *silence;
            error.message += "; what was copied there before is unknown";
            return tl::make_unexpected(lost_look(std::move(error)));
        }
        const auto open = domain::open_until(subject.look, subject.now);
        const auto* into = carried_.into(planned.key, open.value_or(source->reset));
        // How much of a window has been carried over that no copy is known to have opened is not known either, also
        // where it has the same end. Into one that a copy has opened, and whose counter has another end there now, the
        // rest is carried, where a counter goes on under another end; else that is another window.
        const bool is_another = open && open != source->reset && !source->keeps_count;
        const bool is_unsure = open && (into == nullptr || may_lack_some(*into, subject));
        if (is_unsure || is_another) return tl::make_unexpected(skipped("window-there"));
        const auto amount = source->used - (into != nullptr ? into->used : 0);
        if (amount < 0 && open && open != source->reset) return tl::make_unexpected(skipped("window-there"));
        if (amount < 0) {
            return tl::make_unexpected(
                refused(planned, "used-less",
                        fmt::format("has {} used in {}, {} less than were carried over already", source->used,
                                    old_.name(), -amount),
                        fmt::format("nothing is to be done: what was carried over stays, and the next {} that are "
                                    "counted there are not carried over",
                                    -amount)));
        }
        if (!open && into != nullptr && into->used > 0 && amount == 0) return tl::make_unexpected(skipped("gone"));
        if (amount == 0 && (open || into != nullptr)) return tl::make_unexpected(skipped("already-copied"));
        domain::CountItem item{{planned.key, planned.shard}, amount, source->reset, subject.now};
        item.limit = subject.meaning.limit;
        // Whatever is written here after the look may be another copy's, from another machine.
        item.if_stored = domain::stored_window(subject.look);
        return item;
    }

    OldSide& old_;
    Context& context_;
    bool meets_orphans_;
    CarriedOver carried_;
    bool learned_ = false;
    std::map<std::string, store::LookAnswer, std::less<>> sources_;  // of the chunk
    std::vector<domain::CountItem> items_;
    mutable LeftAsTheyAre left_;
    mutable MeantInstead meant_{old_.context()};
};

/// What can be carried into at all.
void check_target(Context& context) {
    const auto& place = context.directory().places().front();
    if (place.primary.protocol == domain::Protocol::memcached) {
        throw support::Failure(
            ExitCode::usage,
            fmt::format("windows are carried over to Redis, and {} is a memcached", place.primary.address()),
            "-d or -u names the new deployment, --old the one that clients come from");
    }
}

constexpr std::string_view kWhereNotMeant =
    "where that was not meant, `rollout compare` tells how much it is, and `increment KEY --amount N` counts it";

void tell(const LeftAsTheyAre& left, const OldSide& old, Context& context) {
    if (left.moved_before > 0) {
        context.messages().notice(
            fmt::format("{} of the skipped have a window of their own here already, which no known copy has opened{}: "
                        "it counts and stays as it is",
                        left.moved_before, left.unsure ? ", or whose server may have evicted records of copies" : ""));
    }
    if (left.began_anew > 0) {
        context.messages().notice(
            fmt::format("{} of the skipped have a copied window here, and in {} one that has begun anew since: what it "
                        "counts is carried over when the one here has ended",
                        left.began_anew, old.name()));
    }
    if (left.gone > 0) {
        context.messages().warning(
            fmt::format("{} of the skipped were copied before and have no window here any more, as where it was reset "
                        "or lost: what was carried over is not carried over again",
                        left.gone),
            kWhereNotMeant);
    }
    if (left.gone_on > 0) {
        context.messages().warning(
            fmt::format(
                "{} of the windows were copied before and had no window here any more, as where it was reset or "
                "lost: only what {} has counted since is carried over, and not what was before",
                left.gone_on, old.name()),
            kWhereNotMeant);
    }
    if (left.orphans == 0) return;
    context.messages().warning(
        fmt::format("{} of the skipped: a counter in {} that has lost its end ({} requests in all). A window is "
                    "carried over with the end that clients were told, and these have none until the next request "
                    "there gives them a new one; what they have counted does not count here",
                    left.orphans, old.name(), left.in_orphans),
        "the same command again once they have an end; `scan --state orphan-counter` in that deployment lists them");
}

}  // namespace

ExitCode run_copy(const CopyRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(write_fields()))) return ExitCode::done;
    OldSide old(request.old, context);
    check_target(context);
    Copy change(old, context);
    WriteTask task;
    task.orders = orders_of(request.order, request.consent, change.kind(), change.command(), context);
    task.all = request.selection.all;
    const Consent before_anything(request.consent, context, task.orders.dry);
    auto selection = request.selection;
    selection.beside = &context.settings();  // as this command's own rows
    task.keys = std::make_unique<ComingKeys>(plan_keys(selection, change.rules(), old.context()), context.directory(),
                                             change.left());
    if (task.keys->are_chosen_by_look()) task.orders.resumable = false;
    if (task.keys->is_sweep()) refuse_repeated_sweep(task.orders, change.kind(), context);
    const auto code = run_task(std::move(task), request.consent, change, context);
    tell(change.left(), old, context);
    return code;
}

}  // namespace ratectl::commands::rollout
