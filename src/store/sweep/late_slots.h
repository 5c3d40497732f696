// The windows of slots that were on their way while a sweep of a Redis Cluster went on: listed slot by slot, where the
// slots are by then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "store/cluster/slot_lists.h"
#include "store/sweep/sweep_page.h"

namespace ratectl::store {

class LateSlots {
public:
    /// The sweeps have ended.
    explicit LateSlots(std::shared_ptr<ScanState> state);

    /// The next page; null: there is none left. What could not be shown is among the state's failures then.
    const ScanPage* next();
    /// The caller has finished with its page.
    void page_done();
    /// False: there is more of the slots whose windows came last.
    bool is_between_slots() const { return pages_.empty(); }
    /// Slots that moved and whose windows have not all been in pages that the caller has finished with.
    std::set<std::uint16_t> owed() const;

private:
    struct Window {
        std::string by_scan_key;  // the name that led to it; empty: none did
        bool by_counter = false;
    };

    /// A window whose keys are at both ends of its slot's way: it is looked at again when the slot is elsewhere.
    struct Torn {
        NodeFailure failure;
        SlotStanding standing;
    };

    void look_for_holes();
    void list_some();
    void end_pages();
    bool is_meant(std::uint16_t slot) const;
    void look_at_windows(const std::vector<std::string>& names);
    bool is_still_torn(const std::string& key) const;
    bool shows(const domain::WindowLook& look, const Window& window, Sightings& seen);
    void take(LookAnswer& answer, const KeyAt& key, const Window& window);
    void say_what_moves_on();
    void say_what_is_left_out();
    void fail(std::string what);

    std::shared_ptr<ScanState> state_;
    SlotLists lists_;
    std::set<std::uint16_t> listed_;  // no longer to do, but not all of their pages have been asked past
    std::set<std::uint16_t> done_;
    std::map<std::uint16_t, NodeFailure> sent_away_;  // in this round: a window of it was nowhere to be found
    std::map<std::string, NodeFailure> unshown_;      // by the name of the replica: windows that it cannot show yet
    std::map<std::string, Torn> torn_;                // by their keys
    std::map<std::string, ScanPage> filling_;         // by the name of the node that answered
    std::deque<ScanPage> pages_;
    ScanPage current_;
};

}  // namespace ratectl::store
