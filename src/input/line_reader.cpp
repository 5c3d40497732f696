// Cuts a byte source into lines, in a buffer that grows only as far as one line needs.
#include "input/line_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ratectl::input {

namespace {

constexpr std::size_t kReadSize = std::size_t{64} * 1024;

}  // namespace

LineReader::LineReader(ByteSource& source, char separator, std::size_t max_length)
    : source_(source), separator_(separator), max_length_(max_length) {}

std::optional<std::string_view> LineReader::next() {
    while (true) {
        const std::size_t end = buffer_.find(separator_, searched_);
        const bool found = end != std::string::npos;
        searched_ = found ? end : buffer_.size();
        const std::size_t length = searched_ - begin_;
        if (length > max_length_) {
            throw support::Failure(support::ExitCode::local_io,
                                   fmt::format("{}: line {} is longer than {} bytes", name(), line_ + 1, max_length_));
        }
        if (found || (ended_ && length > 0)) {
            const std::string_view line(buffer_.data() + begin_, length);
            begin_ += length + (found ? 1U : 0U);
            searched_ = begin_;
            unended_ = !found;
            ++line_;
            return line;
        }
        if (ended_) return std::nullopt;
        if (broken_) std::rethrow_exception(std::exchange(broken_, nullptr));
        fill();
    }
}

void LineReader::fill() {
    buffer_.erase(0, begin_);
    searched_ -= begin_;
    begin_ = 0;
    const std::size_t held = buffer_.size();
    buffer_.resize(held + kReadSize);
    std::size_t n = 0;
    try {
        n = source_.read(std::span(buffer_).subspan(held));
    } catch (...) {
        buffer_.resize(held);
        throw;
    }
    buffer_.resize(held + n);
    ended_ = n == 0;
}

bool LineReader::ready() {
    while (true) {
        searched_ = std::min(buffer_.find(separator_, searched_), buffer_.size());
        if (ended_ || broken_ || searched_ < buffer_.size() || searched_ - begin_ > max_length_) return true;
        if (!source_.ready()) return false;
        try {
            fill();
        } catch (const support::Failure&) {
            broken_ = std::current_exception();
        }
    }
}

}  // namespace ratectl::input
