// ratectl refund: give requests back, inside the window that was looked at.
#pragma once

#include <memory>
#include <optional>

#include "commands/command.h"
#include "commands/request/write_amount.h"
#include "commands/write/change.h"

namespace ratectl::commands {

/// `amount` null: the planned keys have theirs.
std::unique_ptr<Change> make_refund(std::optional<WriteAmount> amount, bool clamp);

}  // namespace ratectl::commands
