// Runs a command, as password_command names one, and takes the first line of what it says.
#include <algorithm>
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
constexpr std::size_t kKeptComplaint = 4u << 10;
/// How often what it says on standard error is taken: a full pipe would hold it up.
constexpr support::Milliseconds kMoment{20};
constexpr std::string_view kDoing = "a command ran";

/// Two ends of a pipe, none of which a started program gets unless it is meant to.
struct Pipe {
    support::Descriptor ours;
    support::Descriptor its;

    /// Errno, 0 when it is open.
    int open(int flags_of_ours) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
        ours = support::Descriptor(ends[0]);
        its = support::Descriptor(ends[1]);
        return flags_of_ours != 0 && ::fcntl(ends[0], F_SETFL, flags_of_ours) != 0 ? errno : 0;
    }
};

/// What a command says on standard error: of that the end.
class Complaint {
public:
    explicit Complaint(support::Descriptor from) : from_(std::move(from)) {}

    /// All that is there now, and never waits. What goes on and on has its turn again at the next call.
    void take() {
        char buffer[4096];
        for (int turn = 0; turn < 64 && from_.get() >= 0; ++turn) {
            const ssize_t n = ::read(from_.get(), buffer, sizeof buffer);
            if (n <= 0) return;
            text_.append(buffer, static_cast<std::size_t>(n));
            if (text_.size() > kKeptComplaint) text_.erase(0, text_.size() - kKeptComplaint);
        }
    }

    std::string last_line() const {
        const auto end = text_.find_last_not_of(" \t\r\n");
        if (end == std::string::npos) return {};
        const auto begin = text_.find_last_of("\r\n", end);
        return text_.substr(begin + 1, end - begin);
    }

private:
    support::Descriptor from_;
    std::string text_;
};

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
    std::optional<int> end_before(Clock::time_point until, const support::Patience& patience, Complaint& complaint) {
        while (!wait(WNOHANG)) {
            complaint.take();
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
    int run(const std::string& command, int output, int errors, pid_t& pid) {
        ::posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_adddup2(&actions_, output, 1);
        if (errors >= 0) ::posix_spawn_file_actions_adddup2(&actions_, errors, 2);
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
                                         const support::Patience& patience, Complaint& complaint) {
    std::string text;
    for (;;) {
        complaint.take();
        const bool is_there = patience.await_input(fd, kDoing, std::min(until, Clock::now() + kMoment));
        if (!is_there && Clock::now() < until) continue;
        if (!is_there) return bad(fmt::format("no answer within {}; it was ended", support::format_duration(limit)));
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

support::Result<std::string> first_line_of(Child& child, Clock::time_point until, support::Milliseconds limit,
                                           const support::Patience& patience, Complaint& complaint) {
    auto text = read_output(child.output(), until, limit, patience, complaint);
    if (!text) return text;
    const auto status = child.end_before(until, patience, complaint);
    if (!status) return bad(fmt::format("it did not end within {}; it was ended", support::format_duration(limit)));
    if (WIFSIGNALED(*status)) return bad(fmt::format("it was ended by signal {}", WTERMSIG(*status)));
    if (WEXITSTATUS(*status) != 0) return bad(fmt::format("it ended with status {}", WEXITSTATUS(*status)));
    std::string line = text->substr(0, text->find('\n'));
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) return bad("its first line is empty");
    return line;
}

}  // namespace

support::Result<std::string> first_line_of_command(const std::string& command, support::Milliseconds limit,
                                                   const support::Patience& patience, std::string* complaint) {
    const auto until = Clock::now() + limit;
    Pipe output;
    Pipe errors;
    int error = output.open(0);
    if (error == 0 && complaint != nullptr) error = errors.open(O_NONBLOCK);
    pid_t pid = 0;
    if (error == 0) error = SpawnPlan().run(command, output.its.get(), errors.its.get(), pid);
    output.its.close();
    errors.its.close();
    if (error != 0) return bad(fmt::format("cannot be run: {}", support::errno_text(error)));
    Child child(pid, std::move(output.ours));
    Complaint said(std::move(errors.ours));
    auto line = first_line_of(child, until, limit, patience, said);
    said.take();
    if (complaint != nullptr) *complaint = said.last_line();
    return line;
}

}  // namespace ratectl::config
