// Warns of keys that are on several shards.
// Each says which copy is the newer and which the larger: the two things that tell what the application lost sight of.
#include "commands/sweep/duplicates.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "support/quote.h"
#include "support/time_text.h"

namespace ratectl::commands {
namespace {

constexpr std::uint64_t kNamedKeys = 20;

std::string words_for(const domain::Window& window) {
    if (!window.used || !window.reset_at) return std::string(domain::name_of(window.state));
    return fmt::format("{} used, resets {}", *window.used, support::format_time(*window.reset_at));
}

/// The index of the one window with the largest value; null when two share it or none has one.
template <class Value>
std::optional<std::size_t> only_largest(const std::vector<domain::Window>& windows, Value value_of) {
    std::optional<std::size_t> best;
    bool shared = false;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const auto value = value_of(windows[i]);
        if (!value) continue;
        if (!best || *value > *value_of(windows[*best])) {
            best = i;
            shared = false;
        } else if (*value == *value_of(windows[*best])) {
            shared = true;
        }
    }
    return shared ? std::nullopt : best;
}

}  // namespace

std::string describe_copies(std::span<const Copy> copies) {
    std::vector<domain::Window> windows;
    std::string text;
    for (std::size_t i = 0; i < copies.size(); ++i) {
        windows.push_back(domain::judge(*copies[i].look, copies[i].now, std::nullopt));
        if (i > 0) text += i + 1 == copies.size() ? " and " : ", ";
        text += fmt::format("'{}' ({})", copies[i].shard, words_for(windows.back()));
    }
    const auto newer = only_largest(windows, [](const domain::Window& window) { return window.reset_at; });
    const auto larger = only_largest(windows, [](const domain::Window& window) { return window.used; });
    if (newer && newer == larger) {
        text += fmt::format("; '{}' has the newer window and the larger count", copies[*newer].shard);
    } else {
        if (newer) text += fmt::format("; '{}' has the newer window", copies[*newer].shard);
        if (larger) text += fmt::format("{} '{}' has the larger count", newer ? "," : ";", copies[*larger].shard);
    }
    return text;
}

void Duplicates::report(std::string_view key, std::span<const Copy> copies) {
    if (++count_ > kNamedKeys) return;
    context_.messages().warning(fmt::format("duplicate: key {} is on {} shards: {}", support::quoted(key),
                                            copies.size(), describe_copies(copies)),
                                count_ == 1 ? "the application counts on one of them only; --shard names one" : "");
}

void Duplicates::finish() const {
    if (count_ <= kNamedKeys) return;
    context_.messages().warning(fmt::format("{} more keys are on several shards, too", count_ - kNamedKeys));
}

}  // namespace ratectl::commands
