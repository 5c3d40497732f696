// ratectl reset: remove windows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "commands/command.h"
#include "commands/write/change.h"

namespace ratectl::commands {

std::unique_ptr<Change> make_reset();

}  // namespace ratectl::commands
