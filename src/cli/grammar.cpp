// Reads CLI11's option tree into a plain Grammar; no other file reads that tree.
#include "cli/grammar.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/global_flags.h"
#include "cli/text_layout.h"
#include "commands/all_commands.h"

namespace ratectl::cli {
namespace {

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
        flag.name = upper(option.get_name(true));
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

support::Result<void> store_values(const Grammar& grammar) {
    for (const auto* list : {&grammar.flags, &grammar.arguments}) {
        for (const Flag& flag : *list) {
            if (flag.required && !is_given(flag)) {
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
