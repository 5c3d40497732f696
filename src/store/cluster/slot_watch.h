// Which slots of a Redis Cluster did not stay where they were, as a whole, while a sweep went on: those alone may have
// hidden a window from it.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

#include "sharding/cluster_slots.h"
#include "store/cluster/cluster_view.h"
#include "store/core.h"

namespace ratectl::store {

/// Where the keys of a slot are: all at its owner, or on their way.
struct SlotStanding {
    std::optional<std::size_t> owner = {};
    std::optional<std::size_t> from = {};
    std::optional<std::size_t> to = {};

    bool is_nowhere() const { return !owner && !from && !to; }
    bool operator==(const SlotStanding&) const = default;
};

class SlotWatch {
public:
    explicit SlotWatch(std::shared_ptr<Core> core) : core_(std::move(core)) {}

    /// Asks all primaries at once what they have; returns when they have said so, or have not.
    static void look(const std::shared_ptr<SlotWatch>& watch);
    /// The same, also where we have been told to stop.
    static void look_once_more(const std::shared_ptr<SlotWatch>& watch);
    /// Asks again and again, until end().
    static asio::awaitable<void> go_on(std::shared_ptr<SlotWatch> watch);
    void end() { over_ = true; }

    /// Before the first look: what an earlier watch has heard of this place last. What has gone and come back until the
    /// first look was not read meanwhile, and is no matter.
    void remember(std::size_t place, OwnSlots then);
    /// What this one has; null: it has not told.
    const OwnSlots* heard_of(std::size_t place) const;

    /// A node has said that keys of this slot are not there.
    void mark(std::uint16_t slot) { restless_.insert(slot); }
    /// Its slots were elsewhere a moment ago for all that is known: all that it tells of next, if it has not told yet.
    void doubt(std::size_t place);
    /// Marked, or found to be so between the first look and the last one.
    const std::set<std::uint16_t>& restless() const { return restless_; }
    /// By the last look.
    SlotStanding standing_of(std::uint16_t slot) const;
    /// False: some are at no place that has told, by the last look.
    bool has_all() const;
    /// How many looks at all primaries have begun.
    std::uint64_t looks_begun() const { return looks_begun_; }
    /// One that began when so many had begun is over.
    bool has_looked_since(std::uint64_t looks) const { return last_look_ > looks; }
    /// Places that did not tell, and why.
    const std::map<std::size_t, support::Error>& silent() const { return silent_; }

private:
    using Slots = std::bitset<sharding::kClusterSlots>;
    struct Known {
        OwnSlots own;
        Slots has;
        bool remembered = false;
    };

    static void look(const std::shared_ptr<SlotWatch>& watch, bool heed_stop);
    static asio::awaitable<void> look_at(std::shared_ptr<SlotWatch> watch, std::size_t place);
    void take(std::size_t place, support::Result<OwnSlots> own);
    bool is_as_before(const OwnSlots& now, const Known& before) const;
    static Known known(OwnSlots own);
    void mark_all(const Slots& slots);

    std::shared_ptr<Core> core_;
    std::map<std::size_t, Known> known_;  // by place
    std::set<std::uint16_t> restless_;
    std::map<std::size_t, support::Error> silent_;
    std::set<std::size_t> doubted_;  // before they have told
    std::uint64_t looks_begun_ = 0;
    std::uint64_t last_look_ = 0;  // that is over
    bool over_ = false;
};

}  // namespace ratectl::store
