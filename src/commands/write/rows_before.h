// What rows leave in a window, for those of the same key that come behind them.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "commands/sweep/seen_keys.h"
#include "commands/write/planned_keys.h"
#include "domain/write.h"

namespace ratectl::commands {

class RowsBefore {
public:
    struct Left {
        std::int64_t used = 0;
        std::int64_t reset_at = 0;
        bool opened = false;  // by one of the rows: before it there was no window that another look could name
    };

    /// The secret: as SeenKeys has it.
    explicit RowsBefore(std::string_view secret) : hash_(secret) {}
    void note(const PlannedKey& row, const domain::StoredWindow& after, bool opened);
    /// What the last row of this key leaves; null: none was noted.
    const Left* of(const PlannedKey& row) const;

private:
    KeyHash hash_;
    std::unordered_map<std::uint64_t, Left> left_;
};

}  // namespace ratectl::commands
