// Quotes text for messages; quotes inside are doubled, as in SQL.
#include "support/quote.h"

namespace ratectl::support {

std::string quoted(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) quoted.append(c == '\'' ? 2 : 1, c);
    return quoted += '\'';
}

std::string unquoted(std::string_view doubled) {
    std::string text;
    for (std::size_t i = 0; i < doubled.size(); ++i) {
        text += doubled[i];
        if (doubled.substr(i, 2) == "''") ++i;
    }
    return text;
}

}  // namespace ratectl::support
