// Words -> values of a command's flags and arguments, each checked against what the grammar allows.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/grammar.h"
#include "cli/words.h"

namespace ratectl::cli {

/// Puts every word where it belongs and stores the values; errors of class usage. `arguments` has no command words in
/// it.
support::Result<void> assign(const Scope& scope, const Grammar& globals, std::span<const Word> flags,
                             std::span<const std::string> arguments);

}  // namespace ratectl::cli
