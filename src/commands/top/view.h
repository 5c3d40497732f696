// What the user at top's screen has chosen to see, and what each key changes of it. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "commands/top/ranking.h"
#include "output/screen.h"

namespace ratectl::commands::top {

struct View {
    Order order;
    std::string filter;   // literal text in the key, or with a wildcard a pattern of the whole key; empty: all
    bool typing = false;  // the filter is being typed
    bool paused = false;
    bool shard_column = true;
    bool help = false;
    std::size_t cursor = 0;                   // the row that is marked
    std::size_t first = 0;                    // the row at the top
    std::optional<std::string> details = {};  // of the window with this id
    bool leaving = false;
};

/// What of the screen a key needs to know.
struct Shown {
    std::span<const std::string> ids{};  // of the ranking's rows, after the filter
    std::size_t page = 1;                // rows that fit on the screen
};

void press(View& view, const output::Key& key, const Shown& shown);
/// Where details are shown, the mark stays with their window as the ranking changes.
void follow(View& view, std::span<const std::string> ids);
/// Keeps cursor and scrolling within what there is.
void settle(View& view, std::size_t rows, std::size_t page);
bool passes_filter(std::string_view filter, std::string_view visible_key);

}  // namespace ratectl::commands::top
