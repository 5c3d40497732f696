// Many writes at once through a lossy link, and the model that knows what may stand on the server after each of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "domain/limiter.h"
#include "domain/operation.h"
#include "support/fault_proxy.h"
#include "support/time.h"

namespace ratectl::test {

/// Every value that a counter may have by what was reported so far: an unknown outcome doubles them, an applied one
/// leaves one.
class PossibleCounters {
public:
    explicit PossibleCounters(std::int64_t value) : values_{value} {}

    bool has(std::int64_t value) const { return values_.count(value) != 0; }
    void applied(std::int64_t after) { values_ = {after}; }
    void unknown(std::int64_t change);
    std::string shown() const;

private:
    std::set<std::int64_t> values_;
};

struct LossyTrial {
    domain::WriteKind kind = domain::WriteKind::count;
    /// Of counts and refunds: which limiter's windows they are; null: pairs of keys, as removals are of all the time.
    const domain::Limiter* limiter = nullptr;
    std::int64_t full = 1'000'000;  // of refunds: how many are used in the beginning
    std::uint64_t seed = 1;
    std::size_t operations = 1000;
    std::size_t workers = 16;  // each has a store of its own and one operation under way
    std::size_t calls = 1;     // script calls of one operation, on their way at once
    support::Milliseconds timeout{250};
    bool operation_keys = true;        // false: --no-op-key
    unsigned share = 50;               // of 100 writes that are hit
    FaultProxy::Chooser chooser = {};  // empty: a mix of everything from the seed
};

/// What was reported, call by call, and where the server says otherwise.
struct TrialReport {
    std::size_t applied = 0;
    std::size_t not_applied = 0;
    std::size_t unknown = 0;
    std::size_t resolved = 0;
    std::size_t sent_again = 0;
    std::vector<std::string> contradictions;
    std::map<std::string, std::size_t> reasons;  // of what was not applied, or unknown
    LinkCounts link;
    std::chrono::milliseconds wall{0};
    /// Calls that the machine kept waiting for half a timeout and more, in their own thread or on the link, so that the
    /// server was as good as gone; and how many of them stayed unknown.
    std::size_t starved = 0;
    std::size_t unknown_starved = 0;

    /// The machine's delays hid those that were meant.
    bool machine_was_busy() const { return starved * 10 > applied + not_applied + unknown; }
    /// One line of figures, with the seed and how to have it again.
    std::string shown(const LossyTrial& trial) const;
};

/// A real server, the link and all workers live as long as the call. Each call of a write changes a window of the
/// worker's own and one that all share (resets and undos: one that no other operation has), and the server is read past
/// the link after every operation and again at the end, when nothing is on its way.
TrialReport run_trial(const LossyTrial& trial);

}  // namespace ratectl::test
