// How a terminal is left by a process that cannot wait for the end of its screen.
#pragma once

#include <string>

namespace ratectl::output {

/// What the terminal of the screen that is open is sent for it.
std::string leaving_sequence();

}  // namespace ratectl::output
