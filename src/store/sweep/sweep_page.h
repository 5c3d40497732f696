// One page of a sweep from its SCAN to the caller's hands, and what all sweeps of a stream share.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/diagnosis/staleness.h"
#include "domain/window.h"
#include "store/core.h"
#include "support/hash_set.h"

namespace ratectl::store {

/// Evenly spread: the sender of commands pays for them afterwards, by waiting for as long as they are worth before the
/// next ones may go. So no more than what is sent at once, a page at most, is ever ahead of the rate.
class Pace {
public:
    using Clock = std::chrono::steady_clock;

    explicit Pace(std::uint64_t per_second) : each_(std::chrono::seconds(1)) {
        each_ /= static_cast<Clock::rep>(std::clamp<std::uint64_t>(per_second, 1, 1'000'000'000));
    }

    /// When more may be sent.
    Clock::time_point free_at() const { return free_at_; }
    void spend(std::size_t commands, Clock::time_point now) {
        free_at_ = std::max(free_at_, now) + each_ * static_cast<Clock::rep>(commands);
    }

private:
    Clock::duration each_;
    Clock::time_point free_at_{};
};

class DoubtfulLooks;
class Sightings;
class SlotWatch;
class Sweep;

/// A key whose name no sweep reads.
struct LongName {
    std::string shown;  // its beginning and its end
    std::size_t length = 0;
};

/// Used again and again: whatever it holds keeps its memory, `size` says how much of it counts.
struct SweepPage {
    /// `dropped`: its names together are too long, and are asked for again in smaller pages.
    enum class Stage { scanning, dropped, counting, partnering, looking, done };

    /// The names of one page in all, unless it is a page of one key; a single name that is longer is left out.
    static constexpr std::size_t kMostNames = 8u << 20;

    ScanPage page;                  // complete once it is handed out; before that its looks are those at all keys
    std::string next_cursor = "0";  // behind it
    Stage stage = Stage::scanning;
    std::size_t size = 0;                   // windows that are left
    std::vector<std::string> keys;          // until it is shown: then each is its look's
    std::vector<char> scan_key;             // false: shown only if it is an orphan counter
    std::vector<domain::WindowLook> spare;  // looks that a smaller page has no use for
    std::vector<std::uint64_t> hashes;      // of the keys
    std::size_t owed = 0;                   // answers that this stage still waits for
    std::size_t scan_keys = 0;              // windows that were found by their scan key: they stand first
    std::size_t kept = 0;                   // counting, partnering: how many of them are worth a look
    std::size_t scanned = 0;                // keys that SCAN returned
    std::size_t bytes = 0;                  // of their names
    std::size_t longest = 0;                // name or value
    std::vector<LongName> too_long;         // left out
    std::size_t count = 0;                  // COUNT
    bool measured = false;                  // the server is asked how long it takes
    std::chrono::microseconds busy{};       // that it occupied the server for
    domain::Asked left;                     // when its looks were sent

    /// One more key that SCAN returned.
    void find(std::string_view key) {
        if (size == keys.size()) keys.emplace_back();
        keys[size++] = key;
        bytes += key.size();
        longest = std::max(longest, key.size());
    }
    /// Nothing that is worth keeping has been found yet.
    void begin_scan() {
        size = scanned = bytes = longest = 0;
        too_long.clear();
    }
    /// A rare long name or value must not stay forever in every place of every page.
    bool is_worth_keeping() const { return longest <= (4u << 10); }
    std::span<const std::string> asked() const { return std::span(keys).first(size); }
    bool is_last() const { return next_cursor == "0"; }
    /// Where the looks at all keys go.
    std::span<domain::WindowLook> all_looks() {
        auto& looks = page.looks;
        while (looks.size() < size && !spare.empty()) {
            looks.push_back(std::move(spare.back()));
            spare.pop_back();
        }
        if (looks.size() < size) looks.resize(size);
        return looks;
    }
    void drop_looks_behind(std::size_t shown) {
        auto& looks = page.looks;
        for (; looks.size() > shown; looks.pop_back()) spare.push_back(std::move(looks.back()));
    }
};

/// What the stream and its sweeps share.
struct ScanState {
    struct Ready {
        std::unique_ptr<SweepPage> page;
        std::shared_ptr<Sweep> from;
        std::uint64_t restart = 0;  // how often its sweep had started over
    };

    std::shared_ptr<Core> core;
    ScanQuestion question;
    std::string pattern;
    std::deque<Ready> ready;
    std::vector<std::unique_ptr<SweepPage>> free;
    std::vector<NodeFailure> failures;
    std::vector<ShardProgress> progress;  // one a sweep
    std::map<std::string, Pace> paces;    // by server
    bool cancelled = false;               // the stream is gone
    // ---- where keys have slots
    std::shared_ptr<SlotWatch> slots = {};
    std::map<std::size_t, std::shared_ptr<Sightings>> seen = {};
    std::shared_ptr<DoubtfulLooks> doubtful = {};
    support::HashSet scattered{64};  // windows that are none there: several names may lead to one
    std::optional<support::Error> first_scattered = {};

    bool over() const { return cancelled || core->stopping(); }
    bool asks_all() const { return question.from.which == domain::ReadFrom::Which::all; }
    /// What all sweeps of nodes like this one have shown, as a window may be met at two places. Where all nodes are
    /// asked, each shows its own: then primaries are alike, and the first replicas of all shards, and so on.
    std::shared_ptr<Sightings> seen_at(const domain::Node& node);
    /// Of a page that no sweep's cursor tells of.
    void count_windows(const ScanPage& page) {
        for (auto& each : progress) {
            const bool is_its = !asks_all() || (each.node && each.node->name() == page.node.name());
            if (each.shard == page.shard && is_its) each.windows += page.looks.size();
        }
    }
    std::unique_ptr<SweepPage> new_page() {
        if (free.empty()) return std::make_unique<SweepPage>();
        auto page = std::move(free.back());
        free.pop_back();
        return page;
    }
};

}  // namespace ratectl::store
