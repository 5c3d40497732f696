// Shares of a whole: as people write them, and how they are rounded wherever one is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ratectl::support {

/// `80`, `99.5`: digits, perhaps a point and up to six more; anything else, a sign or the % itself among it, is
/// nullopt.
std::optional<double> parse_percent(std::string_view text);

/// `part` of `whole` in percent, rounded to the hundredth, but never to 0 for something or to 100 for what is not quite
/// all. Null where `whole` is not above 0.
std::optional<double> percent_of(std::int64_t part, std::int64_t whole);
/// For people, without the sign: rounded to so many decimals, and `<0.1` or `>99.9` where that would say none or all of
/// what is not.
std::string percent_text(double percent, int decimals = 1);
/// The same of `part` of `whole`, rounded once; of nothing it is none.
std::string share_text(std::uint64_t part, std::uint64_t whole);

}  // namespace ratectl::support
