// A feature that is on for a share of its actors, who stay with it as the share grows. Source: flipper, gates of
// percentages of actors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
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

/// What says for whom a feature is on, as it is stored; null: that gate is not set. Actors and groups have gates of
/// their own, which are not among these.
enum class FeatureGate : std::size_t { boolean, actors, time };
inline constexpr std::array<std::string_view, 3> kGateFields{"boolean", "percentage_of_actors", "percentage_of_time"};
struct FeatureGates {
    std::array<std::optional<std::string>, kGateFields.size()> texts;

    std::optional<std::string>& of(FeatureGate gate) { return texts[static_cast<std::size_t>(gate)]; }
    const std::optional<std::string>& of(FeatureGate gate) const { return texts[static_cast<std::size_t>(gate)]; }

    /// On for all, whatever the percentages are.
    bool is_fully_on() const { return of(FeatureGate::boolean) == "true"; }

    bool operator==(const FeatureGates&) const = default;
};
/// `on for all`, `25 % of actors`, `25 % of actors, 5 % of the time`, or `off but for actors and groups`.
inline std::string words_of(const FeatureGates& gates) {
    if (gates.is_fully_on()) return "on for all";
    std::string words;
    const auto add = [&words](const std::optional<std::string>& share, std::string_view of) {
        if (!share) return;
        if (!words.empty()) words += ", ";
        words.append(*share).append(" % of ").append(of);
    };
    add(gates.of(FeatureGate::actors), "actors");
    add(gates.of(FeatureGate::time), "the time");
    return words.empty() ? "off but for actors and groups" : words;
}

}  // namespace ratectl::domain
