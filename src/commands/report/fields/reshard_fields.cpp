// The columns of reshard plan and reshard apply.
#include "commands/report/fields/reshard_fields.h"

#include <array>

#include "commands/report/fields/write_fields.h"

namespace ratectl::commands {
namespace {

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

Cell key_or_null(const std::optional<std::string_view>& key) { return key ? Cell{BytesView{*key}} : Cell{Null{}}; }

// clang-format off
const std::array<Field<ForecastRow>, 13> kForecast{{
    {{"row", CellType::word, "ROW", "shards: the windows between two shards; window: one whose client would get a fresh one", Shown::wide}, [](const ForecastRow& r) -> Cell { return Word{r.row}; }},
    {{"key", CellType::key, "KEY", "the key of the counter"}, [](const ForecastRow& r) { return key_or_null(r.key); }},
    {{"from", CellType::text, "FROM", "the shard that has it now"}, [](const ForecastRow& r) { return text_or_null(r.from); }},
    {{"to", CellType::text, "TO", "the shard that the new deployment looks on"}, [](const ForecastRow& r) { return text_or_null(r.to); }},
    {{"windows", CellType::integer, "WINDOWS", "live windows of this pair of shards"}, [](const ForecastRow& r) { return or_null(r.windows); }},
    {{"moved", CellType::integer, "MOVED", "how many of them change their server"}, [](const ForecastRow& r) { return or_null(r.moved); }},
    {{"share", CellType::percent, "SHARE %", "their share of the source shard's live windows"}, [](const ForecastRow& r) { return or_null(r.share); }},
    {{"used", CellType::integer, "USED", "requests used"}, [](const ForecastRow& r) { return or_null(r.used); }},
    {{"limit", CellType::integer, "LIMIT", "requests allowed"}, [](const ForecastRow& r) { return or_null(r.limit); }},
    {{"percent", CellType::percent, "%", "used as a share of the limit"}, [](const ForecastRow& r) { return or_null(r.percent); }},
    {{"reset_at", CellType::time, "RESET AT", "when the window ends that the client would lose sight of"}, [](const ForecastRow& r) { return or_null(r.reset_at); }},
    {{"policy", CellType::text, "POLICY", "the policy that the key belongs to", Shown::wide}, [](const ForecastRow& r) { return text_or_null(r.policy); }},
    {{"client", CellType::bytes, "CLIENT", "whose window it is", Shown::wide}, [](const ForecastRow& r) { return r.client.empty() ? Cell{Null{}} : Cell{BytesView{r.client}}; }},
}};

const std::array<Field<MoveRow>, 12> kMoves{{
    {{"key", CellType::key, "KEY", "the key of the counter"}, [](const MoveRow& r) -> Cell { return BytesView{r.key}; }},
    {{"new_key", CellType::key, "NEW KEY", "what it is called in the new deployment", Shown::wide}, [](const MoveRow& r) -> Cell { return BytesView{r.new_key}; }},
    {{"from", CellType::text, "FROM", "the shard that had it"}, [](const MoveRow& r) { return text_or_null(r.from); }},
    {{"to", CellType::text, "TO", "the shard that has it in the new deployment"}, [](const MoveRow& r) { return text_or_null(r.to); }},
    {{"status", CellType::word, "STATUS", "applied, planned, skipped, window-changed, refused, failed, unknown or not-attempted"}, [](const MoveRow& r) -> Cell { return status_word(r.status); }},
    {{"used", CellType::integer, "USED", "requests used, as it was moved"}, [](const MoveRow& r) { return stored_integer(r.window.used); }},
    {{"reset_at", CellType::time, "RESET AT", "when the window ends"}, [](const MoveRow& r) { return stored_time(r.window.reset_at); }},
    {{"why_not", CellType::text, "WHY NOT", "why it was not moved, as a fixed word; a table does not repeat its status", Shown::table, 0, {}, false, Quiet::never, "status"}, [](const MoveRow& r) { return text_or_null(r.reason); }},
    {{"reason", CellType::text, "WHY NOT", "the same under its earlier name; what --reason said is in because", Shown::machine}, [](const MoveRow& r) { return text_or_null(r.reason); }},
    {{"message", CellType::text, "MESSAGE", "the same in words", Shown::machine}, [](const MoveRow& r) -> Cell { return r.error ? Cell{output::Text{r.error->message}} : Cell{Null{}}; }},
    {{"because", CellType::bytes, "BECAUSE", "why it was wanted, as given with --reason", Shown::wide}, [](const MoveRow& r) -> Cell { return r.because.empty() ? Cell{Null{}} : Cell{BytesView{r.because}}; }},
    {{"copies", CellType::integer, "COPIES", "how often it was copied until it stood still", Shown::machine}, [](const MoveRow& r) -> Cell { return static_cast<std::int64_t>(r.copies); }},
}};
// clang-format on

}  // namespace

std::span<const Field<ForecastRow>> forecast_fields() { return kForecast; }
std::span<const Field<MoveRow>> move_fields() { return kMoves; }

std::string move_table(bool renames, bool has_reason) {
    return std::string("key,") + (renames ? "new_key," : "") + "from,to,status,used,reset_at,why_not" +
           (has_reason ? ",because" : "");
}

}  // namespace ratectl::commands
