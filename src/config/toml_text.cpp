// From the bytes of a file to a TOML document, refusing what could only hurt.
#include "config/table_view.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace ratectl::config {
namespace {

using support::ExitCode;
using support::Failure;

/// The parser builds one nested table for each part of a dotted key and destroys them recursively: a long key ends the
/// process.
constexpr std::size_t kMostDotsInALine = 32;

/// Knows, byte by byte, whether it is inside a string or a comment; strings in three quotes go over line ends.
class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    /// The first line with more than kMostDotsInALine dots outside strings and comments, or 0.
    std::size_t line_with_too_many_dots() {
        std::size_t line = 1;
        std::size_t dots = 0;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\n') {
                ++line;
                dots = 0;
                ++at_;
            } else if (c == '"' || c == '\'') {
                line += skip_string(c);
            } else if (c == '#') {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else {
                if (c == '.' && ++dots > kMostDotsInALine) return line;
                ++at_;
            }
        }
        return 0;
    }

private:
    /// Leaves at_ behind the string; returns how many lines it went over.
    std::size_t skip_string(char quote) {
        const std::string fence(3, quote);
        const bool several_lines = text_.substr(at_, 3) == fence;
        at_ += several_lines ? 3 : 1;
        std::size_t lines = 0;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\n') {
                if (!several_lines) return lines;
                ++lines;
            }
            if (c == '\\' && quote == '"') {
                at_ += 2;
                if (at_ - 1 < text_.size() && text_[at_ - 1] == '\n') ++lines;
                continue;
            }
            if (several_lines && text_.substr(at_, 3) == fence) {
                at_ += 3;
                return lines;
            }
            ++at_;
            if (!several_lines && c == quote) return lines;
        }
        at_ = text_.size();
        return lines;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

/// The parser escapes the characters that it names, and a message is made printable where it is printed: no escape is
/// left to be escaped once more.
std::string without_escapes(std::string text) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> named{{{"'\\n'", "the end of the line"},
                                                                                  {"'\\r'", "a carriage return"},
                                                                                  {"'\\t'", "a tab"},
                                                                                  {"'\\\\'", "a backslash"},
                                                                                  {"\\u", "U+"}}};
    for (const auto& [escaped, word] : named) {
        for (std::size_t at = 0; (at = text.find(escaped, at)) != std::string::npos; at += word.size()) {
            text.replace(at, escaped.size(), word);
        }
    }
    return text;
}

std::size_t line_of(std::string_view text, std::size_t offset) {
    return 1 +
           static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

}  // namespace

toml::table parse_toml(const ConfigFile& file) {
    if (const auto nul = file.text.find('\0'); nul != std::string::npos) {
        throw Failure(ExitCode::configuration, fmt::format("{}:{}: the file holds a NUL byte: it is not a TOML text",
                                                           file.path, line_of(file.text, nul)));
    }
    if (const auto line = Scanner(file.text).line_with_too_many_dots(); line != 0) {
        throw Failure(ExitCode::configuration, fmt::format("{}:{}: keys nested too deeply", file.path, line));
    }
    try {
        return toml::parse(std::string_view{file.text}, file.path);
    } catch (const toml::parse_error& error) {
        const auto& begin = error.source().begin;
        throw Failure(ExitCode::configuration, fmt::format("{}:{}:{}: {}", file.path, begin.line, begin.column,
                                                           without_escapes(std::string(error.description()))));
    }
}

}  // namespace ratectl::config
