// How a fuzz target says that a promise does not hold.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace ratectl::fuzz {

class Broken : public std::logic_error {
    using std::logic_error::logic_error;
};

inline void promise(bool holds, const char* what) {
    if (!holds) throw Broken(what);
}

/// Before and after the first NUL byte; without one, the same twice.
inline std::pair<std::string_view, std::string_view> halves(std::string_view bytes) {
    const auto nul = bytes.find('\0');
    if (nul == std::string_view::npos) return {bytes, bytes};
    return {bytes.substr(0, nul), bytes.substr(nul + 1)};
}

}  // namespace ratectl::fuzz
