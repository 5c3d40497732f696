// Standard input, output and error as byte sources and sinks over their file descriptors.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "input/byte_source.h"
#include "output/byte_sink.h"
#include "support/stop_signal.h"

namespace ratectl::app {

/// Buffers 64 KiB. A closed reader is Failure(output_closed), anything else Failure(local_io), a signal during a write that
/// waits is Failure(interrupted or terminated); after a failure what is buffered is dropped and nothing more is written.
class OutputStream final : public output::ByteSink {
public:
    OutputStream(int fd, const support::StopSignal& stop) : fd_(fd), stop_(stop) {}
    void write(std::string_view bytes) override;
    void flush() override;
    void check_reader() override;
    /// flush(), and whatever the file system still has to say about it.
    void close();

private:
    void hand_on(std::string_view bytes);

    int fd_;
    const support::StopSignal& stop_;
    std::string buffer_;
    std::string full_;  // on its way
    bool failed_ = false;
};

/// Writes at once and never fails: there is nobody left to tell.
class ErrorStream final : public output::ByteSink {
public:
    explicit ErrorStream(int fd) : fd_(fd) {}
    void write(std::string_view bytes) override;
    void flush() override {}

private:
    int fd_;
};

using WaitUntil = std::optional<std::chrono::steady_clock::time_point>;

/// A signal while it waits is Failure(interrupted or terminated).
class InputStream final : public input::ByteSource {
public:
    InputStream(int fd, const support::StopSignal& stop) : fd_(fd), stop_(stop) {}
    std::size_t read(std::span<char> buffer) override;
    bool ready() override;
    const std::string& name() const override { return name_; }
    /// Waiting longer than that is Failure(unavailable).
    void wait_until(WaitUntil deadline) { deadline_ = deadline; }

private:
    int fd_;
    const support::StopSignal& stop_;
    WaitUntil deadline_;
    std::string name_ = "standard input";
};

/// The Failure that a signal stands for.
[[noreturn]] void throw_stopped(const support::StopSignal& stop);
/// Waits until `fd` can be read; a signal ends the wait as Failure. False: the deadline has passed.
bool wait_readable(int fd, const support::StopSignal& stop, WaitUntil deadline = {});

}  // namespace ratectl::app
