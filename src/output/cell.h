// A typed value on its way to a format: it stays an integer, a time, bytes ... until the format decides how that looks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/time.h"

namespace ratectl::output {

/// How a word is coloured where colour is on; the word itself always says it too.
enum class Tone { plain, good, warning, bad, dim };

struct Null {
    bool operator==(const Null&) const = default;
};
/// A fixed word of ours: a state, a role, a status.
struct Word {
    std::string_view text;  // static storage
    Tone tone = Tone::plain;
    bool operator==(const Word&) const = default;
};
/// Text that is valid UTF-8 by construction (names from the configuration); still made printable for people.
struct Text {
    std::string text;
    bool operator==(const Text&) const = default;
};
/// Bytes that may be anything: keys, stored values.
struct Bytes {
    std::string bytes;
    bool operator==(const Bytes&) const = default;
};

/// Text and Bytes that their owner keeps alive until the row is written: for sweeps, where a copy a row would cost.
struct TextView {
    std::string_view text;
    bool operator==(const TextView&) const = default;
};
struct BytesView {
    std::string_view bytes;
    bool operator==(const BytesView&) const = default;
};

using Cell = std::variant<Null, bool, std::int64_t, double, support::Instant, support::WallTime, support::Milliseconds,
                          Word, Text, Bytes, TextView, BytesView>;

template <class T>
Cell or_null(const std::optional<T>& value) {
    return value ? Cell{*value} : Cell{Null{}};
}
/// Empty text is not text.
inline Cell text_or_null(std::string_view text) { return text.empty() ? Cell{Null{}} : Cell{TextView{text}}; }

inline Cell bytes_or_null(const std::optional<std::string>& bytes) {
    return bytes ? Cell{BytesView{*bytes}} : Cell{Null{}};
}

/// std::visit over a cell, as a switch: sweeps do it many times a row.
template <class Use>
auto with_cell(const Cell& cell, Use&& use) {
    static_assert(std::variant_size_v<Cell> == 12);
    switch (cell.index()) {
        case 1: return use(*std::get_if<1>(&cell));
        case 2: return use(*std::get_if<2>(&cell));
        case 3: return use(*std::get_if<3>(&cell));
        case 4: return use(*std::get_if<4>(&cell));
        case 5: return use(*std::get_if<5>(&cell));
        case 6: return use(*std::get_if<6>(&cell));
        case 7: return use(*std::get_if<7>(&cell));
        case 8: return use(*std::get_if<8>(&cell));
        case 9: return use(*std::get_if<9>(&cell));
        case 10: return use(*std::get_if<10>(&cell));
        case 11: return use(*std::get_if<11>(&cell));
        default: return use(Null{});
    }
}

/// The order of one column's cells: numbers, times and durations by size, text by bytes, false before true; null is
/// last either way.
bool stands_before(const Cell& a, const Cell& b, bool descending);
/// The same value, holding its own text.
Cell owned(Cell cell);

enum class CellType {
    boolean,
    integer,
    number,
    percent,
    time,
    wall_time,
    duration_s,
    duration_ms,
    word,
    text,
    bytes,
    key,
    byte_count
};

/// One column. `name` is the word of --columns and the machine formats' name; machine formats add a unit or a twin
/// where the type needs one: duration_s -> NAME_s, duration_ms -> NAME_ms, time -> NAME (epoch second) and NAME_iso,
/// wall_time -> NAME_iso and NAME_ms, bytes and key -> NAME, and NAME_b64 when the bytes are not valid UTF-8 (JSON:
/// only then; CSV, TSV: a column that is empty otherwise). percent is a number, which a terminal shows with a bar;
/// byte_count is an integer, which people get as 1.2 MiB. CSV has no escapes of its own: there NAME is as printable()
/// has it, and NAME_b64 is filled, for bytes with control or invisible characters too.
struct Column {
    std::string_view name;
    CellType type = CellType::text;
    std::string_view title;                                          // table heading
    std::string_view about;                                          // one line for --columns help and the manual
    enum class Shown { table, wide, machine } shown = Shown::table;  // the first format that has it by default
    unsigned drop = 0;               // where a terminal is too narrow for the table: 1 goes first, then 2 ...; 0 stays
    std::string_view brief_title{};  // the heading there; empty: there is nothing shorter
    bool names_row = false;          // what -o name prints where the table has no key
    /// A table leaves it out as long as it has nothing to tell: until a cell is not null, or not as the first one.
    enum class Quiet { never, while_null, while_same } quiet = Quiet::never;
    /// The column whose words a table does not repeat here; empty: none.
    std::string_view echoes{};
};

using Row = std::vector<Cell>;

}  // namespace ratectl::output
