// Makes the write that takes a row back.
// Resets are restored; counted requests are given back, and those given back are counted again, in the same window.
#include "commands/undo/undo_items.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "commands/request/throttle_names.h"
#include "commands/write/unresolved_entries.h"
#include "support/fnv.h"
#include "support/number_text.h"
#include "support/quote.h"
#include "support/time_text.h"

namespace ratectl::commands {

namespace {

constexpr const char* kWindowThere = "window-there";
constexpr const char* kBelowZero = "below-zero";
constexpr const char* kWindowChanged = "window-changed";
/// Calls for single rows are numbered above every slice.
constexpr std::uint64_t kRowCalls = std::uint64_t{1} << 52U;

std::optional<std::int64_t> number(const std::optional<std::string>& stored) {
    return stored ? support::parse_decimal(*stored) : std::nullopt;
}

Refusal changed(const HistoryRow& entry, std::string reason, const std::string& what, std::string hint = {}) {
    auto made = refuse_undo(entry, std::move(reason), what, std::move(hint));
    made.status = RowStatus::window_changed;
    return made;
}

Refusal another_window(const HistoryRow& entry, std::string hint = {}) {
    return changed(entry, kWindowChanged, "no longer has the window that was changed", std::move(hint));
}

/// What the write left still counts, and what is there is none of it.
bool is_removed_since(const HistoryRow& entry, const domain::WindowLook& look, support::Moment now) {
    const auto& left = entry.outcome->after;
    if (!left.state || *window_of(entry) <= now) return false;
    return !domain::check(model_of(look), now) || !look.limiter->of(look.key).went_on(look, left);
}

/// What was removed is as many requests by the terms of now as it was by those of then, so that it can be added to
/// newer ones. Buckets and moments hold shares of a limit and a period; a throttle that was deleted gets its knobs
/// back, and what was counted since was counted without them. `newer`: a look at what is there, null: only its script
/// looks.
bool adds_up(const HistoryRow& entry, const UndoTerms& terms, const domain::WindowLook* newer = nullptr) {
    const auto& of_key = limiter_of(*terms.settings).of(entry.intent.key);
    if (!of_key.end_moves()) return true;
    const auto& removed = entry.outcome->before;
    const auto look = of_key.look_at(entry.intent.key, removed);
    const auto knobs = of_key.knobs_in(look);
    if (knobs && entry.head.command == throttle::kDeleteCommand) return false;
    if (newer != nullptr && of_key.knobs_in(*newer) != knobs) return false;
    const auto used = number(removed.used);
    if (!used) return false;
    // By the server's clock or by this one, in whole seconds or not; a server's record has its own alone.
    constexpr support::Seconds give{2};
    const auto answered = support::to_instant(entry.outcome->at);
    const auto sent = entry.intent.at == support::WallTime{} ? answered : support::to_instant(entry.intent.at);
    const auto [first, last] = std::minmax(sent, answered);
    const auto limit = meaning_of(look, *terms.settings).limit;
    const auto earliest = domain::judge(look, first - give, limit).used;
    const auto latest = domain::judge(look, last + give, limit).used;
    return earliest && *earliest >= *used && latest.value_or(0) <= *used;
}

/// They are no requests, and are not added up.
bool is_about_knobs(const HistoryRow& entry, const UndoTerms& terms) {
    const auto& of_key = limiter_of(*terms.settings).of(entry.intent.key);
    return !of_key.limits_clients() && of_key.knobs_in(of_key.look_at(entry.intent.key, entry.outcome->before));
}

Forecast forecast_restore(const HistoryRow& entry, const domain::WindowLook& look, const UndoTerms& terms,
                          support::Moment now) {
    const auto& removed = entry.outcome->before;
    const auto end = number(removed.reset_at);
    if (end && *end < support::epoch_seconds(now))
        return {changed(entry, "closed", "had a window that is over"), {}, {}};
    if (domain::is_absent(look)) return {std::nullopt, removed, {}};
    if (!terms.merge || !end || !adds_up(entry, terms, &look)) {
        return {changed(entry, kWindowThere, is_about_knobs(entry, terms) ? "has newer knobs" : "has a newer window",
                        undo_hint(kWindowThere, entry, terms, false)),
                {},
                {}};
    }
    const auto newer = number(domain::stored_window(look, now).used.value_or("0"));
    const auto used = number(removed.used.value_or("0"));
    if (!newer || !used)
        return {refuse_undo(entry, "not-an-integer", "holds something that cannot be added up"), {}, {}};
    domain::StoredWindow after = removed;
    after.used = std::to_string(*newer + *used);
    if (look.limiter->end_moves())
        after.reset_at = std::to_string(*end + (domain::open_until(look, now).value_or(now) - now).count());
    return {std::nullopt, after, {}};
}

/// On top of what is there.
Forecast forecast_given_back(const HistoryRow& entry, const domain::WindowLook& look,
                             const domain::StoredWindow& given_back, support::Moment now) {
    const auto back = domain::judge(look.limiter->look_at(entry.intent.key, given_back), now, std::nullopt);
    const auto there = domain::judge(look, now, std::nullopt);
    if (there.state == domain::WindowState::corrupt) return {another_window(entry), {}, {}};
    if (!domain::counts_at(back, now)) return {changed(entry, "closed", "had a window that is over"), {}, {}};
    const bool counts = domain::counts_at(there, now);
    const auto end = counts ? std::max(*back.reset_at, *there.reset_at) : *back.reset_at;
    const auto used = *back.used + (counts ? *there.used : 0);
    return {std::nullopt, {std::to_string(used), std::to_string(support::epoch_seconds(end)), {}, {}}, {}};
}

Forecast forecast_amount(const HistoryRow& entry, const domain::WindowLook& look, const UndoTerms& terms,
                         const OpenedWindows& opened, support::Moment now) {
    const bool refunded = entry.head.kind == domain::WriteKind::refund;
    const bool moves = look.limiter->of(look.key).end_moves();
    if (moves && !refunded && domain::is_absent(look))
        return {changed(entry, "no-window", "has no open window"), {}, {}};
    if (!terms.force && is_removed_since(entry, look, now))
        return {another_window(entry, undo_hint(kWindowChanged, entry, terms, true)), {}, {}};
    const auto given_back =
        refunded ? look.limiter->of(look.key).given_back(entry.outcome->before, entry.outcome->after) : std::nullopt;
    if (given_back) return forecast_given_back(entry, look, *given_back, now);
    auto window = domain::check(model_of(look, now), now);
    const auto amount = *amount_of(entry);
    const auto& before = entry.outcome->before;
    if (!window && moves && refunded && *window_of(entry) > now)
        return {std::nullopt, {before.used, before.reset_at, {}, {}}, {}};
    const bool another = !window || (window->reset_at != *window_of(entry) && !moves);
    if (another) return {another_window(entry, undo_hint(kWindowChanged, entry, terms, moves)), {}, {}};
    const auto foretold = [&](const std::optional<domain::ModelWindow>& after, std::int64_t requests) {
        return moves && after ? look.limiter->foreseen(look, now, requests) : stored_of(after);
    };
    if (refunded) {
        const auto answer = domain::rate(window, amount, window->reset_at, now);
        if (answer.refusal == domain::ModelRefusal::none) return {std::nullopt, foretold(answer.after, amount), {}};
        return {refuse_undo(entry, "overflow", overflow_words(*look.limiter)), {}, {}};
    }
    if (!moves && window->used == amount && opened.contains({look.key, window->reset_at}))
        return {std::nullopt, {}, amount};
    const auto answer = domain::refund(window, amount, window->reset_at, moves, now, look.limiter->floor_of(look, now));
    if (answer.refusal == domain::ModelRefusal::none)
        return {std::nullopt, foretold(answer.after, -answer.taken), answer.taken};
    return {refuse_undo(entry, kBelowZero, "has fewer requests left than were counted",
                        undo_hint(kBelowZero, entry, terms, moves)),
            {},
            {}};
}

Forecast forecast_put(const HistoryRow& entry, const domain::WindowLook& look) {
    if (domain::stored_window(look).state != entry.outcome->after.state)
        return {changed(entry, kWindowChanged, "no longer holds what was put there"), {}, {}};
    return {std::nullopt, entry.outcome->before, {}};
}

Forecast forecast_repair(const HistoryRow& entry, const domain::WindowLook& look) {
    const auto window = model_of(look);
    if (!window || window->reset_at != *window_of(entry))
        return {another_window(entry, undo_hint(kWindowChanged, entry, {}, false)), {}, {}};
    const auto& before = entry.outcome->before;
    auto after = domain::stored_window(look);
    after.expires = before.expires;
    return {std::nullopt, std::move(after), {}};
}

}  // namespace

Refusal refuse_undo(const HistoryRow& entry, std::string reason, const std::string& what, std::string hint) {
    PlannedKey planned;
    planned.key = entry.intent.key;
    return refused(planned, std::move(reason), what, std::move(hint));
}

Refusal doubt_undo(const HistoryRow& entry) {
    const std::string what = "key " + support::quoted(entry.intent.key) +
                             ": an earlier undo may have taken it back, and nothing tells " +
                             "any more; it was not sent again";
    return {RowStatus::unknown, "earlier-attempt",
            support::Error{ExitCode::unknown, what, "look at the key, then decide anew"}};
}

Refusal refuse_removed(const HistoryRow& entry) {
    return changed(entry, kWindowChanged, "was removed since, as the journal knows",
                   "--force takes what is there for it all the same");
}

domain::WriteKind opposite_of(domain::WriteKind kind) {
    switch (kind) {
        case domain::WriteKind::count: return domain::WriteKind::refund;
        case domain::WriteKind::refund: return domain::WriteKind::count;
        case domain::WriteKind::repair: return domain::WriteKind::repair;
        case domain::WriteKind::put: return domain::WriteKind::put;
        default: return domain::WriteKind::restore;
    }
}

bool is_counting(domain::WriteKind kind) {
    return kind == domain::WriteKind::count || kind == domain::WriteKind::refund;
}

std::uint64_t call_of_row(std::uint64_t slice, std::string_view key, bool by_slot) {
    const auto hash = support::fnv1a_64(fmt::format("{}:{}", slice, key));
    const auto call = kRowCalls + (hash & (kRowCalls - 1));
    return by_slot ? call - domain::slot_of_number(call) + domain::slot_of_number(slice) : call;
}

bool is_undo_of(const domain::OperationRecord& record, const std::string& operation) {
    return record.fingerprint.starts_with(fmt::format("{}{}:", kUndoFingerprint, operation));
}

std::optional<std::int64_t> amount_of(const HistoryRow& entry) {
    if (entry.head.kind != domain::WriteKind::refund && entry.intent.amount) return entry.intent.amount;
    const auto& outcome = *entry.outcome;
    return domain::amount_in(entry.head.kind, outcome.before, outcome.after, outcome.taken);
}

std::optional<support::Instant> window_of(const HistoryRow& entry) {
    const auto& outcome = *entry.outcome;
    const auto end = number(outcome.after.reset_at ? outcome.after.reset_at : outcome.before.reset_at);
    return end ? std::optional{support::from_epoch(*end)} : std::nullopt;
}

std::optional<Refusal> refusal_of_moving_end(const HistoryRow& entry, Context& context) {
    const auto amount = amount_of(entry);
    const auto& limiter = limiter_of(context.settings()).of(entry.intent.key);
    if (!amount || !limiter.end_moves()) return std::nullopt;
    const bool refunded = entry.head.kind == domain::WriteKind::refund;
    const auto& written = *entry.outcome;
    const auto end = window_of(entry);
    if (!refunded && end && *end < context.now())
        return refuse_undo(entry, "closed",
                           "counts nothing any more of what was counted; newer requests are not taken for it",
                           "--force takes as many of them");
    const auto requests = refunded ? -*amount : *amount;
    if (!limiter.has_other_terms(entry.intent.key, {written.before, written.after, requests, written.at})) return {};
    return refuse_undo(entry, "other-terms", "was changed under another limit or period than its policy has now",
                       "undo it under the --limit and --period of then; --force takes those of now");
}

bool opened_window(const HistoryRow& entry) {
    const auto& [before, after] = std::tie(entry.outcome->before, entry.outcome->after);
    return entry.head.kind == domain::WriteKind::count && after.reset_at && before.reset_at != after.reset_at;
}

OpenedWindows windows_opened_by(std::span<const HistoryRow> rows) {
    OpenedWindows opened;
    for (const auto& row : rows) {
        const bool wrote = row.outcome && domain::wrote(row.outcome->status);
        if (wrote && opened_window(row) && window_of(row)) opened.emplace(row.intent.key, *window_of(row));
    }
    return opened;
}

domain::RestoreItem restore_item(const HistoryRow& entry, std::size_t shard, const UndoTerms& terms,
                                 support::Moment now) {
    return {{entry.intent.key, shard}, entry.outcome->before, terms.merge && adds_up(entry, terms), now};
}

domain::RefundItem refund_item(const HistoryRow& entry, std::size_t shard, const OpenedWindows& opened,
                               const domain::Limiter& limiter, support::Moment now) {
    const auto window = *window_of(entry);
    const bool clamp = limiter.of(entry.intent.key).end_moves();
    domain::RefundItem item{{entry.intent.key, shard}, *amount_of(entry), window, clamp, now};
    item.opened = opened.contains({entry.intent.key, window});
    item.if_was = entry.outcome->after;
    return item;
}

domain::CountItem count_item(const HistoryRow& entry, std::size_t shard, const domain::Limiter& limiter,
                             support::Moment now) {
    // Where the end moves, what was given back counted until then.
    const auto end = number(entry.outcome->before.reset_at);
    const auto window = end ? support::from_epoch(*end) : *window_of(entry);
    domain::CountItem item{{entry.intent.key, shard}, *amount_of(entry), window, now, window};
    item.given_back = limiter.of(entry.intent.key).given_back(entry.outcome->before, entry.outcome->after);
    item.if_was = entry.outcome->after;
    return item;
}

domain::PutItem put_item(const HistoryRow& entry, std::size_t shard) {
    const auto& [before, after] = std::tie(entry.outcome->before, entry.outcome->after);
    return {{entry.intent.key, shard}, before.state, after.state, before.expires.front()};
}

domain::RepairItem repair_item(const HistoryRow& entry, std::size_t shard, const domain::Limiter& limiter) {
    const auto window = *window_of(entry);
    domain::Expiries repaired;
    repaired.fill(limiter.right_expiry_ms(limiter.look_at(entry.intent.key, entry.outcome->after)));
    return {{entry.intent.key, shard}, window, repaired, entry.outcome->before.expires};
}

std::string undo_hint(std::string_view reason, const HistoryRow& entry, const UndoTerms& terms, bool end_moves) {
    if (reason == kBelowZero) return "`ratectl refund KEY --amount N --clamp` takes what is there";
    if (end_moves && !terms.force && (reason == kWindowChanged || reason == "closed"))
        return "it was removed since, or requests were given back, which looks alike; --force takes what is there for "
               "it";
    if (reason == kWindowChanged && !end_moves && window_of(entry))
        return "the window that was changed ends at " + support::format_time(*window_of(entry));
    if (reason != kWindowThere) return "";
    if (is_about_knobs(entry, terms))
        return "`ratectl knobs set NAME rps=N burst=N window=N` turns those that are there";
    if (!terms.merge) return "--merge adds the removed requests to it";
    return "they were not counted under one limit, period and knobs, so that they cannot be added up";
}

Forecast forecast_undo(const HistoryRow& entry, const domain::WindowLook& look, const UndoTerms& terms,
                       const OpenedWindows& opened, support::Moment now) {
    if (entry.head.kind == domain::WriteKind::repair) return forecast_repair(entry, look);
    if (entry.head.kind == domain::WriteKind::put) return forecast_put(entry, look);
    if (entry.head.kind == domain::WriteKind::reset) return forecast_restore(entry, look, terms, now);
    return forecast_amount(entry, look, terms, opened, now);
}

}  // namespace ratectl::commands
