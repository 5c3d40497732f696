// The rules for key tags, written out byte by byte instead of through a regular expression engine.

#include "sharding/key_tag.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "support/suggest.h"

namespace ratectl::sharding {

namespace {

using Tag = std::optional<std::string_view>;
using Rule = KeyTag::Rule;

constexpr auto kNone = std::string_view::npos;

constexpr std::array<std::pair<std::string_view, Rule>, 10> kNames{{
    {"none", Rule::none},
    {"redis", Rule::redis},
    {"codis", Rule::codis},
    {"phpredis", Rule::phpredis},
    {"ruby", Rule::ruby},
    {"ruby-any", Rule::ruby_any},
    {"jedis", Rule::jedis},
    {"greedy", Rule::greedy},
    {"npm", Rule::npm},
    {"salimane", Rule::salimane},
}};

Tag first_pair(std::string_view key, char open, char close, bool empty_counts) {
    const auto begin = key.find(open);
    if (begin == kNone) return std::nullopt;
    const auto end = key.find(close, begin + 1);
    if (end == kNone || (end == begin + 1 && !empty_counts)) return std::nullopt;
    return key.substr(begin + 1, end - begin - 1);
}

/// Where the line that holds `at` ends in the eyes of Java's regular expressions, which also know NEL, U+2028 and
/// U+2029.
std::size_t java_line_end(std::string_view key, std::size_t at) {
    for (; at < key.size(); ++at) {
        if (key[at] == '\n' || key[at] == '\r') return at;
        const std::string_view rest = key.substr(at);
        if (rest.starts_with("\xC2\x85") || rest.starts_with("\xE2\x80\xA8") || rest.starts_with("\xE2\x80\xA9"))
            return at;
    }
    return at;
}

std::size_t newline_end(std::string_view key, std::size_t at) { return std::min(key.find('\n', at), key.size()); }

/// `\{(.+?)\}` with its `{` at `begin`: at least one byte, so that the first may itself be a `}`.
Tag lazy_at(std::string_view key, std::size_t begin, std::size_t line_end) {
    const auto end = key.find('}', begin + 2);
    if (end == kNone || end >= line_end) return std::nullopt;
    return key.substr(begin + 1, end - begin - 1);
}

template <class LineEnd>
Tag lazy_anywhere(std::string_view key, LineEnd line_end) {
    for (auto begin = key.find('{'); begin != kNone; begin = key.find('{', begin + 1)) {
        if (const Tag tag = lazy_at(key, begin, line_end(key, begin + 1))) return tag;
    }
    return std::nullopt;
}

Tag lazy_at_line_start(std::string_view key) {
    for (std::size_t line = 0; line < key.size();) {
        const std::size_t end = newline_end(key, line);
        if (key[line] == '{') {
            if (const Tag tag = lazy_at(key, line, end)) return tag;
        }
        line = end + 1;
    }
    return std::nullopt;
}

Tag last_pair_of_first_line(std::string_view key) {
    const std::string_view line = key.substr(0, newline_end(key, 0));
    const auto end = line.rfind('}');
    if (end == kNone || end == 0) return std::nullopt;
    const auto begin = line.rfind('{', end - 1);
    if (begin == kNone) return std::nullopt;
    return line.substr(begin + 1, end - begin - 1);
}

Tag npm_pair(std::string_view key) {
    const auto begin = key.find('{');
    if (begin == kNone) return std::nullopt;
    const auto start = key.substr(begin + 1).starts_with('}') ? begin + 2 : begin + 1;
    const auto end = key.find('}', start);
    if (end == kNone) return std::nullopt;
    return key.substr(start, end - start);
}

Tag up_to_last_byte(std::string_view key) {
    const auto begin = key.find('{');
    if (begin == kNone) return std::nullopt;
    return key.substr(begin + 1, std::max(key.size(), begin + 2) - begin - 2);
}

}  // namespace

support::Result<KeyTag> parse_key_tag(std::string_view text) {
    for (const auto& [name, rule] : kNames) {
        if (text == name) return KeyTag{rule};
    }
    if (text.size() == 2) return KeyTag{Rule::redis, text[0], text[1]};
    const auto names = key_tag_names();
    auto hint = support::did_you_mean(text, names);
    if (hint.empty()) hint = fmt::format("two characters such as {{}}, or one of: {}", fmt::join(names, ", "));
    return support::failure(support::ExitCode::configuration, "'" + std::string(text) + "' is not a key tag rule",
                            hint);
}

std::string describe(const KeyTag& tag) {
    if (tag.rule == Rule::redis && (tag.open != '{' || tag.close != '}')) return {tag.open, tag.close};
    for (const auto& [name, rule] : kNames) {
        if (tag.rule == rule) return std::string(name);
    }
    return {};
}

std::vector<std::string> key_tag_names() {
    std::vector<std::string> names;
    names.reserve(kNames.size());
    for (const auto& entry : kNames) names.emplace_back(entry.first);
    return names;
}

std::optional<std::string_view> find_tag(const KeyTag& tag, std::string_view key) {
    switch (tag.rule) {
        case Rule::none: return std::nullopt;
        case Rule::redis: return first_pair(key, tag.open, tag.close, false);
        case Rule::codis: return first_pair(key, '{', '}', true);
        case Rule::phpredis: return first_pair(key.substr(0, key.find('\0')), '{', '}', true);
        case Rule::ruby: return lazy_at_line_start(key);
        case Rule::ruby_any: return lazy_anywhere(key, newline_end);
        case Rule::jedis: return lazy_anywhere(key, java_line_end);
        case Rule::greedy: return last_pair_of_first_line(key);
        case Rule::npm: return npm_pair(key);
        case Rule::salimane: return up_to_last_byte(key);
    }
    return std::nullopt;
}

}  // namespace ratectl::sharding
