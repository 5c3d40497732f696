// What one key holds and what stands beside it, whatever wrote it, as far as a bounded look shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ratectl::domain {

/// Of a text no more is read, and of lists and sorted sets no more elements.
inline constexpr std::size_t kMostHeldBytes = 512;
inline constexpr std::size_t kMostHeldElements = 8;

struct HeldKey {
    enum class Type { none, string, list, set, zset, hash, other };

    std::string name;
    Type type = Type::none;
    std::string value;  // of a string, its beginning
    /// The first of a list (its text and nothing), or of a sorted set (member and score, the lowest first); any of a
    /// set (and nothing); of a hash those of held_fields() that it has (field and value).
    std::vector<std::pair<std::string, std::string>> elements;
    std::int64_t length = 0;             // of anything but a string
    std::optional<std::int64_t> ttl_ms;  // null: nothing ends it
    bool hidden = false;                 // the account may not read it

    bool is_there() const { return type != Type::none; }
};
/// As TYPE has it; what is none of ours is `other`.
HeldKey::Type held_type_from(std::string_view name);
std::string_view name_of(HeldKey::Type type);

struct Holding {
    HeldKey key;
    std::vector<HeldKey> beside;  // of keys_beside(), those that are there
    std::int64_t now_ms = 0;      // the server's clock when it was looked at
};

/// The fields by which hashes of limiters are known.
std::span<const std::string_view> held_fields();
/// The names of keys that say whose this one is.
std::vector<std::string> keys_beside(std::string_view name, HeldKey::Type type);

}  // namespace ratectl::domain
