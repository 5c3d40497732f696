// The columns of watch: those of a window, as check has them, and what a change adds.
#include "commands/report/fields/watch_fields.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ratectl::commands {
namespace {

using domain::WindowEvent;
using output::Cell;
using output::CellType;
using output::Column;
using output::Field;
using output::Null;
using output::or_null;
using output::TextView;
using output::Tone;
using output::Word;
using Shown = Column::Shown;

Tone tone_of(WindowEvent event) {
    switch (event) {
        case WindowEvent::exhausted:
        case WindowEvent::failed: return Tone::bad;
        case WindowEvent::removed:
        case WindowEvent::changed:
        case WindowEvent::stale: return Tone::warning;
        case WindowEvent::opened:
        case WindowEvent::back: return Tone::good;
        case WindowEvent::first: return Tone::dim;
        default: return Tone::plain;
    }
}

/// The name of a column of window_fields(), as a template's argument.
template <std::size_t N>
struct Name {
    // NOLINTNEXTLINE(google-explicit-constructor): a literal becomes one
    consteval Name(const char (&literal)[N]) { std::copy_n(literal, N, text); }
    char text[N]{};
};

template <Name kName>
const Field<WindowRow>& window_field() {
    static const auto& field = *std::ranges::find(window_fields(), std::string_view(kName.text),
                                                  [](const auto& one) { return one.column.name; });
    return field;
}

/// A column of the window, null where the look does not show the one that the line is about.
template <Name kName>
Cell of_window(const WatchRow& row) {
    return row.window != nullptr && row.change.shown ? window_field<kName>().get(*row.window) : Cell{Null{}};
}
/// The same where it is true of the key or the look, whatever that shows.
template <Name kName>
Cell of_look(const WatchRow& row) {
    return row.window != nullptr ? window_field<kName>().get(*row.window) : Cell{Null{}};
}

template <Name kName>
Field<WatchRow> taken(Shown shown, Cell (*get)(const WatchRow&), unsigned drop = 0) {
    Column column = window_field<kName>().column;
    column.shown = shown;
    column.drop = drop;
    return {column, get};
}

Cell key(const WatchRow& row) {
    if (row.window != nullptr) return window_field<"key">().get(*row.window);
    return row.key.empty() ? Cell{Null{}} : Cell{output::BytesView{row.key}};
}

Cell rate(const WatchRow& row) {
    if (!row.rate || !row.change.shown) return Null{};
    return std::round(*row.rate * 100) / 100;
}

Cell exhausts_in(const WatchRow& row) {
    return row.exhaustion && row.change.shown ? Cell{row.exhaustion->in} : Cell{Null{}};
}
Cell before_reset(const WatchRow& row) {
    return row.exhaustion && row.change.shown ? Cell{row.exhaustion->before_reset} : Cell{Null{}};
}

Cell shard(const WatchRow& row) { return row.node ? output::text_or_null(row.node->shard) : Cell{Null{}}; }
Cell node(const WatchRow& row) { return row.node ? Cell{output::Text{row.node->name()}} : Cell{Null{}}; }
Cell role(const WatchRow& row) { return row.node ? Cell{Word{name_of(row.node->role)}} : Cell{Null{}}; }

// A line is printed long before the widest number comes: headings that keep room for it hold the columns in place.
std::vector<Field<WatchRow>> make_fields() {
    std::vector<Field<WatchRow>> fields{
        {{"at", CellType::wall_time, "AT", "our clock when the answer came"},
         [](const WatchRow& r) -> Cell { return r.at; }},
        {window_field<"key">().column, key},
        {{"event", CellType::word, "EVENT    ",
          "first, counted, refunded, ended, opened, removed, exhausted, changed, stale, failed or back"},
         [](const WatchRow& r) -> Cell {
             return Word{name_of(r.change.event), tone_of(r.change.event)};
         }},
        taken<"used">(Shown::table, of_window<"used">),
        {{"delta", CellType::integer, "  DELTA", "how many requests more are counted than at the look before"},
         [](const WatchRow& r) { return or_null(r.change.delta); }},
        taken<"limit">(Shown::table, of_look<"limit">, 2),
        taken<"remaining">(Shown::wide, of_window<"remaining">),
        taken<"percent">(Shown::machine, of_window<"percent">),
        taken<"state">(Shown::wide, of_window<"state">),
        taken<"reset_at">(Shown::table, of_window<"reset_at">, 1),
        taken<"reset_in">(Shown::machine, of_window<"reset_in">),
        {{"rate", CellType::number, "  REQ/S", "requests a second over the last ten seconds; null until two looks"},
         rate},
        {{"exhausts_in", CellType::duration_ms, "EXHAUSTS IN",
          "time until the limit is reached at this rate; null: not before the reset"},
         exhausts_in},
        {{"exhausts_before_reset", CellType::duration_ms, "BEFORE RESET", "how long before the reset that will be",
          Shown::wide},
         before_reset},
        {{"shard", CellType::text, "SHARD", "the shard that was read", Shown::table, 3}, shard},
        {{"node", CellType::text, "NODE", "the server that was read, or failed", Shown::wide}, node},
        {{"role", CellType::word, "ROLE", "whether that is a primary or a replica", Shown::wide}, role},
        taken<"stale">(Shown::machine, of_look<"stale">),
        {{"deployment", CellType::text, "DEPLOYMENT", "the deployment of the configuration", Shown::machine},
         [](const WatchRow& r) { return output::text_or_null(r.deployment); }},
        taken<"policy">(Shown::wide, of_look<"policy">),
        taken<"client">(Shown::machine, of_look<"client">),
        taken<"client_class">(Shown::machine, of_look<"client_class">),
        taken<"limit_source">(Shown::machine, of_look<"limit_source">),
        taken<"look">(Shown::machine, of_look<"look">),
        taken<"stored_used">(Shown::machine, of_look<"stored_used">),
        taken<"stored_reset_at">(Shown::machine, of_look<"stored_reset_at">),
        taken<"counter_type">(Shown::machine, of_look<"counter_type">),
        taken<"counter_ttl">(Shown::machine, of_look<"counter_ttl">),
        taken<"expiry_ttl">(Shown::machine, of_look<"expiry_ttl">),
        taken<"layout">(Shown::machine, of_look<"layout">),
        {{"error", CellType::text, "ERROR", "why a server or a key could not be read, or why a window is corrupt",
          Shown::machine},
         [](const WatchRow& r) -> Cell { return r.error ? Cell{TextView{r.error->message}} : of_window<"error">(r); }},
    };
    for (auto& field : fields) {
        if (field.column.name == "used") field.column.title = "   USED";
    }
    return fields;
}

}  // namespace

std::span<const Field<WatchRow>> watch_fields() {
    static const std::vector<Field<WatchRow>> fields = make_fields();
    return fields;
}

}  // namespace ratectl::commands
