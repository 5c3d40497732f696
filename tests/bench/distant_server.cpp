// A relay that makes a server on this machine answer as from afar: every byte is held back for a while in each
// direction, and as many are on their way at once as the two ends please.
//   distant_server TARGET_PORT DELAY_US      prints the port it listens on; ends with standard input
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <deque>
#include <exception>
#include <list>
#include <optional>

#include "bench/plain_connection.h"

namespace {

using ratectl::bench::number_of;
using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

sockaddr_in local(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/// The bytes on their way from one socket to the other.
class Lane {
public:
    Lane(int from, int to, std::chrono::microseconds delay) : from_(from), to_(to), delay_(delay) {}

    int from() const { return from_; }
    int to() const { return to_; }
    bool blocked() const { return blocked_; }
    std::optional<Clock::time_point> next() const {
        return parts_.empty() || blocked_ ? std::nullopt : std::optional(parts_.front().due);
    }

    /// False once the sender has closed.
    bool read() {
        std::array<char, 1 << 16> bytes;
        const ssize_t got = ::recv(from_, bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (got > 0)
            parts_.push_back({Clock::now() + delay_, std::string(bytes.data(), static_cast<std::size_t>(got))});
        return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
    }

    /// Passes on what is due. False once the receiver has closed.
    bool write(Clock::time_point now) {
        blocked_ = false;
        while (!parts_.empty() && parts_.front().due <= now) {
            std::string& bytes = parts_.front().bytes;
            const ssize_t sent = ::send(to_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
            blocked_ = sent < 0 && errno == EAGAIN;
            if (sent < 0) return blocked_;
            bytes.erase(0, static_cast<std::size_t>(sent));
            if (bytes.empty()) parts_.pop_front();
        }
        return true;
    }

private:
    struct Part {
        Clock::time_point due;
        std::string bytes;
    };

    int from_;
    int to_;
    std::chrono::microseconds delay_;
    bool blocked_ = false;
    std::deque<Part> parts_;
};

/// A client, the server behind it, and the two lanes between them.
class Pair {
public:
    Pair(int client, std::uint16_t target, std::chrono::microseconds delay)
        : client_(client),
          server_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
          lanes_{{{client_, server_, delay}, {server_, client_, delay}}} {
        const sockaddr_in address = local(target);
        if (::connect(server_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail("connect");
        const int on = 1;
        for (const int fd : {client_, server_}) ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    ~Pair() {
        ::close(client_);
        ::close(server_);
    }
    Pair(const Pair&) = delete;
    Pair& operator=(const Pair&) = delete;

    std::array<Lane, 2>& lanes() { return lanes_; }

private:
    int client_;
    int server_;
    std::array<Lane, 2> lanes_;
};

class Relay {
public:
    Relay(std::uint16_t target, std::chrono::microseconds delay)
        : target_(target), delay_(delay), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address = local(0);
        socklen_t size = sizeof address;
        auto* plain = reinterpret_cast<sockaddr*>(&address);
        if (::bind(listener_, plain, size) != 0 || ::listen(listener_, 64) != 0) fail("listen");
        if (::getsockname(listener_, plain, &size) != 0) fail("getsockname");
        std::printf("%d\n", static_cast<int>(ntohs(address.sin_port)));
        std::fflush(stdout);
    }

    void run() {
        for (;;) {
            std::vector<pollfd> waits{{STDIN_FILENO, POLLIN, 0}, {listener_, POLLIN, 0}};
            for (Pair& pair : pairs_) {
                for (Lane& lane : pair.lanes()) {
                    waits.push_back({lane.from(), POLLIN, 0});
                    waits.push_back({lane.to(), static_cast<short>(lane.blocked() ? POLLOUT : 0), 0});
                }
            }
            wait(waits);
            if (waits[0].revents != 0) return;
            pass_on(waits);
            if ((waits[1].revents & POLLIN) != 0)
                pairs_.emplace_back(::accept(listener_, nullptr, nullptr), target_, delay_);
        }
    }

private:
    void wait(std::vector<pollfd>& waits) {
        std::optional<Clock::time_point> next;
        for (Pair& pair : pairs_) {
            for (const Lane& lane : pair.lanes()) {
                if (lane.next() && (!next || *lane.next() < *next)) next = lane.next();
            }
        }
        timespec left{};
        if (next) left.tv_nsec = std::max<std::int64_t>(0, std::chrono::nanoseconds(*next - Clock::now()).count());
        if (::ppoll(waits.data(), waits.size(), next ? &left : nullptr, nullptr) < 0 && errno != EINTR) fail("ppoll");
    }

    void pass_on(const std::vector<pollfd>& waits) {
        const Clock::time_point now = Clock::now();
        std::size_t at = 2;
        for (auto pair = pairs_.begin(); pair != pairs_.end();) {
            bool open = true;
            for (Lane& lane : pair->lanes()) {
                if (waits[at].revents != 0) open = lane.read() && open;
                open = lane.write(now) && open;
                at += 2;
            }
            pair = open ? std::next(pair) : pairs_.erase(pair);
        }
    }

    std::uint16_t target_;
    std::chrono::microseconds delay_;
    int listener_;
    std::list<Pair> pairs_;
};

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 3) throw std::invalid_argument("usage: distant_server TARGET_PORT DELAY_US");
    ::prctl(PR_SET_TIMERSLACK, 1);
    Relay(static_cast<std::uint16_t>(number_of(argv[1])), std::chrono::microseconds(number_of(argv[2]))).run();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "distant_server: %s\n", error.what());
    return 1;
}
