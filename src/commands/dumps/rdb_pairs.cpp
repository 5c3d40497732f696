// The table that joins the parts of windows, by key.
// Nodes lie in blocks in the order in which they came; slots hold 32 bits of each key's hash, so that growing touches
// no node.
#include "commands/dumps/rdb_pairs.h"

#include <cstring>

#include "support/error.h"

namespace ratectl::commands {
namespace {

constexpr std::size_t kUnit = sizeof(std::uint32_t);
constexpr int kUnitBits = 18;
constexpr std::size_t kUnitsPerBlock = std::size_t{1} << kUnitBits;  // a megabyte
constexpr std::size_t kMostBlocks = std::size_t{1} << (32 - kUnitBits);
constexpr int kFirstSlotBits = 10;

/// The two parts of a 128-bit product folded together.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t word_at(const char* bytes, std::size_t count) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, count);
    return word;
}

constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;

std::uint64_t hash_bytes(std::uint64_t seed, std::uint64_t other, std::string_view bytes) {
    std::uint64_t hash = mixed(seed ^ bytes.size(), other ^ kOdd);
    for (; bytes.size() > sizeof hash; bytes.remove_prefix(sizeof hash))
        hash = mixed(hash ^ word_at(bytes.data(), sizeof hash), other);
    hash = mixed(hash ^ word_at(bytes.data(), bytes.size()), other);
    return mixed(hash, seed | 1);
}

}  // namespace

/// Behind it lie the key (only where a window begins) and the value.
struct RdbPairs::Node {
    enum Flag : std::uint8_t { begins_window = 1, is_second = 2, complete = 4, has_value = 8, expires = 16 };

    Ref other = 0;  // the window's second key, when it came behind the first
    std::uint32_t expires_low = 0;
    std::uint32_t expires_high = 0;
    std::uint32_t value_size = 0;
    std::uint16_t key_size = 0;
    std::uint8_t type = 0;
    std::uint8_t flags = 0;

    bool has(Flag flag) const { return (flags & flag) != 0; }
    const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
    std::string_view key() const { return {bytes(), key_size}; }
    std::size_t units() const { return (sizeof(Node) + key_size + value_size + kUnit - 1) / kUnit; }
    Which which() const { return has(is_second) ? Which::second : Which::first; }
    Part part() const {
        Part part;
        if (has(has_value)) part.value = std::string_view(bytes() + key_size, value_size);
        part.type = type;
        if (has(expires))
            part.expires_at_ms = static_cast<std::int64_t>(std::uint64_t{expires_high} << 32 | expires_low);
        return part;
    }
};

RdbPairs::RdbPairs(std::string_view secret) : secret_{hash_bytes(kOdd, 3, secret), hash_bytes(kOdd, 5, secret) | 1} {
    clear();
}

void RdbPairs::clear() {
    slots_.assign(std::size_t{1} << kFirstSlotBits, {});
    shift_ = 32 - kFirstSlotBits;
    used_ = 0;
    blocks_.clear();
    ends_.clear();
    block_used_ = kUnitsPerBlock;
    walk_block_ = 0;
    walk_unit_ = 1;
}

std::size_t RdbPairs::memory() const {
    return slots_.capacity() * sizeof(Slot) + blocks_.size() * kUnitsPerBlock * kUnit;
}

RdbPairs::Node* RdbPairs::at(Ref ref) const {
    return reinterpret_cast<Node*>(blocks_[ref >> kUnitBits].get() + (ref & (kUnitsPerBlock - 1)) * kUnit);
}

std::uint32_t RdbPairs::hash_of(std::string_view key) const {
    return static_cast<std::uint32_t>(hash_bytes(secret_[0], secret_[1], key) >> 32);
}

/// The key's slot, or the empty one where it belongs.
const RdbPairs::Slot* RdbPairs::find_slot(std::string_view key, std::uint32_t hash) const {
    for (std::size_t place = hash >> shift_;; place = (place + 1) & (slots_.size() - 1)) {
        const Slot& slot = slots_[place];
        if (slot.node == 0 || (slot.hash == hash && at(slot.node)->key() == key)) return &slot;
    }
}

void RdbPairs::fetch_node(std::uint32_t hash) const {
    const Slot& slot = slots_[hash >> shift_];
    if (slot.hash == hash && slot.node != 0) __builtin_prefetch(at(slot.node));
}

RdbPairs::Added RdbPairs::add(std::string_view key, std::uint32_t hash, Which which, const Part& part, Part& other) {
    if ((used_ + 1) * 4 > slots_.size() * 3) grow();
    const Slot* found = find_slot(key, hash);
    if (found->node == 0) {
        slots_[static_cast<std::size_t>(found - slots_.data())] = {hash, store(key, which, part, true)};
        ++used_;
        return Added::first;
    }
    Node& node = *at(found->node);
    if (node.has(Node::complete) || node.which() == which) return Added::twice;
    node.flags |= Node::complete;
    // Blocks never move, so the node stays where it is.
    if (which == Which::second) node.other = store({}, which, part, false);
    other = node.part();
    return Added::second;
}

RdbPairs::Ref RdbPairs::store(std::string_view key, Which which, const Part& part, bool begins_window) {
    Node node;
    node.key_size = static_cast<std::uint16_t>(key.size());
    node.value_size = part.value ? static_cast<std::uint32_t>(part.value->size()) : 0U;
    node.type = part.type;
    const auto expires = static_cast<std::uint64_t>(part.expires_at_ms.value_or(0));
    node.expires_low = static_cast<std::uint32_t>(expires);
    node.expires_high = static_cast<std::uint32_t>(expires >> 32);
    if (begins_window) node.flags |= Node::begins_window;
    if (which == Which::second) node.flags |= Node::is_second;
    if (part.value) node.flags |= Node::has_value;
    if (part.expires_at_ms) node.flags |= Node::expires;
    if (block_used_ + node.units() > kUnitsPerBlock) {
        if (blocks_.size() == kMostBlocks)
            throw support::Failure(support::ExitCode::local_io, "more than 16 GiB of keys in one file", {});
        if (!blocks_.empty()) ends_.push_back(block_used_);
        blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(kUnitsPerBlock * kUnit));
        block_used_ = 1;  // so that no node is 0
    }
    const std::size_t block = blocks_.size() - 1;
    auto* to = reinterpret_cast<char*>(blocks_[block].get() + block_used_ * kUnit);
    std::memcpy(to, &node, sizeof node);
    to += sizeof node;
    to += key.copy(to, key.size());
    if (part.value) part.value->copy(to, part.value->size());
    const auto ref = static_cast<Ref>(block << kUnitBits | block_used_);
    block_used_ += node.units();
    return ref;
}

void RdbPairs::grow() {
    std::vector<Slot> before(slots_.size() * 2);
    before.swap(slots_);
    --shift_;
    for (const Slot& slot : before) {
        if (slot.node == 0) continue;
        std::size_t place = slot.hash >> shift_;
        while (slots_[place].node != 0) place = (place + 1) & (slots_.size() - 1);
        slots_[place] = slot;
    }
}

std::optional<RdbPairs::Part> RdbPairs::find(std::string_view key, Which which) const {
    const Slot* slot = find_slot(key, hash_of(key));
    if (slot->node == 0) return std::nullopt;
    const Node* node = at(slot->node);
    if (node->which() == which) return node->part();
    return which == Which::second && node->other != 0 ? std::optional{at(node->other)->part()} : std::nullopt;
}

std::optional<RdbPairs::Window> RdbPairs::next_incomplete() {
    while (walk_block_ < blocks_.size()) {
        const std::size_t end = walk_block_ < ends_.size() ? ends_[walk_block_] : block_used_;
        if (walk_unit_ == end) {
            ++walk_block_;
            walk_unit_ = 1;
            continue;
        }
        const Node& node = *at(static_cast<Ref>(walk_block_ << kUnitBits | walk_unit_));
        walk_unit_ += node.units();
        if (!node.has(Node::begins_window) || node.has(Node::complete)) continue;
        Window window{node.key(), {}, {}};
        (node.which() == Which::second ? window.second : window.first) = node.part();
        return window;
    }
    return std::nullopt;
}

}  // namespace ratectl::commands
