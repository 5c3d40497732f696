// Quotes text: quotes inside are doubled for messages, as in SQL; a shell takes everything but the quote as it stands.
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

std::string shell_quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'') {
            out += "'\\''";
        } else {
            out += c;
        }
    }
    return out + "'";
}

}  // namespace ratectl::support
