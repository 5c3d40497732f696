// The options that every command has, with their help; the manual's ENVIRONMENT section follows from them.
#include "cli/global_flags.h"

#include <CLI/CLI.hpp>

namespace ratectl::cli {
namespace {

void bind_where(CLI::App& app, config::Overrides& o) {
    const auto add = [&app](const char* names, auto& value, const char* type, const char* about) {
        app.add_option(names, value, about)->type_name(type)->group("Where");
    };
    add("-c,--config", o.config_file, "FILE", "read this configuration file and no other");
    add("-d,--deployment", o.deployment, "NAME", "the deployment of the configuration to work on");
    add("-u,--url", o.urls, "URL",
        "a server, as redis-cli writes it, or env:NAME to read it from the environment; repeat it for more shards");
    add("--sharding", o.sharding, "PRESET[,OPTION=VALUE]...",
        "how keys are shared out over several shards; `sharding show PRESET` lists its options");
    app.add_flag("--all-shards", o.all_shards, "look on every shard: where keys live cannot be computed")
        ->group("Where");
    add("--from", o.read_from, "primary|replica|all|...",
        "which nodes to read: a role, all of them, or one by its address");
    add("--max-staleness", o.max_staleness, "DURATION",
        "read no replica that is not shown to be at most so far behind its primary; one that was named is marked");
    add("--expiry-suffix", o.expiry_suffix, "SUFFIX",
        "what a key's expiry half is called after the key itself (default :exp)");
    add("--timeout", o.timeout, "DURATION",
        "how long one server may take to answer, name resolution and login included (default 2s)");
    add("--deadline", o.deadline, "DURATION", "how long the whole command may take (default: no limit)");
}

void bind_windows(CLI::App& app, config::Overrides& o) {
    const auto add = [&app](const char* names, auto& value, const char* type, const char* about) {
        app.add_option(names, value, about)->type_name(type)->group("Windows");
    };
    add("--now", o.now, "TIME", "the application's clock: an epoch second, RFC 3339, +15m, now");
    add("--limit", o.limit, "N", "the limit of every window, whatever the policies say");
    add("--period", o.period, "DURATION", "how long a window lasts, whatever the policies say");
    add("--key", o.key, "TEMPLATE", "how keys are written, as in core:{client}: a policy before all others");
}

void bind_output(CLI::App& app, commands::GlobalOptions& o) {
    const auto add = [&app](const char* names, auto& value, const char* type, const char* about) {
        app.add_option(names, value, about)->type_name(type)->group("Output");
    };
    const auto flag = [&app](const char* names, auto& value, const char* about) {
        app.add_flag(names, value, about)->group("Output");
    };
    add("-o,--output", o.output, "table|wide|json|ndjson|csv|tsv|name|...", "format of the rows, a table unless said");
    flag("--json", o.json, "the same as --output json");
    add("--columns", o.columns, "LIST", "which columns, in this order; help lists them");
    flag("--no-header", o.no_header, "no line of column names");
    flag("--thousands", o.thousands, "numbers as 1,234,567, for people only");
    add("--color", o.color, "auto|always|never", "colour; auto: on a terminal, unless NO_COLOR is set");
    add("--tz", o.zone, "ZONE", "show times in this zone, or in the local one, for people only (default UTC)");
    add("--key-format", o.key_format, "raw|escaped|hex|base64", "how keys are written, in and out");
    flag("--reveal", o.overrides.reveal, "show the clients of secret policies instead of their fingerprints");
    flag("-0,--null", o.nul, "keys are raw bytes, each ended by a NUL, in and out");
    add("--messages", o.messages, "text|json", "standard error as text or as one JSON object a line");
    flag("-q,--quiet", o.quiet,
         "say only what went wrong; check and changes print no rows then, unless -o asks for them");
    flag("-v,--verbose", o.verbose, "say more about what is done; twice for more");
}

void bind_safety(CLI::App& app, commands::GlobalOptions& o) {
    const auto flag = [&app](const char* names, bool& value, const char* about) {
        app.add_flag(names, value, about)->group("Safety");
    };
    flag("-n,--dry-run", o.dry_run, "show what would be done and write nothing");
    flag("-y,--yes", o.yes, "answer yes to the question before several keys are changed");
    flag("--no-input", o.no_input, "never ask anything: refuse instead");
    app.add_option("--journal", o.journal, "where writes are recorded (default: below XDG_STATE_HOME)")
        ->type_name("PATH")
        ->group("Safety");
    app.add_option("--audit", o.audit, "also send every record to the system log")
        ->type_name("syslog")
        ->group("Safety");
    flag("--read-only", o.overrides.read_only, "refuse every command that writes");
}

}  // namespace

void bind_global_flags(CLI::App& app, commands::GlobalOptions& options) {
    bind_where(app, options.overrides);
    bind_windows(app, options.overrides);
    bind_output(app, options);
    bind_safety(app, options);
    const std::string help = "show help on the command";
    const std::string version = "show version, compiler and libraries";
    app.add_flag("-h,--help", help)->group("Help");
    app.add_flag("-V,--version", version)->group("Help");
}

}  // namespace ratectl::cli
