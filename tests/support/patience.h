// How late a measured end may be without a test failing.
#pragma once

#include <chrono>

namespace ratectl::test {

/// Others use the machine, too, and a sanitizer slows every start: added to what was promised, a check of a measured
/// end tells an end from a hang.
inline constexpr std::chrono::milliseconds kPatience{4000};

}  // namespace ratectl::test
