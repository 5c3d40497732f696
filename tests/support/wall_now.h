// The clock as the programs under test read it.
#pragma once

#include <chrono>

#include "support/time.h"

namespace ratectl::test {

inline support::WallTime wall_now() {
    return std::chrono::floor<support::Milliseconds>(std::chrono::system_clock::now());
}

}  // namespace ratectl::test
