// Chooses a page's size by the cost of a key and the time that a page may take.
#include "store/sweep/page_size.h"

#include <algorithm>
#include <cstdint>

namespace ratectl::store {
namespace {

// The rest is for what the clock does not see: reading requests, writing replies, the neighbour's own command, other
// work of the machine.
constexpr double kShareOfLatency = 0.6;
constexpr double kGrowth = 1.5;
constexpr std::chrono::microseconds kMostHeadStart{250};

}  // namespace

PageSize::PageSize(std::chrono::microseconds max_latency)
    : budget_(kShareOfLatency * static_cast<double>(max_latency.count())) {
    // Nothing is known of the server yet; most need less than 1.7 microseconds a key.
    count_ = std::clamp(static_cast<std::size_t>(budget_ * 0.6), kSmallest, kFirst);
}

void PageSize::took(std::size_t count, std::chrono::microseconds busy) {
    // No time at all is a clock that stands still while commands are carried out.
    if (count == 0 || busy <= std::chrono::microseconds(0)) return;
    costs_[measured_++ % costs_.size()] = static_cast<double>(busy.count()) / static_cast<double>(count);
    const double wanted = budget_ / usual_cost();
    const double most = std::min(kGrowth * static_cast<double>(count_), static_cast<double>(kLargest));
    count_ = static_cast<std::size_t>(std::max(std::min(wanted, most), static_cast<double>(kSmallest)));
}

// Half a page is half the time; half of that, since pages differ.
std::chrono::microseconds PageSize::head_start() const {
    if (measured_ == 0) return std::chrono::microseconds(0);
    const auto quarter = static_cast<std::int64_t>(usual_cost() * static_cast<double>(count()) / 4);
    return std::min(std::chrono::microseconds(quarter), kMostHeadStart);
}

double PageSize::usual_cost() const {
    auto known = costs_;
    const auto end = known.begin() + static_cast<std::ptrdiff_t>(std::min(measured_, known.size()));
    const auto middle = known.begin() + (end - known.begin()) / 2;
    std::nth_element(known.begin(), middle, end);
    return *middle;
}

}  // namespace ratectl::store
