// The wish of the user or the system that we stop, readable from anywhere and able to wake an event loop.
#pragma once

#include <atomic>
#include <csignal>

#include "support/error.h"

namespace ratectl::support {

/// How a command ends that was stopped by this signal: SIGINT is the user's, every other one the system's; 0: stopped
/// without one, as by the user.
constexpr ExitCode ending_by(int signal) {
    return signal == SIGINT || signal == 0 ? ExitCode::interrupted : ExitCode::terminated;
}

/// Set from a signal handler (app/) or a test; read by loops and by blocking writes after EINTR.
class StopSignal {
public:
    /// wake_fd: the read end of a pipe that becomes readable when the signal is set; -1 when there is none.
    explicit StopSignal(int wake_fd = -1) : wake_fd_(wake_fd) {}
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    /// 0, or the number of the first signal (SIGINT, SIGTERM, SIGHUP). Async-signal-safe.
    int signal() const { return signal_; }
    /// How many came; the second means: stop now.
    int count() const { return count_; }
    void set(int signal_number) {
        int none = 0;
        signal_.compare_exchange_strong(none, signal_number);
        ++count_;
    }
    explicit operator bool() const { return signal_ != 0; }
    /// Nothing is left to be stopped: a signal, whether it has come or comes yet, is not how the command ended.
    void come_too_late() const { too_late_ = true; }
    bool is_too_late() const { return too_late_; }
    int wake_fd() const { return wake_fd_; }

private:
    // Without a lock: what a signal handler may do, and what another thread may read.
    static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);
    std::atomic<int> signal_ = 0;
    std::atomic<int> count_ = 0;
    int wake_fd_;
    mutable std::atomic<bool> too_late_ = false;
};

}  // namespace ratectl::support
