// What an operation key holds; lua/operation.lua writes it.
#pragma once

#include <string_view>

#include "domain/operation.h"
#include "support/error.h"

namespace ratectl::schemes {

/// Total over any bytes: whatever is not exactly what a script writes is an error (protocol) that says so.
support::Result<domain::OperationRecord> decode_operation(const domain::SliceId& id, std::string_view value);

}  // namespace ratectl::schemes
