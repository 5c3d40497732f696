// How people read a cell: printable text, a colour, and which side it leans to; a share as a bar of characters.
#pragma once

#include <cstddef>
#include <string>

#include "output/cell.h"
#include "output/row_sink.h"

namespace ratectl::output {

struct HumanCell {
    std::string text;  // printable
    Tone tone = Tone::plain;
    std::string brief{};    // for a terminal that is too narrow for `text`; empty: there is nothing shorter
    char mark = ' ';        // on a terminal, says without colour what the tone says: `!` bad, `~` a warning
    bool dateless = false;  // `brief` lacks today's date, and hardly more
};

HumanCell human_cell(const SinkOptions& options, const Column& column, const Cell& cell);
bool leans_right(CellType type);
/// The terminal's escape for a tone, and the one that ends it; both empty for plain.
std::string_view tone_on(Tone tone);
std::string_view tone_off(Tone tone);

/// Always `columns` wide, blanks included: `percent` of them filled, in eighths of a character, or in whole `#` when
/// ascii. More than 100 is a full bar; what is more than nothing shows at least the smallest mark, and what is less
/// than all is never quite full.
std::string bar(double percent, std::size_t columns, bool ascii);

}  // namespace ratectl::output
