// What a test's own tools may take for granted.
#pragma once

#include <stdexcept>
#include <type_traits>
#include <utility>

#include "support/error.h"

namespace ratectl::test {

/// The value; throws std::runtime_error with the error's message where there is none.
template <class T>
T require(support::Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace ratectl::test
