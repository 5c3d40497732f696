// Cuts writes into slices: each item goes into the first slice with room after the one with its key's last item.
#include "store/writes/slices.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "support/digest.h"

namespace ratectl::store {

namespace {

/// Of one kind of limiter. No call has a key twice.
void slice_alike(std::span<const std::size_t> items, const std::function<std::string_view(std::size_t item)>& key_of,
                 const domain::Limiter& limiter, std::size_t most, std::vector<std::vector<std::size_t>>& all) {
    std::vector<std::vector<std::size_t>> slices;
    std::unordered_map<std::string_view, std::size_t> next_of_key;
    std::unordered_map<std::string, std::size_t> next_of_part;  // by the key of a second part
    next_of_key.reserve(items.size());
    std::size_t first_with_room = 0;
    const bool parts_count = limiter.parts_are_windows() && limiter.parts().size() > 1;
    for (const std::size_t item : items) {
        std::size_t& next = next_of_key[key_of(item)];
        std::size_t place = std::max(next, first_with_room);
        if (parts_count) {
            if (const auto found = next_of_key.find(limiter.part_key(key_of(item), 1)); found != next_of_key.end())
                place = std::max(place, found->second);
            if (const auto found = next_of_part.find(std::string(key_of(item))); found != next_of_part.end())
                place = std::max(place, found->second);
        }
        while (place < slices.size() && slices[place].size() >= most) ++place;
        if (place >= slices.size()) slices.resize(place + 1);
        slices[place].push_back(item);
        next = place + 1;
        if (parts_count) next_of_part[limiter.part_key(key_of(item), 1)] = place + 1;
        while (first_with_room < slices.size() && slices[first_with_room].size() >= most) ++first_with_room;
    }
    std::ranges::move(slices, std::back_inserter(all));
}

}  // namespace

std::size_t windows_per_call(const Directory& directory) {
    const bool proxied =
        std::ranges::any_of(directory.places(), [](const auto& place) { return place.primary.proxied; });
    return proxied ? 1 : kWindowsPerCall;
}

// The kinds come in the order in which the list has them first.
std::vector<std::vector<std::size_t>> slice(std::span<const std::size_t> items,
                                            const std::function<std::string_view(std::size_t item)>& key_of,
                                            const domain::Limiter& limiter, std::size_t most) {
    std::vector<std::pair<const domain::Limiter*, std::vector<std::size_t>>> kinds;
    for (const std::size_t item : items) {
        const auto* own = &limiter.of(key_of(item));
        auto kind = std::ranges::find(kinds, own, [](const auto& one) { return one.first; });
        if (kind == kinds.end()) kind = kinds.insert(kinds.end(), {own, {}});
        kind->second.push_back(item);
    }
    std::vector<std::vector<std::size_t>> slices;
    for (const auto& [own, alike] : kinds) slice_alike(alike, key_of, *own, most, slices);
    return slices;
}

std::vector<Slice> cut_slices(std::size_t items, const std::function<const KeyAt&(std::size_t item)>& at,
                              const domain::Limiter& limiter, std::uint64_t first_number, std::size_t most) {
    std::map<Place, std::vector<std::size_t>> items_of;
    for (std::size_t i = 0; i < items; ++i) items_of[at(i).place].push_back(i);
    std::vector<Slice> slices;
    for (const auto& [place, of_place] : items_of) {
        for (auto& part : slice(
                 of_place, [&](std::size_t i) -> std::string_view { return at(i).key; }, limiter, most)) {
            const auto count = first_number++;
            slices.push_back({place.slot ? domain::number_in_slot(count, *place.slot) : count, {}, std::move(part)});
        }
    }
    return slices;
}

void check_slices(std::span<const Slice> slices, std::size_t items,
                  const std::function<const KeyAt&(std::size_t item)>& at, const domain::Limiter& limiter,
                  std::size_t most) {
    const auto refuse = [](std::string_view what) {
        throw support::Failure(support::ExitCode::bug, fmt::format("a write was cut wrongly: {}", what),
                               "please report this");
    };
    std::vector<bool> seen(items, false);
    std::size_t placed = 0;
    std::unordered_set<std::string_view> keys;
    for (const auto& part : slices) {
        if (part.items.size() > most && most < kWindowsPerCall)
            throw support::Failure(support::ExitCode::guard,
                                   "this operation was begun without the proxy that stands before the servers now, in "
                                   "calls of several windows each; nothing was written",
                                   "repeat it as it was begun, or give it another --op-id");
        keys.clear();
        for (const std::size_t item : part.items) {
            if (item >= items || seen[item]) refuse("an item is in two slices, or there is no such item");
            seen[item] = true;
            ++placed;
            if (at(item).place != at(part.items.front()).place) refuse("a slice goes to two places");
            if (&limiter.of(at(item).key) != &limiter.of(at(part.items.front()).key))
                refuse("a slice is of two kinds of limiters");
            if (!keys.insert(at(item).key).second) refuse("a slice has a key twice");
        }
    }
    if (placed != items) refuse("an item is in no slice");
}

void CallFingerprint::add(std::string_view part) {
    // The length goes first, so that no two lists run together into the same bytes.
    char length[20];
    parts_.append(length, std::to_chars(std::begin(length), std::end(length), part.size()).ptr);
    parts_ += ':';
    parts_ += part;
}

std::string CallFingerprint::text() const { return support::to_hex(support::md5(parts_)); }

}  // namespace ratectl::store
