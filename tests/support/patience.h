// How late a measured end may be without a test failing.
#pragma once

#include <chrono>
#include <cstdlib>

namespace ratectl::test {

/// Nothing at a desk, where a promise in milliseconds is checked as it is made. Where CI is set others use the machine, too, and a sanitizer slows every
/// start: there the same checks only tell an end from a hang.
inline std::chrono::milliseconds patience() {
    const char* ci = std::getenv("CI");
    return std::chrono::milliseconds{ci == nullptr || *ci == '\0' ? 0 : 4000};
}

}  // namespace ratectl::test
