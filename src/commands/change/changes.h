// The changes that count requests, give them back and remove windows; each is in the file of its command.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "commands/command.h"
#include "commands/request/write_amount.h"
#include "commands/write/change.h"

namespace ratectl::commands {

/// increment: opens windows if needed. Amounts come from the planned keys where they have one. The settings outlive it.
std::unique_ptr<Change> make_increment(std::int64_t amount, const config::Settings& settings);
/// refund: inside the window that was looked at. `amount` null: the planned keys have theirs.
std::unique_ptr<Change> make_refund(std::optional<WriteAmount> amount, bool clamp);

}  // namespace ratectl::commands
