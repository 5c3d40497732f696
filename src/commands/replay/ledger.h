// What a replay did, key by key and in sum; the numbers add up whatever went wrong.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "support/error.h"
#include "support/time.h"

namespace ratectl::commands::replay {

/// requests = counted + rejected + refused + unknown + not_attempted, once all have been played.
struct Counts {
    std::uint64_t requests = 0;
    std::uint64_t counted = 0;
    std::uint64_t over = 0;  // over the limit: counted all the same, or rejected with --enforce
    std::uint64_t rejected = 0;
    std::uint64_t refused = 0;        // the server or a rule of ours would not count it
    std::uint64_t unknown = 0;        // sent, and the reply was lost
    std::uint64_t not_attempted = 0;  // its shard had failed, or the command was stopped
    std::uint64_t refunded = 0;
    std::uint64_t refunds_missed = 0;  // charged, and what was due was not given back
    std::uint64_t refunds_unknown = 0;
    std::uint64_t windows = 0;  // different windows counted into

    Counts& operator+=(const Counts& other);
    bool operator==(const Counts&) const = default;
};

/// One key of the log.
struct KeyRecord {
    std::string key;
    std::size_t shard = 0;
    std::optional<std::int64_t> limit;
    std::optional<std::int64_t> most_let_through;  // at that limit
    bool is_protected = false;                     // nothing may change it
    std::optional<support::Seconds> period = {};   // of its own
    Counts counts;
    std::optional<support::Instant> reset_at;       // of the window last counted into
    std::optional<support::Instant> first_over_at;  // on the log's clock
    std::uint64_t first_over_line = 0;

    /// Worth a row: over its limit, refused, or not known.
    bool is_notable() const;
};

class Ledger {
public:
    /// The record of a key, made on its first request; stays where it is.
    KeyRecord* find(std::string_view key);
    KeyRecord& add(KeyRecord record);

    std::size_t keys() const { return records_.size(); }
    Counts total() const;
    /// The notable keys, the most over their limit first, then in the order of the log.
    std::vector<const KeyRecord*> notable() const;

private:
    std::vector<std::unique_ptr<KeyRecord>> records_;
    std::unordered_map<std::string_view, KeyRecord*> by_key_;
};

/// `10000 requests of 1753 keys: 10000 counted, 445 refunded ...`; what is 0 and no news is left out.
std::string words(const Counts& counts, std::size_t keys);
/// The same as names and numbers, all of them.
std::vector<std::pair<std::string, std::int64_t>> named(const Counts& counts, std::size_t keys);

}  // namespace ratectl::commands::replay
