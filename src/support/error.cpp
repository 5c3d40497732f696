// Orders the ways a command can end: which one it reports when several things went wrong.
#include "support/error.h"

#include <system_error>

namespace ratectl::support {

namespace {

int rank(ExitCode code) {
    switch (code) {
        case ExitCode::unknown: return 6;
        case ExitCode::partial: return 5;
        case ExitCode::local_io: return 4;
        case ExitCode::interrupted:
        case ExitCode::terminated: return 3;
        case ExitCode::attention: return 1;
        case ExitCode::done: return 0;
        default: return 2;
    }
}

}  // namespace

ExitCode graver(ExitCode a, ExitCode b) { return rank(b) > rank(a) ? b : a; }

void throw_usage(std::string message, std::string hint) {
    throw Failure(ExitCode::usage, std::move(message), std::move(hint));
}

std::string errno_text(int error) { return std::generic_category().message(error); }

}  // namespace ratectl::support
