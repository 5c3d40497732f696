// Looks at windows made by hand, and the two parts of any.
#pragma once

#include <string>
#include <utility>

#include "schemes/book.h"

namespace ratectl::test {

/// As a look at a window with the suffix `:exp`.
inline domain::WindowLook window_look(std::string key = {}, domain::LookDepth depth = domain::LookDepth::light,
                                      domain::StoredKey counter = {}, domain::StoredKey expiry = {}) {
    return {std::move(key), depth, &schemes::scheme_of({"window", ":exp"}), {std::move(counter), std::move(expiry)}};
}

}  // namespace ratectl::test

namespace ratectl::domain {  // where a look's own functions are

inline const StoredKey& counter_part(const WindowLook& look) { return look.parts.at(0); }
inline StoredKey& counter_part(WindowLook& look) { return look.parts.at(0); }
inline const StoredKey& expiry_part(const WindowLook& look) { return look.parts.at(1); }
inline StoredKey& expiry_part(WindowLook& look) { return look.parts.at(1); }

}  // namespace ratectl::domain
