// Builds small parts of sentences, among them keys that can be pasted into a shell.
#include "commands/report/wording.h"

#include <fmt/format.h>

#include <chrono>

#include "output/printable.h"
#include "support/quote.h"
#include "support/time_text.h"

namespace ratectl::commands {
namespace {

constexpr std::string_view kBare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:@%+=,-";

std::string relative(support::Instant t, support::Moment now) {
    const auto distance = t - now;
    if (distance > kFarthest || distance < -kFarthest) return {};
    if (distance.count() == 0) return "this very second";
    return distance.count() > 0 ? "in " + support::format_duration(distance)
                                : support::format_duration(-distance) + " ago";
}

}  // namespace

std::string requests(std::int64_t count) { return fmt::format("{} request{}", count, count == 1 ? "" : "s"); }

std::string beside(support::Instant t, support::Moment now, const std::string& zone) {
    constexpr std::size_t date = 11;  // the length of `2026-01-01T`
    std::string text;
    if (!zone.empty()) {
        auto local = support::format_time(t, zone);
        if (local.size() > date && local.substr(0, date) == support::format_time(t).substr(0, date))
            local.erase(0, date);
        text = local + " in " + zone;
    }
    const auto distance = relative(t, now);
    if (!text.empty() && !distance.empty()) text += ", ";
    text += distance;
    return text.empty() ? text : " (" + text + ")";
}

std::string listed(std::span<const std::string> words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
        text += words[i];
    }
    return text;
}

std::string capitalised(std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text;
}

std::string as_argument(std::string_view key) {
    const std::string_view dashes = key.starts_with('-') ? "-- " : "";
    if (!output::is_plain(key))
        return std::string("--key-format escaped ").append(dashes) + support::shell_quoted(output::printable(key));
    const bool bare = !key.empty() && key.find_first_not_of(kBare) == std::string_view::npos;
    return std::string(dashes) + (bare ? std::string(key) : support::shell_quoted(key));
}

}  // namespace ratectl::commands
