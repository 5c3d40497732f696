// Measured delays as a few figures. Pure.
#pragma once

#include <chrono>
#include <span>

namespace ratectl::domain {

/// The least of them that `percent` of 100 do not exceed (nearest rank); `sorted` has one at least.
std::chrono::microseconds percentile(std::span<const std::chrono::microseconds> sorted, int percent);

}  // namespace ratectl::domain
