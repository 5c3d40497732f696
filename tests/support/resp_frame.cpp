// Counts values that are still owed: an array owes its elements.
#include "support/resp_frame.h"

#include <charconv>

namespace ratectl::test {
namespace {

struct Line {
    char type = 0;
    long long number = 0;
    std::size_t end = 0;  // behind its CRLF
};

std::optional<Line> line_at(std::string_view bytes, std::size_t from) {
    const auto end = bytes.find("\r\n", from);
    if (end == std::string_view::npos) return std::nullopt;
    Line line{bytes[from], 0, end + 2};
    std::from_chars(bytes.data() + from + 1, bytes.data() + end, line.number);
    return line;
}

}  // namespace

std::optional<std::size_t> frame_size(std::string_view bytes) {
    std::size_t at = 0;
    for (long long owed = 1; owed > 0; --owed) {
        if (at >= bytes.size()) return std::nullopt;
        if (std::string_view("+-:$*").find(bytes[at]) == std::string_view::npos) return bytes.size();
        const auto line = line_at(bytes, at);
        if (!line) return std::nullopt;
        at = line->end;
        if (line->type == '$' && line->number >= 0) at += static_cast<std::size_t>(line->number) + 2;
        if (line->type == '*' && line->number > 0) owed += line->number;
    }
    if (at > bytes.size()) return std::nullopt;
    return at;
}

std::vector<std::string> first_words(std::string_view command, std::size_t most) {
    std::vector<std::string> words;
    if (command.empty() || command.front() != '*') return words;
    auto line = line_at(command, 0);
    while (line && words.size() < most) {
        const auto from = line->end;
        line = from < command.size() ? line_at(command, from) : std::nullopt;
        if (!line || line->type != '$' || line->number < 0) break;
        const auto size = static_cast<std::size_t>(line->number);
        if (line->end + size + 2 > command.size()) break;
        words.emplace_back(command.substr(line->end, size));
        line->end += size + 2;
    }
    return words;
}

}  // namespace ratectl::test
