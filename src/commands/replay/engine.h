// Plays requests against windows, many keys at once and each key in the order of the log.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "commands/replay/ledger.h"
#include "commands/replay/request_source.h"
#include "commands/replay/target.h"
#include "domain/node.h"
#include "support/error.h"
#include "support/stop_signal.h"

namespace ratectl::commands::replay {

struct PlayRules {
    support::Seconds period{};
    bool enforce = false;          // look first; a request over its limit is not counted
    std::size_t pending = 20'000;  // requests read ahead: few heavy keys must not keep the others waiting
};

/// What the engine has to ask about a key it has not met before.
struct Place {
    std::size_t shard = 0;
    std::optional<std::int64_t> limit;
    std::optional<std::int64_t> most_let_through;  // at that limit
    bool is_protected = false;                     // nothing may change it
    std::optional<support::Seconds> period = {};   // of its own
};

class Engine {
public:
    struct Callbacks {
        std::function<Place(std::string_view key)> place;
        /// Every problem as it happens: once for a shard that fails, each time for a key that is refused.
        std::function<void(const domain::Node& node, const support::Error& error)> problem;
        std::function<void()> progress;  // after every wave
    };

    Engine(RequestSource& source, Target& target, const PlayRules& rules, const support::StopSignal& stop,
           Callbacks callbacks);

    /// Plays everything. A wave takes the first waiting request of every key: (look,) count, refund. After the stop
    /// signal, a lost reply (for that shard) or a shard's failure nothing new is begun: what waits is not attempted.
    /// Throws what the source throws, once what was read before has been played.
    void play();

    const Ledger& ledger() const { return ledger_; }
    /// Shards that failed, with the first error of each.
    const std::vector<std::pair<domain::Node, support::Error>>& failures() const { return failures_; }

private:
    struct Waiting {
        support::Moment now{};
        support::Instant logged_at{};
        bool refundable = false;
        std::uint64_t line = 0;
    };
    /// One request of a wave.
    struct Turn {
        KeyRecord* record = nullptr;
        Waiting request;
    };
    using Turns = std::vector<Turn>;

    void fill();
    void take(Request request);
    void enqueue(KeyRecord& record, Waiting waiting);
    void wave();
    Turns next_turns();
    /// The turns that are not rejected; only asked with `enforce`.
    Turns admitted(const Turns& turns);
    /// The turns that were counted and are due a refund.
    Turns count(const Turns& turns);
    void refund(const Turns& turns);
    void take_counted(const Turn& turn, const store::WriteResult& result);
    void take_uncounted(KeyRecord& record, const store::WriteResult& result);
    void take_unrefunded(KeyRecord& record, const store::WriteResult& result);
    void mark_over(const Turn& turn);
    void report(const domain::Node& node, const support::Error& error);
    void break_shard(std::size_t shard, const domain::Node& node, const support::Error& error);
    bool may_begin(const KeyRecord& record) const { return !stop_ && !broken_.contains(record.shard); }
    void abandon_waiting();

    RequestSource& source_;
    Target& target_;
    PlayRules rules_;
    const support::StopSignal& stop_;
    Callbacks callbacks_;
    Ledger ledger_;
    std::unordered_map<KeyRecord*, std::deque<Waiting>> waiting_;
    std::vector<KeyRecord*> order_;  // the keys of waiting_, in the order in which they began to wait
    std::size_t waiting_requests_ = 0;
    bool ended_ = false;
    std::exception_ptr source_failure_;  // thrown once what was read before it has been played
    std::set<std::size_t> broken_;
    std::vector<std::pair<domain::Node, support::Error>> failures_;
};

}  // namespace ratectl::commands::replay
