// Whether a text has a part: most of what tests ask of messages and output.
#pragma once

#include <string>
#include <string_view>

namespace ratectl::test {

inline bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace ratectl::test
