// Several texts in one, as lua/packing.lua writes them: `<length>:<bytes>` each, `-` for none.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ratectl::schemes {

using OptionalText = std::optional<std::string>;

std::string packed(std::initializer_list<std::optional<std::string_view>> texts);
/// Null when that is not what it is, every text has one spelling, or when there are more.
std::optional<std::vector<OptionalText>> texts_of(std::string_view bytes, std::size_t most = SIZE_MAX);

}  // namespace ratectl::schemes
