// The bytes of a dump file as a window that moves over them: how far it came, their checksum, and the packing of long
// strings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "input/byte_source.h"

namespace ratectl::input {

/// No packed byte gives more than this many: a back reference of three bytes stands for at most 264.
inline constexpr std::size_t kMostFromOneLzfByte = 88;

/// Unpacks the LZF format, in which dump files hold strings of more than 20 bytes where that saves space: the first
/// `wanted` bytes of what was packed, into `text` (its storage is reused). False when the packed bytes are
/// damaged or end before that. A run that would go beyond `wanted` is cut there; the packed bytes behind it are not
/// looked at.
bool lzf_unpack(std::string_view packed, std::size_t wanted, std::string& text);

/// The checksum at the end of a dump file: CRC-64 with Jones's polynomial, as Redis computes it since format 5. Goes on
/// from `crc`, which begins as 0. Reflected, polynomial 0xad93d23594c935a9; of "123456789" it is
/// 0xe9c6d914c4b8d9ca.
std::uint64_t crc64(std::uint64_t crc, std::span<const char> bytes);

/// Every reading call throws Failure (local_io) with source, byte and what stands there, when the bytes end too early.
class RdbBytes {
public:
    /// Nothing longer can be looked at in one piece.
    static constexpr std::size_t kLongestPiece = std::size_t{128} * 1024;

    explicit RdbBytes(ByteSource& source);

    /// The next `count` bytes, passed; they stay where they are until the next call.
    const char* take(std::size_t count) {
        if (static_cast<std::size_t>(end_ - at_) < count) refill(count);
        const char* taken = at_;
        at_ += count;
        return taken;
    }
    std::uint8_t take_byte() { return static_cast<std::uint8_t>(*take(1)); }
    std::uint64_t take_little_endian(std::size_t width);
    std::uint64_t take_big_endian(std::size_t width);
    void skip(std::uint64_t count);
    /// The next byte, not passed.
    std::uint8_t peek_byte() {
        if (at_ == end_) refill(1);
        return static_cast<std::uint8_t>(*at_);
    }
    bool at_end();

    std::uint64_t offset() const { return start_ + static_cast<std::uint64_t>(at_ - buffer_.data()); }
    /// Of all bytes passed so far.
    std::uint64_t checksum();

    /// What is being read, for the message when the bytes end there: `a key`, `a value of type hash`.
    void reading(std::string_view what) { what_ = what; }
    const std::string& name() const { return source_.name(); }
    /// `dump.rdb: unreadable from byte 17 on, in a key: WHY`.
    [[noreturn]] void fail(std::string_view why, std::string_view hint = {}) const;

private:
    void refill(std::size_t wanted);
    bool read_more();

    ByteSource& source_;
    std::vector<char> buffer_;
    const char* at_;
    const char* end_;
    const char* summed_;  // the checksum has everything before it
    std::uint64_t start_ = 0;
    std::uint64_t checksum_ = 0;
    bool source_ended_ = false;
    std::string_view what_ = "the header";
};

}  // namespace ratectl::input
