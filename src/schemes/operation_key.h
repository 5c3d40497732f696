// Names of operation keys: `ratectl:op:ID.number`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/operation.h"

namespace ratectl::schemes {

std::string operation_key(const domain::SliceId& id);
/// `ratectl:op:ID.number.undone`: the list of windows of that call that were taken back. It reads like an operation
/// key, and is none.
std::string undone_key(const domain::SliceId& id);
/// The SCAN pattern that finds every operation key, or those of one operation. What it finds still has to pass
/// operation_of().
std::string operation_pattern(const std::optional<std::string>& operation);
/// The script call that this key is of; null for every key that operation_key() does not make.
std::optional<domain::SliceId> operation_of(std::string_view key);

}  // namespace ratectl::schemes
