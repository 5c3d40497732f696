// Declares refused flags as hidden options of the command, which go before those that every command has.
#include "commands/request/refused_flags.h"

#include <CLI/CLI.hpp>

#include "support/error.h"

namespace ratectl::commands {

void refuse_flags(CLI::App& app, const std::vector<std::string>& flags, const std::string& why,
                  const std::string& hint) {
    for (const auto& flag : flags) {
        const auto refuse = [=](const std::string&) {
            support::throw_usage(flag + " has no meaning here: " + why, hint);
        };
        app.add_option_function<std::string>(flag, refuse, "refused, with the reason")->type_name("VALUE")->group("");
    }
}

void refuse_other_nodes(CLI::App& app, const std::string& why) {
    refuse_flags(app, {"--from", "--max-staleness"}, why, "`ratectl check --from NODE` shows what another node has");
}

void refuse_limit(CLI::App& app, const std::string& hint) {
    refuse_flags(app, {"--limit"}, "it is the limit of windows, and no number of rows", hint);
}

}  // namespace ratectl::commands
