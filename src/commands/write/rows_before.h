// What rows leave in a window, for those of the same key that come behind them: by the hashes of keys, some 60 bytes
// each.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "commands/sweep/seen_keys.h"
#include "commands/write/planned_keys.h"
#include "domain/limiter_model.h"
#include "domain/write.h"

namespace ratectl::commands {

class RowsBefore {
public:
    struct Left {
        domain::ModelWindow window;
        bool opened = false;  // by one of the rows: before it there was no window that another look could name
    };

    /// The secret: as SeenKeys has it.
    explicit RowsBefore(std::string_view secret) : hash_(secret) {}
    void note(const PlannedKey& row, const domain::StoredWindow& after, bool opened) {
        if (const auto window = domain::model_of(after)) left_[hash_(row.shard, row.key)] = {*window, opened};
    }
    /// What the last row of this key leaves; null: none was noted.
    const Left* of(const PlannedKey& row) const {
        const auto found = left_.find(hash_(row.shard, row.key));
        return found == left_.end() ? nullptr : &found->second;
    }

private:
    KeyHash hash_;
    std::unordered_map<std::uint64_t, Left> left_;
};

}  // namespace ratectl::commands
