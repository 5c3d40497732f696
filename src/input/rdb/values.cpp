// Reads or passes over the values of a dump file.
// Passing never allocates, and every step of a loop passes at least a byte: a length that lies ends at the end of the
// file.
#include "input/rdb/values.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "input/rdb/bytes.h"

namespace ratectl::input {
namespace {

enum : std::uint64_t { kInt8 = 0, kInt16 = 1, kInt32 = 2, kLzf = 3 };
constexpr std::size_t kStreamId = 16;
constexpr std::size_t kMilliseconds = 8;
constexpr std::size_t kDouble = 8;
constexpr std::size_t kFloat = 4;

struct PackedSize {
    std::uint64_t packed = 0;
    std::uint64_t whole = 0;
};

PackedSize take_packed_size(RdbBytes& bytes) {
    PackedSize size;
    size.packed = take_length(bytes);
    size.whole = take_length(bytes);
    if (size.packed == 0 || size.whole / kMostFromOneLzfByte > size.packed)
        bytes.fail(fmt::format("{} packed bytes cannot hold {}", size.packed, size.whole));
    return size;
}

RdbText take_number(RdbBytes& bytes, std::uint64_t encoding, std::string& scratch) {
    std::int64_t number = 0;
    switch (encoding) {
        case kInt8: number = (std::int64_t{bytes.take_byte()} ^ 0x80) - 0x80; break;  // its eighth bit is its sign
        case kInt16: number = static_cast<std::int16_t>(bytes.take_little_endian(2)); break;
        case kInt32: number = static_cast<std::int32_t>(bytes.take_little_endian(4)); break;
        default: bytes.fail(fmt::format("a string has the unknown encoding {}", encoding));
    }
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    scratch.assign(digits.data(), end);
    return {scratch, scratch.size()};
}

RdbText take_packed(RdbBytes& bytes, std::size_t keep, std::string& scratch) {
    const PackedSize size = take_packed_size(bytes);
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size.whole, keep));
    // Literal runs cost a byte in 32 and the last run may go on behind what is wanted.
    const auto enough = static_cast<std::uint64_t>(wanted + wanted / 32 + 64);
    const auto looked_at = static_cast<std::size_t>(std::min(size.packed, enough));
    const char* packed = bytes.take(looked_at);
    if (!lzf_unpack({packed, looked_at}, wanted, scratch)) bytes.fail("a packed string cannot be unpacked");
    bytes.skip(size.packed - looked_at);
    return {scratch, size.whole};
}

void skip_encoded(RdbBytes& bytes, std::uint64_t encoding) {
    if (encoding == kLzf) {
        bytes.skip(take_packed_size(bytes).packed);
    } else if (encoding <= kInt32) {
        bytes.skip(std::uint64_t{1} << encoding);
    } else {
        bytes.fail(fmt::format("a string has the unknown encoding {}", encoding));
    }
}

void skip_texts(RdbBytes& bytes) {
    for (std::uint64_t n = take_length(bytes); n > 0; --n) skip_text(bytes);
}

void skip_pairs(RdbBytes& bytes) {
    for (std::uint64_t n = take_length(bytes); n > 0; --n) {
        skip_text(bytes);
        skip_text(bytes);
    }
}

// The score is text: its length, or 253 to 255 for what is not a number, or infinite.
void skip_scores_as_text(RdbBytes& bytes) {
    constexpr std::uint8_t not_a_number = 253;
    for (std::uint64_t n = take_length(bytes); n > 0; --n) {
        skip_text(bytes);
        const std::uint8_t size = bytes.take_byte();
        if (size < not_a_number) bytes.skip(size);
    }
}

void skip_scores(RdbBytes& bytes) {
    for (std::uint64_t n = take_length(bytes); n > 0; --n) {
        skip_text(bytes);
        bytes.skip(kDouble);
    }
}

// Each node: what it is (one string, or many packed), and its bytes.
void skip_nodes(RdbBytes& bytes) {
    for (std::uint64_t n = take_length(bytes); n > 0; --n) {
        take_length(bytes);
        skip_text(bytes);
    }
}

void skip_lengths(RdbBytes& bytes, int count) {
    for (; count > 0; --count) take_length(bytes);
}

void skip_consumers(RdbBytes& bytes, int version) {
    for (std::uint64_t n = take_length(bytes); n > 0; --n) {
        skip_text(bytes);
        bytes.skip(version >= 3 ? 2 * kMilliseconds : kMilliseconds);  // last seen, last active
        for (std::uint64_t pending = take_length(bytes); pending > 0; --pending) bytes.skip(kStreamId);
    }
}

template <int Version>
void skip_stream(RdbBytes& bytes) {
    skip_pairs(bytes);                         // first id of a block, and the block
    skip_lengths(bytes, 3);                    // how many entries, the last id
    if (Version >= 2) skip_lengths(bytes, 5);  // the first id, the largest deleted one, how many were ever added
    for (std::uint64_t groups = take_length(bytes); groups > 0; --groups) {
        skip_text(bytes);
        skip_lengths(bytes, Version >= 2 ? 3 : 2);  // the last id given out, and how many entries that was
        for (std::uint64_t pending = take_length(bytes); pending > 0; --pending) {
            bytes.skip(kStreamId + kMilliseconds);
            take_length(bytes);
        }
        skip_consumers(bytes, Version);
    }
}

void skip_module(RdbBytes& bytes) {
    take_length(bytes);
    skip_module_values(bytes);
}

// Hashes whose fields expire. Redis: the time as a length before the field; Valkey: eight bytes behind the value.
void skip_timed_fields(RdbBytes& bytes) {
    for (std::uint64_t n = take_length(bytes); n > 0; --n) {
        take_length(bytes);
        skip_text(bytes);
        skip_text(bytes);
    }
}

void skip_first_expiry_and_timed_fields(RdbBytes& bytes) {
    bytes.skip(kMilliseconds);
    skip_timed_fields(bytes);
}

void skip_first_expiry_and_text(RdbBytes& bytes) {
    bytes.skip(kMilliseconds);
    skip_text(bytes);
}

void skip_fields_with_time_behind(RdbBytes& bytes) {
    for (std::uint64_t n = take_length(bytes); n > 0; --n) {
        skip_text(bytes);
        skip_text(bytes);
        bytes.skip(kMilliseconds);
    }
}

constexpr std::string_view kOldModule =
    "a module's value from a release candidate of Redis 4, whose length only the module knows";

constexpr std::array<RdbType, 26> kTypes{{
    {"a string", skip_text, {}},                         // 0
    {"a list", skip_texts, {}},                          // 1
    {"a set", skip_texts, {}},                           // 2
    {"a zset", skip_scores_as_text, {}},                 // 3
    {"a hash", skip_pairs, {}},                          // 4
    {"a zset", skip_scores, {}},                         // 5
    {"a module", nullptr, kOldModule},                   // 6
    {"a module", skip_module, {}},                       // 7
    {{}, nullptr, {}},                                   // 8: never given out
    {"a hash", skip_text, {}},                           // 9: zipmap
    {"a list", skip_text, {}},                           // 10: ziplist
    {"a set", skip_text, {}},                            // 11: intset
    {"a zset", skip_text, {}},                           // 12: ziplist
    {"a hash", skip_text, {}},                           // 13: ziplist
    {"a list", skip_texts, {}},                          // 14: quicklist of ziplists
    {"a stream", skip_stream<1>, {}},                    // 15
    {"a hash", skip_text, {}},                           // 16: listpack
    {"a zset", skip_text, {}},                           // 17: listpack
    {"a list", skip_nodes, {}},                          // 18: quicklist of listpacks
    {"a stream", skip_stream<2>, {}},                    // 19
    {"a set", skip_text, {}},                            // 20: listpack
    {"a stream", skip_stream<3>, {}},                    // 21
    {"a hash", skip_timed_fields, {}},                   // 22: release candidates of Redis 7.4
    {"a hash", skip_text, {}},                           // 23: likewise, listpack
    {"a hash", skip_first_expiry_and_timed_fields, {}},  // 24
    {"a hash", skip_first_expiry_and_text, {}},          // 25: listpack
}};

constexpr RdbType kValkeyHash{"a hash", skip_fields_with_time_behind, {}};
constexpr std::uint8_t kFirstForeign = 22;

}  // namespace

RdbLength take_length_or_encoding(RdbBytes& bytes) {
    const std::uint8_t first = bytes.take_byte();
    constexpr std::uint8_t low = 0x3f;
    switch (first >> 6) {
        case 0: return {first, false};
        case 1: return {static_cast<std::uint64_t>(first & low) << 8 | bytes.take_byte(), false};
        case 3: return {static_cast<std::uint64_t>(first & low), true};
        default:
            if (first == 0x80) return {bytes.take_big_endian(4), false};
            if (first == 0x81) return {bytes.take_big_endian(8), false};
            bytes.fail(fmt::format("no length begins with {:#04x}", first));
    }
}

std::uint64_t take_length(RdbBytes& bytes) {
    const RdbLength length = take_length_or_encoding(bytes);
    if (length.encoded) bytes.fail("a string stands where a number belongs");
    return length.value;
}

RdbText take_text(RdbBytes& bytes, std::size_t keep, std::string& scratch) {
    const RdbLength length = take_length_or_encoding(bytes);
    if (length.encoded) {
        return length.value == kLzf ? take_packed(bytes, keep, scratch) : take_number(bytes, length.value, scratch);
    }
    if (length.value <= keep) {
        const auto size = static_cast<std::size_t>(length.value);
        return {{bytes.take(size), size}, length.value};
    }
    scratch.assign(bytes.take(keep), keep);
    bytes.skip(length.value - keep);
    return {scratch, length.value};
}

void skip_text(RdbBytes& bytes) {
    const RdbLength length = take_length_or_encoding(bytes);
    if (length.encoded) {
        skip_encoded(bytes, length.value);
    } else {
        bytes.skip(length.value);
    }
}

const RdbType* rdb_type(std::uint8_t code, bool valkey_format) {
    if (valkey_format && code >= kFirstForeign) return code == kFirstForeign ? &kValkeyHash : nullptr;
    if (code >= kTypes.size() || kTypes[code].what.empty()) return nullptr;
    return &kTypes[code];
}

std::string module_name(std::uint64_t id) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    constexpr int version_bits = 10;
    std::string name(9, '\0');
    id >>= version_bits;
    for (std::size_t i = name.size(); i > 0; --i, id >>= 6) name[i - 1] = letters[id & 0x3f];
    return name;
}

void skip_module_values(RdbBytes& bytes) {
    while (true) {
        switch (const std::uint64_t code = take_length(bytes)) {
            case 0: return;
            case 1:  // signed
            case 2:  // unsigned
                take_length(bytes);
                break;
            case 3: bytes.skip(kFloat); break;
            case 4: bytes.skip(kDouble); break;
            case 5: skip_text(bytes); break;
            default: bytes.fail(fmt::format("a module's value has the unknown part {}", code));
        }
    }
}

}  // namespace ratectl::input
