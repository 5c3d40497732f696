// One record for the system's log: written to its socket by ourselves, because syslog(3) tells nobody when no daemon listens.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "app/host.h"

namespace ratectl::app {
namespace {

constexpr const char* kSocket = "/dev/log";
constexpr const char* kPriority = "<85>";  // LOG_AUTHPRIV | LOG_NOTICE, as in RFC 3164

[[noreturn]] void no_log(int error) {
    throw support::Failure(support::ExitCode::local_io,
                           std::string("the system log (") + kSocket + ") takes no record: " + std::strerror(error),
                           "leave --audit out, or start a log daemon");
}

class Socket {
public:
    Socket() : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}
    ~Socket() {
        if (fd_ >= 0) ::close(fd_);
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    int fd() const { return fd_; }

private:
    int fd_;
};

}  // namespace

void Host::write_system_log(std::string_view line) {
    const Socket socket;
    if (socket.fd() < 0) no_log(errno);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, kSocket, sizeof address.sun_path - 1);
    if (::connect(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) no_log(errno);
    const std::string record = kPriority + ("ratectl[" + std::to_string(::getpid()) + "]: ") + std::string(line);
    if (::send(socket.fd(), record.data(), record.size(), MSG_NOSIGNAL) < 0) no_log(errno);
}

}  // namespace ratectl::app
