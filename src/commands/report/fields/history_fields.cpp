// The columns of history, and of the audit log.
#include "commands/report/fields/history_fields.h"

#include <array>
#include <tuple>

#include "commands/report/fields/write_fields.h"

namespace ratectl::commands {
namespace {

using output::bytes_or_null;
using output::BytesView;
using output::Cell;
using output::CellType;
using output::Field;
using output::Null;
using output::or_null;
using output::text_or_null;
using output::Tone;
using output::Word;
using Quiet = output::Column::Quiet;
using Shown = output::Column::Shown;
using Stored = std::optional<std::string>;

/// A half of the window before or after; null where it is not known.
const Stored& stored(const HistoryRow& row, domain::StoredWindow journal::Outcome::*window,
                     Stored domain::StoredWindow::*part) {
    static const Stored none;
    return row.outcome ? (*row.outcome).*window.*part : none;
}

bool wrote(const HistoryRow& row) {
    return row.outcome && (row.outcome->status == domain::WriteStatus::applied ||
                           row.outcome->status == domain::WriteStatus::already_applied);
}

Cell change(const HistoryRow& row) {
    if (!row.outcome) return Null{};
    const auto& [before, after] = std::tie(row.outcome->before, row.outcome->after);
    // An operation key says when the halves expired, not when they do.
    const bool about_expiries = row.head.kind == domain::WriteKind::repair;
    if (wrote(row) && about_expiries && row.source == "server")
        return output::Bytes{expiry_words(before) + " -> changed"};
    return change_cell(wrote(row), before, after, about_expiries);
}

Cell status_word(const HistoryRow& row) {
    if (row.status == "unknown" || row.status == "failed") return Word{row.status, Tone::bad};
    if (wrote(row)) return Word{row.status, Tone::good};
    if (row.status == "no-outcome" || row.status == "refused" || row.status == "window-changed")
        return Word{row.status, Tone::warning};
    return Word{row.status, Tone::plain};
}

Cell why_not(const HistoryRow& row) { return row.outcome ? text_or_null(row.outcome->reason) : Cell{Null{}}; }

Cell because(const HistoryRow& row) {
    const auto& reason = row.head.operation.reason;
    return reason.empty() ? Cell{Null{}} : Cell{BytesView{reason}};
}

Cell operation_row(const HistoryRow& row) {
    const auto& id = row.head.operation.id;
    return output::Text{row.numbered ? id + "/" + std::to_string(row.intent.row) : id};
}

Cell moment(support::WallTime at) { return at == support::WallTime{} ? Cell{Null{}} : Cell{at}; }

using domain::StoredWindow;
constexpr auto kBefore = &journal::Outcome::before;
constexpr auto kAfter = &journal::Outcome::after;

// clang-format off
const std::array<Field<HistoryRow>, 32> kHistoryFields{{
    {{"op", CellType::word, "OP", "the operation and the row in it, as undo takes it: ID/row; ID alone where the row's number is not known"}, operation_row},
    {{"time", CellType::wall_time, "TIME", "when it was sent; where the server alone has it on record, when that carried it out", Shown::table, 6}, [](const HistoryRow& r) { return moment(r.intent.at == support::WallTime{} ? r.head.started_at : r.intent.at); }},
    {{"command", CellType::text, "COMMAND", "reset, refund, increment, apply, undo ...", Shown::table, 5}, [](const HistoryRow& r) { return text_or_null(r.head.command); }},
    {{"kind", CellType::word, "KIND", "what it does to a window: increment, refund, reset or undo", Shown::wide}, [](const HistoryRow& r) -> Cell { return Word{domain::name_of(r.head.kind)}; }},
    {{"deployment", CellType::text, "DEPLOYMENT", "the deployment of the configuration; a table has it where rows are of several", Shown::wide, 7, {}, false, Quiet::while_same}, [](const HistoryRow& r) { return text_or_null(r.head.deployment); }},
    {{"shard", CellType::text, "SHARD", "the shard that has the key", Shown::table, 2}, [](const HistoryRow& r) { return text_or_null(r.intent.shard); }},
    {{"node", CellType::text, "NODE", "the server that it was sent to", Shown::wide}, [](const HistoryRow& r) { return text_or_null(r.intent.node); }},
    {{"run_id", CellType::text, "RUN ID", "that server's run, as it named itself", Shown::machine}, [](const HistoryRow& r) { return text_or_null(r.intent.run_id); }},
    {{"key", CellType::key, "KEY", "the key of the counter"}, [](const HistoryRow& r) -> Cell { return BytesView{r.intent.key}; }},
    {{"amount", CellType::integer, "AMOUNT", "how many requests it was about", Shown::wide}, [](const HistoryRow& r) { return or_null(r.intent.amount); }},
    {{"status", CellType::word, "STATUS", "what became of it; no-outcome: it was about to be sent, and nothing more is recorded"}, status_word},
    {{"source", CellType::word, "SOURCE", "who knows that: the journal, or the server's operation key", Shown::wide}, [](const HistoryRow& r) -> Cell { return r.source.empty() ? Cell{Null{}} : Cell{Word{r.source}}; }},
    {{"change", CellType::bytes, "USED", "requests used before and after, or when the halves expired and expire, for people"}, change},
    {{"before_used", CellType::integer, "USED BEFORE", "requests used before; null where there was no number", Shown::machine}, [](const HistoryRow& r) { return stored_integer(stored(r, kBefore, &StoredWindow::used)); }},
    {{"before_reset_at", CellType::time, "RESET BEFORE", "when the window ended that was there before", Shown::machine}, [](const HistoryRow& r) { return stored_time(stored(r, kBefore, &StoredWindow::reset_at)); }},
    {{"after_used", CellType::integer, "USED AFTER", "requests used afterwards; null where there was no window", Shown::machine}, [](const HistoryRow& r) { return stored_integer(stored(r, kAfter, &StoredWindow::used)); }},
    {{"after_reset_at", CellType::time, "RESET AFTER", "when the window ended that was there afterwards", Shown::machine}, [](const HistoryRow& r) { return stored_time(stored(r, kAfter, &StoredWindow::reset_at)); }},
    {{"taken", CellType::integer, "TAKEN", "how many a refund gave back", Shown::machine}, [](const HistoryRow& r) { return wrote(r) && r.head.kind == domain::WriteKind::refund ? Cell{r.outcome->taken} : Cell{Null{}}; }},
    {{"stored_before", CellType::bytes, "STORED BEFORE", "the counter before, as it was stored", Shown::machine}, [](const HistoryRow& r) { return bytes_or_null(stored(r, kBefore, &StoredWindow::used)); }},
    {{"stored_reset_before", CellType::bytes, "STORED RESET BEFORE", "the expiry half before, as it was stored", Shown::machine}, [](const HistoryRow& r) { return bytes_or_null(stored(r, kBefore, &StoredWindow::reset_at)); }},
    {{"counter_expired_at_ms", CellType::integer, "COUNTER EXPIRES", "when the counter before would have expired, in milliseconds since 1970", Shown::machine}, [](const HistoryRow& r) { return r.outcome ? or_null(r.outcome->before.expires[0]) : Cell{Null{}}; }},
    {{"expiry_expired_at_ms", CellType::integer, "EXPIRY EXPIRES", "the same of the expiry half", Shown::machine}, [](const HistoryRow& r) { return r.outcome ? or_null(r.outcome->before.expires[1]) : Cell{Null{}}; }},
    {{"why_not", CellType::text, "WHY NOT", "why it was not written, as a fixed word; a table does not repeat its status", Shown::table, 1, {}, false, Quiet::never, "status"}, why_not},
    {{"reason", CellType::text, "WHY NOT", "the same under its earlier name; what --reason said is in because", Shown::machine}, why_not},
    {{"because", CellType::bytes, "BECAUSE", "why it was wanted, as given with --reason", Shown::table, 3}, because},
    {{"reason_text", CellType::bytes, "BECAUSE", "the same under its earlier name", Shown::machine}, because},
    {{"actor", CellType::bytes, "WHO", "who ran the command", Shown::table, 4}, [](const HistoryRow& r) { return r.head.operation.actor.empty() ? Cell{Null{}} : Cell{BytesView{r.head.operation.actor}}; }},
    {{"host", CellType::bytes, "HOST", "on which machine", Shown::wide}, [](const HistoryRow& r) { return r.head.operation.host.empty() ? Cell{Null{}} : Cell{BytesView{r.head.operation.host}}; }},
    {{"undoes", CellType::text, "UNDOES", "the operation that this one takes back", Shown::wide}, [](const HistoryRow& r) { return r.head.undoes ? text_or_null(*r.head.undoes) : Cell{Null{}}; }},
    {{"undone_by", CellType::text, "UNDONE BY", "the operation that took this change back later: of one operation as the journal and the servers have it, of many as the journal, or the operation keys that are listed, tell", Shown::wide, 2, {}, false, Quiet::while_null}, [](const HistoryRow& r) { return text_or_null(r.undone_by); }},
    {{"undone_at", CellType::wall_time, "UNDONE AT", "when it did", Shown::wide}, [](const HistoryRow& r) { return moment(r.undone_at); }},
    {{"answered_at", CellType::wall_time, "ANSWERED AT", "when the server carried it out, by its own clock", Shown::machine}, [](const HistoryRow& r) { return r.outcome ? moment(r.outcome->at) : Cell{Null{}}; }},
}};
// clang-format on

}  // namespace

HistoryRow history_row(const journal::Entry& entry) {
    return {entry.head, entry.intent, entry.outcome,
            entry.outcome ? domain::name_of(entry.outcome->status) : std::string_view{"no-outcome"}, "journal"};
}

std::span<const Field<HistoryRow>> history_fields() { return kHistoryFields; }

}  // namespace ratectl::commands
