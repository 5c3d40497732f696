// Numbers to and from text: strict decimals, and shares, amounts of memory and long numbers as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ratectl::support {

/// `0` or `-?[1-9][0-9]*` within int64; anything else (`010`, `+5`, ` 7`, `1e3`, ``, `-0`) is nullopt.
std::optional<std::int64_t> parse_decimal(std::string_view text);
/// The same, without a sign and at most `max`.
std::optional<std::uint64_t> parse_unsigned(std::string_view text, std::uint64_t max = UINT64_MAX);

/// The largest amount or counter that survives a Lua number: 2^53 - 1.
inline constexpr std::int64_t kMaxExactInteger = (std::int64_t{1} << 53) - 1;

/// `80`, `99.5`: digits, perhaps a point and up to six more; anything else, a sign or the % itself among it, is
/// nullopt.
std::optional<double> parse_percent(std::string_view text);
/// What that takes, for messages.
inline constexpr std::string_view kPercentWords = "a percentage with up to 6 digits behind the point";

/// `part` of `whole` in percent, rounded to the hundredth, but never to 0 for something or to 100 for what is not quite
/// all. Null where `whole` is not above 0.
std::optional<double> percent_of(std::int64_t part, std::int64_t whole);
/// For people, without the sign: rounded to so many decimals, and `<0.1` or `>99.9` where that would say none or all of
/// what is not.
std::string percent_text(double percent, int decimals = 1);
/// The same of `part` of `whole`, rounded once; of nothing it is none.
std::string share_text(std::uint64_t part, std::uint64_t whole);
/// `1 shard`, `3 shards`; `several` where an s behind `one` is not enough.
std::string counted(std::uint64_t count, std::string_view one, std::string_view several = {});

/// `0 B`, `1023 B`, `1.0 KiB`, `1.2 GiB`, up to EiB; one decimal, negative amounts keep their sign.
std::string format_bytes(std::int64_t bytes);

/// `-1234567.5` -> `-1,234,567.5`. For a decimal number as we print it; what is none stays as it is.
std::string with_thousands(std::string_view number);

}  // namespace ratectl::support
