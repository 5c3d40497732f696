// A blocking connection to a Redis on this machine and a cheap reader of its replies, for the benchmark's own programs.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace ratectl::bench {

/// Throws std::system_error for everything that does not work, and for an error reply.
class PlainConnection {
public:
    explicit PlainConnection(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (fd_ < 0 || ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            fail("connect");
        const int on = 1;
        ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    ~PlainConnection() { ::close(fd_); }
    PlainConnection(const PlainConnection&) = delete;
    PlainConnection& operator=(const PlainConnection&) = delete;

    void send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent < 0 && errno == EINTR) continue;
            if (sent < 0) fail("send");
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
    }

    /// The number of a header line: of the kind `*`, `$` or `:`.
    std::int64_t header(char kind) {
        const std::string_view text = line();
        if (text.empty() || text.front() != kind) throw std::runtime_error("unexpected reply: " + std::string(text));
        std::int64_t number = 0;
        std::from_chars(text.data() + 1, text.data() + text.size(), number);
        return number;
    }

    /// A bulk string; valid until the next read. Empty where there is none.
    std::string_view bulk() {
        const std::int64_t size = header('$');
        return size < 0 ? std::string_view{}
                        : take(static_cast<std::size_t>(size) + 2).substr(0, static_cast<std::size_t>(size));
    }

    /// A line without its end; valid until the next read.
    std::string_view line() {
        for (std::size_t searched = 0;;) {
            const char* begin = buffer_.data() + begin_;
            const auto* end = static_cast<const char*>(std::memchr(begin + searched, '\n', end_ - begin_ - searched));
            if (end != nullptr) {
                const std::string_view whole = take(static_cast<std::size_t>(end - begin) + 1);
                return whole.substr(0, whole.size() - 2);
            }
            searched = end_ - begin_;
            fill();
        }
    }

private:
    [[noreturn]] static void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

    std::string_view take(std::size_t count) {
        while (end_ - begin_ < count) fill();
        const std::string_view taken(buffer_.data() + begin_, count);
        begin_ += count;
        return taken;
    }

    /// Waits for more bytes. What was read before moves to the front when the room ends.
    void fill() {
        if (begin_ > 0 && buffer_.size() - end_ < buffer_.size() / 2) {
            std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
            end_ -= begin_;
            begin_ = 0;
        }
        if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
        const ssize_t got = ::recv(fd_, buffer_.data() + end_, buffer_.size() - end_, 0);
        if (got < 0 && errno == EINTR) return;
        if (got < 0) fail("recv");
        if (got == 0) throw std::runtime_error("the server closed the connection");
        end_ += static_cast<std::size_t>(got);
    }

    int fd_;
    std::vector<char> buffer_ = std::vector<char>(1 << 17);
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

/// Appends `$4\r\nname\r\n`.
inline void append_argument(std::string& request, std::string_view argument) {
    request += '$';
    request += std::to_string(argument.size());
    request += "\r\n";
    request += argument;
    request += "\r\n";
}

/// A whole positive number of the command line, or std::invalid_argument.
inline std::uint64_t number_of(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size())
        throw std::invalid_argument("no number: " + std::string(text));
    return number;
}

}  // namespace ratectl::bench
