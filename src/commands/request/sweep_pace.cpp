// The flags --max-latency and --ops, with their values checked.
#include "commands/request/sweep_pace.h"

#include <CLI/CLI.hpp>

#include <string_view>

#include "commands/request/duration_flag.h"
#include "support/decimal.h"
#include "support/error.h"

namespace ratectl::commands {

using support::ExitCode;

void bind_pace(CLI::App& app, PaceFlags& flags) {
    app.add_option("--max-latency", flags.max_latency,
                   "how long a page may keep a server's other clients waiting; pages get as large as that allows "
                   "(default: 1ms)")
        ->type_name("DURATION");
    app.add_option("--ops", flags.ops, "at most so many commands a second to each server")->type_name("N/s");
}

std::chrono::microseconds max_latency_of(const PaceFlags& flags) {
    return duration_of("--max-latency", flags.max_latency.value_or("1ms"));
}

std::optional<std::uint64_t> ops_of(const PaceFlags& flags) {
    if (!flags.ops) return std::nullopt;
    std::string_view number = *flags.ops;
    if (number.ends_with("/s")) number.remove_suffix(2);
    const auto ops = support::parse_unsigned(number, UINT32_MAX);
    if (ops && *ops > 0) return *ops;
    throw support::Failure(ExitCode::usage, "--ops '" + *flags.ops + "' is not a number of commands a second",
                           "for example --ops 200/s");
}

}  // namespace ratectl::commands
