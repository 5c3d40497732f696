// Reads a dump file through one buffer; what is left in it moves to the front when more is needed.
#include "input/rdb/bytes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include <fmt/format.h>

namespace ratectl::input {
namespace {

constexpr std::size_t kBufferSize = 2 * RdbBytes::kLongestPiece;

constexpr std::uint64_t kReflectedPolynomial = 0x95ac9329ac4bc9b5;
constexpr std::size_t kStep = 8;
using Tables = std::array<std::array<std::uint64_t, 256>, kStep>;

/// tables[n][b]: what byte b does to the remainder when n more bytes of its step come after it.
constexpr Tables make_tables() {
    Tables tables{};
    for (std::uint64_t byte = 0; byte < 256; ++byte) {
        std::uint64_t remainder = byte;
        for (int bit = 0; bit < 8; ++bit)
            remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? kReflectedPolynomial : 0);
        tables[0][byte] = remainder;
    }
    for (std::size_t byte = 0; byte < 256; ++byte) {
        for (std::size_t n = 1; n < kStep; ++n) {
            const std::uint64_t before = tables[n - 1][byte];
            tables[n][byte] = (before >> 8) ^ tables[0][before & 0xff];
        }
    }
    return tables;
}

constexpr Tables kTables = make_tables();

std::uint64_t little_endian(const char* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    return word;
}

constexpr unsigned kFirstReference = 32;
constexpr std::size_t kLongForm = 7;

unsigned byte_at(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

/// The reference may overlap what it writes: then the bytes repeat.
void repeat(char* to, std::size_t distance, std::size_t length) {
    const char* from = to - distance;
    for (std::size_t i = 0; i < length; ++i) to[i] = from[i];
}

}  // namespace

// A control byte below 32 begins a run of so many literal bytes and one more. Any other one is a back reference: its
// upper three bits are the length less two (7: the next byte is added), its lower five with the byte after them the
// distance less one.
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

std::uint64_t crc64(std::uint64_t crc, std::span<const char> bytes) {
    const char* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= kStep; left -= kStep, at += kStep) {
        const std::uint64_t word = crc ^ little_endian(at);
        crc = kTables[7][word & 0xff] ^ kTables[6][(word >> 8) & 0xff] ^ kTables[5][(word >> 16) & 0xff] ^
              kTables[4][(word >> 24) & 0xff] ^ kTables[3][(word >> 32) & 0xff] ^ kTables[2][(word >> 40) & 0xff] ^
              kTables[1][(word >> 48) & 0xff] ^ kTables[0][word >> 56];
    }
    for (; left > 0; --left, ++at) crc = kTables[0][(crc ^ static_cast<unsigned char>(*at)) & 0xff] ^ (crc >> 8);
    return crc;
}

RdbBytes::RdbBytes(ByteSource& source)
    : source_(source), buffer_(kBufferSize), at_(buffer_.data()), end_(at_), summed_(at_) {}

std::uint64_t RdbBytes::checksum() {
    checksum_ = crc64(checksum_, {summed_, at_});
    summed_ = at_;
    return checksum_;
}

bool RdbBytes::read_more() {
    const auto have = static_cast<std::size_t>(end_ - buffer_.data());
    const std::size_t n = source_ended_ ? 0 : source_.read(std::span(buffer_).subspan(have));
    source_ended_ = n == 0;
    end_ += n;
    return n > 0;
}

void RdbBytes::refill(std::size_t wanted) {
    checksum();
    const auto left = static_cast<std::size_t>(end_ - at_);
    start_ += static_cast<std::uint64_t>(at_ - buffer_.data());
    std::memmove(buffer_.data(), at_, left);
    at_ = summed_ = buffer_.data();
    end_ = at_ + left;
    while (static_cast<std::size_t>(end_ - at_) < wanted) {
        if (read_more()) continue;
        throw support::Failure(support::ExitCode::local_io,
                               fmt::format("{}: cut off at byte {}, in {}", source_.name(),
                                           start_ + static_cast<std::uint64_t>(end_ - at_), what_),
                               "an upload or a copy that did not finish? the rows of everything before are whole");
    }
}

std::uint64_t RdbBytes::take_little_endian(std::size_t width) {
    const char* bytes = take(width);
    std::uint64_t number = 0;
    for (std::size_t i = width; i > 0; --i) number = number << 8 | static_cast<unsigned char>(bytes[i - 1]);
    return number;
}

std::uint64_t RdbBytes::take_big_endian(std::size_t width) {
    const char* bytes = take(width);
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < width; ++i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
    return number;
}

void RdbBytes::skip(std::uint64_t count) {
    while (count > 0) {
        if (at_ == end_) refill(1);
        const auto step = std::min(count, static_cast<std::uint64_t>(end_ - at_));
        at_ += step;
        count -= step;
    }
}

bool RdbBytes::at_end() {
    if (at_ != end_) return false;
    checksum();
    start_ = offset();
    at_ = summed_ = end_ = buffer_.data();
    return !read_more();
}

void RdbBytes::fail(std::string_view why, std::string_view hint) const {
    throw support::Failure(
        support::ExitCode::local_io,
        fmt::format("{}: unreadable from byte {} on, in {}: {}", source_.name(), offset(), what_, why),
        std::string(hint));
}

}  // namespace ratectl::input
