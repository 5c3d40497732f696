// The paths that the build knows.
#include "support/built_programs.h"

#include <string_view>

namespace ratectl::test {

std::string ratectl_binary() { return RATECTL_BINARY; }

std::string slow_getaddrinfo() { return RATECTL_SLOW_GETADDRINFO; }

std::string failing_calls() { return RATECTL_FAILING_CALLS; }

std::string shifted_clock() { return RATECTL_SHIFTED_CLOCK; }

std::string terminal_leader() { return RATECTL_TERMINAL_LEADER; }

bool is_binary_sanitized() { return std::string_view(RATECTL_SANITIZED).size() > 0; }

}  // namespace ratectl::test
