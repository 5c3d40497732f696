// Word by word.
#include "output/wrap.h"

#include <algorithm>

#include "output/printable.h"

namespace ratectl::output {
namespace {

/// Where the word that begins at `begin` ends: at a blank, but not at one inside quotes that `most` columns can hold.
std::size_t word_end(std::string_view text, std::size_t begin, std::size_t most) {
    const auto blank_after = [text](std::size_t at) { return std::min(text.find_first_of(" \n", at), text.size()); };
    const std::size_t first = std::min(text.find_first_not_of('(', begin), text.size() - 1);
    if (text[first] != '`' && text[first] != '\'') return blank_after(begin);
    const std::size_t closing = text.find(text[first], first + 1);
    if (closing == std::string_view::npos) return blank_after(begin);
    const std::size_t end = blank_after(closing);
    const std::string_view quoted = text.substr(begin, end - begin);
    return quoted.find('\n') == std::string_view::npos && display_width(quoted) <= most ? end : blank_after(begin);
}

}  // namespace

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
        const std::size_t end = word_end(text, begin, columns - indent);
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
