// Redis's glob rules: what a pattern means, and how to say bytes literally in one.
#include <algorithm>

#include <fmt/format.h>

#include "domain/key_template.h"

namespace ratectl::domain {

namespace {

constexpr std::size_t kLongestGlob = 512;
constexpr std::size_t kMostStars = 16;
constexpr std::string_view kSpecial = "*?[]^-\\";

/// Redis compares ranges as plain chars, which are signed on the machines it mostly runs on.
int range_value(char c) { return static_cast<signed char>(c); }

/// `[...]` at `at` (behind the bracket) against one byte; leaves `at` behind the class. An unclosed class ends with the
/// pattern.
bool class_matches(std::string_view glob, std::size_t& at, char byte) {
    const bool negated = at < glob.size() && glob[at] == '^';
    if (negated) ++at;
    bool found = false;
    for (; at < glob.size() && glob[at] != ']'; ++at) {
        const std::size_t left = glob.size() - at;
        if (glob[at] == '\\' && left >= 2) {
            ++at;
            found = found || glob[at] == byte;
        } else if (left >= 3 && glob[at + 1] == '-') {
            const auto [low, high] = std::minmax({range_value(glob[at]), range_value(glob[at + 2])});
            found = found || (range_value(byte) >= low && range_value(byte) <= high);
            at += 2;
        } else {
            found = found || glob[at] == byte;
        }
    }
    if (at < glob.size()) ++at;
    return found != negated;
}

/// One element that is not a star against one byte; leaves `at` behind the element.
bool element_matches(std::string_view glob, std::size_t& at, char byte) {
    const char c = glob[at++];
    if (c == byte && c != '[' && c != '\\') return true;  // most of all
    if (c == '?') return true;
    if (c == '[') return class_matches(glob, at, byte);
    if (c == '\\' && at < glob.size()) return glob[at++] == byte;
    return c == byte;
}

/// Where the first wildcard is, or the end; literal bytes before it go to `prefix`, and stars are counted over the
/// whole pattern.
struct GlobShape {
    std::string prefix;
    bool wildcard = false;
    std::size_t stars = 0;
};

GlobShape shape_of(std::string_view glob) {
    GlobShape shape;
    for (std::size_t i = 0; i < glob.size(); ++i) {
        const bool escape = glob[i] == '\\' && i + 1 < glob.size();
        if (escape) ++i;
        if (!escape && glob[i] == '*') ++shape.stars;
        if (!escape && (glob[i] == '*' || glob[i] == '?' || glob[i] == '[')) shape.wildcard = true;
        if (!shape.wildcard) shape.prefix += glob[i];
    }
    return shape;
}

}  // namespace

std::string escape_glob(std::string_view literal) {
    std::string glob;
    glob.reserve(literal.size());
    for (const char c : literal) {
        if (kSpecial.find(c) != std::string_view::npos) glob += '\\';
        glob += c;
    }
    return glob;
}

std::string literal_prefix(std::string_view glob) { return shape_of(glob).prefix; }

bool has_wildcard(std::string_view glob) { return shape_of(glob).wildcard; }

bool glob_matches(std::string_view glob, std::string_view text) {
    // Every element but the star takes exactly one byte, so going back to the last star is enough: no recursion.
    std::size_t at = 0;
    std::size_t pos = 0;
    std::size_t after_star = std::string_view::npos;
    std::size_t star_pos = 0;
    while (pos < text.size()) {
        if (at < glob.size() && glob[at] == '*') {
            after_star = ++at;
            if (at == glob.size()) return true;  // it takes the rest
            star_pos = pos;
            continue;
        }
        if (at < glob.size() && element_matches(glob, at, text[pos])) {
            ++pos;
            continue;
        }
        if (after_star == std::string_view::npos) return false;
        at = after_star;
        pos = ++star_pos;
    }
    return glob.find_first_not_of('*', at) == std::string_view::npos;
}

support::Result<void> check_glob(std::string_view glob) {
    using support::ExitCode;
    if (glob.empty()) {
        return support::failure(ExitCode::usage, "a pattern must not be empty", "`*` matches every key");
    }
    if (glob.size() > kLongestGlob) {
        return support::failure(
            ExitCode::usage, fmt::format("a pattern of {} bytes is too long: {} at most", glob.size(), kLongestGlob));
    }
    const std::size_t stars = shape_of(glob).stars;
    if (stars > kMostStars) {
        return support::failure(
            ExitCode::usage,
            fmt::format("a pattern with {} stars is too much work for a server: {} at most", stars, kMostStars));
    }
    return {};
}

}  // namespace ratectl::domain
