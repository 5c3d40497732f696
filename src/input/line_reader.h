// Lines (or NUL-ended records) of a byte source, with a length limit and their numbers.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "input/byte_source.h"

namespace ratectl::input {

class LineReader {
public:
    explicit LineReader(ByteSource& source, char separator = '\n', std::size_t max_length = 65536);

    /// The next line without its separator, valid until the next call; null at the end. A missing final separator is
    /// not an error. Throws Failure (local_io) naming the line for one over the limit.
    std::optional<std::string_view> next();
    /// The number of the line last returned, from 1.
    std::uint64_t line() const { return line_; }
    /// Whether the line last returned ended with the source and not with a separator.
    bool unended() const { return unended_; }
    /// True when next() can answer without waiting for the source; takes what the source has ready to find out. A
    /// source that breaks meanwhile is next()'s to tell.
    bool ready();
    const std::string& name() const { return source_.name(); }

private:
    void fill();

    ByteSource& source_;
    char separator_;
    std::size_t max_length_;
    std::string buffer_;
    std::size_t begin_ = 0;
    std::size_t searched_ = 0;  // up to here there is no separator behind begin_
    bool ended_ = false;
    bool unended_ = false;
    std::exception_ptr broken_;  // met by ready()
    std::uint64_t line_ = 0;
};

}  // namespace ratectl::input
