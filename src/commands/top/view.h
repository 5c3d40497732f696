// What somebody at the screen has chosen to see, and what each key changes of it. Pure.
#pragma once

#include <cstddef>
#include <optional>
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
    std::size_t rows = 0;  // of the ranking, after the filter
    std::size_t page = 1;  // that fit on the screen
    std::string marked;    // the id of the row under the cursor; empty: there is none
};

void press(View& view, const output::Key& key, const Shown& shown);
/// Keeps cursor and scrolling within what there is.
void settle(View& view, std::size_t rows, std::size_t page);
bool passes_filter(std::string_view filter, std::string_view visible_key);

}  // namespace ratectl::commands::top
