// A feature that is on for a share of its actors, who stay with it as the share grows. Source: flipper, gates of
// percentages of actors.
#pragma once

#include <cstdint>
#include <string_view>

namespace ratectl::domain {

inline constexpr std::uint32_t kRolloutBuckets = 100'000;

/// Of the crc32 of the feature's name and the actor's, one behind the other.
constexpr std::uint32_t rollout_bucket(std::uint32_t crc32) { return crc32 % kRolloutBuckets; }
/// 0 is on for none of them, 100 for all.
constexpr bool is_on_at(std::uint32_t bucket, double percentage) {
    return static_cast<double>(bucket) < percentage * 1000;
}
/// The least percentage of three decimals at which it is on.
constexpr double on_from(std::uint32_t bucket) { return static_cast<double>(bucket + 1) / 1000; }

}  // namespace ratectl::domain
