// One poll loop feeds and drains the child's pipes or pseudo-terminal until it has ended.
#include "support/run_ratectl.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "sandbox/folder.h"
#include "sandbox/process.h"
#include "support/descriptor.h"

namespace ratectl::test {

namespace {

using Clock = std::chrono::steady_clock;
using support::Descriptor;

void make_nonblocking(const Descriptor& descriptor) {
    ::fcntl(descriptor.get(), F_SETFL, ::fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK);
}

std::pair<Descriptor, Descriptor> make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::pair<Descriptor, Descriptor> make_terminal(const RunOptions& options) {
    int ours = -1;
    int theirs = -1;
    winsize size{};
    size.ws_col = static_cast<unsigned short>(options.columns);
    size.ws_row = static_cast<unsigned short>(options.rows);
    if (::openpty(&ours, &theirs, nullptr, nullptr, &size) != 0) {
        throw std::runtime_error(std::string("openpty: ") + std::strerror(errno));
    }
    ::fcntl(ours, F_SETFD, FD_CLOEXEC);
    ::fcntl(theirs, F_SETFD, FD_CLOEXEC);
    return {Descriptor(ours), Descriptor(theirs)};
}

/// Our ends of the child's streams.
struct Streams {
    Descriptor in{};
    Descriptor out{};
    Descriptor err{};
    Descriptor terminal{};
    Descriptor held{};
};

/// Reads what is there; closes at the end (a terminal's end is EIO).
void drain(Descriptor& from, std::string& into) {
    char block[65536];
    const ssize_t got = ::read(from.get(), block, sizeof block);
    if (got > 0) {
        into.append(block, static_cast<std::size_t>(got));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        from.close();
    }
}

void feed(Descriptor& to, std::string& text, bool close_when_done) {
    if (!text.empty()) {
        const ssize_t put = ::write(to.get(), text.data(), text.size());
        if (put > 0) text.erase(0, static_cast<std::size_t>(put));
        if (put < 0 && errno != EAGAIN && errno != EINTR) return to.close();
    }
    if (text.empty() && close_when_done) to.close();
}

/// Whether the process does not leave it to the system what this signal does.
bool catches(int pid, int number) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(status, line);) {
        if (line.rfind("SigCgt:", 0) == 0) return (std::stoull(line.substr(7), nullptr, 16) >> (number - 1) & 1) != 0;
    }
    return false;
}

class Conversation {
public:
    Conversation(const RunOptions& options, sandbox::ChildProcess child, Streams streams)
        : options_(options),
          child_(std::move(child)),
          end_(static_cast<int>(::syscall(SYS_pidfd_open, child_.pid(), 0))),
          streams_(std::move(streams)),
          input_(options.input),
          typed_(options.typed),
          before_typing_(options.before_typing) {
        if (options.terminal) typed_ = std::exchange(input_, {}) + typed_;
    }

    RunResult run() {
        const auto begin = Clock::now();
        std::optional<sandbox::ExitStatus> status;
        while (!status) {
            exchange();
            status = child_.try_wait();
            const auto passed = Clock::now() - begin;
            if (!status && options_.signal_number != 0 && !signalled_) signal_in_time(begin);
            if (!status && passed >= options_.timeout && !result_.timed_out) {
                child_.signal(SIGKILL);
                result_.timed_out = true;
            }
        }
        result_.wall_time = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
        end_.close();
        streams_.held.close();
        // What it wrote last is still in the pipes; a grandchild may hold them open, so this does not wait for its end.
        for (int empty_rounds = 0; empty_rounds < 3 && some_open();) empty_rounds = exchange() ? 0 : empty_rounds + 1;
        result_.code = status->signal != 0 ? -1 : status->code;
        result_.signal = status->signal;
        result_.peak_rss_kib = status->peak_rss_kib;
        return std::move(result_);
    }

private:
    void signal_in_time(Clock::time_point begin) {
        const bool waits = options_.signal_once_caught && options_.signal_number != SIGKILL;
        if (!caught_ && (!waits || catches(child_.pid(), options_.signal_number)))
            caught_ = waits ? Clock::now() : begin;
        if (!caught_ || Clock::now() - *caught_ < options_.signal_after) return;
        child_.signal(options_.signal_number);
        signalled_ = true;
    }

    bool some_open() const { return streams_.out.is_open() || streams_.err.is_open() || streams_.terminal.is_open(); }

    /// One round of at most 5 ms, which ends with the program; false when nothing was read.
    bool exchange() {
        const auto before = result_.out.size() + result_.err.size() + result_.terminal.size();
        const bool types = !typed_.empty() && (options_.terminal || !result_.terminal.empty());
        pollfd entries[5] = {
            {streams_.out.get(), POLLIN, 0},
            {streams_.err.get(), POLLIN, 0},
            {streams_.terminal.get(), static_cast<short>(POLLIN | (types ? POLLOUT : 0)), 0},
            {streams_.in.get(), static_cast<short>(input_.empty() && !options_.close_input ? 0 : POLLOUT), 0},
            {end_.get(), POLLIN, 0}};
        if (::poll(entries, 5, 5) <= 0) return false;
        if (entries[0].revents != 0) drain(streams_.out, result_.out);
        if (entries[1].revents != 0) drain(streams_.err, result_.err);
        if ((entries[2].revents & POLLOUT) != 0 && before_typing_) std::exchange(before_typing_, {})();
        if ((entries[2].revents & POLLOUT) != 0) feed(streams_.terminal, typed_, false);
        if ((entries[2].revents & ~POLLOUT) != 0) drain(streams_.terminal, result_.terminal);
        if (entries[3].revents != 0) feed(streams_.in, input_, options_.close_input);
        return result_.out.size() + result_.err.size() + result_.terminal.size() != before;
    }

    const RunOptions& options_;
    sandbox::ChildProcess child_;
    Descriptor end_;  // its pidfd, where the kernel has them
    Streams streams_;
    std::string input_;
    std::string typed_;
    std::function<void()> before_typing_;
    std::optional<Clock::time_point> caught_;
    bool signalled_ = false;
    RunResult result_;
};

std::vector<std::string> environment_of(const std::string& program, const RunOptions& options,
                                        const std::string& home) {
    const char* path = std::getenv("PATH");
    std::map<std::string, std::string> all{
        {"PATH", path == nullptr ? "/usr/bin:/bin" : path}, {"HOME", home}, {"LC_ALL", "C.UTF-8"}};
    const char* sanitizer = std::getenv("ASAN_OPTIONS");  // tests/CMakeLists.txt says why
    if (sanitizer != nullptr && program == ratectl_binary()) all["ASAN_OPTIONS"] = sanitizer;
    for (const auto& [name, value] : options.environment) all[name] = value;
    std::vector<std::string> lines;
    lines.reserve(all.size());
    for (const auto& [name, value] : all) lines.push_back(std::string(name).append("=").append(value));
    return lines;
}

}  // namespace

RunResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                      const RunOptions& options) {
    ::signal(SIGPIPE, SIG_IGN);
    auto home = sandbox::TemporaryFolder::make("/tmp", "ratectl-home");
    if (!home) throw std::runtime_error(home.error().message);
    sandbox::Spawn spawn;
    spawn.program = program;
    spawn.arguments = arguments;
    spawn.environment = environment_of(program, options, home->path());
    spawn.folder = options.folder;
    spawn.own_session = true;
    spawn.die_with_parent = true;

    Streams ours;
    Streams theirs;
    if (options.terminal || options.terminal_only_for_questions) {
        std::tie(ours.terminal, theirs.terminal) = make_terminal(options);
        make_nonblocking(ours.terminal);
        spawn.terminal = theirs.terminal.get();
    }
    if (options.terminal) {
        spawn.in = spawn.out = spawn.err = theirs.terminal.get();
    } else {
        std::tie(theirs.in, ours.in) = make_pipe();
        std::tie(ours.out, theirs.out) = make_pipe();
        std::tie(ours.err, theirs.err) = make_pipe();
        make_nonblocking(ours.in);
        spawn.in = theirs.in.get();
        spawn.out = theirs.out.get();
        spawn.err = theirs.err.get();
    }
    auto child = sandbox::ChildProcess::start(spawn);
    if (!child) throw std::runtime_error(child.error().message);
    if (options.started) options.started(child->pid());
    // Without any open end of the child's side the terminal would hang up before the first question.
    if (options.terminal_only_for_questions) ours.held = std::move(theirs.terminal);
    theirs = Streams{};
    return Conversation(options, std::move(*child), std::move(ours)).run();
}

RunResult run_ratectl(const std::vector<std::string>& arguments, const RunOptions& options) {
    RunOptions once_caught = options;
    once_caught.signal_once_caught = true;
    return run_program(options.program.empty() ? ratectl_binary() : options.program, arguments, once_caught);
}

}  // namespace ratectl::test
