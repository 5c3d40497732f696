// A file without a name, so that nothing is left of it whatever happens: written once front to back, read anywhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "support/descriptor.h"

namespace ratectl::support {

/// Made on first use. Every failure throws Failure (local_io) that names the folder and what was to be kept.
class TemporaryFile {
public:
    struct Extent {
        std::uint64_t begin = 0;
        std::uint64_t length = 0;
    };

    /// `content`: "the rows that are being sorted"; `way_out`: the hint of a failure.
    TemporaryFile(std::string folder, std::string content, std::string way_out)
        : folder_(std::move(folder)), content_(std::move(content)), way_out_(std::move(way_out)) {}

    /// Buffered; length() counts what is buffered too.
    void append(std::string_view bytes);
    void flush();
    std::uint64_t length() const { return written_ + buffer_.size(); }
    /// Appends the bytes of an extent that has been flushed.
    void read(const Extent& extent, std::string& out) const;

    /// Goes through an extent that has been flushed, from front to back, so many bytes at a time.
    class Reader {
    public:
        /// The file outlives it.
        Reader(const TemporaryFile& file, Extent extent, std::size_t buffer)
            : file_(&file), extent_(extent), buffer_size_(buffer) {}
        /// The next bytes, fewer at the end only; they stay until the next call.
        std::string_view peek(std::size_t bytes);
        void skip(std::size_t bytes) { begin_ += bytes; }
        std::string_view take(std::size_t bytes);
        std::uint64_t left() const { return buffer_.size() - begin_ + extent_.length; }

    private:
        const TemporaryFile* file_;
        Extent extent_;  // what has not been read
        std::size_t buffer_size_;
        std::string buffer_;
        std::size_t begin_ = 0;  // of what has not been given
    };

private:
    void open();
    [[noreturn]] void cannot(const char* what, int error) const;

    std::string folder_;
    std::string content_;
    std::string way_out_;
    Descriptor file_;
    std::string buffer_;
    std::uint64_t written_ = 0;
};

}  // namespace ratectl::support
