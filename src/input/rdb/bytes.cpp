// Reads a dump file through one buffer; what is left in it moves to the front when more is needed.
#include "input/rdb/bytes.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "input/rdb/crc64.h"

namespace ratectl::input {
namespace {

constexpr std::size_t kBufferSize = 2 * RdbBytes::kLongestPiece;

}  // namespace

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
