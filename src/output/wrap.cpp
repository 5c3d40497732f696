// Breaks messages into lines, word by word.
#include "output/wrap.h"

#include <algorithm>

#include "output/printable.h"

namespace ratectl::output {
namespace {

/// An apostrophe inside a word opens nothing.
bool opens_quote(std::string_view text, std::size_t at, std::size_t word) {
    const bool may = text[at] == '`' || (text[at] == '\'' && (at == word || text[at - 1] == '('));
    return may && text.substr(0, text.find('\n', at)).find(text[at], at + 1) != std::string_view::npos;
}

/// Where the word that begins at `begin` ends: at a blank, but not at one inside quotes.
std::size_t word_end(std::string_view text, std::size_t begin) {
    std::size_t end = begin;
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
