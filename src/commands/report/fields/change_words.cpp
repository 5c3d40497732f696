// Puts what a change did to a window into words; expiries to the second, unless they are not whole seconds.
#include "commands/report/fields/change_words.h"

#include "support/decimal.h"
#include "support/time_text.h"

namespace ratectl::commands {
namespace {

std::string time_or_never(const std::optional<std::int64_t>& expires_at_ms) {
    if (!expires_at_ms) return "never";
    if (*expires_at_ms % 1000 == 0) return support::format_time(support::from_epoch(*expires_at_ms / 1000));
    return support::format_wall_time(support::WallTime{support::Milliseconds{*expires_at_ms}});
}

std::string times(const domain::StoredWindow& window) {
    const auto counter = time_or_never(window.counter_expires_at_ms);
    const auto expiry = time_or_never(window.expiry_expires_at_ms);
    return counter == expiry ? counter : counter + " and " + expiry;
}

}  // namespace

std::string expiry_words(const domain::StoredWindow& window) { return "expires " + times(window); }

std::string change_words(const domain::StoredWindow& before, const domain::StoredWindow& after, bool about_expiries) {
    if (about_expiries) return expiry_words(before) + " -> " + times(after);
    return before.used.value_or("none") + " -> " + after.used.value_or("none");
}

output::Cell stored_integer(const std::optional<std::string>& half) {
    return half ? output::or_null(support::parse_decimal(*half)) : output::Null{};
}

output::Cell stored_time(const std::optional<std::string>& half) {
    const auto seconds = half ? support::parse_decimal(*half) : std::nullopt;
    return seconds ? output::Cell{support::from_epoch(*seconds)} : output::Null{};
}

}  // namespace ratectl::commands
