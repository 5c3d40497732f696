// The columns of increment, refund and reset.
#include "commands/report/fields/write_fields.h"

#include <array>

#include "commands/report/fields/window_fields.h"
#include "support/number_text.h"
#include "support/time_text.h"

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
using output::Word;
using Quiet = output::Column::Quiet;
using Shown = output::Column::Shown;

/// The window that was changed, or the one there is now where it was opened.
Cell reset_at(const WriteRow& row) {
    return stored_time(row.after.reset_at ? row.after.reset_at : row.before.reset_at);
}

bool changes(const WriteRow& row) {
    return row.status == RowStatus::applied || row.status == RowStatus::already_applied ||
           row.status == RowStatus::planned;
}

bool sent(const WriteRow& row) { return row.status == RowStatus::applied || row.status == RowStatus::unknown; }

Cell layout(const WriteRow& row) {
    return row.limiter != nullptr ? Cell{output::TextView{row.limiter->of(row.key).layout()}} : Cell{Null{}};
}

Cell change(const WriteRow& row) { return change_cell(changes(row), row.before, row.after, row.about_expiries); }

// clang-format off
const std::array<Field<WriteRow>, 25> kWriteFields{{
    {{"key", CellType::key, "KEY", "the key of the counter"}, [](const WriteRow& r) -> Cell { return BytesView{r.key}; }},
    {{"deployment", CellType::text, "DEPLOYMENT", "the deployment of the configuration", Shown::wide}, [](const WriteRow& r) { return text_or_null(r.deployment); }},
    {{"shard", CellType::text, "SHARD", "the shard that has the key"}, [](const WriteRow& r) { return text_or_null(r.shard); }},
    {{"node", CellType::text, "NODE", "the server that was written to", Shown::wide}, [](const WriteRow& r) { return text_or_null(r.node); }},
    {{"op", CellType::word, "OP", "increment, refund, reset or undo", Shown::wide}, [](const WriteRow& r) -> Cell { return Word{r.op}; }},
    {{"status", CellType::word, "STATUS", "applied, already-applied, planned, skipped, window-changed, refused, failed, unknown or not-attempted"}, [](const WriteRow& r) -> Cell { return status_word(r.status); }},
    {{"change", CellType::bytes, "USED", "requests used before and after, or when the halves expired and expire, for people"}, change},
    {{"before_used", CellType::integer, "USED BEFORE", "requests used before; null where there was no number", Shown::machine}, [](const WriteRow& r) { return stored_integer(r.before.used); }},
    {{"after_used", CellType::integer, "USED AFTER", "requests used afterwards; null where there is no window", Shown::machine}, [](const WriteRow& r) { return stored_integer(r.after.used); }},
    {{"reset_at", CellType::time, "RESET AT", "when the window that was changed ends; as a row's guard it names that window"}, reset_at},
    {{"before_reset_at", CellType::time, "RESET BEFORE", "when the window ended that was there before", Shown::machine}, [](const WriteRow& r) { return stored_time(r.before.reset_at); }},
    {{"after_reset_at", CellType::time, "RESET AFTER", "when the window ends that is there now", Shown::machine}, [](const WriteRow& r) { return stored_time(r.after.reset_at); }},
    {{"amount", CellType::integer, "AMOUNT", "how many requests it was about", Shown::wide}, [](const WriteRow& r) { return or_null(r.amount); }},
    {{"taken", CellType::integer, "TAKEN", "how many a refund gave back; less than the amount only with --clamp", Shown::machine}, [](const WriteRow& r) { return or_null(r.taken); }},
    {{"why_not", CellType::text, "WHY NOT", "why it was not written, or what is to be known of it all the same, as a fixed word; a table does not repeat its status", Shown::table, 0, {}, false, Quiet::never, "status"}, [](const WriteRow& r) { return text_or_null(r.reason); }},
    {{"reason", CellType::text, "WHY NOT", "the same under its earlier name; what --reason said is in because", Shown::machine}, [](const WriteRow& r) { return text_or_null(r.reason); }},
    {{"message", CellType::text, "MESSAGE", "the same in words", Shown::machine}, [](const WriteRow& r) -> Cell { return r.error ? Cell{output::Text{r.error->message}} : Cell{Null{}}; }},
    {{"because", CellType::bytes, "BECAUSE", "why it was wanted, as given with --reason", Shown::wide}, [](const WriteRow& r) -> Cell { return r.because.empty() ? Cell{Null{}} : Cell{BytesView{r.because}}; }},
    {{"written_at", CellType::wall_time, "WRITTEN AT", "when the server carried it out, by its own clock", Shown::wide}, [](const WriteRow& r) { return or_null(r.written_at); }},
    {{"stored_before", CellType::bytes, "STORED BEFORE", "the counter before, as it was stored", Shown::machine}, [](const WriteRow& r) { return bytes_or_null(r.before.used); }},
    {{"op_id", CellType::text, "OP ID", "the operation and the row in it, for history and undo", Shown::wide}, [](const WriteRow& r) { return text_or_null(r.op_id); }},
    {{"attempts", CellType::integer, "ATTEMPTS", "how often it was sent; more than once only where the first was surely lost", Shown::wide}, [](const WriteRow& r) -> Cell { return sent(r) ? Cell{std::int64_t{r.attempts}} : Cell{Null{}}; }},
    {{"resolved", CellType::boolean, "RESOLVED", "the reply was lost, and the operation key told what had happened", Shown::wide}, [](const WriteRow& r) -> Cell { return sent(r) ? Cell{r.resolved} : Cell{Null{}}; }},
    {{"acknowledged", CellType::integer, "ACKNOWLEDGED", "replicas that had the write when --wait-replicas stopped waiting", Shown::wide}, [](const WriteRow& r) -> Cell { return r.acknowledged ? Cell{std::int64_t{*r.acknowledged}} : Cell{Null{}}; }},
    {kLayoutColumn, layout},
}};
// clang-format on

std::string time_or_never(const std::optional<std::int64_t>& expires_at_ms) {
    if (!expires_at_ms) return "never";
    if (*expires_at_ms % 1000 == 0) return support::format_time(support::from_epoch(*expires_at_ms / 1000));
    return support::format_wall_time(support::WallTime{support::Milliseconds{*expires_at_ms}});
}

std::string times(const domain::StoredWindow& window) {
    const auto first = time_or_never(window.expires.front());
    const auto last = time_or_never(window.expires.back());
    return first == last ? first : first + " and " + last;
}

}  // namespace

std::string expiry_words(const domain::StoredWindow& window) { return "expires " + times(window); }

output::Cell change_cell(bool changed, const domain::StoredWindow& before, const domain::StoredWindow& after,
                         bool about_expiries) {
    if (changed && about_expiries) return output::Bytes{expiry_words(before) + " -> " + times(after)};
    const auto used = domain::used_words(before);
    if (changed) return output::Bytes{used + " -> " + domain::used_words(after)};
    return before.used || before.state ? Cell{output::Bytes{used}} : Cell{Null{}};
}

output::Cell stored_integer(const std::optional<std::string>& stored) {
    return stored ? output::or_null(support::parse_decimal(*stored)) : output::Null{};
}

output::Cell stored_time(const std::optional<std::string>& stored) {
    const auto seconds = stored ? support::parse_decimal(*stored) : std::nullopt;
    return seconds ? output::Cell{support::from_epoch(*seconds)} : output::Null{};
}

RowStatus row_status(domain::WriteStatus status) {
    switch (status) {
        case domain::WriteStatus::applied: return RowStatus::applied;
        case domain::WriteStatus::already_applied: return RowStatus::already_applied;
        case domain::WriteStatus::skipped: return RowStatus::skipped;
        case domain::WriteStatus::window_changed: return RowStatus::window_changed;
        case domain::WriteStatus::refused: return RowStatus::refused;
        case domain::WriteStatus::failed: return RowStatus::failed;
        case domain::WriteStatus::unknown: return RowStatus::unknown;
        case domain::WriteStatus::not_attempted: break;
    }
    return RowStatus::not_attempted;
}

output::Word status_word(RowStatus status) {
    switch (status) {
        case RowStatus::applied:
        case RowStatus::already_applied: return {name_of(status), output::Tone::good};
        case RowStatus::planned: return {name_of(status), output::Tone::plain};
        case RowStatus::skipped: return {name_of(status), output::Tone::dim};
        case RowStatus::window_changed:
        case RowStatus::not_attempted: return {name_of(status), output::Tone::warning};
        default: return {name_of(status), output::Tone::bad};
    }
}

std::string_view name_of(RowStatus status) {
    switch (status) {
        case RowStatus::applied: return "applied";
        case RowStatus::already_applied: return "already-applied";
        case RowStatus::planned: return "planned";
        case RowStatus::skipped: return "skipped";
        case RowStatus::window_changed: return "window-changed";
        case RowStatus::refused: return "refused";
        case RowStatus::failed: return "failed";
        case RowStatus::unknown: return "unknown";
        case RowStatus::not_attempted: break;
    }
    return "not-attempted";
}

std::span<const Field<WriteRow>> write_fields() { return kWriteFields; }

}  // namespace ratectl::commands
