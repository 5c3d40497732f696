// Signals to the program that a test runs, sent from another thread: of its link or its server.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "support/run_ratectl.h"

namespace ratectl::test {

class Signaller {
public:
    /// A run with these is the one that signals go to. This must outlive it.
    RunOptions options(RunOptions more = {}) {
        more.started = [this](int pid) { pid_ = pid; };
        return more;
    }
    /// Waits until the program is known: it can have sent its first request before it is, and 0 is the tests' own
    /// group.
    void send(int number) const {
        while (pid_ == 0) std::this_thread::yield();
        ::kill(pid_, number);
    }

private:
    std::atomic<pid_t> pid_ = 0;
};

}  // namespace ratectl::test
