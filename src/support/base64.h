// Base64 (RFC 4648, with padding), hexadecimal, and the %XX of URLs, for keys that are not text.
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

/// Leaves no part of a password behind in memory that it has let go.
std::optional<std::string> percent_decode(std::string_view text);

}  // namespace ratectl::support
