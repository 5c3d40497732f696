// Operation keys: their names, `ratectl:op:ID.number` and in a Redis Cluster `ratectl:op:{tag}:ID.number`, and what
// they hold; lua/operation.lua writes it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/operation.h"
#include "schemes/packed.h"
#include "support/error.h"

namespace ratectl::schemes {

/// `ratectl:op:ID.number`, or with the tag of the id.
std::string operation_key(const domain::SliceId& id);
/// `ratectl:op:ID.number.undone`: the list of windows of that call that were taken back. It reads like an operation
/// key, and is none.
std::string undone_key(const domain::SliceId& id);
/// The SCAN pattern that finds every operation key, or those of one operation; `tagged`: those that have a tag. What it
/// finds still has to pass operation_of().
std::string operation_pattern(const std::optional<std::string>& operation, bool tagged = false);
/// The script call that this key is of; null for every key that operation_key() does not make.
std::optional<domain::SliceId> operation_of(std::string_view key);

/// What an operation key holds, as lua/operation.lua writes it. Total over any bytes: whatever is not exactly what a
/// script writes is an error (protocol) that says so.
support::Result<domain::OperationRecord> decode_operation(const domain::SliceId& id, std::string_view value);
/// To the first window's answer; false when it does not begin as the scripts of this version write it.
bool skip_operation_head(PackedReader& reader);

}  // namespace ratectl::schemes
