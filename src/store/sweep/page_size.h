// How many keys one page of a sweep asks for, so that the server's other clients hardly notice it.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

namespace ratectl::store {

/// SCAN's COUNT. A client that waits for a server that we keep busy waits for one page at most: the commands of a page
/// come in one or two reads, and the server looks at its other clients in between. So what a page occupies it for has
/// to stay below the wait that we may add. That time is the difference between two answers to TIME, one right before
/// the page's commands and one right behind them: the server's own clock, so neither the round trip nor our own work is
/// in it, however slow they are; what else the machine does at that moment is.
///
/// Follows the median of the last few pages (one hiccup changes nothing), down at once, up by half a page at a time.
class PageSize {
public:
    static constexpr std::size_t kFirst = 300;
    static constexpr std::size_t kSmallest = 50;
    static constexpr std::size_t kLargest = 5'000;

    explicit PageSize(std::chrono::microseconds max_latency);

    std::size_t count() const { return std::min(count_, most_); }
    /// How long the server is surely busy with half a page, so that what reaches it then waits for its next turn; 0
    /// while nothing is known.
    std::chrono::microseconds head_start() const;
    /// What a page of so many keys occupied the server for.
    void took(std::size_t count, std::chrono::microseconds busy);
    /// The names of a page together are too long to be read at once: from here on they are asked for one by one, until
    /// they are shorter.
    void split() { most_ = 1; }
    bool is_split() const { return most_ < kLargest; }
    /// Names that are short enough for a page of twice as many keys.
    void grow() { most_ = std::min(2 * most_, kLargest); }

private:
    double usual_cost() const;

    double budget_;                  // microseconds
    std::array<double, 5> costs_{};  // microseconds a key, of the pages measured last
    std::size_t measured_ = 0;
    std::size_t count_ = kFirst;
    std::size_t most_ = kLargest;  // whatever the server's time allows
};

}  // namespace ratectl::store
