// Every descriptor here is closed on exec and does not block.
#include "support/loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace ratectl::test {
namespace {

void without_delay(int fd) {
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

sockaddr_in ipv4(const std::string& host, std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) throw std::invalid_argument("no IPv4: " + host);
    return address;
}

}  // namespace

int checked(int result, const char* what) {
    const int error = errno;
    if (result < 0) throw std::system_error(error, std::system_category(), what);
    return result;
}

OwnedFd listen_on_loopback() {
    OwnedFd fd(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "socket"));
    const sockaddr_in address = ipv4("127.0.0.1", 0);
    checked(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), "bind");
    checked(::listen(fd.get(), 512), "listen");
    return fd;
}

domain::Endpoint endpoint_of(const OwnedFd& listener) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    checked(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
    domain::Endpoint endpoint;
    endpoint.host = "127.0.0.1";
    endpoint.port = ntohs(address.sin_port);
    return endpoint;
}

OwnedFd accept_from(const OwnedFd& listener) {
    OwnedFd client(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (client.is_open()) without_delay(client.get());
    return client;
}

OwnedFd connect_to(const domain::Endpoint& server) {
    const bool local = server.kind == domain::Endpoint::Kind::unix_socket;
    OwnedFd fd(::socket(local ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd.is_open()) return fd;
    int result = 0;
    if (local) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        server.path.copy(address.sun_path, sizeof address.sun_path - 1);
        result = ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    } else {
        const sockaddr_in address = ipv4(server.host, server.port);
        result = ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
        without_delay(fd.get());
    }
    if (result < 0 && errno != EINPROGRESS) fd.close();
    return fd;
}

}  // namespace ratectl::test
