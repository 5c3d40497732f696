// The columns of stats where its figures are rows: one count a row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "domain/statistics.h"
#include "output/field.h"

namespace ratectl::commands {

struct StatsRow {
    std::string_view kind;  // static storage
    std::string name;
    std::optional<std::int64_t> from;
    std::optional<std::int64_t> to;
    domain::Sum count = 0;
};

std::span<const output::Field<StatsRow>> stats_fields();

}  // namespace ratectl::commands
