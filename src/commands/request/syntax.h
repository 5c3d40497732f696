// What a command accepts on its command line, as it declares it: over CLI11, whose headers are more to compile than
// most commands, so that they are compiled where this is and where what was declared is read (cli/grammar.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ratectl::commands {

/// A flag or an argument that has been declared; lives as long as its App.
class Option {
public:
    explicit Option(CLI::Option& option) : option_(&option) {}

    /// What stands for its value in help: `FILE`, or the words that it may be, as `text|json`.
    Option& type_name(const std::string& name);
    /// The heading in help; empty: help does not show it.
    Option& group(const std::string& heading);
    Option& required();
    /// One word may be several values.
    Option& delimiter(char separator);
    /// So many values, or `least` to `most` of them; -1: however many.
    Option& expected(int count);
    Option& expected(int least, int most);
    Option& excludes(Option other);

private:
    CLI::Option* option_;
};

/// A command's own share of the grammar, or a subcommand's. A handle: it is passed by value, and what the values go to
/// outlives its App.
class Syntax {
public:
    Syntax(CLI::App& app) : app_(&app) {}

    /// `names`: "-N,--rows" of a flag with a value, "key" or "KEY" of an argument.
    Option add_option(const std::string& names, std::string& value, const std::string& about);
    Option add_option(const std::string& names, std::optional<std::string>& value, const std::string& about);
    Option add_option(const std::string& names, std::vector<std::string>& values, const std::string& about);
    /// Throws what `take` throws.
    Option add_option(const std::string& names, const std::function<void(const std::string&)>& take,
                      const std::string& about);
    Option add_flag(const std::string& names, bool& value, const std::string& about);
    /// One that has been declared.
    Option option(const std::string& name);
    Syntax add_subcommand(const std::string& name, const std::string& about, std::function<void()> when_chosen = {});
    /// `what` is `choice` when the command line names it.
    template <class Choice>
    Syntax add_subcommand(const std::string& name, const std::string& about, Choice& what, Choice choice) {
        return add_subcommand(name, about, [&what, choice] { what = choice; });
    }

private:
    CLI::App* app_;
};

}  // namespace ratectl::commands
