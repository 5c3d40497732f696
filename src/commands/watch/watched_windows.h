// What a watch remembers of its windows: the last look at each, and what has happened since the first one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "commands/context.h"
#include "commands/looks/meant_instead.h"
#include "commands/report/fields/watch_fields.h"
#include "commands/request/selection.h"
#include "domain/burn_rate.h"
#include "domain/window_change.h"
#include "domain/window_goal.h"
#include "store/store.h"
#include "support/time.h"

namespace ratectl::commands::watch {

class WatchedWindows {
public:
    struct Rules {
        std::vector<domain::WindowGoal> goals;  // of which one has to hold for a window
        bool any_window = false;                // for one window, or for all
        bool each_node = false;                 // every server's look is a window of its own
    };
    /// Filter, clock and context outlive it; `print` is told every line.
    WatchedWindows(Rules rules, const Filter& filter, const support::RunningClock& clock, Context& context,
                   std::function<void(const WatchRow&)> print);

    void begin_round() { ++round_; }
    /// The answers to one key, in the order of the store. `arrived`: it was not there when the watch began, so that its
    /// first look is news. Throws Failure (configuration) where a goal or the filter needs a limit that is unknown.
    void take(const std::string& key, std::span<const store::LookAnswer> answers, bool arrived);
    /// A key that could not be read although its server answers others: said once, until it can.
    void take_failure(const std::string& key, const store::LookAnswer& answer);

    /// Whether what is waited for has come, as far as this round shows. Where nothing is any more, everything has ended
    /// and is absent. `all_seen`: no window was left out of it.
    bool goal_reached(bool all_seen) const;
    /// What is waited for would hold of windows that are gone, and the filter has taken none so far, nor was one found.
    bool has_nothing_to_wait_for() const;
    /// Notes the key if the filter has not taken it in any round.
    void note_left_out(const std::string& key, LeftOut& left_out) const;
    /// Every look of this round at that key found nothing; what is over but still stored is found again by the next
    /// sweep.
    bool is_gone(const std::string& key) const;
    void forget(const std::string& key) { windows_.erase(key); }

    std::size_t count() const;
    std::uint64_t changes() const { return changes_; }
    std::uint64_t looks() const { return looks_; }
    /// `41.2 requests/s, exhausted in 4m10s, 12m before the reset`; empty unless there is one window with a rate.
    std::string rate_words() const;

private:
    struct Watched {
        std::string place;  // the shard, or the server where each has its own; empty: wherever the key is by now
        std::optional<domain::SeenWindow> last;
        std::optional<std::int64_t> limit;
        bool exempt = false;
        domain::WindowPast past;
        domain::BurnRate rate;
        std::uint64_t round = 0;  // of the last look
        bool joined = false;      // the filter has accepted it once: it is watched from then on
        bool failed = false;      // the key could not be read; that has been said
        bool behind = false;      // that has been said
        bool old = false;         // the last look may be older than what was seen before
        bool silent = false;      // of a shard that might have the key, and has had nothing to do with it so far
    };
    using Places = std::vector<Watched>;
    /// The primary's looks of this round and the one before, for its replicas to be held against.
    struct Reference {
        std::optional<domain::SeenWindow> before;
        std::optional<domain::SeenWindow> now;
    };
    using Changes = std::vector<domain::WindowChange>;

    Watched& watched_at(const std::string& key, const store::LookAnswer& answer);
    void take_one(Watched& watched, const store::LookAnswer& answer, bool arrived, Reference& reference);
    Changes changes_of(const Watched& watched, const domain::SeenWindow& seen, const KeyMeaning& meaning,
                       bool arrived) const;
    static void note_lag(Watched& watched, const domain::SeenWindow& seen, const Reference& reference,
                         Changes& changes);
    void take_rate(Watched& watched, const domain::SeenWindow& seen, support::WallTime read_at) const;
    void print(const Watched& watched, const Changes& changes, const KeyMeaning& meaning,
               const store::LookAnswer& answer, bool nowhere = false);
    void require_limit(const std::string& key, const KeyMeaning& meaning) const;
    bool holds_for(const Watched& watched) const;
    /// What a key has of its own: where it was found, or one place of those where it might be.
    static std::vector<const Watched*> relevant(const Places& places);

    Rules rules_;
    const Filter& filter_;
    const support::RunningClock& clock_;
    Context& context_;
    const config::Settings& settings_;
    std::function<void(const WatchRow&)> print_;
    MeantInstead meant_;
    bool home_unknown_;
    std::unordered_map<std::string, Places> windows_;  // by key
    bool any_joined_ = false;
    std::uint64_t round_ = 0;
    std::uint64_t changes_ = 0;
    std::uint64_t looks_ = 0;
};

}  // namespace ratectl::commands::watch
