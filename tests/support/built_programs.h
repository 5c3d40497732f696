// Where the build put the binary under test and what it is tried with; known to one object only, as in
// places.h.
#pragma once

#include <string>

namespace ratectl::test {

/// The binary under test.
std::string ratectl_binary();
/// For LD_PRELOAD: a name server that hangs, a system whose calls fail, a clock that is wrong.
std::string slow_getaddrinfo();
std::string failing_calls();
std::string shifted_clock();
/// Runs a program in the terminal of a test.
std::string terminal_leader();
/// The binary is a sanitized one, which needs more memory and descriptors than the one that users have.
bool is_binary_sanitized();
/// Of what is done many times, or to many: a sanitizer sees in a fifth what it sees in all of it, and takes ten times
/// as long.
template <class Number>
Number few_if_sanitized(Number all) {
    return is_binary_sanitized() ? (all + 4) / 5 : all;
}

}  // namespace ratectl::test
