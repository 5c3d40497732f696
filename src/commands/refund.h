// ratectl refund: give requests back, inside the window that was looked at.
#pragma once

#include <memory>
#include <optional>

#include "commands/change.h"
#include "commands/command.h"
#include "commands/write_amount.h"

namespace ratectl::commands {

Command refund_command();
/// `amount` null: the planned keys have theirs.
std::unique_ptr<Change> make_refund(std::optional<WriteAmount> amount, bool clamp);

}  // namespace ratectl::commands
