// Hashes keys so that no client can choose keys that hide each other. SipHash: Aumasson and Bernstein, 2012
// (github.com/veorq/SipHash).
#include "commands/sweep/seen_keys.h"

#include <bit>
#include <cstring>

namespace ratectl::commands {

namespace {

constexpr std::size_t kSeenKeysParts = 32;
constexpr std::size_t kFirstSeenSlots = 64;

struct SipState {
    std::uint64_t v0, v1, v2, v3;

    SipState(std::uint64_t k0, std::uint64_t k1)
        : v0(k0 ^ 0x736f6d6570736575ULL),
          v1(k1 ^ 0x646f72616e646f6dULL),
          v2(k0 ^ 0x6c7967656e657261ULL),
          v3(k1 ^ 0x7465646279746573ULL) {}
    void round() {
        v0 += v1;
        v2 += v3;
        v1 = std::rotl(v1, 13) ^ v0;
        v3 = std::rotl(v3, 16) ^ v2;
        v0 = std::rotl(v0, 32);
        v2 += v1;
        v0 += v3;
        v1 = std::rotl(v1, 17) ^ v2;
        v3 = std::rotl(v3, 21) ^ v0;
        v2 = std::rotl(v2, 32);
    }
    void take(std::uint64_t word) {
        v3 ^= word;
        round();
        round();
        v0 ^= word;
    }
    std::uint64_t finish() {
        v2 ^= 0xff;
        for (int i = 0; i < 4; ++i) round();
        return v0 ^ v1 ^ v2 ^ v3;
    }
};

std::uint64_t siphash(std::uint64_t k0, std::uint64_t k1, std::uint64_t first, std::string_view bytes) {
    SipState state(k0, k1);
    state.take(first);
    std::uint64_t word = 0;
    const auto length = bytes.size();
    for (; bytes.size() >= sizeof word; bytes.remove_prefix(sizeof word)) {
        std::memcpy(&word, bytes.data(), sizeof word);
        state.take(word);
    }
    word = static_cast<std::uint64_t>(length) << 56;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    state.take(word);
    return state.finish();
}

}  // namespace

KeyHash::KeyHash(std::string_view secret) : secret_{siphash(1, 2, 3, secret), siphash(4, 5, 6, secret)} {}

std::uint64_t KeyHash::operator()(std::size_t shard, std::string_view key) const {
    return siphash(secret_[0], secret_[1], shard, key);
}

SeenKeys::SeenKeys(std::string_view secret)
    : hash_(secret), parts_(kSeenKeysParts, support::HashSet(kFirstSeenSlots)) {}

bool SeenKeys::add(std::size_t shard, std::string_view key) {
    const auto hash = hash_(shard, key);
    if (!parts_[part_of(hash)].insert(hash)) return false;
    ++size_;
    return true;
}

bool SeenKeys::contains(std::size_t shard, std::string_view key) const {
    const auto hash = hash_(shard, key);
    return parts_[part_of(hash)].contains(hash);
}

std::size_t SeenKeys::part_of(std::uint64_t hash) { return hash >> (64 - std::bit_width(kSeenKeysParts - 1)); }

}  // namespace ratectl::commands
