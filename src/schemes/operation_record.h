// What an operation key holds; lua/operation.lua writes it.
#pragma once

#include <string_view>

#include "domain/operation.h"
#include "schemes/packed.h"
#include "support/error.h"

namespace ratectl::schemes {

/// Total over any bytes: whatever is not exactly what a script writes is an error (protocol) that says so.
support::Result<domain::OperationRecord> decode_operation(const domain::SliceId& id, std::string_view value);
/// To the first window's answer; false when it does not begin as the scripts of this version write it.
bool skip_operation_head(PackedReader& reader);

}  // namespace ratectl::schemes
