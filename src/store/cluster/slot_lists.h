// Lists of the keys of slots of a Redis Cluster that did not stay where they were: what sweeps by cursors may have
// missed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "store/cluster/slot_watch.h"
#include "store/nodes/conversation.h"

namespace ratectl::store {

/// What a node said of its own slots right before it listed the keys of some, and right behind them.
struct OwnThen {
    OwnSlots before;
    OwnSlots after;

    /// All keys of the slot were here all the time.
    bool kept(std::uint16_t slot) const {
        return after.is_as_before(before) && before.has(slot) && after.has(slot) && !before.is_leaving(slot) &&
               !after.is_leaving(slot);
    }
    /// Those that had come were still here.
    bool took(std::uint16_t slot) const {
        return (before.is_arriving(slot) || before.has(slot)) && (after.is_arriving(slot) || after.has(slot)) &&
               !after.is_leaving(slot);
    }
};

/// More keys than that have one tag only where an application puts all of them into one slot.
inline constexpr std::size_t kMostKeysOfSlot = 500'000;

/// Of one list.
inline constexpr std::size_t kSlotsAtOnce = 1024;

/// What this node says: CLUSTER NODES, the keys of each of these slots that lie there, in the slots' order, and CLUSTER
/// NODES once more.
asio::awaitable<redis::Outcome<Reading>> list_slots(std::shared_ptr<Core> core, domain::Node node,
                                                    std::vector<std::uint16_t> slots);

/// What such a list began and ended with; null: the node does not tell which slots it has.
std::optional<OwnThen> own_slots_around(const Reading& list);

/// The keys of some slots: each listed at the node that it leaves before the one that it goes to, so that what moves
/// meanwhile is met at one of the two.
struct SlotList {
    std::map<std::uint16_t, SlotStanding> slots;
    std::vector<std::string> names;                  // a key of both nodes twice
    std::map<std::size_t, OwnThen> where_they_were;  // by place
    std::map<std::size_t, OwnThen> where_they_go;
    std::optional<NodeFailure> failure;
    bool cut = false;  // a slot has more than kMostKeysOfSlot

    /// Whether all of the slot's keys are among the names.
    bool has_all_of(std::uint16_t slot, const SlotStanding& standing) const;
};

/// Lists each of its slots until a list has all of it, or it is given up.
class SlotLists {
public:
    /// The watch is asked where they are, and told to look again.
    SlotLists(std::shared_ptr<Core> core, std::shared_ptr<SlotWatch> watch, std::set<std::uint16_t> slots)
        : core_(std::move(core)), watch_(std::move(watch)), todo_(std::move(slots)) {}

    /// How many are still to be listed.
    std::size_t left() const { return todo_.size(); }
    /// `3 slots of the Redis Cluster go`, for a sentence of that.
    std::string left_words() const;
    void give_up() { todo_.clear(); }
    /// The keys of the next of them; of none where we were told to stop.
    std::shared_ptr<const SlotList> next(std::size_t most_slots);
    /// The slots that this list has all keys of, but for those that are `not_yet`: they are not listed again. Nor are
    /// those that no node has.
    std::vector<std::uint16_t> settle(const SlotList& list, const std::set<std::uint16_t>& not_yet = {});
    /// They have moved on time and again before a list had all of one.
    bool are_restless() const;

private:
    std::shared_ptr<Core> core_;
    std::shared_ptr<SlotWatch> watch_;
    std::set<std::uint16_t> todo_;
    int idle_rounds_ = 0;
};

}  // namespace ratectl::store
