// What the command line may say, as plain data: read once from the CLI::App tree, used by the parser, help, manual and
// completions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands/command.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ratectl::cli {

/// A flag, or with `name` alone and no dashes a positional argument.
struct Flag {
    std::string name;                  // `output` of --output; an argument's name as usage shows it: `KEY`
    char letter = 0;                   // `o` of -o, or 0
    std::string value;                 // how help names its value: `FILE`, `text|json`; empty for a switch
    std::vector<std::string> choices;  // the words it takes
    bool open = false;                 // other words may do as well: checked where they are used
    bool repeatable = false;
    bool required = false;
    char separator = 0;  // one value may be a list with this between its parts
    std::string about;
    std::string heading;  // in the help
    bool hidden = false;
    CLI::Option* option = nullptr;  // where a value goes; lives as long as its App

    bool takes_value() const { return !value.empty(); }
    /// `--output`, or the argument's name.
    std::string shown() const;
};

/// One command or sub-command.
struct Grammar {
    std::string name;
    std::string path;  // `sandbox up`
    std::string summary;
    std::string examples;
    commands::Group group = commands::Group::look;
    std::vector<Flag> flags;
    std::vector<Flag> arguments;
    std::vector<Grammar> children;
    CLI::App* app = nullptr;

    const Flag* find(std::string_view long_name) const;
    const Flag* find(char letter) const;
    const Grammar* child(std::string_view word) const;
};

/// Reads an App's declarations. A type name of lower-case words joined by `|` is a list of choices; a last `...` leaves
/// it open.
Grammar read_grammar(CLI::App& app, std::string_view name);

/// A bound command: the App keeps the options alive, `run` the request that they write to.
struct BoundCommand {
    std::shared_ptr<CLI::App> app;
    Grammar grammar;
    commands::Run run;
};
BoundCommand bind_command(const commands::Command& command);

/// The options that every command has.
struct BoundGlobals {
    std::shared_ptr<CLI::App> app;
    std::shared_ptr<commands::GlobalOptions> options;
    Grammar grammar;
};
BoundGlobals bind_globals();

/// The whole language, for help, the manual, the completions and the tests over all flags.
struct Language {
    BoundGlobals globals;
    std::vector<BoundCommand> commands;

    const Grammar* find(std::string_view command) const;
};
Language whole_language();

/// Stores the collected values in the request; a CLI11 complaint comes back as text of our own kind.
/// `may_miss`: what is required need not be there.
support::Result<void> store_values(const Grammar& grammar, bool may_miss = false);
void add_value(const Flag& flag, const std::string& value);
bool is_given(const Flag& flag);
std::vector<std::string> values_of(const Flag& flag);

}  // namespace ratectl::cli
