// The columns of identify: which limiter wrote a key, and what it means now; of a sample, how many keys are alike.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "domain/identify/origin.h"
#include "domain/node.h"
#include "output/field.h"

namespace ratectl::commands {

/// A view: everything it points to outlives the row.
struct IdentifiedRow {
    std::string_view key;  // of a sample: the first of its kind
    const domain::Origin& origin;
    std::optional<std::int64_t> keys = {};  // of a sample: how many are alike
    const domain::HeldKey* held = nullptr;  // null: a sample's, or no shard has it
    const domain::Node* node = nullptr;     // likewise
    std::optional<bool> stale = {};         // from a replica that had lost its primary
    std::string_view policy = {};           // the table to paste; empty: none
};

std::span<const output::Field<IdentifiedRow>> identified_fields();

}  // namespace ratectl::commands
