// Strict decimal numbers: what Redis and a careful person mean by an integer.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ratectl::support {

/// `0` or `-?[1-9][0-9]*` within int64; anything else (`010`, `+5`, ` 7`, `1e3`, ``, `-0`) is nullopt.
std::optional<std::int64_t> parse_decimal(std::string_view text);
/// The same, without a sign and at most `max`.
std::optional<std::uint64_t> parse_unsigned(std::string_view text, std::uint64_t max = UINT64_MAX);

/// The largest amount or counter that survives a Lua number: 2^53 - 1.
inline constexpr std::int64_t kMaxExactInteger = (std::int64_t{1} << 53) - 1;

}  // namespace ratectl::support
