// One window's answer as the write scripts pack it, into replies and operation keys alike.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "schemes/packed.h"
#include "schemes/write_answer.h"

namespace ratectl::schemes {

/// Texts of an answer: key, word, used and reset before, used and reset after, taken, two expiries.
inline constexpr std::size_t kAnswerTexts = 9;

struct PackedAnswer {
    std::string_view key;
    WriteAnswer answer;
};

/// The next answer of the reader; null when it is not exactly what a script writes.
std::optional<PackedAnswer> next_answer(PackedReader& reader);

}  // namespace ratectl::schemes
