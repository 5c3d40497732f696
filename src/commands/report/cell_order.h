// The order of cells of one column, for --sort and --top.
#pragma once

#include "output/cell.h"

namespace ratectl::commands {

/// Whether a stands before b: numbers, times and durations by size, text by bytes, false before true; null is last
/// either way.
bool stands_before(const output::Cell& a, const output::Cell& b, bool descending);
/// The same value, holding its own text.
output::Cell owned(output::Cell cell);

}  // namespace ratectl::commands
