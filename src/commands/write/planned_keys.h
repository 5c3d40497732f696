// The keys that a change is about, one after the other: named ones placed on their shards, or what a sweep of the
// primaries found.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/context.h"
#include "commands/outcome.h"
#include "commands/request/selection.h"
#include "domain/write.h"

namespace ratectl::commands {

/// What is known of the one shard that a key is to be changed on: it is `shard`; or no shard has the key, or several
/// do, or some that may have it did not answer; or `shard` did not answer to the look that was to choose the key. Only
/// a key with a home is changed.
enum class Home : std::uint8_t { known, nowhere, several, unseen, unlooked };

/// One key to be changed, with the guards of its own.
struct PlannedKey {
    std::string key;
    std::size_t shard = 0;
    std::optional<std::int64_t> amount;        // of its input row
    std::optional<support::Instant> if_reset;  // the window that a look saw; see pins.h
    std::optional<domain::StoredWindow> if_stored =
        {};  // no window: only while both halves hold these bytes; see pins.h
    std::optional<std::int64_t> if_used_at_least = {};  // only a window with so many used, as flags or a filter demand
    std::string layout = {};      // how it was stored when it was looked at, as its row tells; empty: not told
    bool whole = false;           // half a window is not what its row was about; see pins.h
    bool may_come_again = false;  // and counts again then
    bool misplaced = false;       // found on a shard where the application would never look for it
    Home home = Home::known;      // all-shards mode; see key_homes.h
    std::vector<std::size_t> homes =
        {};  // several: the shards that have it; unseen, unlooked: those that did not answer

    // What only a plan says of a window; never spooled.
    std::uint64_t slice = 0;                      // the script call that it goes with; 0: not said
    bool meant = false;                           // its state was seen and chosen when the plan was made
    std::optional<support::Seconds> period = {};  // of a window that has to be opened
    bool follows = false;  // in the window that a row before opens, or whose end that moves, and in no other

    /// And not any: a row before it may make another one of it.
    bool demands_a_window() const { return follows || if_reset || if_stored; }
};

/// All of a selection in numbers, where it has been counted already.
struct KeyCounts {
    std::uint64_t keys = 0;
    std::map<std::size_t, std::uint64_t> per_shard;
    std::vector<std::string> first_keys;
};

/// What a kind of change wants of its keys.
struct PlanRules {
    bool counts_requests =
        false;                  // what standard input names without having looked: a key that comes again counts again
    bool takes_closed = false;  // a window that is over is changed as well, that one and no newer
    bool opens = false;         // opens a window where there is none
    bool takes_amount = false;  // a row may say how many requests it is about
    std::optional<std::string> amount = {};  // --amount, for rows that do not say; null: they all have to, unless opens
    std::function<bool(domain::WindowState)> sweeps = {};  // the states that a sweep without --state is about
    bool orphans = false;  // a sweep comes to counters without an end as well, which names alone do not show
};

class PlannedKeys {
public:
    virtual ~PlannedKeys() = default;
    /// Up to `most` keys (fewer while standard input has nothing ready); empty at the end.
    virtual std::vector<PlannedKey> next(std::size_t most) = 0;
    /// Shards that a sweep could not, or not wholly, see.
    virtual std::vector<store::NodeFailure> failures() const { return {}; }
    /// Null where only reading them tells.
    virtual std::optional<KeyCounts> counted() const { return std::nullopt; }
    /// The command line has all of them: they are known however early the command is stopped.
    virtual bool are_given() const { return false; }
    /// The next key may be long in coming: it is still being written.
    virtual bool may_wait() const { return false; }
    /// Says which named keys filters have left out since the last time, and tells the outcome; and how many repeats
    /// were dropped.
    virtual void tell_left_out(Outcome&) {}
    /// Found by looking around rather than named.
    virtual bool is_sweep() const { return false; }
    /// What was found decides which they are: they are others, or come in another order, when the command is repeated.
    virtual bool are_chosen_by_look() const { return is_sweep(); }
};

/// A window is named once, however often its key comes: rows that say the same of it are one, unless
/// PlanRules::counts_requests has it otherwise. Throws Failure: usage (nothing selected, no literal prefix without
/// --all, and from next(): rows that contradict one another), configuration (it is not said how keys are shared out).
std::unique_ptr<PlannedKeys> plan_keys(const Selection& selection, const PlanRules& rules, Context& context);

}  // namespace ratectl::commands
