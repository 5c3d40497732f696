// The paths that the build knows.
#include "support/built_programs.h"

namespace ratectl::test {

std::string ratectl_binary() { return RATECTL_BINARY; }

std::string slow_getaddrinfo() { return RATECTL_SLOW_GETADDRINFO; }

std::string failing_calls() { return RATECTL_FAILING_CALLS; }

std::string shifted_clock() { return RATECTL_SHIFTED_CLOCK; }

}  // namespace ratectl::test
