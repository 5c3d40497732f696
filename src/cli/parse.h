// argv -> what to do: an Invocation to run, or an Early answer (help, version, a usage error) to print. Pure: prints
// and touches nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "commands/command.h"
#include "commands/global_options.h"
#include "support/error.h"

namespace ratectl::cli {

struct Invocation {
    commands::GlobalOptions options;
    std::string command;
    commands::Run run;
};

/// Text that is complete without running anything.
struct Early {
    support::ExitCode code = support::ExitCode::done;
    std::string out;
    support::Error error;  // set when code is not done; printed by app like every other error
};

struct ParseWorld {
    std::size_t width = 80;  // of help text
    bool color = false;
};

/// Arguments without the program's name.
std::variant<Invocation, Early> parse(std::span<const std::string_view> arguments, const ParseWorld& world = {});

/// Whether --messages json is on a command line that may not parse at all, so that its error can be said in that form.
bool wants_json_messages(std::span<const std::string_view> arguments);

}  // namespace ratectl::cli
