// What the completion scripts of all shells share.
#include "cli/completion.h"

#include <algorithm>

#include "cli/topics.h"
#include "commands/all_commands.h"

namespace ratectl::cli {

std::vector<std::string> words_of(const Flag& flag, const Grammar& command) {
    std::vector<std::string> words = flag.choices;
    for (std::string& word : commands::completion_values(command.path, flag.name, flag.value))
        words.push_back(std::move(word));
    return words;
}

std::string names_of(const Flag& flag) { return std::string(commands::offered_names(flag.name, flag.value)); }

Offer offer_of(const Flag& flag, const Grammar& command) {
    if (!words_of(flag, command).empty()) return Offer::words;
    if (!names_of(flag).empty()) return Offer::names;
    return flag.value == "FILE" ? Offer::files : Offer::nothing;
}

bool is_list(const Flag& flag) { return flag.separator == ',' || flag.name == "columns"; }

std::vector<const Flag*> common_flags_of_its_own(const Grammar& command, const Language& language) {
    std::vector<const Flag*> flags;
    const Grammar& globals = language.globals.grammar;
    for (const Flag* flag : shown_flags(globals)) {
        if (words_of(*flag, command) != words_of(*flag, globals)) flags.push_back(flag);
    }
    return flags;
}

std::vector<const Flag*> flags_in(const Grammar& command, const Language& language) {
    auto flags = common_flags_of_its_own(command, language);
    for (const Flag* flag : shown_flags(command)) flags.push_back(flag);
    return flags;
}

void for_each_grammar(const Language& language, const std::function<void(const Grammar&)>& visit) {
    for (const BoundCommand& command : language.commands) {
        visit(command.grammar);
        for (const Grammar& child : command.grammar.children) visit(child);
    }
}

std::vector<const Flag*> shown_flags(const Grammar& grammar) {
    std::vector<const Flag*> flags;
    for (const Flag& flag : grammar.flags) {
        if (!flag.hidden) flags.push_back(&flag);
    }
    return flags;
}

std::vector<std::string> flags_with_value(const Language& language) {
    std::vector<std::string> forms;
    const auto add = [&forms](const Grammar& grammar) {
        for (const Flag& flag : grammar.flags) {
            if (!flag.takes_value()) continue;
            forms.push_back("--" + flag.name);
            if (flag.letter != 0) forms.push_back({'-', flag.letter});
        }
    };
    add(language.globals.grammar);
    for_each_grammar(language, add);
    std::ranges::sort(forms);
    forms.erase(std::unique(forms.begin(), forms.end()), forms.end());
    return forms;
}

std::vector<std::string> help_words(const Language& language) {
    std::vector<std::string> words;
    for (const BoundCommand& command : language.commands) words.push_back(command.grammar.name);
    for (const Topic& topic : topics()) words.emplace_back(topic.name);
    return words;
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
    std::string text;
    for (const std::string& word : words) {
        if (!text.empty()) text += separator;
        text += word;
    }
    return text;
}

}  // namespace ratectl::cli
