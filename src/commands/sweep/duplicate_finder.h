// Finds keys that are on several shards while a sweep goes by, in bounded memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commands/context.h"
#include "commands/report/window_report.h"
#include "commands/sweep/duplicates.h"
#include "domain/node.h"
#include "support/hash_set.h"

namespace ratectl::commands {

/// Says which hashes come a second time. At most 64 MiB for those that come once: when it is full it keeps one half of
/// all hashes from then on, and the other half needs a sweep of its own.
class DuplicateFilter {
public:
    explicit DuplicateFilter(std::size_t most_slots = std::size_t{1} << 23U);
    /// True when the hash was here before and has not been reported yet.
    bool again(std::uint64_t hash);
    /// Hashes were left out: another sweep is needed. Begins it.
    bool next_part();

private:
    struct Part {
        std::uint64_t parts = 1;
        std::uint64_t number = 0;
    };
    bool is_mine(std::uint64_t hash) const { return (hash >> 32U) % part_.parts == part_.number; }
    void halve();

    support::HashSet seen_;
    support::HashSet reported_;
    Part part_;
    std::vector<Part> later_;
};

/// What DuplicateFilter knows a key by.
std::uint64_t sighting_of(std::string_view key);

/// A second sighting may be the same shard's, or another key's: every shard is asked before anything is said.
class DuplicateFinder {
public:
    /// Rows go to the report.
    DuplicateFinder(Context& context, const domain::ReadFrom& from, WindowReport& report);
    void take(const std::string& key);
    /// The sweep is over. True when another one is needed for keys that memory had no room for.
    bool needs_another_sweep();
    const Duplicates& duplicates() const { return duplicates_; }

private:
    void look();
    void deliver(std::span<const store::LookAnswer> answers);

    Context& context_;
    domain::ReadFrom from_;
    WindowReport& report_;
    DuplicateFilter filter_;
    std::vector<std::string> suspects_;
    Duplicates duplicates_;
};

}  // namespace ratectl::commands
