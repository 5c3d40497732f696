// Keeps the heaviest windows in a vector that is cut back to its best half whenever it is full.
#include "commands/top/ranking.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "commands/report/fields/window_fields.h"
#include "output/cell.h"

namespace ratectl::commands::top {

using output::Cell;

std::span<const SortKey> all_sort_keys() {
    static constexpr std::array keys{SortKey::used, SortKey::percent, SortKey::rate, SortKey::reset, SortKey::key};
    return keys;
}

std::string_view name_of(SortKey key) {
    switch (key) {
        case SortKey::used: return "used";
        case SortKey::percent: return "percent";
        case SortKey::rate: return "rate";
        case SortKey::reset: return "reset";
        case SortKey::key: return "key";
    }
    return "";
}

bool is_descending(const Order& order) {
    const bool figure = order.by != SortKey::reset && order.by != SortKey::key;
    return figure != order.reversed;
}

void RankedWindow::see(domain::WindowLook&& seen, const domain::Node* where, support::WallTime at, bool is_stale,
                       support::WallTime clock) {
    if (at < read_at) return;
    look = std::move(seen);
    node = where;
    read_at = at;
    stale = is_stale;
    const domain::Window window = domain::judge(look, clock, std::nullopt);
    window.used&& window.reset_at ? use.add({clock, *window.used, *window.reset_at}) : use.start_over();
}

std::string id_of(const RankedWindow& window) { return std::to_string(window.shard) + ':' + window.look.key; }

Cell order_cell(SortKey by, const domain::WindowLook& look, const domain::Window& window, const domain::BurnRate& use) {
    switch (by) {
        case SortKey::used: return output::or_null(window.used);
        case SortKey::percent: return output::or_null(percent_of(window));
        case SortKey::rate: return output::or_null(use.per_second());
        case SortKey::reset: return output::or_null(window.reset_at);
        case SortKey::key: return output::Bytes{look.key};
    }
    return output::Null{};
}

bool Ranking::has_room_for(const Cell& cell) const {
    return !last_ || !stands_before(*last_, cell, is_descending(order_));
}

void Ranking::add(RankedWindow window, Cell cell) {
    entries_.push_back({std::move(window), std::move(cell)});
    if (entries_.size() >= 2 * most_) drop_rest();
}

bool Ranking::before(const Entry& a, const Entry& b) const {
    const bool descending = is_descending(order_);
    if (stands_before(a.cell, b.cell, descending)) return true;
    if (stands_before(b.cell, a.cell, descending)) return false;
    return a.window.look.key < b.window.look.key;
}

void Ranking::drop_rest() {
    const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(most_);
    std::nth_element(entries_.begin(), end - 1, entries_.end(),
                     [this](const Entry& a, const Entry& b) { return before(a, b); });
    last_ = std::prev(end)->cell;
    entries_.erase(end, entries_.end());
}

std::vector<RankedWindow> Ranking::best() const {
    std::vector<const Entry*> sorted;
    for (const Entry& entry : entries_) sorted.push_back(&entry);
    std::sort(sorted.begin(), sorted.end(), [this](const Entry* a, const Entry* b) { return before(*a, *b); });
    std::vector<RankedWindow> windows;
    for (const Entry* entry : sorted) {
        if (windows.size() == most_) break;
        windows.push_back(entry->window);
    }
    return windows;
}

}  // namespace ratectl::commands::top
