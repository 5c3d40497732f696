// The heaviest windows: by what they are ranked, and the best of many in little memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/burn_rate.h"
#include "domain/node.h"
#include "domain/window.h"
#include "output/cell.h"
#include "support/time.h"

namespace ratectl::commands::top {

enum class SortKey { used, percent, rate, reset, key };
std::span<const SortKey> all_sort_keys();
/// `used`, `percent` ...
std::string_view name_of(SortKey key);
/// Most first for figures; what ends first for resets, and A to Z for keys, unless reversed.
struct Order {
    SortKey by = SortKey::used;
    bool reversed = false;
    bool operator==(const Order&) const = default;
};
bool is_descending(const Order& order);

/// A window as it was seen last, and how fast it is being used up.
struct RankedWindow {
    domain::WindowLook look;
    std::size_t shard = 0;
    const domain::Node* node = nullptr;  // outlives the ranking
    support::WallTime read_at{};
    bool stale = false;
    domain::BurnRate use;

    /// Takes what a later look has shown; an earlier one is passed over. `clock`: the application's, at the look.
    void see(domain::WindowLook&& seen, const domain::Node* where, support::WallTime at, bool is_stale,
             support::WallTime clock);
};
/// The same key on another shard is another window.
std::string id_of(const RankedWindow& window);

/// By what a window is ranked. Null: ranked last.
output::Cell order_cell(SortKey by, const domain::WindowLook& look, const domain::Window& window,
                        const domain::BurnRate& use);

/// Keeps the first `most` of an order, in memory for twice as many.
class Ranking {
public:
    Ranking(Order order, std::size_t most) : order_(order), most_(most) {}

    /// False: enough others stand before it, add() would be in vain.
    bool has_room_for(const output::Cell& cell) const;
    void add(RankedWindow window, output::Cell cell);
    /// The first of all, in order.
    std::vector<RankedWindow> best() const;

private:
    struct Entry {
        RankedWindow window;
        output::Cell cell;
    };
    bool before(const Entry& a, const Entry& b) const;
    void drop_rest();

    Order order_;
    std::size_t most_;
    std::vector<Entry> entries_;
    std::optional<output::Cell> last_;  // of those that were kept when the rest was dropped
};

}  // namespace ratectl::commands::top
