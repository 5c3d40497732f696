// The model of a store behind a throttle, a second at a time, and who watches it.
#include "domain/governor/plant.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ratectl::domain::governor {
namespace {

constexpr double kDay = 86'400;

}  // namespace

Plant::Plant(const PlantShape& shape) : shape_(shape), seed_(shape.seed) {
    past_.assign(static_cast<std::size_t>(std::max(0.0, std::round(shape.delay))) + 1, 0);
}

/// From -1 to 1. A linear congruential generator, with the constants of Knuth's MMIX.
double Plant::random() {
    seed_ = seed_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(seed_ >> 11U) / static_cast<double>(std::uint64_t{1} << 52U) - 1;
}

double Plant::offered_now() {
    const double phase = 2 * std::numbers::pi * (second_ - shape_.peak_at) / kDay;
    const double noise = shape_.noise > 0 ? shape_.noise * random() : 0;
    return std::max(0.0, shape_.offered * (1 + shape_.swing * std::cos(phase)) * (1 + noise));
}

double Plant::goal(double rps) {
    offered_ = offered_now();
    admitted_ = rps < 0 ? offered_ : std::min(offered_, rps);
    double factor = 1;
    for (const auto& step : shape_.cost) {
        if (second_ >= step.at) factor = step.factor;
    }
    return shape_.background + admitted_ * factor / shape_.capacity;
}

void Plant::step(double rps) {
    const double share = shape_.lag > 0 ? 1 - std::exp(-1 / shape_.lag) : 1;
    load_ += share * (goal(rps) - load_);
    second_ += 1;
    past_.push_back(load_);
    past_.pop_front();
}

void Plant::settle(double rps) {
    load_ = goal(rps);
    std::ranges::fill(past_, load_);
}

void RecoveryWatch::see(double second, double load) {
    if (recoveries_.size() < steps_.size() && second >= steps_[recoveries_.size()]) {
        const double at = steps_[recoveries_.size()];
        recoveries_.emplace_back().at = at;
    }
    if (recoveries_.empty()) return;
    auto& now = recoveries_.back();
    now.highest = std::max(now.highest, load);
    if (now.rearmed_at) now.highest_rearmed = std::max(now.highest_rearmed, load);
    if (std::abs(load - 1) > kBack || is_open_) {
        now.back_after.reset();
    } else if (!now.back_after) {
        now.back_after = second - now.at;
    }
}

void RecoveryWatch::decided(double second, Why why) {
    is_open_ = why == Why::tripped || why == Why::blind || why == Why::open;
    if (recoveries_.empty()) return;
    auto& now = recoveries_.back();
    if (why == Why::tripped && !now.tripped_at) now.tripped_at = second;
    if (why != Why::rearmed) return;
    now.rearmed_at = second;
    now.highest_rearmed = 0;
}

}  // namespace ratectl::domain::governor
