// How wide text is on a terminal, and how it is made to fit.
#include <utf8proc.h>

#include <algorithm>

#include "output/printable.h"
#include "output/utf8.h"

namespace ratectl::output {
namespace {

std::size_t width_of(char32_t c) {
    if (c >= 0x20 && c < 0x7F) return 1;
    const int width = utf8proc_charwidth(static_cast<utf8proc_int32_t>(c));
    return width > 0 ? static_cast<std::size_t>(width) : 0;
}

/// The length in bytes of the longest beginning that is at most `columns` wide, trailing combining marks included.
std::size_t head_length(std::string_view text, std::size_t columns) {
    std::size_t at = 0;
    std::size_t used = 0;
    while (at < text.size()) {
        const CodePoint c = decode_utf8(text, at);
        const std::size_t width = c.length == 0 ? 1 : width_of(c.value);
        if (used + width > columns) break;
        used += width;
        at += std::max<std::size_t>(c.length, 1);
    }
    return at;
}

/// Where the longest end that is at most `columns` wide begins.
std::size_t tail_begin(std::string_view text, std::size_t columns) {
    const std::size_t total = display_width(text);
    std::size_t at = 0;
    std::size_t passed = 0;
    while (at < text.size() && total - passed > columns) {
        const CodePoint c = decode_utf8(text, at);
        passed += c.length == 0 ? 1 : width_of(c.value);
        at += std::max<std::size_t>(c.length, 1);
    }
    while (at < text.size()) {  // a mark without its letter would sit on the ellipsis
        const CodePoint c = decode_utf8(text, at);
        if (c.length == 0 || width_of(c.value) > 0) break;
        at += c.length;
    }
    return at;
}

}  // namespace

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint c = decode_utf8(text, at);
        width += c.length == 0 ? 1 : width_of(c.value);
        at += std::max<std::size_t>(c.length, 1);
    }
    return width;
}

std::string_view cut_to_width(std::string_view text, std::size_t columns) {
    return text.substr(0, head_length(text, columns));
}

std::string elide_middle(std::string_view text, std::size_t columns, bool ascii) {
    if (display_width(text) <= columns) return std::string(text);
    const std::string_view mark = ascii ? "..." : "\u2026";
    const std::size_t mark_width = ascii ? 3 : 1;
    if (columns <= mark_width) return std::string(text.substr(0, head_length(text, columns)));
    const std::size_t room = columns - mark_width;
    const std::string_view head = text.substr(0, head_length(text, (room + 1) / 2));
    const std::string_view tail = text.substr(tail_begin(text, room / 2));
    return std::string(head).append(mark).append(tail);
}

}  // namespace ratectl::output
