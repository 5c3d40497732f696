// Parses argv: finds the command, binds its flags only, takes the words apart, stores the values; answers help and
// completion.
#include "cli/parse.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "cli/completion.h"
#include "cli/grammar.h"
#include "cli/help.h"
#include "cli/other_words.h"
#include "cli/version.h"
#include "cli/words.h"
#include "commands/all_commands.h"
#include "support/suggest.h"

namespace ratectl::cli {
namespace {

using support::ExitCode;
using support::Result;

Early refusal(std::string message, std::string hint) {
    return Early{ExitCode::usage, {}, {ExitCode::usage, std::move(message), std::move(hint)}};
}

std::vector<std::string> values(const Grammar& command, std::size_t argument) {
    return values_of(command.arguments.at(argument));
}

Early no_such_help(const Language& language, const std::string& word) {
    std::vector<std::string> names;
    for (const BoundCommand& command : language.commands) names.push_back(command.grammar.name);
    for (const Topic& topic : topics()) names.emplace_back(topic.name);
    std::string hint = support::did_you_mean(word, names);
    if (hint.empty()) hint = "'ratectl help' lists commands and topics";
    return refusal("no command and no topic is called '" + word + "'", std::move(hint));
}

Early manual_on(const Language& language, const std::vector<std::string>& words) {
    if (words.empty()) return Early{ExitCode::done, program_page(language), {}};
    if (words.front() == "exit-codes") return Early{ExitCode::done, exit_codes_page(), {}};
    if (const Grammar* command = language.find(words.front()))
        return Early{ExitCode::done, command_page(*command, language), {}};
    return no_such_help(language, words.front());
}

Early help_command(const Grammar& request, const ParseWorld& world) {
    const Language language = whole_language();
    const std::vector<std::string> words = values(request, 0);
    if (is_given(*request.find("man"))) return manual_on(language, words);
    if (words.empty()) return short_help(language.globals.grammar, false, world);
    const Topic* topic = find_topic(words.front());
    if (topic != nullptr && words.size() > 1)
        return refusal("help shows one topic, and '" + words.front() + "' is one by itself",
                       "ratectl help " + words.front());
    const Grammar* found = language.find(words.front());
    if (found == nullptr) return topic != nullptr ? help_on(*topic, world) : no_such_help(language, words.front());
    for (std::size_t i = 1; i < words.size(); ++i) {
        const Grammar* child = found->child(words[i]);
        if (child == nullptr)
            return refusal("'" + found->path + "' has no '" + words[i] + "'", "see: ratectl help " + found->path);
        found = child;
    }
    Early help = help_on(*found, language.globals.grammar, world);
    if (topic != nullptr) help.out += "\n" + help_on(*topic, world).out;
    return help;
}

Early completion_command(const Grammar& request) {
    const std::string shell = values(request, 0).front();
    const Language language = whole_language();
    std::string script = shell == "bash"  ? bash_completion(language)
                         : shell == "zsh" ? zsh_completion(language)
                                          : fish_completion(language);
    return Early{ExitCode::done, std::move(script), {}};
}

/// The whole answer if the command is `help` or `completion`, with its values already stored.
std::optional<Early> answer_early(const Grammar& command, const ParseWorld& world) {
    if (command.path == "help") return help_command(command, world);
    if (command.path == "completion") return completion_command(command);
    return std::nullopt;
}

Early refusal(support::Error error) { return Early{error.code, {}, std::move(error)}; }

/// All flags of all commands in one: only to learn which flags before the command word take a value.
Grammar merged(const Language& language) {
    Grammar all;
    for (const BoundCommand& command : language.commands) {
        all.flags.insert(all.flags.end(), command.grammar.flags.begin(), command.grammar.flags.end());
        all.children.insert(all.children.end(), command.grammar.children.begin(), command.grammar.children.end());
    }
    return all;
}

struct FirstLook {
    std::string command;  // empty: none was given
    bool help = false;
    bool version = false;
};

Result<FirstLook> read_to_command(std::span<const std::string_view> arguments, const Scope& scope, bool& unknown) {
    FirstLook look;
    WordReader reader(arguments, scope);
    for (;;) {
        auto word = reader.next();
        unknown = !reader.unknown_flag().empty();
        if (!word) return tl::make_unexpected(word.error());
        if (!*word) return look;
        if ((*word)->flag.empty()) {
            look.command = (*word)->value;
            return look;
        }
        look.help = look.help || (*word)->flag == "help";
        look.version = look.version || (*word)->flag == "version";
    }
}

Result<FirstLook> find_command(std::span<const std::string_view> arguments, const Grammar& globals) {
    bool unknown = false;
    Scope scope(globals);
    auto look = read_to_command(arguments, scope, unknown);
    if (look || !unknown) return look;
    const Language language = whole_language();
    const Grammar all = merged(language);
    scope.enter(all);
    return read_to_command(arguments, scope, unknown);
}

support::Error unknown_command(const std::string& word) {
    std::vector<std::string> names;
    const std::string_view meant = command_meant(word);
    for (const commands::Command& command : commands::all_commands()) {
        names.emplace_back(command.name);
        if (command.name == meant)
            return {ExitCode::usage, "unknown command '" + word + "'",
                    fmt::format("did you mean '{}'? ({})", meant, command.summary)};
    }
    std::string hint = support::did_you_mean(word, names);
    if (hint.empty()) hint = "'ratectl help' lists the commands";
    return {ExitCode::usage, "unknown command '" + word + "'", std::move(hint)};
}

support::Error unknown_child(const Grammar& command, const std::string& word) {
    std::vector<std::string> names;
    for (const Grammar& child : command.children) names.push_back(child.name);
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    if (word.empty())
        return {ExitCode::usage, "'" + command.path + "' needs " + (names.size() > 1 ? "one of " : "") + list, {}};
    std::string hint = support::did_you_mean(word, names);
    if (hint.empty()) hint = "one of " + list;
    return {ExitCode::usage, "'" + command.path + "' has no '" + word + "'", std::move(hint)};
}

/// What argv says after its command is known.
struct Collected {
    std::vector<Word> flags;
    std::vector<std::string> arguments;
    bool help = false;
    bool version = false;
};

Result<Collected> collect(std::span<const std::string_view> arguments, Scope& scope) {
    Collected all;
    WordReader reader(arguments, scope);
    bool command_seen = false;
    for (;;) {
        auto word = reader.next();
        if (!word) return tl::make_unexpected(word.error());
        if (!*word) return all;
        if (!(*word)->flag.empty()) {
            all.help = all.help || (*word)->flag == "help";
            all.version = all.version || (*word)->flag == "version";
            all.flags.push_back(std::move(**word));
        } else if (!command_seen) {
            command_seen = true;
        } else if (!scope.command()->children.empty() && scope.child() == nullptr) {
            const Grammar* child = scope.command()->child((*word)->value);
            if (child == nullptr) return tl::make_unexpected(unknown_child(*scope.command(), (*word)->value));
            scope.choose(*child);
        } else {
            all.arguments.push_back(std::move((*word)->value));
        }
    }
}

support::Error with_help(support::Error error, const Grammar& command) {
    if (error.hint.empty()) error.hint = "see: ratectl help " + command.path;
    return error;
}

std::variant<Invocation, Early> parse_command(const commands::Command& command, const BoundGlobals& globals,
                                              std::span<const std::string_view> arguments, const ParseWorld& world) {
    const BoundCommand bound = bind_command(command);
    Scope scope(globals.grammar);
    scope.enter(bound.grammar);
    const auto words = collect(arguments, scope);
    const Grammar& meant = scope.child() != nullptr ? *scope.child() : bound.grammar;
    if (!words) return refusal(with_help(words.error(), meant));
    if (words->help) return help_on(meant, globals.grammar, world);
    if (words->version) return Early{ExitCode::done, version_text(), {}};
    if (!bound.grammar.children.empty() && scope.child() == nullptr) return refusal(unknown_child(bound.grammar, {}));
    if (auto ok = assign(scope, globals.grammar, words->flags, words->arguments); !ok) {
        return refusal(with_help(ok.error(), meant));
    }
    if (auto answer = answer_early(meant, world)) return *answer;
    return Invocation{std::move(*globals.options), std::string(command.name), bound.run};
}

std::variant<Invocation, Early> parse_as_written(std::span<const std::string_view> arguments, const ParseWorld& world) {
    const BoundGlobals globals = bind_globals();
    const auto look = find_command(arguments, globals.grammar);
    if (!look) return refusal(look.error());
    if (look->command.empty()) {
        if (look->version) return Early{ExitCode::done, version_text(), {}};
        if (look->help || arguments.empty()) return short_help(globals.grammar, look->help, world);
        return refusal({ExitCode::usage, "no command is given", "'ratectl help' lists the commands"});
    }
    const auto list = commands::all_commands();
    const auto command =
        std::ranges::find_if(list, [&](const commands::Command& c) { return c.name == look->command; });
    if (command == list.end()) return refusal(unknown_command(look->command));
    return parse_command(*command, globals, arguments, world);
}

}  // namespace

std::variant<Invocation, Early> parse(std::span<const std::string_view> arguments, const ParseWorld& world) {
    if (auto habit = redis_cli_habit(arguments)) return refusal(*std::move(habit));
    return parse_as_written(arguments, world);
}

bool wants_json_messages(std::span<const std::string_view> arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--") return false;
        if (arguments[i] == "--messages=json") return true;
        if (arguments[i] == "--messages" && i + 1 < arguments.size() && arguments[i + 1] == "json") return true;
    }
    return false;
}

}  // namespace ratectl::cli
