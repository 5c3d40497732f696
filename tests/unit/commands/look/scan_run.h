// One run of scan over pretended servers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "commands/all_commands.h"
#include "unit/commands/fake_context.h"

namespace ratectl::test {

inline support::ExitCode scan(FakeContext& context, std::vector<std::string> arguments = {}) {
    return context.run(commands::scan_command(), std::move(arguments));
}

}  // namespace ratectl::test
