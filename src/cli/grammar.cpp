// Reads CLI11's option tree into a plain Grammar; no other file reads that tree. The options of every command are
// declared here.
#include "cli/grammar.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "cli/help.h"
#include "commands/all_commands.h"
#include "commands/global_options.h"
#include "support/ascii.h"

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
    add("--scheme", o.scheme, "NAME",
        "the kind of limiter that keeps the windows (default window); see ratectl.toml(5)");
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
    add("--burst", o.burst, "N", "how many requests may come at once, of limiters that let them trickle");
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
    app.add_option("--journal", o.journal,
                   "where writes are recorded (default: what the configuration says, else below XDG_STATE_HOME)")
        ->type_name("PATH")
        ->group("Safety");
    app.add_option("--audit", o.audit, "also send every record to the system log")
        ->type_name("syslog")
        ->group("Safety");
    flag("--read-only", o.overrides.read_only, "refuse every command that writes");
}

/// Declares them all; --help and --version are declared too, and answered by the parser. In groups, because CLI11 holds
/// each new option against all others of its group, which was a quarter of what a short run did.
void bind_global_flags(CLI::App& app, commands::GlobalOptions& options) {
    bind_where(*app.add_option_group("Where"), options.overrides);
    bind_windows(*app.add_option_group("Windows"), options.overrides);
    bind_output(*app.add_option_group("Output"), options);
    bind_safety(*app.add_option_group("Safety"), options);
    CLI::App& about = *app.add_option_group("Help");
    const std::string help = "show help on the command";
    const std::string version = "show version, compiler and libraries";
    about.add_flag("-h,--help", help)->group("Help");
    about.add_flag("-V,--version", version)->group("Help");
}

bool is_choice(std::string_view word) {
    return !word.empty() && std::ranges::all_of(word, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
}

void read_choices(Flag& flag) {
    if (flag.value.find('|') == std::string::npos) return;
    std::vector<std::string> words = CLI::detail::split(flag.value, '|');
    const bool open = words.back() == "...";
    if (open) words.pop_back();
    if (!std::ranges::all_of(words, is_choice)) return;
    flag.open = open;
    flag.choices = std::move(words);
}

Flag read_option(CLI::Option& option) {
    Flag flag;
    flag.option = &option;
    flag.about = option.get_description();
    flag.heading = option.get_group();
    flag.hidden = flag.heading.empty();
    flag.required = option.get_required();
    flag.separator = option.get_delimiter();
    if (option.get_items_expected_max() > 0)
        flag.value = option.get_type_name().empty() ? "TEXT" : option.get_type_name();
    flag.repeatable = option.get_items_expected_max() > 1;
    read_choices(flag);
    if (option.get_positional()) {
        flag.name = support::upper(option.get_name(true));
    } else {
        if (!option.get_lnames().empty()) flag.name = option.get_lnames().front();
        if (!option.get_snames().empty()) flag.letter = option.get_snames().front().front();
    }
    return flag;
}

void read_options(CLI::App& app, Grammar& grammar) {
    for (CLI::Option* option : app.get_options()) {
        Flag flag = read_option(*option);
        (option->get_positional() ? grammar.arguments : grammar.flags).push_back(std::move(flag));
    }
}

void silence_help(CLI::App& app) {
    app.set_help_flag();
    for (CLI::App* child : app.get_subcommands([](CLI::App*) { return true; })) silence_help(*child);
}

void set_path(Grammar& grammar, const std::string& path) {
    grammar.path = path;
    for (Grammar& child : grammar.children) set_path(child, path + " " + child.name);
}

/// CLI11 splits `[a,b]` into two values and lets a flag swallow the words after it unless this is off.
void take_values_one_by_one(CLI::App& app) {
    for (CLI::Option* option : app.get_options()) option->allow_extra_args(false);
    for (CLI::App* child : app.get_subcommands([](CLI::App*) { return true; })) take_values_one_by_one(*child);
}

}  // namespace

std::string Flag::shown() const {
    const bool argument = option != nullptr && option->get_positional();
    return argument ? name : "--" + name;
}

const Flag* Grammar::find(std::string_view long_name) const {
    const auto it = std::ranges::find_if(flags, [&](const Flag& f) { return f.name == long_name; });
    return it == flags.end() ? nullptr : &*it;
}

const Flag* Grammar::find(char letter) const {
    const auto it = std::ranges::find_if(flags, [&](const Flag& f) { return f.letter == letter; });
    return it == flags.end() ? nullptr : &*it;
}

const Grammar* Grammar::child(std::string_view word) const {
    const auto it = std::ranges::find_if(children, [&](const Grammar& c) { return c.name == word; });
    return it == children.end() ? nullptr : &*it;
}

Grammar read_grammar(CLI::App& app, std::string_view name) {
    Grammar grammar;
    grammar.name = name;
    grammar.app = &app;
    grammar.summary = app.get_description();
    read_options(app, grammar);
    for (CLI::App* child : app.get_subcommands([](CLI::App*) { return true; })) {
        if (child->get_name().empty())
            read_options(*child, grammar);
        else
            grammar.children.push_back(read_grammar(*child, child->get_name()));
    }
    return grammar;
}

BoundCommand bind_command(const commands::Command& command) {
    BoundCommand bound;
    bound.app = std::make_shared<CLI::App>(std::string(command.summary));
    bound.app->set_help_flag();
    bound.run = command.bind(*bound.app);
    silence_help(*bound.app);
    take_values_one_by_one(*bound.app);
    bound.grammar = read_grammar(*bound.app, command.name);
    bound.grammar.examples = command.examples;
    bound.grammar.group = command.group;
    set_path(bound.grammar, std::string(command.name));
    return bound;
}

BoundGlobals bind_globals() {
    BoundGlobals bound;
    bound.app = std::make_shared<CLI::App>();
    bound.options = std::make_shared<commands::GlobalOptions>();
    bound.app->set_help_flag();
    bind_global_flags(*bound.app, *bound.options);
    take_values_one_by_one(*bound.app);
    bound.grammar = read_grammar(*bound.app, "");
    return bound;
}

const Grammar* Language::find(std::string_view command) const {
    const auto it = std::ranges::find_if(commands, [&](const BoundCommand& c) { return c.grammar.name == command; });
    return it == commands.end() ? nullptr : &it->grammar;
}

Language whole_language() {
    Language language{bind_globals(), {}};
    for (const commands::Command& command : commands::all_commands())
        language.commands.push_back(bind_command(command));
    return language;
}

void add_value(const Flag& flag, const std::string& value) { flag.option->add_result(value); }

bool is_given(const Flag& flag) { return flag.option->count() > 0; }

std::vector<std::string> values_of(const Flag& flag) { return flag.option->results(); }

namespace {

/// A flag that is refused may say where what is missing belongs: `limit trace --client alice`. Throws its Failure.
void meet_refused(const Grammar& grammar) {
    for (const Flag& flag : grammar.flags) {
        if (flag.hidden && is_given(flag)) flag.option->run_callback();
    }
}

}  // namespace

support::Result<void> store_values(const Grammar& grammar, bool may_miss) {
    for (const auto* list : {&grammar.flags, &grammar.arguments}) {
        for (const Flag& flag : *list) {
            if (may_miss) flag.option->required(false);
            if (flag.required && !is_given(flag) && !may_miss) {
                meet_refused(grammar);
                return support::failure(support::ExitCode::usage, grammar.path + ": " + flag.shown() + " is missing");
            }
            if (!is_given(flag)) continue;
            for (const CLI::Option* other : flag.option->get_excludes()) {
                if (other->count() == 0) continue;
                return support::failure(support::ExitCode::usage,
                                        flag.shown() + " and " + other->get_name() + " exclude each other");
            }
            for (const CLI::Option* other : flag.option->get_needs()) {
                if (other->count() > 0) continue;
                return support::failure(support::ExitCode::usage,
                                        flag.shown() + " works only together with " + other->get_name());
            }
        }
    }
    try {
        grammar.app->parse(std::vector<std::string>{});
    } catch (const CLI::Error& error) {
        return support::failure(support::ExitCode::usage, error.what());
    }
    return {};
}

}  // namespace ratectl::cli
