// The write that takes one row back, and what it would do to a window that was looked at.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "commands/context.h"
#include "commands/report/fields/history_fields.h"
#include "commands/write/change.h"
#include "domain/operation.h"
#include "domain/write.h"

namespace ratectl::commands {

/// How an undo is meant.
struct UndoTerms {
    bool merge = false;                          // a newer window may be there
    bool force = false;                          // the server may be another one, and a window whose end moves, too
    bool whole = false;                          // all rows of the operation
    const config::Settings* settings = nullptr;  // the limits of now; lasts as long as this
};

/// The row is not taken back. `what`: a clause about its key.
Refusal refuse_undo(const HistoryRow& entry, std::string reason, const std::string& what, std::string hint = {});

/// Its window went with a later operation.
Refusal refuse_removed(const HistoryRow& entry);
/// An earlier undo may have taken it back.
Refusal doubt_undo(const HistoryRow& entry);

/// It left a window with more or fewer requests in it.
bool is_counting(domain::WriteKind kind);
/// The kind of write that takes such a write back.
domain::WriteKind opposite_of(domain::WriteKind kind);

/// The number of the call of an undo that takes one row back alone: the row that has this key in that call. The journal
/// counts rows, the servers do not; so the two name it. An undo of a whole call has the number of that.
std::uint64_t call_of_row(std::uint64_t slice, std::string_view key, bool by_slot);
/// The call took something of that operation back.
bool is_undo_of(const domain::OperationRecord& record, const std::string& operation);

/// How many requests the row counted or gave back; null where that cannot be told.
std::optional<std::int64_t> amount_of(const HistoryRow& entry);
/// The end of the window that was changed; null where it had none that is a number.
std::optional<support::Instant> window_of(const HistoryRow& entry);

/// Why a count or a refund of a limiter whose ends move is not taken back: its states stand for so many requests by the
/// limit and the period of their policy, and these are others by now, so that the amount would be another share of what
/// is stored; or all that was counted has come free again. Null: nothing tells so. The row has an outcome that wrote.
std::optional<Refusal> refusal_of_moving_end(const HistoryRow& entry, Context& context);

/// It counted, and what was there before was no window, or one that was over.
bool opened_window(const HistoryRow& entry);

/// Keys, and the ends of their windows.
using OpenedWindows = std::set<std::pair<std::string, support::Instant>>;
/// The windows that counts of these rows have opened.
OpenedWindows windows_opened_by(std::span<const HistoryRow> rows);

/// These need an outcome that wrote; refund and count also an amount and a window.
/// A restore merges only what is as many requests by the terms of now as it was when it was removed.
domain::RestoreItem restore_item(const HistoryRow& entry, std::size_t shard, const UndoTerms& terms,
                                 support::Moment now);
/// A window of `opened` goes with the last that was counted into it. Where the end moves, what was counted may be free
/// again by now, or have given way to newer requests: what is left of it is taken. Such a window has to be one that
/// what was left may have become; rows of one key are taken back the last first, then.
domain::RefundItem refund_item(const HistoryRow& entry, std::size_t shard, const OpenedWindows& opened,
                               const domain::Limiter& limiter, support::Moment now);
/// The expiries that were replaced, in the window that was repaired and still expires as it was repaired to.
domain::RepairItem repair_item(const HistoryRow& entry, std::size_t shard, const domain::Limiter& limiter);
/// What was there before, in the place of what was put there.
domain::PutItem put_item(const HistoryRow& entry, std::size_t shard);
domain::CountItem count_item(const HistoryRow& entry, std::size_t shard, const domain::Limiter& limiter,
                             support::Moment now);

/// Of a row that a script refused for this reason: what else may be done, or what is another one; empty: nothing.
std::string undo_hint(std::string_view reason, const HistoryRow& entry, const UndoTerms& terms, bool end_moves);

/// For a dry run; `opened`: as refund_item() has them.
Forecast forecast_undo(const HistoryRow& entry, const domain::WindowLook& look, const UndoTerms& terms,
                       const OpenedWindows& opened, support::Moment now);

}  // namespace ratectl::commands
