// Sends one record to the system log's socket; not through syslog(3), which reports no error when no daemon listens.
#include "app/system_log.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/host.h"
#include "support/descriptor.h"

namespace ratectl::app {
namespace {

constexpr const char* kSystemSocket = "/dev/log";
constexpr const char* kPriority = "<85>";  // LOG_AUTHPRIV | LOG_NOTICE, as in RFC 3164
constexpr timeval kPatience{2, 0};         // a daemon that hangs must not hold up a command forever

[[noreturn]] void no_log(const std::string& socket_path, int error) {
    const std::string why = error == EAGAIN ? "its daemon does not read" : std::strerror(error);
    throw support::Failure(support::ExitCode::local_io, "the system log (" + socket_path + ") takes no record: " + why,
                           "leave --audit out, or see to the log daemon");
}

}  // namespace

void write_to_log(const std::string& socket_path, std::string_view line) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket_path.size() >= sizeof address.sun_path) no_log(socket_path, ENAMETOOLONG);
    std::memcpy(address.sun_path, socket_path.c_str(), socket_path.size() + 1);
    const support::Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket.is_open()) no_log(socket_path, errno);
    ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        no_log(socket_path, errno);
    const std::string record = kPriority + ("ratectl[" + std::to_string(::getpid()) + "]: ") + std::string(line);
    for (;;) {
        if (::send(socket.get(), record.data(), record.size(), MSG_NOSIGNAL) >= 0) return;
        if (errno != EINTR) no_log(socket_path, errno);
    }
}

void Host::write_system_log(std::string_view line) { write_to_log(kSystemSocket, line); }

}  // namespace ratectl::app
