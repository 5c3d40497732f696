// One poll loop; a step that passes bytes and hold() exclude each other.
#include "support/held_link.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/loopback.h"

namespace ratectl::test {

struct HeldLink::Impl {
    /// One way of a connection.
    struct Way {
        int from;
        int to;
        std::string waiting = {};

        short reads() const { return waiting.empty() ? POLLIN : 0; }
        short writes() const { return waiting.empty() ? 0 : POLLOUT; }
        /// False when an end is gone.
        bool pass() {
            char block[65536];
            if (waiting.empty()) {
                const auto got = ::recv(from, block, sizeof block, MSG_DONTWAIT);
                if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return false;
                if (got > 0) waiting.assign(block, static_cast<std::size_t>(got));
            }
            if (waiting.empty()) return true;
            const auto sent = ::send(to, waiting.data(), waiting.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
            if (sent > 0) waiting.erase(0, static_cast<std::size_t>(sent));
            return sent >= 0 || errno == EAGAIN || errno == EINTR;
        }
    };

    struct Connection {
        OwnedFd client;
        OwnedFd server;
        Way there{client.get(), server.get()};
        Way back{server.get(), client.get()};
    };

    explicit Impl(domain::Endpoint to) : server(std::move(to)) {}
    ~Impl() {
        order(stopping, true);
        thread.join();
    }

    void order(bool& what, bool value) {
        {
            const std::lock_guard lock(mutex);
            what = value;
        }
        const std::uint64_t one = 1;
        (void)!::write(wake.get(), &one, sizeof one);
    }
    std::vector<pollfd> waits_for();
    void run();

    const domain::Endpoint server;
    const OwnedFd listener = listen_on_loopback();
    const OwnedFd wake{checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")};
    std::vector<std::unique_ptr<Connection>> connections;  // the thread's own
    std::mutex mutex;                                      // guards the rest
    bool held = false;
    bool stopping = false;
    std::thread thread{[this] { run(); }};  // last: everything above stands when it starts
};

std::vector<pollfd> HeldLink::Impl::waits_for() {
    std::vector<pollfd> fds{{wake.get(), POLLIN, 0}};
    const std::lock_guard lock(mutex);
    if (held) return fds;
    fds.push_back({listener.get(), POLLIN, 0});
    for (const auto& each : connections) {
        fds.push_back({each->client.get(), static_cast<short>(each->there.reads() | each->back.writes()), 0});
        fds.push_back({each->server.get(), static_cast<short>(each->back.reads() | each->there.writes()), 0});
    }
    return fds;
}

void HeldLink::Impl::run() {
    for (;;) {
        auto fds = waits_for();
        if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) std::terminate();
        std::uint64_t ignored = 0;
        (void)!::read(wake.get(), &ignored, sizeof ignored);
        const std::lock_guard lock(mutex);
        if (stopping) return;
        if (held || fds.size() < 2) continue;
        std::erase_if(connections, [](const auto& each) { return !each->there.pass() || !each->back.pass(); });
        if (fds[1].revents == 0) continue;
        OwnedFd client = accept_from(listener);
        OwnedFd there = connect_to(server);
        if (client.is_open() && there.is_open())
            connections.push_back(std::make_unique<Connection>(std::move(client), std::move(there)));
    }
}

HeldLink::HeldLink(const domain::Endpoint& server) : impl_(std::make_unique<Impl>(server)) {}
HeldLink::~HeldLink() = default;

domain::Endpoint HeldLink::endpoint() const { return endpoint_of(impl_->listener); }
void HeldLink::hold() { impl_->order(impl_->held, true); }
void HeldLink::release() { impl_->order(impl_->held, false); }

}  // namespace ratectl::test
