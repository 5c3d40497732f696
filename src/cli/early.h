// The commands that are answered by the parser itself, because they need the whole language: help and completion.
#pragma once

#include <optional>

#include "cli/grammar.h"
#include "cli/parse.h"

namespace ratectl::cli {

/// The whole answer if the command is `help` or `completion`, with its values already stored.
std::optional<Early> answer_early(const Grammar& command, const ParseWorld& world);

}  // namespace ratectl::cli
