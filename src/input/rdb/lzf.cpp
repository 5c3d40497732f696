// Unpacks LZF.
// A control byte below 32 begins a run of so many literal bytes and one more. Any other one is a back reference: its
// upper three bits are the length less two (7: the next byte is added), its lower five with the byte after them the
// distance less one.
#include "input/rdb/lzf.h"

#include <algorithm>
#include <cstring>

namespace ratectl::input {
namespace {

constexpr unsigned kFirstReference = 32;
constexpr std::size_t kLongForm = 7;

unsigned byte_at(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

/// The reference may overlap what it writes: then the bytes repeat.
void repeat(char* to, std::size_t distance, std::size_t length) {
    const char* from = to - distance;
    for (std::size_t i = 0; i < length; ++i) to[i] = from[i];
}

}  // namespace

bool lzf_unpack(std::string_view packed, std::size_t wanted, std::string& text) {
    text.resize(wanted);
    std::size_t have = 0;
    std::size_t at = 0;
    while (have < wanted) {
        if (at == packed.size()) return false;
        const unsigned control = byte_at(packed, at++);
        if (control < kFirstReference) {
            const std::size_t length = control + std::size_t{1};
            if (packed.size() - at < length) return false;
            const std::size_t taken = std::min(length, wanted - have);
            std::memcpy(text.data() + have, packed.data() + at, taken);
            at += length;
            have += taken;
            continue;
        }
        std::size_t length = control >> 5;
        const std::size_t needed = length == kLongForm ? 2 : 1;
        if (packed.size() - at < needed) return false;
        if (length == kLongForm) length += byte_at(packed, at++);
        const std::size_t distance = (std::size_t{control & 0x1f} << 8 | byte_at(packed, at++)) + 1;
        if (distance > have) return false;
        length = std::min(length + 2, wanted - have);
        repeat(text.data() + have, distance, length);
        have += length;
    }
    return true;
}

}  // namespace ratectl::input
