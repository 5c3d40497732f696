// Notices a SCAN that never ends: by going round a circle of cursors twice, else by the number of keys.
#include "store/cursor_guard.h"

#include <algorithm>

#include <fmt/format.h>

namespace ratectl::store {
namespace {

/// More than any server has, where it would not say how many.
constexpr std::int64_t kUnknownKeys = std::int64_t{1} << 31;

}  // namespace

bool CursorGuard::is_circle(std::string_view cursor) {
    ++steps_;
    if (cursor == mark_) {
        steps_ = 0;
        return ++times_met_ == 2;
    }
    if (steps_ < patience_) return false;
    mark_ = cursor;
    steps_ = 0;
    times_met_ = 0;
    patience_ *= 2;
    return false;
}

std::optional<std::string> CursorGuard::passes(std::string_view cursor, std::size_t count) {
    if (cursor == "0") return std::nullopt;
    ++pages_;
    asked_ += count;
    if (is_circle(cursor)) return "the same cursors come again and again";
    return std::nullopt;
}

// What was asked for before the last pages was enough for all keys twice over, as far as tables grow meanwhile.
std::optional<std::string> CursorGuard::learns_size(std::optional<std::int64_t> keys) {
    const auto known = static_cast<std::uint64_t>(std::max<std::int64_t>(keys.value_or(kUnknownKeys), 0));
    if (asked_by_then_ > 2 * known) {
        return fmt::format("{} keys were asked for and there are {}", asked_,
                           keys ? std::to_string(known) : std::string("fewer on any server"));
    }
    pages_ = 0;
    asked_by_then_ = asked_;
    return std::nullopt;
}

redis::Fault endless_scan(std::string_view where, std::string_view why) {
    return {{support::ExitCode::protocol,
             fmt::format("{}: its SCAN never ends: {}; what it would still have shown was not read", where, why),
             "is it a Redis server, or does a proxy stand before it?"},
            true,
            false};
}

}  // namespace ratectl::store
