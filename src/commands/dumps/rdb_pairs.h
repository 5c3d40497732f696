// The parts of windows as a dump file brings them, joined by the window's key: a compact table in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace ratectl::commands {

/// Takes 20 bytes, the key and the value for a window, 20 and the value more when its second key comes behind the
/// first, and a slot of 8 bytes that is half to three quarters used: about 75 bytes for a key of 20.
class RdbPairs {
public:
    enum class Which : std::uint8_t { first, second };
    struct Part {
        std::optional<std::string_view> value;  // null: no string
        std::uint8_t type = 0;                  // whatever number the caller gave the type
        std::optional<std::int64_t> expires_at_ms;
    };
    /// A window's key and what is known of it. Views stay until the table is cleared.
    struct Window {
        std::string_view key;
        std::optional<Part> first;
        std::optional<Part> second;
    };
    enum class Added : std::uint8_t {
        first,   // its other part has not come yet
        second,  // `first` holds the one that came before
        twice,   // this part was there already
    };

    /// The secret: anything that cannot be foreseen, so that no client can choose keys that all hash alike.
    explicit RdbPairs(std::string_view secret);

    std::uint32_t hash_of(std::string_view key) const;
    /// Memory is what joining waits for: a caller with several keys tells all their hashes to the one, then to the
    /// other, before it adds them.
    void fetch_slot(std::uint32_t hash) const { __builtin_prefetch(&slots_[hash >> shift_]); }
    void fetch_node(std::uint32_t hash) const;

    /// Keys up to 65,535 bytes, values up to 65,537. With `second`, `other` is set to the part that came before. A
    /// first key that comes second is not kept: it is not asked for again.
    Added add(std::string_view key, std::uint32_t hash, Which which, const Part& part, Part& other);
    std::optional<Part> find(std::string_view key, Which which) const;
    /// The windows one after the other as they came, those excepted whose both parts came; null at the end. Begins
    /// anew after clear().
    std::optional<Window> next_incomplete();

    std::size_t windows() const { return used_; }
    /// What all of it takes.
    std::size_t memory() const;
    void clear();

private:
    /// Refers to a node: its block, and its place there in units of four bytes; 0 is none.
    using Ref = std::uint32_t;
    struct Node;
    struct Slot {
        std::uint32_t hash = 0;
        Ref node = 0;
    };

    const Slot* find_slot(std::string_view key, std::uint32_t hash) const;
    Ref store(std::string_view key, Which which, const Part& part, bool begins_window);
    void grow();
    Node* at(Ref ref) const;

    std::uint64_t secret_[2];
    std::vector<Slot> slots_;
    int shift_ = 32;  // a hash's place is what is left of it
    std::size_t used_ = 0;
    std::vector<std::unique_ptr<std::byte[]>> blocks_;
    std::size_t block_used_ = 0;  // units of the last block
    std::size_t walk_block_ = 0;
    std::size_t walk_unit_ = 0;
    std::vector<std::size_t> ends_;  // units used of each block but the last
};

}  // namespace ratectl::commands
