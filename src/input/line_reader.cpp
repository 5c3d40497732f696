// Lines out of a buffer that grows only as far as one line needs.
#include "input/line_reader.h"

#include <fmt/format.h>

namespace ratectl::input {

namespace {

constexpr std::size_t kReadSize = std::size_t{64} * 1024;

}  // namespace

LineReader::LineReader(ByteSource& source, char separator, std::size_t max_length)
    : source_(source), separator_(separator), max_length_(max_length) {}

std::optional<std::string_view> LineReader::next() {
    std::size_t searched = begin_;
    while (true) {
        const std::size_t end = buffer_.find(separator_, searched);
        const bool found = end != std::string::npos;
        const std::size_t length = (found ? end : buffer_.size()) - begin_;
        if (length > max_length_) {
            throw support::Failure(support::ExitCode::local_io,
                                   fmt::format("{}: line {} is longer than {} bytes", name(), line_ + 1, max_length_));
        }
        if (found || (ended_ && length > 0)) {
            const std::string_view line(buffer_.data() + begin_, length);
            begin_ += length + (found ? 1U : 0U);
            ++line_;
            return line;
        }
        if (ended_) return std::nullopt;
        buffer_.erase(0, begin_);
        begin_ = 0;
        searched = buffer_.size();
        buffer_.resize(searched + kReadSize);
        const std::size_t n = source_.read(std::span(buffer_).subspan(searched));
        buffer_.resize(searched + n);
        ended_ = n == 0;
    }
}

bool LineReader::ready() const {
    return ended_ || buffer_.find(separator_, begin_) != std::string::npos || source_.ready();
}

}  // namespace ratectl::input
