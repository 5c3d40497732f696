// The common options of every command, as given: cli/ fills them, app/ makes the Context from them.
#pragma once

#include <optional>
#include <string>

#include "config/settings.h"

namespace ratectl::commands {

/// Strings are unset when absent; values are checked where they are used, before anything is sent.
struct GlobalOptions {
    config::Overrides overrides;  // what configuration may come from flags

    std::optional<std::string> output;  // -o
    bool json = false;                  // --json = -o json
    std::optional<std::string> columns;
    bool no_header = false;
    bool thousands = false;
    std::optional<std::string> color;       // auto | always | never
    std::optional<std::string> zone;        // --tz
    std::optional<std::string> key_format;  // raw | escaped | hex | base64
    bool nul = false;                       // -0
    std::optional<std::string> messages;    // text | json
    bool quiet = false;
    int verbose = 0;

    bool dry_run = false;
    bool yes = false;
    bool no_input = false;

    std::optional<std::string> journal;  // --journal PATH
    std::optional<std::string> audit;    // --audit syslog
};

/// -q where no -o asks for rows all the same: of check and of changes only what went wrong and the exit code are
/// wanted.
inline bool wants_no_rows(const GlobalOptions& options) { return options.quiet && !options.output && !options.json; }

}  // namespace ratectl::commands
