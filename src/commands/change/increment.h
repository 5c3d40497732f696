// ratectl increment: count requests in windows, opening them if needed.
#pragma once

#include <cstdint>
#include <memory>

#include "commands/command.h"
#include "commands/write/change.h"

namespace ratectl::commands {

/// Amounts come from the planned keys where they have one. The settings outlive it.
std::unique_ptr<Change> make_increment(std::int64_t amount, const config::Settings& settings);

}  // namespace ratectl::commands
