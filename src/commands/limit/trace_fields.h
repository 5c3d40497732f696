// The columns of limit trace: a limit of the chain a row.
#pragma once

#include <cstdint>
#include <span>

#include "commands/report/fields/window_fields.h"
#include "domain/verdict.h"
#include "output/field.h"

namespace ratectl::commands {

/// Each limit that a request meets: a view, as the row of its window is.
struct TraceRow {
    std::int64_t step = 0;  // from 1, in the order of the policies
    const WindowRow& window;
    domain::Verdict verdict = domain::Verdict::unknown;
    bool told = false;  // the headers of the response are about it
};

std::span<const output::Field<TraceRow>> trace_fields();

}  // namespace ratectl::commands
