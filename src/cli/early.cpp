// Answers the commands help and completion without running anything else.
#include "cli/early.h"

#include "cli/completion.h"
#include "cli/help.h"
#include "cli/manual.h"
#include "support/suggest.h"

namespace ratectl::cli {
namespace {

using support::ExitCode;

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
    const Topic* topic = words.size() == 1 ? find_topic(words.front()) : nullptr;
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

}  // namespace

std::optional<Early> answer_early(const Grammar& command, const ParseWorld& world) {
    if (command.path == "help") return help_command(command, world);
    if (command.path == "completion") return completion_command(command);
    return std::nullopt;
}

}  // namespace ratectl::cli
