// Puts each item into the first slice with room that comes after its key's last one.
#include "store/slices.h"

#include <algorithm>
#include <unordered_map>

namespace ratectl::store {

std::vector<std::vector<std::size_t>> slice(std::span<const std::size_t> items,
                                            const std::function<std::string_view(std::size_t item)>& key_of,
                                            std::size_t most) {
    std::vector<std::vector<std::size_t>> slices;
    std::unordered_map<std::string_view, std::size_t> next_of_key;
    std::size_t first_with_room = 0;
    for (const std::size_t item : items) {
        std::size_t& next = next_of_key[key_of(item)];
        std::size_t place = std::max(next, first_with_room);
        while (place < slices.size() && slices[place].size() >= most) ++place;
        if (place >= slices.size()) slices.resize(place + 1);
        slices[place].push_back(item);
        next = place + 1;
        while (first_with_room < slices.size() && slices[first_with_room].size() >= most) ++first_with_room;
    }
    return slices;
}

}  // namespace ratectl::store
