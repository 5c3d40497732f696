// Two hash tables that take turns.
#include "store/key_ring.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace ratectl::store {
namespace {

constexpr std::size_t kFirstSize = 1024;

std::uint64_t hash_of(std::string_view key) {
    const std::uint64_t hash = std::hash<std::string_view>{}(key);
    return hash == 0 ? 1 : hash;
}

}  // namespace

KeyRing::KeyRing(std::size_t remembered) : remembered_(std::max<std::size_t>(remembered, 1)) {}

std::uint64_t KeyRing::prepare(std::string_view key) const {
    const auto hash = hash_of(key);
    newer_.fetch(hash);
    older_.fetch(hash);
    return hash;
}

bool KeyRing::insert(std::uint64_t hash) {
    if (newer_.contains(hash) || older_.contains(hash)) return false;
    if (newer_.used == remembered_) {
        std::swap(newer_, older_);
        std::fill(newer_.places.begin(), newer_.places.end(), 0);
        newer_.used = 0;
    }
    newer_.insert(hash);
    return true;
}

void KeyRing::clear() {
    newer_ = {};
    older_ = {};
}

void KeyRing::Table::fetch(std::uint64_t hash) const {
    if (!places.empty()) __builtin_prefetch(&places[hash & (places.size() - 1)], 1);
}

bool KeyRing::Table::contains(std::uint64_t hash) const {
    if (places.empty()) return false;
    const auto mask = places.size() - 1;
    for (auto i = hash & mask; places[i] != 0; i = (i + 1) & mask) {
        if (places[i] == hash) return true;
    }
    return false;
}

void KeyRing::Table::insert(std::uint64_t hash) {
    if (2 * (used + 1) > places.size()) grow();
    const auto mask = places.size() - 1;
    auto i = hash & mask;
    while (places[i] != 0) i = (i + 1) & mask;
    places[i] = hash;
    ++used;
}

void KeyRing::Table::grow() {
    const auto old = std::exchange(places, std::vector<std::uint64_t>(std::max(kFirstSize, 2 * places.size())));
    used = 0;
    for (const auto hash : old) {
        if (hash != 0) insert(hash);
    }
}

}  // namespace ratectl::store
