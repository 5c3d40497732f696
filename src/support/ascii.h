// Letters of ASCII in the other case, whatever the locale; all other bytes stay as they are.
#pragma once

#include <string>

namespace ratectl::support {

constexpr char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string upper(std::string text) {
    for (char& c : text) c = upper(c);
    return text;
}

inline std::string lower(std::string text) {
    for (char& c : text) c = lower(c);
    return text;
}

}  // namespace ratectl::support
