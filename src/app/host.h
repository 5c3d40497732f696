// The outside world as one object: streams, signals, terminal, environment, clock.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/streams.h"
#include "app/terminal.h"
#include "support/stop_signal.h"
#include "support/time.h"

namespace ratectl::app {

/// One a process, made first of all.
class Host {
public:
    /// Makes sure that descriptors 0 to 2 are open, so that no file or socket of ours ever gets one of them, and installs the
    /// signal handlers.
    Host();

    OutputStream& out() { return out_; }
    ErrorStream& err() { return err_; }
    InputStream& in() { return in_; }
    const support::StopSignal& stop() const { return stop_; }
    const TerminalFacts& terminal() const { return terminal_; }

    static std::optional<std::string> env(const std::string& name);
    static support::WallTime wall_clock();
    /// From now on no core dump and no debugger of another process of this user shows our memory.
    static void protect_memory();

private:
    const support::StopSignal& stop_;
    OutputStream out_;
    ErrorStream err_;
    InputStream in_;
    TerminalFacts terminal_;
};

}  // namespace ratectl::app
