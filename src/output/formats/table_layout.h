// Which shape a table takes on a terminal: columns as wide as their cells, shorter ones, fewer ones, or a block of
// lines a row.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "output/formats/human_cell.h"

namespace ratectl::output {

using HumanRow = std::vector<HumanCell>;

/// Columns are separated by two blanks, the second of which a cell's mark takes.
inline constexpr std::string_view kColumnGap = "  ";

struct TableLayout {
    bool brief = false;                // cells and headings in their short form
    bool records = false;              // `HEADING  value` lines and an empty line after each row
    std::vector<std::size_t> columns;  // those that are shown
    std::vector<std::size_t> widths;   // by column of the table, shown or not; of records: the headings' width
};

/// What fits, tried in this order: everything; times without today's date and the like; keys and texts elided, the
/// widest first, down to 16 characters; without the columns that may go (Column::drop); records. Without a width
/// everything fits. `shown`: the columns that have something to tell.
TableLayout lay_out(const SinkOptions& options, const std::vector<Column>& columns,
                    const std::vector<std::size_t>& shown, const std::vector<HumanRow>& rows);

/// Bytes and texts are cut on a terminal, numbers and words never.
bool is_elidable(const Column& column);
const std::string& shown_text(const HumanCell& cell, bool brief);
std::string_view shown_title(const Column& column, bool brief);

}  // namespace ratectl::output
