// Which windows a sweep has shown, or turned away, and which of what it meets is to be shown.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "domain/window.h"
#include "store/sweep/key_ring.h"

namespace ratectl::store {

struct ScanState;

class Sightings {
public:
    /// Remembers at least the last so many keys, for as long as the state lives.
    Sightings(const ScanState& state, std::size_t remembered) : state_(state), known_(remembered) {}

    std::uint64_t prepare(std::string_view key) const { return known_.prepare(key); }
    /// True the first time.
    bool insert(std::string_view key) { return known_.insert(key); }
    void forget() {
        known_.clear();
        carried_over_.clear();
    }

    /// As PagePipeline::Owner has them.
    bool wants(std::string_view key, std::string_view counter);
    bool wants_without_counter(std::string_view key, std::string_view expiry);
    void carry_over(std::string_view key, bool expiry) { carried_over_.emplace(key, expiry); }
    /// `hash`: of its key.
    bool shows(const domain::WindowLook& look, bool scan_key, std::uint64_t hash);

private:
    bool is_worth_a_look(std::string_view key, std::string_view counter) const;
    bool keeps_promise(std::string_view key, bool expiry);

    const ScanState& state_;
    KeyRing known_;                                        // shown, or turned away
    std::set<std::pair<std::string, bool>> carried_over_;  // among them, and neither; by the key, or by its expiry half
};

}  // namespace ratectl::store
