// What an API tells its clients about a window in response headers, in the dialects that are in use.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/window.h"
#include "support/time.h"

namespace ratectl::domain {

enum class HeaderDialect {
    github,       // X-RateLimit-*, the reset as an epoch second, the resource by name
    legacy,       // X-RateLimit-Limit, -Remaining and -Reset (an epoch second), Retry-After with a refusal
    draft_7,      // IETF: RateLimit: limit=, remaining=, reset= (seconds from now)
    draft_8,      // IETF: RateLimit: "name";r=;t=, structured fields
    retry_after,  // Retry-After alone, with a refusal
};
/// `github`, `legacy`, `draft-7`, `draft-8`, `retry-after`.
std::string_view name_of(HeaderDialect dialect);
std::span<const std::string_view> header_dialect_names();
std::optional<HeaderDialect> header_dialect_from(std::string_view name);

/// A window as its client is told about it: what an application that finds none, or one that is over, says instead is
/// filled in.
struct ToldWindow {
    std::optional<std::int64_t> limit;         // null: not said
    std::optional<std::int64_t> used;          // as stored; of no window what one begins with; null: corrupt
    std::optional<std::int64_t> remaining;     // null without a limit or a count
    std::optional<support::Instant> reset_at;  // of no window: when one that is opened now would end; null: unknown
    std::optional<support::Seconds> period;
    support::Instant now{};
    std::optional<support::Instant> passes_at = {};  // when a client that is refused need not wait for reset_at

    bool refused() const { return remaining == 0; }
};
ToldWindow told_window(const WindowLook& look, std::optional<std::int64_t> limit,
                       std::optional<support::Seconds> period, support::Instant now);

struct HeaderLine {
    std::string_view name;  // static storage
    std::string value;

    bool operator==(const HeaderLine&) const = default;
};

/// In the order in which APIs send them. What is unknown is left out; a dialect may have nothing to say. `resource`:
/// the policy's name, or empty.
std::vector<HeaderLine> header_lines(const ToldWindow& told, std::string_view resource, HeaderDialect dialect);

}  // namespace ratectl::domain
