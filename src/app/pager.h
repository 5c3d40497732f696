// The user's pager between standard output and the terminal.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

#include "app/terminal.h"

namespace ratectl::app {

/// RATECTL_PAGER, else PAGER, else less where it is installed. Null where the user could not turn pages: standard input
/// or output is not a terminal, or a dumb one; or where none is wanted: the variable is empty, or `cat`.
std::optional<std::string> pager_of(const TerminalFacts& facts, const Env& env);

/// A pager that runs and reads what is written to standard output.
class Pager {
public:
    /// Null: it cannot be started, and nothing has changed.
    static std::unique_ptr<Pager> start(const std::string& command);
    Pager(const Pager&) = delete;
    Pager& operator=(const Pager&) = delete;
    /// Waits until its user leaves it; standard output has been closed before.
    ~Pager();

private:
    explicit Pager(pid_t pid) : pid_(pid) {}

    pid_t pid_;
};

}  // namespace ratectl::app
