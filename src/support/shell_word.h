// Text as a POSIX shell takes it for one word.
#pragma once

#include <string>
#include <string_view>

namespace ratectl::support {

/// In single quotes; each of its own is written '\''.
std::string shell_quoted(std::string_view text);

}  // namespace ratectl::support
