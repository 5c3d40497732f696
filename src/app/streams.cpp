// read, write and poll with every ending looked at.
#include "app/streams.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <limits>

#include "support/error.h"

namespace ratectl::app {
namespace {

using support::ExitCode;
using support::Failure;

constexpr std::size_t kBufferSize = 65536;

[[noreturn]] void throw_unread() { throw Failure(ExitCode::output_closed, "standard output has no reader any more"); }

/// As poll() counts them: rounded up, -1 for ever.
int milliseconds_until(WaitUntil deadline) {
    if (!deadline) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now());
    constexpr std::chrono::milliseconds longest{std::numeric_limits<int>::max()};
    return static_cast<int>(std::clamp(left, std::chrono::milliseconds{0}, longest).count());
}

}  // namespace

void throw_stopped(const support::StopSignal& stop) {
    const bool by_keyboard = stop.signal() == SIGINT;
    throw Failure(by_keyboard ? ExitCode::interrupted : ExitCode::terminated,
                  by_keyboard ? "interrupted" : "told to stop");
}

void OutputStream::write(std::string_view bytes) {
    if (failed_) return;
    if (buffer_.size() + bytes.size() > kBufferSize) flush();
    if (bytes.size() >= kBufferSize) return hand_on(bytes);
    buffer_ += bytes;
}

void OutputStream::flush() {
    if (failed_) return;
    full_.swap(buffer_);  // both keep their memory
    buffer_.clear();
    hand_on(full_);
}

void OutputStream::check_reader() {
    if (failed_) return;
    pollfd closing{fd_, 0, 0};
    if (::poll(&closing, 1, 0) <= 0 || (closing.revents & (POLLERR | POLLHUP)) == 0) return;
    failed_ = true;
    throw_unread();
}

void OutputStream::close() {
    flush();
    if (failed_ || ::close(fd_) == 0) return;
    const int error = errno;
    failed_ = true;
    if (error != EBADF)
        throw Failure(ExitCode::local_io, "cannot write standard output: " + support::errno_text(error));
}

void OutputStream::hand_on(std::string_view bytes) {
    while (!bytes.empty()) {
        const int signals = stop_.count();
        const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
        const int error = n < 0 ? errno : 0;
        if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
        if (bytes.empty()) return;
        if (error == EAGAIN) {
            pollfd waiting{fd_, POLLOUT, 0};
            ::poll(&waiting, 1, -1);
        }
        // A signal cuts a waiting write short, or ends it with EINTR when nothing was written yet.
        if (stop_.count() != signals) {
            failed_ = true;
            throw_stopped(stop_);
        }
        if (n >= 0 || error == EINTR || error == EAGAIN) continue;
        failed_ = true;
        if (error == EPIPE) throw_unread();
        throw Failure(ExitCode::local_io, "cannot write standard output: " + support::errno_text(error));
    }
}

void ErrorStream::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
        if (n > 0)
            bytes.remove_prefix(static_cast<std::size_t>(n));
        else if (n == 0 || errno != EINTR)
            return;
    }
}

bool wait_readable(int fd, const support::StopSignal& stop, WaitUntil deadline) {
    for (;;) {
        if (stop) throw_stopped(stop);
        std::array<pollfd, 2> waiting{pollfd{fd, POLLIN, 0}, pollfd{stop.wake_fd(), POLLIN, 0}};
        const int patience = milliseconds_until(deadline);
        if (::poll(waiting.data(), waiting.size(), patience) < 0) {
            if (errno == EINTR) continue;
            return true;  // let read() say what is wrong
        }
        if (stop) continue;
        if (waiting[0].revents != 0) return true;
        if (patience == 0) return false;
    }
}

std::size_t InputStream::read(std::span<char> buffer) {
    for (;;) {
        if (!wait_readable(fd_, stop_, deadline_)) {
            throw Failure(ExitCode::unavailable, "the deadline passed while standard input was waited for",
                          "--deadline is for the whole command");
        }
        const ssize_t n = ::read(fd_, buffer.data(), buffer.size());
        const int error = errno;
        if (n >= 0) return static_cast<std::size_t>(n);
        if (error == EINTR || error == EAGAIN) continue;
        throw Failure(ExitCode::local_io, "cannot read standard input: " + support::errno_text(error));
    }
}

bool InputStream::ready() {
    pollfd waiting{fd_, POLLIN, 0};
    return ::poll(&waiting, 1, 0) > 0;
}

}  // namespace ratectl::app
