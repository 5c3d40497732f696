// Bucket tables (modulo, range, jump, maglev) and rendezvous hashing: the distributions that are not rings.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sharding/bucket_rules.h"
#include "sharding/placement.h"

namespace ratectl::sharding {

namespace buckets {

std::size_t modulo(const HashValue& hash, std::size_t count) { return hash.modulo(static_cast<std::uint32_t>(count)); }

std::size_t signed_floor_modulo(const HashValue& hash, std::size_t count) {
    const auto number = static_cast<std::int64_t>(static_cast<std::int32_t>(hash.words[0]));
    const auto n = static_cast<std::int64_t>(count);
    return static_cast<std::size_t>(((number % n) + n) % n);
}

std::size_t inverted_range(const HashValue& hash, std::size_t count) {
    const std::uint64_t number = std::uint64_t{~hash.words[0]};
    return std::min<std::size_t>(number * count / 0xffffffffU, count - 1);
}

std::size_t jump(const HashValue& hash, std::size_t count) {
    std::uint64_t key = hash.leading_64();
    std::int64_t bucket = -1;
    std::int64_t next = 0;
    while (next < static_cast<std::int64_t>(count)) {
        bucket = next;
        key = key * 2862933555777941757U + 1;
        const double stride = static_cast<double>(std::int64_t{1} << 31) / static_cast<double>((key >> 33) + 1);
        next = static_cast<std::int64_t>(static_cast<double>(bucket + 1) * stride);
    }
    return static_cast<std::size_t>(bucket);
}

}  // namespace buckets

namespace scores {

std::uint64_t xorshift_multiplied(std::uint64_t key, std::uint64_t server) {
    std::uint64_t x = key ^ server;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    return x * 2685821657736338717U;
}

}  // namespace scores

namespace {

class Buckets final : public Placement {
public:
    Buckets(const BucketRules& rules, std::vector<std::uint32_t> table, std::size_t servers)
        : rules_(rules), table_(std::move(table)), servers_(servers) {}

    std::size_t find(const HashValue& hash) const override { return table_[rules_.bucket(hash, table_.size())]; }
    Hit explain(const HashValue& hash) const override {
        Hit hit;
        hit.bucket = rules_.bucket(hash, table_.size());
        hit.bucket_count = table_.size();
        hit.server = table_[*hit.bucket];
        return hit;
    }
    std::vector<std::size_t> points_per_server() const override {
        std::vector<std::size_t> counts(servers_, 0);
        for (const std::uint32_t server : table_) ++counts[server];
        return counts;
    }

private:
    BucketRules rules_;
    std::vector<std::uint32_t> table_;
    std::size_t servers_;
};

constexpr std::uint32_t kMaglevSize = 65537;
constexpr std::uint32_t kFree = UINT32_MAX;

/// Servers in order of label take turns, each along its own permutation of the table; weights slow the light ones down.
std::vector<std::uint32_t> maglev_table(const std::vector<Member>& members, std::uint64_t size) {
    struct Entry {
        const Member* member;
        std::uint64_t offset, skip, next;
        double weight, target;
    };
    double sum = 0.0;
    for (const Member& member : members) sum += member.weight;
    std::vector<Entry> entries;
    double heaviest = 0.0;
    for (const Member& member : members) {
        const double weight = member.weight / sum;
        heaviest = std::max(heaviest, weight);
        entries.push_back({&member, hashes::xxh64(member.label).leading_64() % size,
                           hashes::xxh64_seed_1(member.label).leading_64() % (size - 1) + 1, 0, weight, 0.0});
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.member->label < b.member->label; });
    std::vector<std::uint32_t> table(size, kFree);
    std::uint64_t filled = 0;
    for (std::uint64_t turn = 1; filled < size; ++turn) {
        for (Entry& entry : entries) {
            if (filled == size) break;
            if (static_cast<double>(turn) * entry.weight < entry.target) continue;
            entry.target += heaviest;
            std::uint64_t slot = (entry.offset + entry.skip * entry.next) % size;
            while (table[slot] != kFree) slot = (entry.offset + entry.skip * ++entry.next) % size;
            table[slot] = static_cast<std::uint32_t>(entry.member->server);
            ++entry.next;
            ++filled;
        }
    }
    return table;
}

/// Ranges as configured; with none, as even as redis-cli makes them: rounded from a running sum in single precision.
std::vector<std::uint32_t> slot_table(const std::vector<Member>& members, std::uint32_t slots) {
    std::vector<std::uint32_t> table(slots, 0);
    const auto give = [&table](const Member& member, std::uint32_t first, std::uint32_t last) {
        for (std::uint32_t slot = first; slot <= last; ++slot) table[slot] = static_cast<std::uint32_t>(member.server);
    };
    const bool named = std::any_of(members.begin(), members.end(), [](const Member& m) { return !m.slots.empty(); });
    const float share = static_cast<float>(slots) / static_cast<float>(members.size());
    float cursor = 0.0F;
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
        for (const SlotRange& range : members[i].slots) give(members[i], range.first, range.last);
        if (named || next >= slots) continue;
        const float wanted = cursor + share - 1.0F;
        const auto rounded = static_cast<std::uint32_t>(std::lround(wanted));
        const bool rest = rounded >= slots || i + 1 == members.size();
        const std::uint32_t last = std::max(rest ? slots - 1 : rounded, next);
        give(members[i], next, last);
        next = last + 1;
        cursor += share;
    }
    return table;
}

class Rendezvous final : public Placement {
public:
    Rendezvous(const RendezvousRules& rules, const std::vector<Member>& members) : rules_(rules) {
        for (const Member& member : members) {
            entries_.push_back({rules.server_hash(member.label).leading_64(), member.server, member.label});
        }
    }

    std::size_t find(const HashValue& hash) const override {
        return entries_[best(hash.leading_64(), entries_.size())].server;
    }
    Hit explain(const HashValue& hash) const override {
        const std::size_t first = best(hash.leading_64(), entries_.size());
        Hit hit;
        hit.server = entries_[first].server;
        hit.label = entries_[first].label;
        if (entries_.size() > 1) hit.runner_up = entries_[best(hash.leading_64(), first)].server;
        return hit;
    }

private:
    struct Entry {
        std::uint64_t hash;
        std::size_t server;
        std::string label;
    };

    /// The entry with the highest score, the one at `without` left out; of equals the first.
    std::size_t best(std::uint64_t key, std::size_t without) const {
        std::size_t winner = without == 0 ? 1 : 0;
        std::uint64_t top = rules_.score(key, entries_[winner].hash);
        for (std::size_t i = winner + 1; i < entries_.size(); ++i) {
            const std::uint64_t score = rules_.score(key, entries_[i].hash);
            if (i == without || score <= top) continue;
            winner = i;
            top = score;
        }
        return winner;
    }

    RendezvousRules rules_;
    std::vector<Entry> entries_;
};

}  // namespace

std::unique_ptr<Placement> make_buckets(const BucketRules& rules, const std::vector<Member>& members,
                                        std::optional<std::uint32_t> size) {
    if (rules.maglev)
        return std::make_unique<Buckets>(rules, maglev_table(members, size.value_or(kMaglevSize)), members.size());
    if (rules.slots != 0) return std::make_unique<Buckets>(rules, slot_table(members, rules.slots), members.size());
    std::vector<std::uint32_t> table;
    for (const Member& member : members) {
        table.insert(table.end(), rules.repeat_by_weight ? member.weight : 1,
                     static_cast<std::uint32_t>(member.server));
    }
    return std::make_unique<Buckets>(rules, std::move(table), members.size());
}

std::unique_ptr<Placement> make_rendezvous(const RendezvousRules& rules, const std::vector<Member>& members) {
    return std::make_unique<Rendezvous>(rules, members);
}

}  // namespace ratectl::sharding
