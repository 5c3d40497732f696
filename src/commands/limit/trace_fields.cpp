// What limit trace shows of each limit: its place in the chain, the verdict, and the columns of its window.
#include "commands/limit/trace_fields.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace ratectl::commands {
namespace {

using domain::Verdict;
using output::Cell;
using output::CellType;
using output::Field;
using output::Tone;
using output::Word;
using Shown = output::Column::Shown;

Cell verdict(const TraceRow& row) {
    const bool limited = row.verdict == Verdict::limited;
    const Tone tone = limited ? Tone::bad : row.verdict == Verdict::allowed ? Tone::good : Tone::warning;
    return Word{name_of(row.verdict), tone};
}

/// A column of windows, the N-th of them.
template <std::size_t kAt>
Cell of_window(const TraceRow& row) {
    return window_fields()[kAt].get(row.window);
}

template <std::size_t... kAt>
void add_window_fields(std::vector<Field<TraceRow>>& fields, std::index_sequence<kAt...> /*all*/) {
    constexpr std::string_view in_the_table[] = {"key", "state", "used", "limit", "remaining", "reset_at", "binding"};
    const auto add = [&](const output::Column& column, Cell (*get)(const TraceRow&)) {
        auto own = column;
        const bool shown = std::ranges::find(in_the_table, column.name) != std::end(in_the_table);
        if (shown) own.shown = Shown::table;
        if (!shown && own.shown == Shown::table) own.shown = Shown::wide;
        if (column.name != "policy") fields.push_back({own, get});
    };
    (add(window_fields()[kAt].column, of_window<kAt>), ...);
}

std::vector<Field<TraceRow>> make_trace_fields() {
    const auto all = window_fields();
    const auto policy = std::ranges::find(all, "policy", [](const auto& field) { return field.column.name; });
    auto policy_column = policy->column;
    policy_column.shown = Shown::table;
    std::vector<Field<TraceRow>> fields{
        {{"step", CellType::integer, "STEP", "the place of the limit in the chain, from 1"},
         [](const TraceRow& r) -> Cell { return r.step; }},
        {policy_column,
         [](const TraceRow& r) -> Cell {
             const auto& match = r.window.meaning.match;
             return match ? output::text_or_null(match->policy->name) : Cell{output::Null{}};
         }},
        {{"verdict", CellType::word, "VERDICT",
          "what it makes of the request: allowed, limited, limit-unknown, broken"},
         verdict},
        {{"told", CellType::boolean, "TOLD", "whether the headers of the response are about this limit", Shown::wide},
         [](const TraceRow& r) -> Cell { return r.told; }},
    };
    add_window_fields(fields, std::make_index_sequence<29>{});
    return fields;
}

}  // namespace

std::span<const Field<TraceRow>> trace_fields() {
    static const auto fields = make_trace_fields();
    return fields;
}

}  // namespace ratectl::commands
