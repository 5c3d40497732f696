// Starts programs with vfork and exec, reports when exec fails, and ends only the processes that it started.
#include "sandbox/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

#include "support/descriptor.h"

namespace ratectl::sandbox {

namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    result.reserve(texts.size() + 1);
    for (auto& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

std::vector<std::string> environment_for(const Spawn& spawn) {
    std::vector<std::string> lines = spawn.environment;
    for (char** entry = environ; spawn.inherit_environment && *entry != nullptr; ++entry) {
        const std::string line = *entry;
        const std::string name = line.substr(0, line.find('=') + 1);
        const bool replaced = std::any_of(spawn.environment.begin(), spawn.environment.end(),
                                          [&name](const std::string& ours) { return ours.starts_with(name); });
        if (!replaced) lines.push_back(line);
    }
    return lines;
}

void put_descriptor(int from, int to, int flags) {
    const int source = from >= 0 ? from : ::open("/dev/null", flags);
    if (source == to) {
        ::fcntl(to, F_SETFD, 0);
    } else {
        ::dup2(source, to);
    }
}

void default_signals() {
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGXFSZ}) ::signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Between vfork and exec only async-signal-safe calls are allowed; everything was allocated before.
[[noreturn]] void become(const Spawn& spawn, char* const* argv, char* const* envp, int report, pid_t parent) {
    if (spawn.die_with_parent) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(127);
    }
    default_signals();
    if (spawn.own_session) ::setsid();
    if (spawn.terminal >= 0) ::ioctl(spawn.terminal, TIOCSCTTY, 0);
    put_descriptor(spawn.in, 0, O_RDONLY);
    put_descriptor(spawn.out, 1, O_WRONLY);
    put_descriptor(spawn.err, 2, O_WRONLY);
    if (spawn.folder.empty() || ::chdir(spawn.folder.c_str()) == 0) ::execve(spawn.program.c_str(), argv, envp);
    const int error = errno;
    const auto written = ::write(report, &error, sizeof error);
    ::_exit(written > 0 ? 127 : 126);
}

support::Error cannot_start(const Spawn& spawn, int error) {
    return {support::ExitCode::local_io, "cannot start " + spawn.program + ": " + std::strerror(error), {}};
}

/// Where the reporting pipe must not be: below 3 it would be overwritten by the child's own streams.
support::Descriptor above_streams(int descriptor) {
    const support::Descriptor given(descriptor);
    return support::Descriptor(::fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
}

ExitStatus status_of(int raw, const rusage& usage) {
    ExitStatus status;
    status.peak_rss_kib = usage.ru_maxrss;
    if (WIFSIGNALED(raw)) {
        status.signal = WTERMSIG(raw);
    } else {
        status.code = WEXITSTATUS(raw);
    }
    return status;
}

support::Descriptor open_pidfd(pid_t pid) {
    return support::Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

/// A signal to that very process: through its pidfd where the kernel has them, so that not even a race can hit another.
void send(const support::Descriptor& pidfd, const ProcessMark& mark, int number) {
    if (pidfd.is_open()) {
        ::syscall(SYS_pidfd_send_signal, pidfd.get(), number, nullptr, 0);
    } else if (is_running(mark)) {
        ::kill(mark.pid, number);
    }
}

bool gone_within(const ProcessMark& mark, support::Milliseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (is_running(mark)) {
        if (std::chrono::steady_clock::now() >= deadline) return false;
        std::this_thread::sleep_for(support::Milliseconds(5));
    }
    return true;
}

}  // namespace

std::optional<ProcessMark> mark_of(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    if (!std::getline(file, line)) return std::nullopt;
    // The second field is the program's name in brackets, which may itself hold blanks and brackets.
    const auto close = line.rfind(')');
    if (close == std::string::npos || close + 2 >= line.size() || line[close + 2] == 'Z') return std::nullopt;
    std::size_t at = close + 1;
    for (int field = 3; field < 22 && at != std::string::npos; ++field) at = line.find(' ', at + 1);
    if (at == std::string::npos) return std::nullopt;
    return ProcessMark{pid, std::strtoull(line.c_str() + at + 1, nullptr, 10)};
}

bool is_running(const ProcessMark& mark) { return mark.pid > 0 && mark_of(mark.pid) == mark; }

bool works_in(const ProcessMark& mark, const std::string& folder, const std::string& text_of_command) {
    const std::string about = "/proc/" + std::to_string(mark.pid);
    std::ifstream file(about + "/cmdline", std::ios::binary);
    const std::string command{std::istreambuf_iterator<char>(file), {}};
    std::error_code unreadable;
    return command.find(text_of_command) != std::string::npos &&
           std::filesystem::equivalent(about + "/cwd", folder, unreadable) && is_running(mark);
}

bool end_process(const ProcessMark& mark, support::Milliseconds grace) {
    const auto pidfd = open_pidfd(mark.pid);
    // The mark is compared after the pidfd was opened: from here on the pidfd is that process or nothing.
    bool ended = false;
    if (is_running(mark)) {
        send(pidfd, mark, SIGTERM);
        // A stopped process would sleep through its SIGTERM.
        send(pidfd, mark, SIGCONT);
        ended = gone_within(mark, grace);
        if (!ended) {
            send(pidfd, mark, SIGKILL);
            ended = gone_within(mark, support::Milliseconds(2000));
        }
    }
    return ended;
}

support::Result<ChildProcess> ChildProcess::start(const Spawn& spawn) {
    std::vector<std::string> arguments{spawn.program};
    arguments.insert(arguments.end(), spawn.arguments.begin(), spawn.arguments.end());
    std::vector<std::string> environment = environment_for(spawn);
    const auto argv = pointers(arguments);
    const auto envp = pointers(environment);

    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return tl::make_unexpected(cannot_start(spawn, errno));
    const auto report = above_streams(ends[0]);
    auto reporting = above_streams(ends[1]);
    const pid_t parent = ::getpid();
    // The child works in our memory until it is the program: to copy a large process's page tables for that takes
    // longer than all else. Until then no handler of ours may run in it.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    // NOLINTBEGIN(clang-analyzer-security.insecureAPI.vfork, clang-analyzer-unix.Vfork): it calls what a child may
    const pid_t pid = ::vfork();
    if (pid == 0) become(spawn, argv.data(), envp.data(), reporting.get(), parent);
    // NOLINTEND(clang-analyzer-security.insecureAPI.vfork, clang-analyzer-unix.Vfork)
    const int fork_error = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    reporting.close();
    int error = pid < 0 ? fork_error : 0;
    if (pid > 0) {
        ssize_t got = 0;
        do {
            got = ::read(report.get(), &error, sizeof error);
        } while (got < 0 && errno == EINTR);
        if (got <= 0) error = 0;
    }
    ChildProcess child;
    child.pid_ = pid > 0 ? pid : 0;
    if (error != 0) return tl::make_unexpected(cannot_start(spawn, error));
    return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
    if (this != &other) {
        kill();
        pid_ = std::exchange(other.pid_, 0);
    }
    return *this;
}

ChildProcess::~ChildProcess() { kill(); }

void ChildProcess::signal(int number) const {
    if (pid_ > 0) ::kill(pid_, number);
}

std::optional<ExitStatus> ChildProcess::try_wait() {
    int raw = 0;
    rusage usage{};
    if (pid_ <= 0 || ::wait4(pid_, &raw, WNOHANG, &usage) != pid_) return std::nullopt;
    pid_ = 0;
    return status_of(raw, usage);
}

ExitStatus ChildProcess::wait() {
    int raw = 0;
    rusage usage{};
    pid_t got = 0;
    do {
        got = ::wait4(pid_, &raw, 0, &usage);
    } while (got < 0 && errno == EINTR);
    pid_ = 0;
    return status_of(raw, usage);
}

std::optional<ExitStatus> ChildProcess::wait_for(support::Milliseconds patience) {
    const auto pidfd = open_pidfd(pid_);
    if (pidfd.is_open()) {
        pollfd entry{pidfd.get(), POLLIN, 0};
        ::poll(&entry, 1, static_cast<int>(patience.count()));
    } else {
        std::this_thread::sleep_for(std::min(patience, support::Milliseconds(10)));
    }
    return try_wait();
}

void ChildProcess::kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    wait();
}

ProcessMark ChildProcess::release() {
    const auto mark = mark_of(pid_).value_or(ProcessMark{pid_, 0});
    pid_ = 0;
    return mark;
}

std::string own_program_folder() {
    char path[4096];
    const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
    if (length <= 0) return {};
    const std::string file(path, static_cast<std::size_t>(length));
    return file.substr(0, file.rfind('/'));
}

bool in_foreground() {
    const support::Descriptor terminal(::open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY));
    return terminal.is_open() && ::tcgetpgrp(terminal.get()) == ::getpgrp();
}

std::optional<std::string> find_program(const std::string& name, const std::string& search_path) {
    if (name.find('/') != std::string::npos) {
        return ::access(name.c_str(), X_OK) == 0 ? std::optional(name) : std::nullopt;
    }
    std::size_t begin = 0;
    while (begin <= search_path.size()) {
        const auto end = std::min(search_path.find(':', begin), search_path.size());
        std::string path = search_path.substr(begin, end - begin);
        // An empty entry means the working folder to a shell; a program is not taken from there by accident.
        if (!path.empty()) {
            path.append("/").append(name);
            if (::access(path.c_str(), X_OK) == 0) return path;
        }
        begin = end + 1;
    }
    return std::nullopt;
}

}  // namespace ratectl::sandbox
