// SIGINT, SIGTERM and SIGHUP as a StopSignal; SIGPIPE and SIGXFSZ as errors of write().
#pragma once

#include <memory>
#include <string>

#include "support/stop_signal.h"

namespace ratectl::app {

/// Installs the handlers, once a process. The first signal sets the StopSignal and makes its wake_fd readable; the
/// third ends the process at once, for the case that the program does not look, and puts back what a TerminalKeeper
/// keeps. Signals that the parent had ignored stay ignored (nohup).
const support::StopSignal& install_signal_handlers();

struct KeptTerminal;
/// The settings of the terminal on standard input as they were when this was made, for as long as it lives. One at a
/// time.
class TerminalKeeper {
public:
    TerminalKeeper();
    TerminalKeeper(const TerminalKeeper&) = delete;
    TerminalKeeper& operator=(const TerminalKeeper&) = delete;
    ~TerminalKeeper();

    /// From now on the third signal puts them back, and sends standard output this.
    void guard(std::string leaving);

private:
    std::unique_ptr<KeptTerminal> kept_;
};

}  // namespace ratectl::app
