// Small things that sentences are made of: capitals, and keys that can be pasted into a shell.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ratectl::commands::explain {

/// The first letter as a capital, where it is an ASCII letter.
std::string capitalised(std::string text);

/// A key as the last arguments of a command line that a POSIX shell takes: bare, quoted, or escaped behind `--key-format escaped`.
std::string as_argument(std::string_view key);

}  // namespace ratectl::commands::explain
