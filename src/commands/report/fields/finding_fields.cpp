// The columns of doctor: findings, classes in the summary, and the list of classes.
#include "commands/report/fields/finding_fields.h"

#include <array>

#include "commands/report/fields/window_fields.h"
#include "support/number_text.h"

namespace ratectl::commands {
namespace {

using domain::FindingKind;
using output::bytes_or_null;
using output::BytesView;
using output::Cell;
using output::CellType;
using output::Field;
using output::Null;
using output::text_or_null;
using output::TextView;
using output::Tone;
using output::Word;
using Shown = output::Column::Shown;

Cell wall_time(const std::optional<std::int64_t>& ms) {
    return ms ? Cell{support::WallTime{support::Milliseconds{*ms}}} : Cell{Null{}};
}

Word class_word(domain::FindingClass what) {
    using enum domain::FindingClass;
    const bool waits = what == ttl_long || what == expiry_past || what == orphan_expiry || what == masked_keys;
    return {domain::name_of(what), waits ? Tone::warning : Tone::bad};
}

Word fixable_word(domain::Repair repair) { return {domain::name_of(repair)}; }

// clang-format off
const std::array<Field<FindingRow>, 20> kFindings{{
    {{"class", CellType::word, "CLASS", "what is wrong; `doctor --classes` explains each"}, [](const FindingRow& r) -> Cell { return class_word(r.finding.what); }},
    {{"key", CellType::key, "KEY", "the key of the counter; none where it is about a server"}, [](const FindingRow& r) { return bytes_or_null(r.key); }},
    {{"shard", CellType::text, "SHARD", "the shard that has it"}, [](const FindingRow& r) { return text_or_null(r.shard); }},
    {{"node", CellType::text, "NODE", "the server that showed it", Shown::wide}, [](const FindingRow& r) { return text_or_null(r.node); }},
    {{"status", CellType::word, "STATUS", "--fix: applied, planned, skipped, window-changed, refused, failed, unknown or not-attempted", Shown::machine}, [](const FindingRow& r) -> Cell { return r.status ? Cell{status_word(*r.status)} : Cell{Null{}}; }},
    {{"detail", CellType::bytes, "DETAIL", "what was seen, in words"}, [](const FindingRow& r) -> Cell { return BytesView{r.finding.detail}; }},
    {{"fixable", CellType::word, "FIXABLE", "what --fix does: no, set-expiries, remove, or remove-if-named (--fix CLASS)"}, [](const FindingRow& r) -> Cell { return fixable_word(r.finding.repair()); }},
    {{"why_not", CellType::text, "WHY NOT", "--fix: why it was not repaired, as a fixed word", Shown::machine}, [](const FindingRow& r) { return text_or_null(r.reason); }},
    {{"reason", CellType::text, "WHY NOT", "the same under its earlier name", Shown::machine}, [](const FindingRow& r) { return text_or_null(r.reason); }},
    {{"effect", CellType::text, "EFFECT", "what the application sees of it", Shown::machine}, [](const FindingRow& r) -> Cell { return TextView{r.finding.effect()}; }},
    {{"advice", CellType::text, "ADVICE", "what to do", Shown::wide}, [](const FindingRow& r) -> Cell { return TextView{r.finding.advice()}; }},
    {{"policy", CellType::text, "POLICY", "the policy that the key belongs to", Shown::machine}, [](const FindingRow& r) { return text_or_null(r.policy); }},
    {{"counter", CellType::bytes, "COUNTER", "the counter as stored", Shown::machine}, [](const FindingRow& r) { return bytes_or_null(r.window.used); }},
    {{"expiry", CellType::bytes, "EXPIRY", "the expiry half as stored", Shown::machine}, [](const FindingRow& r) { return bytes_or_null(r.window.reset_at); }},
    {{"counter_expires_at", CellType::wall_time, "COUNTER EXPIRES", "when the counter expires, on the server's clock", Shown::machine}, [](const FindingRow& r) { return wall_time(r.window.expires[0]); }},
    {{"expiry_expires_at", CellType::wall_time, "EXPIRY EXPIRES", "when the expiry half does", Shown::machine}, [](const FindingRow& r) { return wall_time(r.window.expires[1]); }},
    {{"message", CellType::bytes, "MESSAGE", "--fix: the reason in words", Shown::machine}, [](const FindingRow& r) -> Cell { return r.error ? Cell{BytesView{r.error->message}} : Cell{Null{}}; }},
    {{"op_id", CellType::text, "OPERATION", "--fix: the operation and row that `ratectl undo` takes", Shown::machine}, [](const FindingRow& r) { return text_or_null(r.op_id); }},
    {{"subject", CellType::word, "SUBJECT", "window or server", Shown::machine}, [](const FindingRow& r) -> Cell { return Word{domain::kind_of(r.finding.what).is_window() ? "window" : "server"}; }},
    {kLayoutColumn, [](const FindingRow& r) { return text_or_null(r.layout); }},
}};

const std::array<Field<FindingCountRow>, 5> kCounts{{
    {{"class", CellType::word, "CLASS", "what is wrong"}, [](const FindingCountRow& r) -> Cell { return class_word(r.what); }},
    {{"count", CellType::integer, "COUNT", "how many windows or servers have it"}, [](const FindingCountRow& r) -> Cell { return static_cast<std::int64_t>(r.count); }},
    {{"fixable", CellType::word, "FIXABLE", "what --fix does: no, set-expiries, remove, or remove-if-named (--fix CLASS)"}, [](const FindingCountRow& r) -> Cell { return fixable_word(domain::kind_of(r.what).repair); }},
    {{"example", CellType::key, "EXAMPLE", "the first one's key, or server"}, [](const FindingCountRow& r) { return bytes_or_null(r.example); }},
    {{"advice", CellType::text, "ADVICE", "what to do", Shown::wide}, [](const FindingCountRow& r) -> Cell { return TextView{domain::kind_of(r.what).advice}; }},
}};

const std::array<Field<FindingKind>, 6> kKinds{{
    {{"class", CellType::word, "CLASS", "the word that --only, --skip and --fix take"}, [](const FindingKind& k) -> Cell { return Word{k.name}; }},
    {{"subject", CellType::word, "SUBJECT", "window or server", Shown::wide}, [](const FindingKind& k) -> Cell { return Word{k.is_window() ? "window" : "server"}; }},
    {{"meaning", CellType::text, "MEANING", "what is wrong"}, [](const FindingKind& k) -> Cell { return TextView{k.wrong}; }},
    {{"effect", CellType::text, "EFFECT", "what the application sees of it", Shown::wide}, [](const FindingKind& k) -> Cell { return TextView{k.effect}; }},
    {{"fixable", CellType::word, "FIXABLE", "what --fix does: no, set-expiries, remove, or remove-if-named (--fix CLASS)"}, [](const FindingKind& k) -> Cell { return fixable_word(k.repair); }},
    {{"advice", CellType::text, "ADVICE", "what to do", Shown::wide}, [](const FindingKind& k) -> Cell { return TextView{k.advice}; }},
}};
// clang-format on

}  // namespace

std::span<const Field<FindingRow>> finding_fields() { return kFindings; }
std::span<const Field<FindingCountRow>> finding_count_fields() { return kCounts; }
std::span<const Field<FindingKind>> finding_kind_fields() { return kKinds; }

}  // namespace ratectl::commands
