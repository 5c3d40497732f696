// The whole program: parse, configure, run one command, say how it ended.
#pragma once

namespace ratectl::app {

/// Exit code of the process. The only place that catches, and the only one that knows the real streams, clock and
/// environment.
int run(int argc, char** argv);

}  // namespace ratectl::app
