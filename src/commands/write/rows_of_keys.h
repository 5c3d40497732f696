// The rows of an input by their keys: a command changes a window once, whatever number of rows is about it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "commands/sweep/seen_keys.h"
#include "commands/write/planned_keys.h"

namespace ratectl::commands {

class RowsOfKeys {
public:
    /// `contradicts`: one that came before says another thing of its window.
    enum class Standing { first, repeats, contradicts };

    /// The secret: as SeenKeys has it.
    explicit RowsOfKeys(const std::string& secret) : seen_(secret), said_(secret) {}

    /// A row about a window.
    Standing take(const PlannedKey& key) {
        const auto words = words_of(key);
        const bool bare = words.empty();
        if (!(bare ? note(key, By::name) : said_.add(key.shard, words))) return Standing::repeats;
        const bool other = bare ? has(key, By::window) : has(key, By::name) || !note(key, By::window);
        return other || has(key, By::request) ? Standing::contradicts : Standing::first;
    }
    /// A row about requests counts however often it comes; but one row cannot demand a window and another take any.
    Standing count(const PlannedKey& key) {
        if (has(key, By::name) || has(key, By::window)) return Standing::contradicts;
        note(key, By::request);
        return Standing::first;
    }

private:
    /// A row is a name alone, or about a window, or about requests in whatever window. The same key on two shards is
    /// two windows.
    enum class By : std::size_t { name, window, request, count };
    static std::size_t place_of(const PlannedKey& key, By by) {
        return key.shard * static_cast<std::size_t>(By::count) + static_cast<std::size_t>(by);
    }
    bool note(const PlannedKey& key, By by) {
        any_[static_cast<std::size_t>(by)] = true;
        return seen_.add(place_of(key, by), key.key);
    }
    bool has(const PlannedKey& key, By by) const {
        return any_[static_cast<std::size_t>(by)] && seen_.contains(place_of(key, by), key.key);
    }
    /// All that the row says; empty: its key alone.
    static std::string words_of(const PlannedKey& key) {
        if (!key.amount && !key.if_reset && !key.if_stored && key.layout.empty()) return {};
        const auto text_of = [](const std::optional<std::string>& text) {
            return text ? fmt::format("{}:{}", text->size(), *text) : std::string("-");
        };
        const auto number = [](const std::optional<std::int64_t>& n) { return n ? std::to_string(*n) : "-"; };
        const auto reset = key.if_reset ? std::optional{support::epoch_seconds(*key.if_reset)} : std::nullopt;
        const auto stored = key.if_stored ? text_of(key.if_stored->used) + text_of(key.if_stored->reset_at) +
                                                text_of(key.if_stored->state)
                                          : "";
        return fmt::format("{} {} {} {} {}", text_of(key.key), number(key.amount), number(reset), stored, key.layout);
    }

    SeenKeys seen_;
    SeenKeys said_;  // with all that their rows say, where that is more than a name
    std::array<bool, static_cast<std::size_t>(By::count)> any_{};
};

}  // namespace ratectl::commands
