// A file without a name, so that nothing is left of it whatever happens: written once front to back, read anywhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ratectl::commands {

/// Made on first use. Every failure throws support::Failure (local_io) that names the folder and what was to be kept.
class TemporaryFile {
public:
    struct Extent {
        std::uint64_t begin = 0;
        std::uint64_t length = 0;
    };

    /// `content`: "the rows that are being sorted"; `way_out`: the hint of a failure.
    TemporaryFile(std::string folder, std::string content, std::string way_out)
        : folder_(std::move(folder)), content_(std::move(content)), way_out_(std::move(way_out)) {}
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    /// Buffered; length() counts what is buffered too.
    void append(std::string_view bytes);
    void flush();
    std::uint64_t length() const { return written_ + buffer_.size(); }
    /// Appends the bytes of an extent that has been flushed.
    void read(const Extent& extent, std::string& out) const;

private:
    void open();
    [[noreturn]] void cannot(const char* what, int error) const;

    std::string folder_;
    std::string content_;
    std::string way_out_;
    int fd_ = -1;
    std::string buffer_;
    std::uint64_t written_ = 0;
};

}  // namespace ratectl::commands
