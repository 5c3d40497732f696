// How people name an operation, or one row of it: `ID` and `ID/row`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "commands/context.h"

namespace ratectl::commands {

struct OperationRef {
    std::string id;
    std::optional<std::uint64_t> row;
};

/// Null when it cannot be one: bad characters, a row that is not a number from 1.
std::optional<OperationRef> parse_operation_ref(std::string_view text);
/// Made by us, by the look of it: a ULID, or the undo of one.
bool looks_made(const OperationRef& ref);
/// Neither the journal nor a server knows this operation; the hint names those that begin so, or where else to look.
/// `to_undo`: those that put windows back themselves are not meant.
support::Error unknown_operation(const std::string& id, Context& context, bool to_undo = false);

}  // namespace ratectl::commands
