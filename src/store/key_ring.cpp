// One hash table that forgets its older half whenever the newer one is full.
#include "store/key_ring.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace ratectl::store {
namespace {

constexpr std::size_t kFirstSize = 1024;
constexpr std::uint64_t kGeneration = 1;  // the bit of an entry that says which one it belongs to
constexpr std::uint64_t kTaken = 2;       // set in every entry: 0 is an empty place

}  // namespace

KeyRing::KeyRing(std::size_t remembered) : remembered_(std::max<std::size_t>(remembered, 1)), places_(kFirstSize) {}

std::uint64_t KeyRing::prepare(std::string_view key) const {
    const std::uint64_t hash = (std::hash<std::string_view>{}(key) | kTaken) & ~kGeneration;
    __builtin_prefetch(&places_[home(hash)], 1);
    return hash;
}

bool KeyRing::insert(std::uint64_t hash) {
    std::size_t at = home(hash);
    for (; places_[at] != 0; at = next(at)) {
        if ((places_[at] & ~kGeneration) == hash) return false;
    }
    if (newer_ == remembered_) {
        forget_older();
        return insert(hash);
    }
    places_[at] = hash | generation_;
    ++newer_;
    if (2 * (newer_ + older_) > places_.size()) rebuild(2 * places_.size());
    return true;
}

void KeyRing::clear() { *this = KeyRing(remembered_); }

void KeyRing::forget_older() {
    for (auto& place : places_) {
        if ((place & kGeneration) != generation_) place = 0;
    }
    older_ = newer_;
    newer_ = 0;
    rebuild(places_.size());
    generation_ ^= kGeneration;
}

// Whatever was put behind an entry that is gone could not be found any more.
void KeyRing::rebuild(std::size_t size) {
    const auto former = std::exchange(places_, std::vector<std::uint64_t>(size));
    for (const auto entry : former) {
        if (entry == 0) continue;
        std::size_t at = home(entry);
        while (places_[at] != 0) at = next(at);
        places_[at] = entry;
    }
}

}  // namespace ratectl::store
