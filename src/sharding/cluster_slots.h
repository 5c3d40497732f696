// The slots of Redis Cluster: which one a key is in, and a key tag for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ratectl::sharding {

inline constexpr std::size_t kClusterSlots = 16'384;

/// CRC16 (XMODEM) of the key, or of what stands between its first `{` and the first `}` behind that, unless that is
/// empty; modulo 16,384. Source: the Redis Cluster specification, "Hash tags".
std::uint16_t cluster_slot(std::string_view key);

/// The other one is in the slot of the key for sure: it begins with all of the key that its tag is found in. False says
/// nothing.
bool shares_tag(std::string_view key, std::string_view other);

/// The shortest decimal number that is in that slot: `ratectl:op:{NUMBER}:...` is beside any key of the slot, whatever
/// braces that key has.
const std::string& tag_of_slot(std::uint16_t slot);

}  // namespace ratectl::sharding
