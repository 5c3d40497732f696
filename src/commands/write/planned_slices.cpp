// Cuts planned keys into slices.
// The order is that of shards, then that of the keys; a key that comes twice goes into a later slice.
#include "commands/write/planned_slices.h"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "store/writes/slices.h"

namespace ratectl::commands {

namespace {

/// FNV-1a twice with different beginnings: 128 bits that tell a changed request from a repeated one.
class Digest {
public:
    void add(std::string_view bytes) {
        char length[20];
        add_bytes({length, std::to_chars(std::begin(length), std::end(length), bytes.size()).ptr});
        add_bytes(":");
        add_bytes(bytes);
    }
    std::string text() const { return fmt::format("{:016x}{:016x}", one_, two_); }

private:
    void add_bytes(std::string_view bytes) {
        for (const char c : bytes) {
            one_ = (one_ ^ static_cast<unsigned char>(c)) * kPrime;
            two_ = (two_ ^ static_cast<unsigned char>(c)) * kPrime + 1;
        }
    }

    static constexpr std::uint64_t kPrime = 0x100000001b3ULL;
    std::uint64_t one_ = 0xcbf29ce484222325ULL;
    std::uint64_t two_ = 0x9ae16a3b2f90404fULL;
};

}  // namespace

std::size_t chunk_size(std::size_t number, std::size_t usual) {
    constexpr std::size_t first = 1000;
    constexpr std::size_t doublings = 3;
    return std::min(usual, first << std::min(number, doublings));
}

std::vector<PlannedSlice> Slicer::cut(std::span<const PlannedKey> chunk) {
    std::map<std::size_t, std::vector<std::size_t>> keys_of_shard;
    for (std::size_t i = 0; i < chunk.size(); ++i) {
        if (chunk[i].home == Home::known) keys_of_shard[chunk[i].shard].push_back(i);
    }
    std::vector<PlannedSlice> slices;
    for (const auto& [shard, keys] : keys_of_shard) {
        for (auto& part : store::slice(keys, [&](std::size_t i) -> std::string_view { return chunk[i].key; })) {
            slices.push_back({next_++, fingerprint(chunk, part), shard, std::move(part)});
        }
    }
    return slices;
}

std::string Slicer::fingerprint(std::span<const PlannedKey> chunk, std::span<const std::size_t> keys) const {
    Digest digest;
    digest.add(asked_);
    for (const auto i : keys) {
        digest.add(chunk[i].key);
        digest.add(chunk[i].amount ? std::to_string(*chunk[i].amount) : std::string{});
    }
    return digest.text();
}

}  // namespace ratectl::commands
