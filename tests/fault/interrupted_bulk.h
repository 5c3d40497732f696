// Bulk commands that are told to end somewhere in their middle, over a slow link: what they report, what is recorded
// and what the server has must agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fault/linked_deployment.h"

namespace ratectl::test {

enum class BulkKind { increment, refund, reset, apply, undo, replay, without_policy, by_state, guarded };
constexpr BulkKind kBulkKinds[] = {BulkKind::increment,      BulkKind::refund,   BulkKind::reset,
                                   BulkKind::apply,          BulkKind::undo,     BulkKind::replay,
                                   BulkKind::without_policy, BulkKind::by_state, BulkKind::guarded};
std::string name_of(BulkKind kind);

/// Windows core:0 ... and, of no policy, free:0 ..., made anew for every run.
class InterruptedBulk {
public:
    InterruptedBulk(BulkKind kind, std::size_t windows, std::uint64_t seed);

    /// Tells so many runs to end, each at a moment of its own, and compares all three accounts of every key after each.
    /// Returns how many of them had not come to their end by then.
    int interrupt(int runs);

private:
    using Window = std::pair<std::string, std::string>;  // used and reset as stored, `-` where there is none
    using Windows = std::map<std::string, Window>;

    struct Command {
        std::vector<std::string> arguments;
        std::string input = {};
    };

    void make_windows();
    Windows stored();
    Command command();
    Command stream_of(const std::string& verb, const std::string& input, std::vector<std::string> more = {}) const;
    bool interrupt_once();
    void compare(const Windows& before, const RunResult& result, const std::string& words);
    void compare_replay(const Windows& before, const RunResult& result, const std::string& operation);

    BulkKind kind_;
    std::size_t windows_;
    std::mt19937_64 dice_;
    std::string prefix_;
    LinkedDeployment box_;
    std::uint64_t requests_ = 0;  // of a run that came to its end
    int number_ = 0;
};

}  // namespace ratectl::test
