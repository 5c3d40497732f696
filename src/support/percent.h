// Shares of a whole as people write them.
#pragma once

#include <optional>
#include <string_view>

namespace ratectl::support {

/// `80`, `99.5`: digits, perhaps a point and up to six more; anything else, a sign or the % itself among it, is nullopt.
std::optional<double> parse_percent(std::string_view text);

}  // namespace ratectl::support
