// Manual pages in roff (man macros), from the same declarations as the help.
#pragma once

#include <string>

#include "cli/grammar.h"

namespace ratectl::cli {

/// ratectl(1).
std::string program_page(const Language& language);
/// ratectl-NAME(1), sub-commands included.
std::string command_page(const Grammar& command, const Language& language);
/// ratectl-exit-codes(7).
std::string exit_codes_page();

}  // namespace ratectl::cli
