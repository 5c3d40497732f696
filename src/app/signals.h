// SIGINT, SIGTERM and SIGHUP as a StopSignal; SIGPIPE and SIGXFSZ as errors of write().
#pragma once

#include "support/stop_signal.h"

namespace ratectl::app {

/// Installs the handlers, once a process. The first signal sets the StopSignal and makes its wake_fd readable; the third ends the
/// process at once, for the case that nobody looks. Signals that the parent had ignored stay ignored (nohup).
const support::StopSignal& install_signal_handlers();

}  // namespace ratectl::app
