// The words of write statuses.
#include "domain/write.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "domain/limiter.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::domain {
namespace {

constexpr std::size_t kShownBytes = 40;

}  // namespace

std::string_view name_of(WriteStatus status) {
    switch (status) {
        case WriteStatus::applied: return "applied";
        case WriteStatus::already_applied: return "already-applied";
        case WriteStatus::skipped: return "skipped";
        case WriteStatus::window_changed: return "window-changed";
        case WriteStatus::refused: return "refused";
        case WriteStatus::failed: return "failed";
        case WriteStatus::unknown: return "unknown";
        case WriteStatus::not_attempted: return "not-attempted";
    }
    return "unknown";
}

bool wrote(WriteStatus status) { return status == WriteStatus::applied || status == WriteStatus::already_applied; }

std::string value_words(std::string_view stored) {
    if (stored.size() <= kShownBytes) return fmt::format("'{}'", stored);
    const auto length = stored.size() > kLongestValue ? "more than 64 KiB" : fmt::format("{} bytes", stored.size());
    return fmt::format("'{}...' ({})", stored.substr(0, kShownBytes), length);
}

std::string used_words(const std::optional<std::string>& used) {
    if (!used) return "none";
    return used->size() <= kShownBytes ? *used : value_words(*used);
}

std::string used_words(const StoredWindow& window) {
    const auto end = support::parse_decimal(window.reset_at.value_or(""));
    // Of what several keys or fields hold, the state is a text of lengths and bytes.
    const bool is_number = window.used && support::parse_decimal(*window.used);
    const bool is_packed =
        window.used && window.used == window.state && window.used->find_first_of(":-") != std::string::npos;
    if (!window.state || is_number || (window.used && !is_packed)) return used_words(window.used);
    if (!end) return "something";
    return "unknown until " + support::format_time(support::from_epoch(*end));
}

bool same_bytes(const StoredWindow& a, const StoredWindow& b) {
    if (a.state || b.state) return a.state == b.state;
    return a.used == b.used && a.reset_at == b.reset_at;
}

StoredWindow stored_window(const WindowLook& look, support::Moment now) {
    return look.limiter != nullptr ? look.limiter->stored(look, now) : StoredWindow{};
}

Expiries expiries_of(const WindowLook& look, support::WallTime server_now) {
    Expiries expiries;
    if (look.parts.empty()) return expiries;
    for (std::size_t i = 0; i < kMostParts; ++i) {
        expiries[i] = expires_at(look.parts[std::min(i, look.parts.size() - 1)], server_now);
    }
    return expiries;
}

}  // namespace ratectl::domain
