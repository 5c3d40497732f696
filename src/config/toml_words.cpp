// Quoting.
#include "config/toml_words.h"

#include <fmt/format.h>

namespace ratectl::config {

std::string toml_text(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (byte < 0x20 || byte == 0x7f) {
            result += fmt::format("\\u{:04x}", byte);
        } else {
            result += c;
        }
    }
    return result + "\"";
}

std::string toml_key(const std::string& name) {
    const bool bare =
        !name.empty() &&
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == std::string::npos;
    return bare ? name : toml_text(name);
}

}  // namespace ratectl::config
