// Writes a hash value as text.

#include "sharding/hash_value.h"

#include <fmt/format.h>

namespace ratectl::sharding {

std::string HashValue::text(Order order) const {
    if (count == 1) return fmt::format("{}", words[0]);
    if (count == 2 && order == Order::signed_64) return fmt::format("{}", static_cast<std::int64_t>(leading_64()));
    if (count == 2) return fmt::format("{}", leading_64());
    std::string text = "0x";
    for (std::size_t i = 0; i < count; ++i) text += fmt::format("{:08x}", words[i]);
    return text;
}

}  // namespace ratectl::sharding
