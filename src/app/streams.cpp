// Reads and writes standard input, output and error with read, write and poll, checking how each call ended.
#include "app/streams.h"

#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "support/error.h"

namespace ratectl::app {
namespace {

using support::ExitCode;
using support::Failure;

constexpr std::size_t kBufferSize = 65536;

[[noreturn]] void throw_unread() { throw Failure(ExitCode::output_closed, "standard output has no reader any more"); }

/// Reading and writing it never waits for another program.
bool is_file(int fd) {
    struct stat facts {};
    return ::fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode);
}

/// So much a pipe takes without a wait, and whole, once it takes anything; a file takes everything.
std::size_t taken_at_once(int fd) { return is_file(fd) ? std::string_view::npos : PIPE_BUF; }

/// What of that comes next: whole lines, if it holds any, so that the end of patience cuts none in two.
std::string_view next_piece(std::string_view bytes, std::size_t most) {
    if (bytes.size() <= most) return bytes;
    bytes = bytes.substr(0, most);
    const auto* end = static_cast<const char*>(::memrchr(bytes.data(), '\n', bytes.size()));
    return end == nullptr ? bytes : bytes.substr(0, static_cast<std::size_t>(end + 1 - bytes.data()));
}

}  // namespace

void OutputStream::write(std::string_view bytes) {
    begun_ = true;
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
    for (const std::size_t most = taken_at_once(fd_); !bytes.empty();) {
        if (!patience_.await_output(fd_)) {
            failed_ = true;
            patience_.throw_over("standard output was not read");
        }
        const auto piece = next_piece(bytes, most);
        const ssize_t n = ::write(fd_, piece.data(), piece.size());
        const int error = n < 0 ? errno : 0;
        if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
        if (n >= 0 || error == EINTR || error == EAGAIN) continue;
        failed_ = true;
        if (error == EPIPE) throw_unread();
        throw Failure(ExitCode::local_io, "cannot write standard output: " + support::errno_text(error));
    }
}

void ErrorStream::write(std::string_view bytes) {
    for (const std::size_t piece = taken_at_once(fd_); !bytes.empty() && patience_.await_output(fd_);) {
        const ssize_t n = ::write(fd_, bytes.data(), std::min(bytes.size(), piece));
        if (n > 0)
            bytes.remove_prefix(static_cast<std::size_t>(n));
        else if (n == 0 || (errno != EINTR && errno != EAGAIN))
            return;
    }
}

std::size_t InputStream::read(std::span<char> buffer) {
    for (;;) {
        patience_.await_input(fd_, is_file(fd_) ? "standard input, a file, was worked on" : "reading standard input");
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
