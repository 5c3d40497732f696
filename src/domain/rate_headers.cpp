// Writes rate-limit headers, one function a dialect.
#include "domain/rate_headers.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "domain/limiter.h"

namespace ratectl::domain {
namespace {

using Lines = std::vector<HeaderLine>;

constexpr std::array<std::string_view, 5> kDialectNames{"github", "legacy", "draft-7", "draft-8", "retry-after"};

/// Seconds until the reset; 0 once it has come.
std::optional<std::int64_t> seconds_left(const ToldWindow& told) {
    if (!told.reset_at) return std::nullopt;
    return std::max<std::int64_t>((*told.reset_at - told.now).count(), 0);
}

void add(Lines& lines, std::string_view name, std::optional<std::int64_t> value) {
    if (value) lines.push_back({name, fmt::to_string(*value)});
}

void add_epoch_lines(Lines& lines, const ToldWindow& told) {
    add(lines, "X-RateLimit-Limit", told.limit);
    add(lines, "X-RateLimit-Remaining", told.remaining);
    if (told.reset_at) add(lines, "X-RateLimit-Reset", support::epoch_seconds(*told.reset_at));
}

void add_retry_after(Lines& lines, const ToldWindow& told) {
    if (!told.refused()) return;
    const auto wait = told.passes_at ? std::optional{(*told.passes_at - told.now).count()} : seconds_left(told);
    if (wait) add(lines, "Retry-After", std::max<std::int64_t>(*wait, 0));
}

void add_draft_7(Lines& lines, const ToldWindow& told) {
    if (!told.limit || !told.remaining) return;
    if (told.period) lines.push_back({"RateLimit-Policy", fmt::format("{};w={}", *told.limit, told.period->count())});
    std::string state = fmt::format("limit={}, remaining={}", *told.limit, *told.remaining);
    if (const auto left = seconds_left(told)) state += fmt::format(", reset={}", *left);
    lines.push_back({"RateLimit", std::move(state)});
}

/// A structured field's string (RFC 8941): printable ASCII, quotes and backslashes escaped.
std::string in_quotes(std::string_view name) {
    std::string text = "\"";
    for (const char c : name.empty() ? std::string_view("default") : name) {
        if (c == '"' || c == '\\') text += '\\';
        text += c >= ' ' && c <= '~' ? c : '?';
    }
    return text + '"';
}

void add_draft_8(Lines& lines, const ToldWindow& told, std::string_view resource) {
    if (!told.limit || !told.remaining) return;
    const std::string name = in_quotes(resource);
    std::string policy = fmt::format("{};q={}", name, *told.limit);
    if (told.period) policy += fmt::format(";w={}", told.period->count());
    lines.push_back({"RateLimit-Policy", std::move(policy)});
    std::string state = fmt::format("{};r={}", name, *told.remaining);
    if (const auto left = seconds_left(told)) state += fmt::format(";t={}", *left);
    lines.push_back({"RateLimit", std::move(state)});
}

}  // namespace

std::string_view name_of(HeaderDialect dialect) { return kDialectNames[static_cast<std::size_t>(dialect)]; }

std::span<const std::string_view> header_dialect_names() { return kDialectNames; }

std::optional<HeaderDialect> header_dialect_from(std::string_view name) {
    const auto found = std::find(kDialectNames.begin(), kDialectNames.end(), name);
    if (found == kDialectNames.end()) return std::nullopt;
    return static_cast<HeaderDialect>(found - kDialectNames.begin());
}

ToldWindow told_window(const WindowLook& look, std::optional<std::int64_t> limit,
                       std::optional<support::Seconds> period, support::Instant now) {
    const Window window = judge(look, now, limit);
    ToldWindow told{window.limit, window.used, window.remaining, window.reset_at, period, now, window.passes_at};
    if (window.state == WindowState::corrupt) {
        told.used = told.remaining = std::nullopt;
        told.reset_at = std::nullopt;
    } else if (!counts_at(window, now)) {
        told.used = look.limiter != nullptr ? look.limiter->carried_over(look, limit) : 0;
        told.reset_at = look.limiter != nullptr ? look.limiter->next_end(look.key, now, period) : std::nullopt;
    }
    return told;
}

Lines header_lines(const ToldWindow& told, std::string_view resource, HeaderDialect dialect) {
    Lines lines;
    switch (dialect) {
        case HeaderDialect::github:
            add_epoch_lines(lines, told);
            add(lines, "X-RateLimit-Used", told.used);
            if (!resource.empty()) lines.push_back({"X-RateLimit-Resource", std::string(resource)});
            return lines;
        case HeaderDialect::legacy: add_epoch_lines(lines, told); break;
        case HeaderDialect::draft_7: add_draft_7(lines, told); break;
        case HeaderDialect::draft_8: add_draft_8(lines, told, resource); break;
        case HeaderDialect::retry_after: break;
    }
    add_retry_after(lines, told);
    return lines;
}

}  // namespace ratectl::domain
