// Remembers windows by the hashes of their keys: some 60 bytes each.
#include "commands/write/rows_before.h"

#include "support/decimal.h"

namespace ratectl::commands {

void RowsBefore::note(const PlannedKey& row, const domain::StoredWindow& after, bool opened) {
    const auto used = after.used ? support::parse_decimal(*after.used) : std::nullopt;
    const auto reset_at = after.reset_at ? support::parse_decimal(*after.reset_at) : std::nullopt;
    if (used && reset_at) left_[hash_(row.shard, row.key)] = {*used, *reset_at, opened};
}

const RowsBefore::Left* RowsBefore::of(const PlannedKey& row) const {
    const auto found = left_.find(hash_(row.shard, row.key));
    return found == left_.end() ? nullptr : &found->second;
}

}  // namespace ratectl::commands
