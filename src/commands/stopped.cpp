// The ending for a stop signal: SIGINT is the user's; every other signal the system's.
#include "commands/stopped.h"

namespace ratectl::commands {

support::ExitCode stopped(const support::StopSignal& stop) {
    if (!stop) return support::ExitCode::done;
    return stop.signal() == SIGINT ? support::ExitCode::interrupted : support::ExitCode::terminated;
}

}  // namespace ratectl::commands
