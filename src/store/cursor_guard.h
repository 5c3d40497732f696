// Whether a SCAN still comes to its end: a server that gives cursors forever must not keep us forever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "redis/outcome.h"

namespace ratectl::store {

/// Sees every cursor of one sweep. A sound server's cursors move on whatever becomes of its tables, but other servers
/// may have other cursors: one that comes back once is not proof. In memory that does not grow with the sweep.
class CursorGuard {
public:
    /// Pages beyond those that the number of keys explains. A table that was large once and is nearly empty takes long,
    /// too.
    static constexpr std::size_t kPatience = 32'768;

    /// The cursor behind a page of so many keys. Words for why there will be no end.
    std::optional<std::string> passes(std::string_view cursor, std::size_t count);
    /// So many pages have come that it has to be told how many keys the server has (null: the server would not say).
    bool wants_size() const { return pages_ >= kPatience; }
    std::optional<std::string> learns_size(std::optional<std::int64_t> keys);
    /// Pages are asked for once more, and their cursors are not a circle.
    void goes_back() {
        times_met_ = 0;
        mark_.clear();
    }

private:
    bool is_circle(std::string_view cursor);

    // Brent's: the mark moves on after twice as many steps each time, so that it is on the circle some day, with time
    // to come back to it.
    std::string mark_;
    std::size_t steps_ = 0;  // since the mark was set
    std::size_t patience_ = 1;
    int times_met_ = 0;
    std::size_t pages_ = 0;            // since it was told the size
    std::uint64_t asked_ = 0;          // keys, in all
    std::uint64_t asked_by_then_ = 0;  // when it was told the size
};

/// What to end a sweep with.
redis::Fault endless_scan(std::string_view where, std::string_view why);

}  // namespace ratectl::store
