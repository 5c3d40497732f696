// The outside world as one object: streams, signals, terminal, environment, clock.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/pager.h"
#include "app/streams.h"
#include "app/terminal.h"
#include "commands/context.h"
#include "support/stop_signal.h"
#include "support/time.h"
#include "support/waits.h"

namespace ratectl::app {

/// For AUTHPRIV, at level notice. Throws Failure (local_io) when the log does not take it within two seconds.
void write_to_log(const std::string& socket_path, std::string_view line);

/// One a process, made first of all.
class Host {
public:
    /// Makes sure that descriptors 0 to 2 are open, so that no file or socket of ours ever gets one of them, and
    /// installs the signal handlers.
    Host();

    OutputStream& out() { return out_; }
    ErrorStream& err() { return err_; }
    InputStream& in() { return in_; }
    const support::StopSignal& stop() const { return stop_; }
    const support::Patience& patience() const { return patience_; }
    /// The streams know it from now on.
    void end_by(std::optional<support::Deadline> deadline) { patience_ = support::Patience(stop_, deadline); }
    const TerminalFacts& terminal() const { return terminal_; }

    /// Standard output leads to the user's pager from now on. False: there is none, or it cannot be started.
    bool page_output();
    /// Waits until the user leaves the pager; standard output has been closed. False: there is none.
    bool end_paging();

    static std::optional<std::string> env(const std::string& name);
    static support::WallTime wall_clock();
    /// From now on no core dump and no debugger of another process of this user shows our memory.
    static void protect_memory();
    static std::array<std::uint8_t, 10> randomness();
    /// The user's name, `root (sudo: alice)` behind sudo, and this machine's name; numbers where there are no names.
    static commands::Identity identity();
    /// One line for AUTHPRIV. Throws Failure (local_io) when no log daemon takes it.
    static void write_system_log(std::string_view line);

private:
    const support::StopSignal& stop_;
    support::Patience patience_;
    OutputStream out_;
    ErrorStream err_;
    InputStream in_;
    TerminalFacts terminal_;
    std::unique_ptr<Pager> pager_;  // null: none runs
};

}  // namespace ratectl::app
