// A program that we start and end ourselves, and the mark by which another run finds exactly that process again.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/error.h"
#include "support/time.h"

namespace ratectl::sandbox {

/// What to run. Descriptors are duplicated into the child; -1 is /dev/null.
struct Spawn {
    std::string program;                   // a path; see find_program()
    std::vector<std::string> arguments;    // without argv[0]
    std::vector<std::string> environment;  // `NAME=value`; complete, unless inherited
    bool inherit_environment = false;      // ours is passed on, with `environment` over it
    std::string folder;                    // working folder; empty: ours
    int in = -1;
    int out = -1;
    int err = -1;
    bool own_session = false;      // setsid(): no terminal, no signals from it
    int terminal = -1;             // with own_session: becomes the controlling terminal
    bool die_with_parent = false;  // SIGKILL when the thread that started it ends
};

/// How a process ended: exit status, or the signal.
struct ExitStatus {
    int code = 0;
    int signal = 0;
    std::int64_t peak_rss_kib = 0;  // or what the process that forked it had then, where that was more

    /// As a shell reports it: 128 + signal.
    int as_shell() const { return signal != 0 ? 128 + signal : code; }
};

/// A pid and when that process began (clock ticks since boot), so that a reused pid is never mistaken for it.
struct ProcessMark {
    pid_t pid = 0;
    std::uint64_t started = 0;

    bool operator==(const ProcessMark&) const = default;
};
/// The mark of a living process; null when there is none, or it is a zombie.
std::optional<ProcessMark> mark_of(pid_t pid);
bool is_running(const ProcessMark& mark);
/// Whether that process works in that folder and has the text in its command line.
bool works_in(const ProcessMark& mark, const std::string& folder, const std::string& text_of_command);
/// SIGTERM, after `grace` SIGKILL, and waits until it is gone. True when it ran and is gone now; never touches another
/// process.
bool end_process(const ProcessMark& mark, support::Milliseconds grace);

/// Owns a child: the destructor kills it and reaps it, unless it was released or has ended.
class ChildProcess {
public:
    /// Error (local_io) with errno's text when it cannot be started, exec included.
    static support::Result<ChildProcess> start(const Spawn& spawn);

    ChildProcess() = default;
    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&& other) noexcept;
    ~ChildProcess();

    pid_t pid() const { return pid_; }
    explicit operator bool() const { return pid_ > 0; }
    void signal(int number) const;
    /// Null while it runs; reaps it once.
    std::optional<ExitStatus> try_wait();
    ExitStatus wait();
    /// As try_wait(), after waiting up to `patience`; a signal to us ends the waiting.
    std::optional<ExitStatus> wait_for(support::Milliseconds patience);
    /// SIGKILL and reap.
    void kill();
    /// It lives on without us.
    ProcessMark release();

private:
    pid_t pid_ = 0;
};

/// The path of an executable: `name` itself when it holds a slash, else the first in the colon-separated list.
std::optional<std::string> find_program(const std::string& name, const std::string& search_path);

/// The folder of the running program's file; empty when the system does not say.
std::string own_program_folder();
/// True when our process group is its terminal's foreground group: Ctrl-C reaches our children without us.
bool in_foreground();

}  // namespace ratectl::sandbox
