// A share as a bar of characters, for terminals.
#pragma once

#include <cstddef>
#include <string>

namespace ratectl::output {

/// Always `columns` wide, blanks included: `percent` of them filled, in eighths of a character, or in whole `#` when
/// ascii. More than 100 is a full bar; what is more than nothing shows at least the smallest mark, and what is less
/// than all is never quite full.
std::string bar(double percent, std::size_t columns, bool ascii);

}  // namespace ratectl::output
