// Quotes text for a shell, which takes everything inside single quotes as it stands but for the quote that ends them.
#include "support/shell_word.h"

namespace ratectl::support {

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
