// Standard input, output and error as byte sources and sinks over their file descriptors.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "input/byte_source.h"
#include "output/byte_sink.h"
#include "support/waits.h"

namespace ratectl::app {

/// Buffers 64 KiB. A closed reader is Failure(output_closed), one that does not read when patience is over is
/// Failure(interrupted, terminated or unavailable), anything else Failure(local_io); after a failure what is buffered
/// is dropped and nothing more is written. Of a pipe's reader a line of up to 4 KiB has all or nothing, as long as
/// write() is given whole lines.
class OutputStream final : public output::ByteSink {
public:
    OutputStream(int fd, const support::Patience& patience) : fd_(fd), patience_(patience) {}
    void write(std::string_view bytes) override;
    void flush() override;
    void check_reader() override;
    /// Something was written to it.
    bool is_begun() const { return begun_; }
    /// flush(), and whatever the file system still has to say about it.
    void close();

private:
    void hand_on(std::string_view bytes);

    int fd_;
    const support::Patience& patience_;
    std::string buffer_;
    std::string full_;  // on its way
    bool begun_ = false;
    bool failed_ = false;
};

/// Writes at once and never fails: an error could not be reported any more. What is not read before patience is over is
/// dropped.
class ErrorStream final : public output::ByteSink {
public:
    ErrorStream(int fd, const support::Patience& patience) : fd_(fd), patience_(patience) {}
    void write(std::string_view bytes) override;
    void flush() override {}

private:
    int fd_;
    const support::Patience& patience_;
};

/// Nothing more is read when patience is over: Failure(interrupted, terminated or unavailable).
class InputStream final : public input::ByteSource {
public:
    InputStream(int fd, const support::Patience& patience) : fd_(fd), patience_(patience) {}
    std::size_t read(std::span<char> buffer) override;
    bool ready() override;
    const std::string& name() const override { return name_; }

private:
    int fd_;
    const support::Patience& patience_;
    std::string name_ = "standard input";
};

}  // namespace ratectl::app
