// The one list of a throttle's columns, most of which are those of its window.
#include "commands/report/fields/throttle_fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace ratectl::commands {
namespace {

using output::Cell;
using output::CellType;
using output::Column;
using output::Field;
using output::Null;
using output::or_null;
using Shown = output::Column::Shown;

template <domain::Knob kKnob>
Cell knob(const ThrottleRow& row) {
    const auto& text = row.knobs ? row.knobs->of(kKnob) : std::nullopt;
    return text ? Cell{output::Bytes{*text}} : Cell{Null{}};
}

const domain::StoredKey* knobs_of(const ThrottleRow& row) {
    const auto& parts = row.window.look.parts;
    return parts.size() > 1 && domain::is_there(parts[1]) ? &parts[1] : nullptr;
}

Cell knobs_expire(const ThrottleRow& row) {
    const auto* knobs = knobs_of(row);
    if (knobs == nullptr || !knobs->expires_at_ms) return Null{};
    return support::WallTime{support::Milliseconds{*knobs->expires_at_ms}};
}

Cell name(const ThrottleRow& row) {
    static const auto& client =
        *std::ranges::find(window_fields(), "client", [](const auto& field) { return field.column.name; });
    return client.get(row.window);
}

/// A column of windows, the N-th of them.
template <std::size_t kAt>
Cell of_window(const ThrottleRow& row) {
    return window_fields()[kAt].get(row.window);
}

template <std::size_t... kAt>
void add_window_fields(std::vector<Field<ThrottleRow>>& fields, std::index_sequence<kAt...> /*all*/) {
    constexpr std::string_view in_the_table[] = {"state", "used", "limit", "remaining", "reset_at"};
    const auto add = [&](const Column& column, Cell (*get)(const ThrottleRow&)) {
        auto own = column;
        const bool shown = std::ranges::find(in_the_table, column.name) != std::end(in_the_table);
        own.names_row = column.type == CellType::key;
        if (!shown && own.shown == Shown::table) own.shown = Shown::wide;
        fields.push_back({own, get});
    };
    (add(window_fields()[kAt].column, of_window<kAt>), ...);
}

std::vector<Field<ThrottleRow>> make_throttle_fields() {
    std::vector<Field<ThrottleRow>> fields{
        {{"name", CellType::bytes, "NAME", "what the application calls the throttle"}, name},
    };
    add_window_fields(fields, std::make_index_sequence<29>());
    fields.insert(
        fields.end(),
        {{{"rps", CellType::bytes, "RPS", "the knob: so many requests a second, 0: none, -1: all; null: not turned"},
          knob<domain::Knob::rps>},
         {{"burst", CellType::bytes, "BURST", "the knob: so many windows' requests at once"},
          knob<domain::Knob::burst>},
         {{"window", CellType::bytes, "WINDOW", "the knob: how long a window is, in seconds"},
          knob<domain::Knob::window>},
         {{"knobs_expires_at", CellType::wall_time, "KNOBS EXPIRE",
           "when the knobs are forgotten, by the server's clock; every call of the throttle puts that off to a week"},
          knobs_expire}});
    return fields;
}

}  // namespace

std::span<const Field<ThrottleRow>> throttle_fields() {
    static const auto fields = make_throttle_fields();
    return fields;
}

namespace {

Cell rate(const RunningRow& row) {
    if (!row.count || row.span.count() == 0) return Null{};
    return std::round(*row.count * 1e6 / static_cast<double>(row.span.count())) / 1e3;
}

const std::array<Field<RunningRow>, 9> kRunningFields{{
    {{"name", CellType::bytes, "NAME", "what the application calls the counter"},
     [](const RunningRow& r) -> Cell { return output::BytesView{r.name}; }},
    {{"group", CellType::bytes, "GROUP", "the group that it was counted in", Shown::wide},
     [](const RunningRow& r) -> Cell { return r.group.empty() ? Cell{Null{}} : Cell{output::BytesView{r.group}}; }},
    {{"count", CellType::number, "COUNT", "what its last buckets have counted; null: that cannot be told"},
     [](const RunningRow& r) { return or_null(r.count); }},
    {{"rate", CellType::number, "A SECOND", "the same for each second that they cover"}, rate},
    {{"newest", CellType::number, "NEWEST", "what the bucket holds that is counted into now", Shown::wide},
     [](const RunningRow& r) { return or_null(r.newest); }},
    {{"buckets", CellType::integer, "BUCKETS", "how many of the last buckets are there"},
     [](const RunningRow& r) -> Cell { return r.buckets; }},
    {{"span", CellType::duration_ms, "SPAN", "how long the last buckets are together", Shown::wide},
     [](const RunningRow& r) -> Cell { return r.span; }},
    {{"counted_at", CellType::wall_time, "COUNTED AT", "when it was counted into last, as its group says"},
     [](const RunningRow& r) { return or_null(r.counted_at); }},
    {{"error", CellType::text, "ERROR", "why there is no count", Shown::wide},
     [](const RunningRow& r) { return output::text_or_null(r.fault); }},
}};

}  // namespace

std::span<const Field<RunningRow>> running_fields() { return kRunningFields; }

}  // namespace ratectl::commands
