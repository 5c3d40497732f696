// Holds looks back until all primaries have been asked for their slots once more.
#include "store/sweep/doubtful_looks.h"

#include <algorithm>
#include <utility>

#include "sharding/cluster_slots.h"
#include "store/cluster/slot_watch.h"
#include "store/sweep/page_pipeline.h"
#include "store/sweep/sightings.h"

namespace ratectl::store {

void DoubtfulLooks::Held::add(domain::WindowLook look, bool by_scan_key) {
    page.looks.push_back(std::move(look));
    scan_key.push_back(by_scan_key ? 1 : 0);
}

bool DoubtfulLooks::is_doubtful(const domain::WindowLook& look) {
    return std::ranges::any_of(look.parts, [](const domain::StoredKey& part) { return !is_there(part); });
}

void DoubtfulLooks::hold(Held held) {
    held.looks = state_.slots->looks_begun();
    held_.push_back(std::move(held));
}

const ScanPage* DoubtfulLooks::next() {
    while (!held_.empty() && state_.slots->has_looked_since(held_.front().looks)) {
        Held held = std::move(held_.front());
        held_.pop_front();
        keep_what_stayed(held);
        if (held.page.looks.empty()) continue;
        current_ = std::move(held.page);
        state_.count_windows(current_);
        return &current_;
    }
    return nullptr;
}

void DoubtfulLooks::add_owed(std::set<std::uint16_t>& slots) const {
    for (const auto& look : current_.looks) slots.insert(sharding::cluster_slot(look.key));
    for (const auto& held : held_) {
        for (const auto& look : held.page.looks) slots.insert(sharding::cluster_slot(look.key));
    }
}

void DoubtfulLooks::keep_what_stayed(Held& held) {
    auto& seen = *held.seen;
    auto& looks = held.page.looks;
    std::size_t shown = 0;
    for (std::size_t i = 0; i < looks.size(); ++i) {
        const auto& key = looks[i].key;
        const bool by_scan_key = held.scan_key[i] != 0;
        if (state_.slots->restless().contains(sharding::cluster_slot(key))) {
            if (PagePipeline::has_two_phases(state_.question))
                seen.carry_over(key, by_scan_key && state_.question.by_name);
            continue;
        }
        if (!seen.shows(looks[i], by_scan_key, seen.prepare(key))) continue;
        if (shown != i) std::swap(looks[shown], looks[i]);
        ++shown;
    }
    looks.resize(shown);
}

}  // namespace ratectl::store
