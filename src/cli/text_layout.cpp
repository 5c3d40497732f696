// Fills paragraphs and columns to a width, greedily; a word that is too long stands alone on its line.
#include "cli/text_layout.h"

#include <algorithm>

namespace ratectl::cli {

std::string filled(std::string_view text, std::size_t width, std::size_t indent) {
    const std::string margin(indent, ' ');
    std::string out;
    std::string line;
    std::size_t begin = 0;
    while ((begin = text.find_first_not_of(" \n", begin)) != std::string_view::npos) {
        const std::size_t end = text.find_first_of(" \n", begin);
        const std::string_view word = text.substr(begin, end == std::string_view::npos ? end : end - begin);
        if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
            out += margin + line + "\n";
            line.clear();
        }
        if (!line.empty()) line += ' ';
        line += word;
        if (end == std::string_view::npos) break;
        begin = end;
    }
    return out + margin + line + "\n";
}

std::string two_columns(std::string_view left, std::string_view right, std::size_t at, std::size_t width) {
    const std::string body = filled(right, width, at);
    std::string head = "  " + std::string(left);
    if (head.size() + 2 > at) return head + "\n" + body;
    return head + body.substr(head.size());
}

std::string upper(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return text;
}

}  // namespace ratectl::cli
