// Base64 (RFC 4648, with padding) and hexadecimal, for keys that are not text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ratectl::support {

std::string to_base64(std::string_view bytes);
std::optional<std::string> from_base64(std::string_view text);

inline constexpr std::string_view kHexDigits = "0123456789abcdef";
std::string to_hex(std::string_view bytes);
std::optional<std::string> from_hex(std::string_view text);

}  // namespace ratectl::support
