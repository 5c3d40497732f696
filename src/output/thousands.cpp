// Groups digits: a comma before every third digit of the whole part.
#include "output/thousands.h"

#include <algorithm>

namespace ratectl::output {

std::string with_thousands(std::string_view number) {
    std::string text(number);
    const std::size_t first = text.starts_with('-') ? 1 : 0;
    const std::size_t end = std::min(text.find_first_not_of("0123456789", first), text.size());
    for (std::size_t at = end; at > first + 3;) text.insert(at -= 3, 1, ',');
    return text;
}

}  // namespace ratectl::output
