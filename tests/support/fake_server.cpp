// One thread accepts, one thread plays each connection; all end with the server.
#include "support/fake_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "support/catch.h"
#include "support/loopback.h"

namespace ratectl::test {
namespace {

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

template <class Address>
void bind_to(int fd, const Address& address) {
    checked(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), "bind");
}

std::uint16_t port_of(int fd) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    checked(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
    if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6&>(address).sin6_port);
    return ntohs(reinterpret_cast<sockaddr_in&>(address).sin_port);
}

OwnedFd listener_of(const FakeServer::Options& options) {
    const int family = !options.unix_path.empty() ? AF_UNIX : options.ipv6 ? AF_INET6 : AF_INET;
    OwnedFd fd(checked(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
    if (family == AF_UNIX) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, options.unix_path.c_str(), sizeof address.sun_path - 1);
        bind_to(fd.get(), address);
    } else if (family == AF_INET6) {
        sockaddr_in6 address{};
        address.sin6_family = AF_INET6;
        address.sin6_addr = in6addr_loopback;
        bind_to(fd.get(), address);
    } else {
        bind_to(fd.get(), loopback(0));
    }
    checked(::listen(fd.get(), 64), "listen");
    return fd;
}

}  // namespace

ServerStep greets(const std::string& version) {
    const std::string info =
        "# Server\r\nredis_version:" + version + "\r\nredis_mode:standalone\r\nrun_id:" + std::string(40, 'a') + "\r\n";
    return {"ratectl\r\n", bulk(info) + "*3\r\n" + bulk("master") + ":0\r\n*0\r\n" + "*2\r\n" + bulk("1700000000") +
                               bulk("5") + "+OK\r\n"};
}

std::string bulk(const std::string& bytes) { return "$" + std::to_string(bytes.size()) + "\r\n" + bytes + "\r\n"; }

struct FakeServer::Impl {
    Impl(std::vector<ServerScript> all, Options chosen);
    ~Impl();

    void end();
    void accept_all();
    void play(OwnedFd client, const ServerScript& script);
    bool await(int fd, const std::string& expected);
    bool say(int fd, const ServerStep& step);
    /// False when the server ends.
    bool readable(int fd);
    bool pause(std::chrono::milliseconds time);
    void problem(const std::string& words);

    std::vector<ServerScript> scripts;
    Options options;
    OwnedFd listener;
    OwnedFd stop;
    mutable std::mutex mutex;  // guards the next three
    std::string received;
    std::vector<std::string> problems;
    std::size_t accepted = 0;
    std::vector<std::thread> players;
    std::thread acceptor;
};

FakeServer::Impl::Impl(std::vector<ServerScript> all, Options chosen)
    : scripts(std::move(all)),
      options(std::move(chosen)),
      listener(listener_of(options)),
      stop(checked(::eventfd(0, EFD_CLOEXEC), "eventfd")),
      acceptor([this] { accept_all(); }) {}

FakeServer::Impl::~Impl() {
    end();
    if (!options.unix_path.empty()) ::unlink(options.unix_path.c_str());
}

void FakeServer::Impl::end() {
    if (!acceptor.joinable()) return;
    const std::uint64_t one = 1;
    if (::write(stop.get(), &one, sizeof one) < 0) std::terminate();
    acceptor.join();
    for (std::thread& player : players) player.join();
}

void FakeServer::Impl::problem(const std::string& words) {
    const std::lock_guard lock(mutex);
    problems.push_back(words);
}

bool FakeServer::Impl::readable(int fd) {
    pollfd fds[] = {{fd, POLLIN, 0}, {stop.get(), POLLIN, 0}};
    while (::poll(fds, 2, -1) < 0 && errno == EINTR) {
    }
    return fds[1].revents == 0;
}

bool FakeServer::Impl::pause(std::chrono::milliseconds time) {
    pollfd fds[] = {{stop.get(), POLLIN, 0}};
    return ::poll(fds, 1, static_cast<int>(time.count())) == 0;
}

void FakeServer::Impl::accept_all() {
    while (readable(listener.get())) {
        OwnedFd client(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (client.get() < 0) continue;
        std::size_t index = 0;
        {
            const std::lock_guard lock(mutex);
            index = accepted++;
        }
        if (index >= scripts.size() && !options.repeat_last) {
            problem("a connection that no script expects");
            continue;
        }
        const ServerScript& script = scripts[std::min(index, scripts.size() - 1)];
        players.emplace_back([this, &script, fd = std::move(client)]() mutable { play(std::move(fd), script); });
    }
}

bool FakeServer::Impl::await(int fd, const std::string& expected) {
    std::string seen;
    while (seen.find(expected) == std::string::npos) {
        if (!readable(fd)) {
            problem("the test ended before this came: " + expected);
            return false;
        }
        char buffer[4096];
        const auto got = ::recv(fd, buffer, sizeof buffer, 0);
        if (got <= 0) {
            problem("the connection ended before this came: " + expected);
            return false;
        }
        seen.append(buffer, static_cast<std::size_t>(got));
        const std::lock_guard lock(mutex);
        received.append(buffer, static_cast<std::size_t>(got));
    }
    return true;
}

// The client may have left: that is its own affair.
bool FakeServer::Impl::say(int fd, const ServerStep& step) {
    std::string_view rest(step.reply);
    while (!rest.empty()) {
        const std::size_t chunk = step.drip.count() > 0 ? 1 : rest.size();
        const auto sent = ::send(fd, rest.data(), chunk, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        rest.remove_prefix(static_cast<std::size_t>(sent));
        if (step.drip.count() > 0 && !pause(step.drip)) return false;
    }
    return true;
}

void FakeServer::Impl::play(OwnedFd client, const ServerScript& script) {
    const int fd = client.get();
    for (const ServerStep& step : script) {
        if (!step.expect.empty() && !await(fd, step.expect)) return;
        if (!say(fd, step)) return;
        if (step.then == ServerStep::Then::close) return;
        if (step.then == ServerStep::Then::reset) {
            const linger now{1, 0};
            ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
            return;
        }
        if (step.then == ServerStep::Then::silence) {
            while (pause(std::chrono::hours(1))) {
            }
            return;
        }
    }
    if (!readable(fd)) return;
    char byte = 0;
    if (::recv(fd, &byte, 1, 0) > 0) problem("bytes after the script's last step");
}

FakeServer::FakeServer(std::vector<ServerScript> scripts) : FakeServer(std::move(scripts), Options()) {}

FakeServer::FakeServer(std::vector<ServerScript> scripts, Options options)
    : impl_(std::make_unique<Impl>(std::move(scripts), std::move(options))) {}

FakeServer::~FakeServer() {
    impl_->end();
    std::vector<std::string>& problems = impl_->problems;
    if (impl_->accepted < impl_->scripts.size()) problems.emplace_back("a script that no connection played");
    for (const std::string& words : problems) FAIL_CHECK("fake server: " << words);
}

domain::Endpoint FakeServer::endpoint() const {
    domain::Endpoint endpoint;
    if (!impl_->options.unix_path.empty()) {
        endpoint.kind = domain::Endpoint::Kind::unix_socket;
        endpoint.path = impl_->options.unix_path;
    } else {
        endpoint.host = impl_->options.ipv6 ? "::1" : "127.0.0.1";
        endpoint.port = port();
    }
    return endpoint;
}

domain::Node FakeServer::node() const { return {"alpha", domain::Role::primary, endpoint()}; }

std::uint16_t FakeServer::port() const { return port_of(impl_->listener.get()); }

std::string FakeServer::received() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->received;
}

std::size_t FakeServer::connections() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->accepted;
}

FullBacklog::FullBacklog() {
    sockets_.push_back(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
    bind_to(sockets_.front(), loopback(0));
    checked(::listen(sockets_.front(), 0), "listen");
    port_ = port_of(sockets_.front());
    const sockaddr_in address = loopback(port_);
    for (int i = 0; i < 4; ++i) {
        sockets_.push_back(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "socket"));
        (void)::connect(sockets_.back(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    }
}

FullBacklog::~FullBacklog() {
    for (const int fd : sockets_) ::close(fd);
}

std::uint16_t closed_port() {
    const OwnedFd fd(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
    bind_to(fd.get(), loopback(0));
    return port_of(fd.get());
}

}  // namespace ratectl::test
