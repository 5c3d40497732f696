// Looks at which a replica of a Redis Cluster found less than all keys of a window: what is not there may have gone
// ahead to another node with its slot, of which replicas know nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <vector>

#include "store/sweep/sweep_page.h"

namespace ratectl::store {

class DoubtfulLooks {
public:
    /// The state outlives it, and has slots.
    explicit DoubtfulLooks(ScanState& state) : state_(state) {}

    /// Of one page, whose looks they were.
    struct Held {
        ScanPage page = {};
        std::vector<char> scan_key = {};       // as SweepPage has it
        std::uint64_t looks = 0;               // of the watch on slots that had begun by then
        std::shared_ptr<Sightings> seen = {};  // of its sweep

        void add(domain::WindowLook look, bool by_scan_key);
    };
    static bool is_doubtful(const domain::WindowLook& look);
    void hold(Held held);
    /// The slots of those that the caller has not finished with.
    void add_owed(std::set<std::uint16_t>& slots) const;
    /// The caller has finished with its page.
    void page_done() { current_ = {}; }
    /// What is to be shown of those whose slots are known by now to have stayed; null: none for now. The others are
    /// left to LateSlots.
    const ScanPage* next();

private:
    void keep_what_stayed(Held& held);

    ScanState& state_;
    std::deque<Held> held_;
    ScanPage current_;
};

}  // namespace ratectl::store
