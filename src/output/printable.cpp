// Escapes bytes for people's eyes, and reads escaped text back; see printable.h for what is escaped.
#include "output/printable.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "output/utf8.h"
#include "support/base64.h"

namespace ratectl::output {
namespace {

using support::kHexDigits;

bool is_plain_ascii(char c) { return c >= 0x20 && c < 0x7F && c != '\\'; }

constexpr std::uint64_t kOnes = 0x0101010101010101;  // in each byte
constexpr std::uint64_t kHighBits = kOnes << 7;

/// Where the plain ASCII that begins at `from` ends, or less than eight bytes before: most of what is printed is
/// nothing else, and eight bytes are tested at once.
std::size_t skip_plain_ascii(std::string_view bytes, std::size_t from) {
    // The high bit of each byte below `least`, where none is above 0x7F; bytes above one that is may be taken for it.
    const auto below = [](std::uint64_t word, std::uint64_t least) { return (word - kOnes * least) & ~word; };
    std::uint64_t word = 0;
    for (; bytes.size() - from >= sizeof word; from += sizeof word) {
        std::memcpy(&word, bytes.data() + from, sizeof word);
        const auto odd = word | below(word, 0x20) | below(word ^ (kOnes * 0x7F), 1) | below(word ^ (kOnes * 0x5C), 1);
        if ((odd & kHighBits) != 0) break;
    }
    return from;
}

bool is_noncharacter(char32_t c) { return (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF); }

/// Invisible though Unicode calls them marks or letters.
bool is_ignorable(char32_t c) {
    return c == 0x034F || c == 0x115F || c == 0x1160 || c == 0x17B4 || c == 0x17B5 || (c >= 0x180B && c <= 0x180F) ||
           c == 0x3164 || c == 0xFFA0 || (c >= 0xFE00 && c <= 0xFE0F) || c == 0x2065 || (c >= 0xFFF0 && c <= 0xFFF8) ||
           (c >= 0xE0000 && c <= 0xE0FFF);
}

bool is_visible(char32_t c) {
    if (is_noncharacter(c) || is_ignorable(c)) return false;
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_CS:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP: return false;
        default: return true;
    }
}

void append_byte_escape(std::string& out, char byte) {
    const auto value = static_cast<unsigned char>(byte);
    out += "\\x";
    out += kHexDigits[value >> 4];
    out += kHexDigits[value & 0xF];
}

void append_code_point_escape(std::string& out, char32_t c) {
    out += "\\u{";
    int digits = 4;
    while (digits < 6 && (c >> (4 * digits)) != 0) ++digits;
    for (int i = digits - 1; i >= 0; --i) out += kHexDigits[(c >> (4 * i)) & 0xF];
    out += '}';
}

void append_ascii(std::string& out, char c) {
    switch (c) {
        case '\\': out += "\\\\"; return;
        case '\n': out += "\\n"; return;
        case '\r': out += "\\r"; return;
        case '\t': out += "\\t"; return;
        default: break;
    }
    if (is_plain_ascii(c)) {
        out += c;
    } else {
        append_byte_escape(out, c);
    }
}

std::string escape(std::string_view bytes, bool keep_lines) {
    std::string out;
    out.reserve(bytes.size() + 8);
    for (std::size_t i = 0; i < bytes.size();) {
        const CodePoint c = decode_utf8(bytes, i);
        if (c.length == 0) {
            append_byte_escape(out, bytes[i++]);
            continue;
        }
        if (c.length == 1) {
            keep_lines&& bytes[i] == '\n' ? void(out += '\n') : append_ascii(out, bytes[i]);
        } else if (is_visible(c.value)) {
            out += bytes.substr(i, c.length);
        } else {
            append_code_point_escape(out, c.value);
        }
        i += c.length;
    }
    return out;
}

/// Reads `{HEX}` after `\u`; the position moves behind it.
std::optional<char32_t> read_braced_hex(std::string_view text, std::size_t& at) {
    const std::size_t close = text.find('}', at);
    if (at >= text.size() || text[at] != '{' || close == std::string_view::npos || close - at < 2 || close - at > 7)
        return {};
    char32_t value = 0;
    for (std::size_t i = at + 1; i < close; ++i) {
        const std::size_t digit = kHexDigits.find(text[i]);
        if (digit == std::string_view::npos) return {};
        value = value * 16 + static_cast<char32_t>(digit);
    }
    at = close + 1;
    if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {};
    return value;
}

/// One escape; `at` stands behind the backslash.
bool read_escape(std::string_view text, std::size_t& at, std::string& out) {
    if (at >= text.size()) return false;
    switch (text[at++]) {
        case '\\': out += '\\'; return true;
        case 'n': out += '\n'; return true;
        case 'r': out += '\r'; return true;
        case 't': out += '\t'; return true;
        case 'x': {
            const auto byte = support::from_hex(text.substr(at, 2));
            if (!byte || byte->size() != 1) return false;
            at += 2;
            out += *byte;
            return true;
        }
        case 'u': {
            const auto value = read_braced_hex(text, at);
            if (value) append_utf8(out, *value);
            return value.has_value();
        }
        default: return false;
    }
}

/// An apostrophe inside a word opens nothing.
bool opens_quote(std::string_view text, std::size_t at, std::size_t word) {
    const bool may = text[at] == '`' || (text[at] == '\'' && (at == word || text[at - 1] == '('));
    return may && text.substr(0, text.find('\n', at)).find(text[at], at + 1) != std::string_view::npos;
}

/// `to take it back: ratectl undo ID`.
bool begins_command(std::string_view text, std::size_t begin) {
    return text.substr(begin).starts_with("ratectl ") && text.substr(0, begin).ends_with(": ");
}

/// Where the word that begins at `begin` ends: at a blank, but not at one inside quotes; a command at its comma.
std::size_t word_end(std::string_view text, std::size_t begin) {
    std::size_t end = begin;
    if (begins_command(text, begin)) return std::min({text.find(", ", begin), text.find('\n', begin), text.size()});
    char quote = 0;
    for (; end < text.size() && text[end] != '\n' && (quote != 0 || text[end] != ' '); ++end) {
        if (quote == 0 && opens_quote(text, end, begin)) {
            quote = text[end];
        } else if (text[end] == quote) {
            quote = 0;
        }
    }
    return end;
}

}  // namespace

std::string printable(std::string_view bytes) { return is_plain(bytes) ? std::string(bytes) : escape(bytes, false); }

std::string printable_ascii(std::string_view bytes) {
    const std::string text = printable(bytes);
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const CodePoint c = decode_utf8(text, i);
        c.length == 1 ? void(out += text[i]) : append_code_point_escape(out, c.value);
        i += c.length;
    }
    return out;
}

std::string printable_lines(std::string_view text) { return is_plain(text) ? std::string(text) : escape(text, true); }

std::optional<std::string> unprintable(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] != '\\') {
            out += text[i++];
        } else if (!read_escape(text, ++i, out)) {
            return {};
        }
    }
    // Only the one spelling that printable() writes: two texts never mean the same key.
    if (printable(out) != text) return {};
    return out;
}

bool is_plain(std::string_view bytes) {
    for (std::size_t i = skip_plain_ascii(bytes, 0); i < bytes.size();) {
        if (is_plain_ascii(bytes[i])) {
            ++i;
            continue;
        }
        const CodePoint c = decode_utf8(bytes, i);
        if (c.length < 2 || !is_visible(c.value)) return false;
        i += c.length;
    }
    return true;
}

bool is_valid_utf8(std::string_view bytes) {
    for (std::size_t i = skip_plain_ascii(bytes, 0); i < bytes.size();) {
        const CodePoint c = decode_utf8(bytes, i);
        if (c.length == 0) return false;
        i += c.length;
    }
    return true;
}

std::string wrap(std::string_view text, std::size_t columns, std::size_t used, std::size_t indent) {
    if (columns <= indent + 1) return std::string(text);
    std::string out;
    std::size_t at = used;
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == '\n') {
            out += text[i++];
            at = 0;
            continue;
        }
        const std::size_t begin = std::min(text.find_first_not_of(' ', i), text.size());
        const std::string_view blanks = text.substr(i, begin - i);
        if (begin == text.size() || text[begin] == '\n') {
            i = begin;
            continue;
        }
        const std::size_t end = word_end(text, begin);
        const std::string_view word = text.substr(begin, end - begin);
        const std::size_t width = display_width(word);
        if (at + blanks.size() + width > columns && at > indent && !blanks.empty()) {
            out.append("\n").append(indent, ' ');
            at = indent;
        } else {
            out += blanks;
            at += blanks.size();
        }
        out += word;
        at += width;
        i = end;
    }
    return out;
}

}  // namespace ratectl::output
