// How many keys one page of a sweep asks for, so that the server's other clients hardly notice it.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

namespace ratectl::store {

/// SCAN's COUNT. Whoever waits for a server that we keep busy waits for one page at most: the commands of a page come in one or two
/// reads, and the server looks at its other clients in between. So what a page occupies it for has to stay below the wait that we may
/// add. That time is the difference between two answers to TIME, one right before the page's commands and one right behind them: the
/// server's own clock, so neither the round trip nor our own work is in it, however slow they are; what else the machine does at that moment is.
///
/// Follows the median of the last few pages (one hiccup changes nothing), down at once, up by half a page at a time.
class PageSize {
public:
    static constexpr std::size_t kFirst = 300;
    static constexpr std::size_t kSmallest = 50;
    static constexpr std::size_t kLargest = 5'000;

    explicit PageSize(std::chrono::microseconds max_latency);

    std::size_t count() const { return count_; }
    /// How long the server is surely busy with half a page, so that what reaches it then waits for its next turn; 0 while nothing is known.
    std::chrono::microseconds head_start() const;
    /// What a page of so many keys occupied the server for.
    void took(std::size_t count, std::chrono::microseconds busy);

private:
    double usual_cost() const;

    double budget_;                  // microseconds
    std::array<double, 5> costs_{};  // microseconds a key, of the pages measured last
    std::size_t measured_ = 0;
    std::size_t count_ = kFirst;
};

}  // namespace ratectl::store
