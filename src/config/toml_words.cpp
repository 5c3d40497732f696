// Quotes texts and names for TOML, and refuses what no quoting can express.
#include "config/toml_words.h"

#include <cstdint>

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

bool fits_toml(std::string_view text) {
    constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i++]);
        const unsigned more = lead < 0x80   ? 0
                              : lead < 0xc0 ? 4
                              : lead < 0xe0 ? 1
                              : lead < 0xf0 ? 2
                              : lead < 0xf8 ? 3
                                            : 4;
        if (more > 3 || text.size() - i < more) return false;
        std::uint32_t code = more == 0 ? lead : lead & (0x3fu >> more);
        for (unsigned n = 0; n < more; ++n) {
            const auto next = static_cast<unsigned char>(text[i++]);
            if ((next & 0xc0) != 0x80) return false;
            code = (code << 6) | (next & 0x3fu);
        }
        if (code < least[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
    }
    return true;
}

}  // namespace ratectl::config
