// Makes the Host of the real process: standard descriptors first, because nothing may be opened before them.
#include "app/host.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "app/signals.h"
#include "support/descriptor.h"

namespace ratectl::app {
namespace {

/// A closed stream stays unusable, opened the wrong way round, so that its use is an error and not silence.
void occupy_standard_descriptors() {
    constexpr std::array modes{O_WRONLY, O_RDONLY, O_RDWR};
    for (int fd = 0; fd < 3; ++fd) {
        if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
        if (::open("/dev/null", modes[static_cast<std::size_t>(fd)]) != fd)
            ::_exit(static_cast<int>(support::ExitCode::local_io));
    }
}

const support::StopSignal& prepare_process() {
    occupy_standard_descriptors();
    return install_signal_handlers();
}

// Not through syslog(3), which reports no error when no daemon listens.
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

Host::Host()
    : stop_(prepare_process()),
      patience_(stop_),
      out_(STDOUT_FILENO, patience_),
      err_(STDERR_FILENO, patience_),
      in_(STDIN_FILENO, patience_),
      terminal_(look_at_terminal()) {}

bool Host::page_output() {
    const auto command = pager_ ? std::nullopt : pager_of(terminal_, &Host::env);
    if (!command) return false;
    out_.flush();
    pager_ = Pager::start(*command);
    return pager_ != nullptr;
}

bool Host::end_paging() {
    const bool paged = pager_ != nullptr;
    pager_.reset();
    return paged;
}

std::optional<std::string> Host::env(const std::string& name) {
    const char* value = ::secure_getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
}

support::WallTime Host::wall_clock() {
    return std::chrono::floor<support::Milliseconds>(std::chrono::system_clock::now());
}

void Host::protect_memory() { ::prctl(PR_SET_DUMPABLE, 0); }

std::array<std::uint8_t, 10> Host::randomness() {
    std::array<std::uint8_t, 10> bytes{};
    // Cannot fail for so few bytes once the system is up.
    if (::getentropy(bytes.data(), bytes.size()) != 0) {
        throw support::Failure(support::ExitCode::local_io, "the system gives no random bytes; nothing was written");
    }
    return bytes;
}

commands::Identity Host::identity() {
    commands::Identity identity;
    const passwd* user = ::getpwuid(::getuid());
    identity.actor = user != nullptr ? user->pw_name : std::to_string(::getuid());
    if (const auto behind = env("SUDO_USER"); behind && *behind != identity.actor) {
        identity.actor += " (sudo: " + *behind + ")";
    }
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) == 0) identity.host = name.data();
    return identity;
}

}  // namespace ratectl::app
