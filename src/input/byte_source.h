// Where bytes come from: standard input, a file, a gzip stream, or a string in tests.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "support/error.h"
#include "support/waits.h"

namespace ratectl::input {

class ByteSource {
public:
    virtual ~ByteSource() = default;
    /// Bytes read into the buffer, 0 at the end. Throws support::Failure (local_io).
    virtual std::size_t read(std::span<char> buffer) = 0;
    /// True when a read would not wait; flush the output before reading otherwise.
    virtual bool ready() { return true; }
    /// For messages: `standard input`, `access.log`.
    virtual const std::string& name() const = 0;
};

class StringSource final : public ByteSource {
public:
    explicit StringSource(std::string text, std::string name = "text")
        : text_(std::move(text)), name_(std::move(name)) {}
    std::size_t read(std::span<char> buffer) override {
        const std::size_t n = text_.copy(buffer.data(), buffer.size(), at_);
        at_ += n;
        return n;
    }
    const std::string& name() const override { return name_; }

private:
    std::string text_;
    std::string name_;
    std::size_t at_ = 0;
};

/// Opens a regular file or fifo for reading, and waits for neither's writer before the first read; gzip is recognised
/// by its first two bytes and unpacked. Nothing is read when patience is over: Failure (interrupted, terminated or
/// unavailable). Throws Failure (local_io) when it cannot be opened.
std::unique_ptr<ByteSource> open_file(const std::string& path, const support::Patience& patience = {});
/// A source and its first bytes, which it still gives: for finding out what it is.
struct Peeked {
    std::string first;
    std::unique_ptr<ByteSource> source;
};
/// Waits until `count` bytes are there; fewer only at the end.
Peeked peek(std::unique_ptr<ByteSource> source, std::size_t count);
/// Waits for the whole first line, or for `most` bytes of a longer one; `first` may hold more than the line.
Peeked peek_line(std::unique_ptr<ByteSource> source, std::size_t most);
/// Unpacks `source` if its first bytes are gzip's (several members may follow each other), else passes it through.
std::unique_ptr<ByteSource> maybe_gunzip(std::unique_ptr<ByteSource> source);
/// A source of its own for what another object owns; `source` must outlive it.
std::unique_ptr<ByteSource> borrow(ByteSource& source);

}  // namespace ratectl::input
