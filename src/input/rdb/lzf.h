// Unpacks the LZF format, in which dump files hold strings of more than 20 bytes where that saves space.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ratectl::input {

/// No packed byte gives more than this many: a back reference of three bytes stands for at most 264.
inline constexpr std::size_t kMostFromOneLzfByte = 88;

/// The first `wanted` bytes of what was packed, into `text` (its storage is reused). False when the packed bytes are
/// damaged or end before that. A run that would go beyond `wanted` is cut there; the packed bytes behind it are not
/// looked at.
bool lzf_unpack(std::string_view packed, std::size_t wanted, std::string& text);

}  // namespace ratectl::input
