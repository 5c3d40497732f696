// Written out by hand: each of these is asked for every key of a sample, most of them several times.
#include "domain/identify/shape.h"

#include <algorithm>
#include <charconv>

namespace ratectl::domain::identify {
namespace {

constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kLongestPeriod = 366 * kDay;
constexpr std::int64_t kFirstEpoch = 1'000'000'000;
constexpr std::int64_t kLastEpoch = 4'102'444'800;  // the year 2100

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

bool is_v4(std::string_view text) {
    int parts = 0;
    while (true) {
        const auto dot = text.find('.');
        const auto part = text.substr(0, dot);
        if (part.empty() || part.size() > 3 || !is_digits(part) || (part.size() == 3 && part > "255")) return false;
        ++parts;
        if (dot == std::string_view::npos) return parts == 4;
        text.remove_prefix(dot + 1);
    }
}

bool is_v6(std::string_view text) {
    if (const auto slash = cut_last(text, '/')) {
        if (!is_digits(slash->behind) || slash->behind.size() > 3) return false;
        text = slash->before;
    }
    const auto is_part = [](char c) { return is_hex_digit(c) || (c >= 'A' && c <= 'F') || c == ':' || c == '.'; };
    return text.size() >= 2 && text.size() <= 45 && std::ranges::count(text, ':') >= 2 &&
           std::ranges::all_of(text, is_part);
}

bool is_text(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

void append_literal(std::string& text, std::string_view literal) {
    for (const char c : literal) text.append(c == '{' || c == '}' ? 2 : 1, c);
}

}  // namespace

bool is_digits(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }

bool is_hex(std::string_view text, std::size_t length) {
    return text.size() == length && std::ranges::all_of(text, is_hex_digit);
}

bool is_uuid(std::string_view text) {
    if (text.size() != 36) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : !is_hex_digit(text[i])) return false;
    }
    return true;
}

bool is_address(std::string_view text) { return is_v4(text) || is_v6(text); }

std::optional<double> decimal_in(std::string_view text) {
    if (text.empty() || (!is_digit(text.front()) && text.front() != '-')) return std::nullopt;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<std::int64_t> natural_in(std::string_view text) {
    if (!is_digits(text) || text.size() > 18) return std::nullopt;
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

std::optional<std::int64_t> epoch_in(std::string_view text) {
    if (text.size() != 10) return std::nullopt;
    const auto number = natural_in(text);
    if (!number || *number < kFirstEpoch || *number > kLastEpoch) return std::nullopt;
    return number;
}

std::optional<Cut> cut_last(std::string_view text, char mark) {
    const auto at = text.rfind(mark);
    if (at == std::string_view::npos) return std::nullopt;
    return Cut{text.substr(0, at), text.substr(at + 1)};
}

std::optional<std::int64_t> period_by_end(std::int64_t bucket, std::int64_t end) {
    if (end % (bucket + 1) != 0) return std::nullopt;
    const auto period = end / (bucket + 1);
    if (period < 1 || period > kLongestPeriod) return std::nullopt;
    return period;
}

std::optional<std::int64_t> period_by_clock(std::int64_t bucket, std::int64_t now) {
    if (bucket < 1) return std::nullopt;
    const auto shortest = now / (bucket + 1) + 1;
    const auto longest = std::min(now / bucket, kLongestPeriod);
    if (shortest > longest) return std::nullopt;
    if (shortest == longest) return shortest;
    for (const auto usual : {kDay, 12 * 3600L, 7 * kDay, 30 * kDay}) {
        if (shortest <= usual && usual <= longest) return usual;
    }
    return std::nullopt;
}

std::optional<std::string> template_of(std::initializer_list<std::string_view> parts) {
    std::string text;
    bool is_hole = false;
    for (const auto part : parts) {
        if (!is_text(part)) return std::nullopt;
        if (is_hole) {
            text.append("{").append(part).append("}");
        } else {
            append_literal(text, part);
        }
        is_hole = !is_hole;
    }
    return text;
}

std::optional<std::string> template_of_client_at_end(std::string_view name) {
    // An IPv6 address has colons of its own: the longest end that is an address is the client.
    for (auto colon = name.find(':'); colon != std::string_view::npos; colon = name.find(':', colon + 1)) {
        if (is_address(name.substr(colon + 1))) return template_of({name.substr(0, colon + 1), kClient});
    }
    if (is_address(name)) return template_of({"", kClient});
    const auto last = name.rfind(':');
    return template_of({name.substr(0, last == std::string_view::npos ? 0 : last + 1), kClient});
}

}  // namespace ratectl::domain::identify
