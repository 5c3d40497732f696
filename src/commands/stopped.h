// How a command ends that the user or the system has told to stop.
#pragma once

#include "support/error.h"
#include "support/stop_signal.h"

namespace ratectl::commands {

/// 130 or 143; done as long as no stop was asked for.
support::ExitCode stopped(const support::StopSignal& stop);

}  // namespace ratectl::commands
