// Remembers recent keys.
// Two hash tables: when the newer one is full, it becomes the older one, and what that knew is forgotten.
#include "store/sweep/key_ring.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace ratectl::store {
namespace {

constexpr std::size_t kFirstSize = 1024;
constexpr std::uint64_t kTaken = 1;  // set in every hash: 0 is a free place

}  // namespace

KeyRing::Generation::Generation() : places_(kFirstSize) {}

std::size_t KeyRing::Generation::place_of(std::uint64_t hash) const {
    std::size_t at = home(hash);
    while (places_[at] != 0 && places_[at] != hash) at = (at + 1) & (places_.size() - 1);
    return at;
}

void KeyRing::Generation::put(std::size_t place, std::uint64_t hash) {
    places_[place] = hash;
    if (2 * ++size_ <= places_.size()) return;
    const auto former = std::exchange(places_, std::vector<std::uint64_t>(2 * places_.size()));
    for (const auto known : former) {
        if (known != 0) places_[place_of(known)] = known;
    }
}

void KeyRing::Generation::forget() {
    std::fill(places_.begin(), places_.end(), 0);
    size_ = 0;
}

KeyRing::KeyRing(std::size_t remembered) : remembered_(std::max<std::size_t>(remembered, 1)) {}

std::uint64_t KeyRing::prepare(std::string_view key) const {
    const std::uint64_t hash = std::hash<std::string_view>{}(key) | kTaken;
    newer_.fetch(hash);
    older_.fetch(hash);
    return hash;
}

bool KeyRing::insert(std::uint64_t hash) {
    if (!older_.is_free(older_.place_of(hash))) return false;
    const std::size_t place = newer_.place_of(hash);
    if (!newer_.is_free(place)) return false;
    if (newer_.size() < remembered_) {
        newer_.put(place, hash);
        return true;
    }
    std::swap(newer_, older_);
    newer_.forget();
    return insert(hash);
}

void KeyRing::clear() { *this = KeyRing(remembered_); }

}  // namespace ratectl::store
