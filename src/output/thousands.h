// Long numbers in groups of three, for people who ask for it.
#pragma once

#include <string>
#include <string_view>

namespace ratectl::output {

/// `-1234567.5` -> `-1,234,567.5`. For a decimal number as we print it; what is none stays as it is.
std::string with_thousands(std::string_view number);

}  // namespace ratectl::output
