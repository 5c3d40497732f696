// What a row says of its window, as one text.
#include "commands/write/rows_of_keys.h"

#include <optional>

#include <fmt/format.h>

namespace ratectl::commands {

std::string RowsOfKeys::words_of(const PlannedKey& key) {
    if (!key.amount && !key.if_reset && !key.if_stored && key.layout.empty()) return {};
    const auto text_of = [](const std::optional<std::string>& text) {
        return text ? fmt::format("{}:{}", text->size(), *text) : std::string("-");
    };
    const auto number = [](const std::optional<std::int64_t>& n) { return n ? std::to_string(*n) : "-"; };
    const auto reset = key.if_reset ? std::optional{support::epoch_seconds(*key.if_reset)} : std::nullopt;
    const auto stored =
        key.if_stored ? text_of(key.if_stored->used) + text_of(key.if_stored->reset_at) + text_of(key.if_stored->state)
                      : "";
    return fmt::format("{} {} {} {} {}", text_of(key.key), number(key.amount), number(reset), stored, key.layout);
}

}  // namespace ratectl::commands
