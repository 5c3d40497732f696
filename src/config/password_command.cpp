// Runs a password_command and takes the first line of what it says.
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "config/password_source.h"
#include "support/descriptor.h"
#include "support/time_text.h"

namespace ratectl::config {
namespace {

using support::ExitCode;
using support::failure;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestOutput = 64u << 10;
constexpr std::string_view kDoing = "a command ran";

/// The running shell and the read end of its standard output; whatever is left of it dies with this object.
class Child {
public:
    Child(pid_t pid, support::Descriptor output) : pid_(pid), output_(std::move(output)) {}
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        output_.close();
        if (!reaped_) {
            ::kill(-pid_, SIGKILL);
            wait(0);
        }
    }

    int output() const { return output_.get(); }
    /// The wait status once the shell has ended. Waits for it up to `until`; throws Failure when patience is over.
    std::optional<int> end_before(Clock::time_point until, const support::Patience& patience) {
        while (!wait(WNOHANG)) {
            patience.require(kDoing);
            if (Clock::now() >= until) return std::nullopt;
            ::poll(nullptr, 0, 5);
        }
        return status_;
    }

private:
    bool wait(int flags) {
        for (;;) {
            const pid_t ended = ::waitpid(pid_, &status_, flags);
            const int error = errno;
            if (ended < 0 && error == EINTR) continue;
            reaped_ = ended != 0;
            return reaped_;
        }
    }

    pid_t pid_;
    support::Descriptor output_;
    int status_ = 0;
    bool reaped_ = false;
};

/// The pieces of posix_spawn that need an end.
class SpawnPlan {
public:
    SpawnPlan() {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawnattr_init(&attributes_);
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;
    ~SpawnPlan() {
        ::posix_spawn_file_actions_destroy(&actions_);
        ::posix_spawnattr_destroy(&attributes_);
    }

    /// Errno, 0 when it runs. A group of its own, so that all of a pipeline can be ended; signals as in a fresh
    /// process.
    int run(const std::string& command, int output, pid_t& pid) {
        ::posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_adddup2(&actions_, output, 1);
        sigset_t all;
        sigset_t none;
        sigfillset(&all);
        sigemptyset(&none);
        ::posix_spawnattr_setsigdefault(&attributes_, &all);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setpgroup(&attributes_, 0);
        ::posix_spawnattr_setflags(&attributes_,
                                   POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
        std::string text = command;
        std::string shell = "sh";
        std::string flag = "-c";
        char* arguments[] = {shell.data(), flag.data(), text.data(), nullptr};
        std::vector<char*> variables = environment_without_passwords();
        return ::posix_spawn(&pid, "/bin/sh", &actions_, &attributes_, arguments, variables.data());
    }

private:
    static std::vector<char*> environment_without_passwords() {
        std::vector<char*> variables;
        for (char** variable = environ; variable && *variable; ++variable) {
            if (!std::string_view(*variable).starts_with("REDISCLI_AUTH=")) variables.push_back(*variable);
        }
        variables.push_back(nullptr);
        return variables;
    }

    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

tl::unexpected<support::Error> bad(std::string message, std::string hint = {}) {
    return failure(ExitCode::configuration, std::move(message), std::move(hint));
}

/// All that the command writes until it closes its output.
support::Result<std::string> read_output(int fd, Clock::time_point until, support::Milliseconds limit,
                                         const support::Patience& patience) {
    std::string text;
    for (;;) {
        if (!patience.await_input(fd, kDoing, until))
            return bad(fmt::format("no answer within {}; it was ended", support::format_duration(limit)));
        char buffer[4096];
        const ssize_t n = ::read(fd, buffer, sizeof buffer);
        const int read_error = errno;
        if (n == 0) return text;
        if (n < 0 && read_error != EINTR)
            return bad(fmt::format("its output cannot be read: {}", support::errno_text(read_error)));
        if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
        if (text.size() > kLongestOutput) return bad("it wrote more than 64 KiB");
    }
}

}  // namespace

support::Result<std::string> first_line_of_command(const std::string& command, support::Milliseconds limit,
                                                   const support::Patience& patience) {
    const auto until = Clock::now() + limit;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        const int error = errno;
        return bad(fmt::format("cannot be run: {}", support::errno_text(error)));
    }
    support::Descriptor output(ends[0]);
    support::Descriptor its_output(ends[1]);
    pid_t pid = 0;
    const int spawn_error = SpawnPlan().run(command, its_output.get(), pid);
    its_output.close();
    if (spawn_error != 0) return bad(fmt::format("cannot be run: {}", support::errno_text(spawn_error)));
    Child child(pid, std::move(output));
    auto text = read_output(child.output(), until, limit, patience);
    if (!text) return text;
    const auto status = child.end_before(until, patience);
    if (!status) return bad(fmt::format("it did not end within {}; it was ended", support::format_duration(limit)));
    if (WIFSIGNALED(*status)) return bad(fmt::format("it was ended by signal {}", WTERMSIG(*status)));
    if (WEXITSTATUS(*status) != 0) return bad(fmt::format("it ended with status {}", WEXITSTATUS(*status)));
    std::string line = text->substr(0, text->find('\n'));
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) return bad("its first line is empty");
    return line;
}

}  // namespace ratectl::config
