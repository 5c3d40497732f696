// Checks the output options (format, colours, columns, messages) and turns them into options of sinks.
#include "app/output_choice.h"

#include <algorithm>

#include "support/error.h"
#include "support/time_text.h"

namespace ratectl::app {
namespace {

using support::ExitCode;
using support::Failure;

/// True: the variable has said it.
bool fill(std::optional<std::string>& option, const Env& env, const std::string& variable) {
    if (option) return false;
    if (auto value = env(variable); value && !value->empty()) option = std::move(value);
    return option.has_value();
}

bool switch_from(const Env& env, const std::string& variable) {
    const std::string value = env(variable).value_or("");
    if (value.empty() || value == "0" || value == "false") return false;
    if (value == "1" || value == "true") return true;
    throw Failure(ExitCode::usage, variable + ": '" + value + "' is neither 1 nor 0");
}

[[noreturn]] void refuse_word(const std::string& where, const std::string& text, const std::string& words) {
    throw Failure(ExitCode::usage, where + ": '" + text + "' is not one of its values", "one of " + words);
}

/// `where`: the flag or the variable that says it.
ColorWish parse_color(const std::optional<std::string>& text, const std::string& where = "--color") {
    if (!text || *text == "auto") return ColorWish::automatic;
    if (*text == "always") return ColorWish::always;
    if (*text == "never") return ColorWish::never;
    refuse_word(where, *text, "auto, always, never");
}

bool parse_messages(const std::optional<std::string>& text, const std::string& where = "--messages") {
    if (!text || *text == "text") return false;
    if (*text == "json") return true;
    refuse_word(where, *text, "text, json");
}

/// A user who sets it believes in a safety that is not there.
void refuse_dry_run(const Env& env) {
    const auto value = env("RATECTL_DRY_RUN");
    if (!value || value->empty() || *value == "0") return;
    throw Failure(ExitCode::usage,
                  "RATECTL_DRY_RUN does not exist: a rehearsal belongs to one command; nothing was written",
                  "-n rehearses this command, RATECTL_READ_ONLY=1 makes writing impossible");
}

/// What the C library would take for the local zone: TZ, else the machine's, else UTC.
std::string zone_of(const std::string& wish, const Env& env) {
    std::string zone = wish;
    if (wish == support::kLocalZone) {
        const std::string tz = env("TZ").value_or("");
        if (!tz.empty())
            zone = tz.substr(tz.front() == ':' ? 1 : 0);
        else if (!support::check_zone(wish))
            return {};
    }
    support::value_or_throw(support::check_zone(zone));
    return zone;
}

}  // namespace

void fill_from_environment(commands::GlobalOptions& options, const Env& env) {
    refuse_dry_run(env);
    if (!options.json) fill(options.output, env, "RATECTL_OUTPUT");
    fill(options.columns, env, "RATECTL_COLUMNS");
    if (fill(options.color, env, "RATECTL_COLOR")) parse_color(options.color, "RATECTL_COLOR");
    fill(options.zone, env, "RATECTL_TZ");
    // Two ways to write keys: the flag of either is more than the variable of the other.
    const bool named_format = options.key_format.has_value();
    if (!options.nul) fill(options.key_format, env, "RATECTL_KEY_FORMAT");
    if (fill(options.messages, env, "RATECTL_MESSAGES")) parse_messages(options.messages, "RATECTL_MESSAGES");
    fill(options.journal, env, "RATECTL_JOURNAL");
    fill(options.audit, env, "RATECTL_AUDIT");
    if (!options.output) options.json = options.json || switch_from(env, "RATECTL_JSON");
    options.no_header = options.no_header || switch_from(env, "RATECTL_NO_HEADER");
    options.thousands = options.thousands || switch_from(env, "RATECTL_THOUSANDS");
    options.nul = options.nul || (!named_format && switch_from(env, "RATECTL_NULL"));
    options.quiet = options.quiet || switch_from(env, "RATECTL_QUIET");
    options.no_input = options.no_input || switch_from(env, "RATECTL_NO_INPUT");
    if (options.verbose == 0 && switch_from(env, "RATECTL_VERBOSE")) options.verbose = 1;
}

output::SinkOptions choose_output(const commands::GlobalOptions& options, const TerminalFacts& facts, const Env& env) {
    output::SinkOptions sink;
    if (options.json && options.output && *options.output != "json") {
        throw Failure(ExitCode::usage, "--json and --output " + *options.output + " exclude each other");
    }
    if (options.json)
        sink.format = output::Format::json;
    else if (options.output)
        sink.format = support::value_or_throw(output::parse_format(*options.output));
    sink.terminal = facts.out;
    sink.width = width_of(facts, env);
    sink.color = color_of(facts.out, parse_color(options.color), env);
    sink.header = !options.no_header;
    sink.thousands = options.thousands;
    sink.ascii = ascii_only(env);
    sink.nul_separated = options.nul;
    if (options.key_format) sink.key_format = support::value_or_throw(output::parse_key_format(*options.key_format));
    if (options.nul && sink.key_format.value_or(output::KeyFormat::raw) != output::KeyFormat::raw) {
        throw Failure(ExitCode::usage,
                      "-0 (RATECTL_NULL) writes and reads the keys' own bytes, and --key-format " +
                          *options.key_format + " (RATECTL_KEY_FORMAT) another form of them",
                      "leave out one of them");
    }
    if (options.zone) sink.zone = zone_of(*options.zone, env);
    return sink;
}

void check_output(const commands::GlobalOptions& options, const std::vector<std::string>& own_formats,
                  const TerminalFacts& facts, const Env& env) {
    auto checked = options;
    if (!options.json && options.output && std::ranges::count(own_formats, *options.output) > 0) checked.output.reset();
    choose_output(checked, facts, env);
}

output::DiagnosticsOptions choose_messages(const commands::GlobalOptions& options, const TerminalFacts& facts,
                                           const Env& env) {
    output::DiagnosticsOptions messages;
    messages.json = parse_messages(options.messages);
    messages.color = color_of(facts.err, parse_color(options.color), env);
    messages.terminal = facts.err;
    messages.width = err_width_of(facts, env);
    messages.quiet = options.quiet;
    messages.verbose = options.verbose;
    return messages;
}

}  // namespace ratectl::app
