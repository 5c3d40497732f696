// Whether a text has a part: most of what tests ask of messages and output.
#pragma once

#include <string>
#include <string_view>

namespace ratectl::test {

inline bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// How often it stands there.
inline std::size_t times(const std::string& text, std::string_view part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

}  // namespace ratectl::test
