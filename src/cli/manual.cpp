// Writes the manual pages: one for ratectl, one for each command.
#include "cli/manual.h"

#include <vector>

#include "cli/help.h"
#include "cli/roff.h"
#include "cli/topics.h"

namespace ratectl::cli {
namespace {

void add_flag(RoffPage& page, const Flag& flag) {
    const std::string letter = flag.letter != 0 ? std::string{'-', flag.letter} + ", " : "";
    page.item(letter + "--" + flag.name, flag.takes_value() ? value_shown(flag) : "", about_with_choices(flag));
}

void add_flags(RoffPage& page, const std::vector<Flag>& flags) {
    for (const std::string& heading : headings(flags)) {
        if (heading != "Options") page.subsection(heading);
        for (const Flag& flag : flags) {
            if (flag.heading == heading) add_flag(page, flag);
        }
    }
}

void add_arguments(RoffPage& page, const Grammar& command) {
    for (const Flag& argument : command.arguments) {
        page.item("", argument.name + (argument.repeatable ? "..." : ""), about_with_choices(argument));
    }
}

void add_options(RoffPage& page, const Grammar& command, const Language& language) {
    page.section("Options");
    add_flags(page, command.flags);
    page.subsection("Common options");
    page.text("Every command has these; ratectl(1) explains them.");
    std::string list;
    for (const Flag& flag : language.globals.grammar.flags) list += (list.empty() ? "--" : ", --") + flag.name;
    page.text(list);
}

void add_child(RoffPage& page, const Grammar& child) {
    page.subsection(child.path);
    page.verbatim(usage_of(child));
    page.text(child.summary);
    add_arguments(page, child);
    for (const Flag& flag : child.flags) {
        if (!flag.hidden) add_flag(page, flag);
    }
}

void add_description(RoffPage& page, const Grammar& command) {
    page.section("Description");
    page.text(description_of(command.name));
    for (const Grammar& child : command.children) add_child(page, child);
}

void add_exit_status(RoffPage& page) {
    page.section("Exit status");
    for (const ExitMeaning& meaning : exit_meanings())
        page.item(std::to_string(static_cast<int>(meaning.code)), "", meaning.meaning);
}

void add_name(RoffPage& page, const std::string& name, std::string_view summary) {
    page.section("Name");
    page.raw(RoffPage::literal(name) + " \\- " + RoffPage::escaped(summary) + "\n");
}

void see_also(RoffPage& page, const std::vector<std::string>& pages) {
    page.section("See also");
    std::string list;
    for (const std::string& one : pages) {
        const std::size_t at = one.find('(');
        if (!list.empty()) list += ",\n";
        list += "\\fB" + RoffPage::literal(one.substr(0, at)) + "\\fR" + one.substr(at);
    }
    page.raw(list + "\n");
}

}  // namespace

std::string program_page(const Language& language) {
    RoffPage page("ratectl", 1);
    add_name(page, "ratectl", "look at, correct and reset rate-limit windows in Redis");
    page.section("Synopsis");
    page.verbatim("ratectl [options] COMMAND [options] [arguments]");
    page.section("Description");
    page.text(
        "ratectl reads and changes the windows that a rate limiter keeps in a sharded, replicated Redis: two strings a "
        "window, the "
        "counter and the second at which it ends. Flags may stand anywhere; each takes exactly one value and may be "
        "repeated where "
        "that makes sense; -- ends them. A KEY is literal, only a GLOB is a pattern.");
    page.section("Commands");
    std::vector<std::string> others;
    for (const auto group :
         {commands::Group::look, commands::Group::change, commands::Group::investigate, commands::Group::set_up}) {
        bool headed = false;
        for (const BoundCommand& command : language.commands) {
            if (command.grammar.group != group) continue;
            if (!headed) page.subsection(commands::name_of(group));
            headed = true;
            page.item(command.grammar.name, "", command.grammar.summary);
            others.push_back("ratectl-" + command.grammar.name + "(1)");
        }
    }
    page.section("Options");
    add_flags(page, language.globals.grammar.flags);
    add_exit_status(page);
    for (const Topic& topic : topics()) {
        if (topic.text.empty()) continue;
        page.section(topic.name);
        page.text(topic.text);
    }
    others.emplace_back("ratectl-exit-codes(7)");
    others.emplace_back("ratectl.toml(5)");
    see_also(page, others);
    return page.roff();
}

std::string command_page(const Grammar& command, const Language& language) {
    const std::string name = "ratectl-" + command.name;
    RoffPage page(name, 1);
    add_name(page, name, command.summary);
    page.section("Synopsis");
    page.verbatim(usage_of(command));
    add_description(page, command);
    if (!command.arguments.empty()) {
        page.section("Arguments");
        add_arguments(page, command);
    }
    add_options(page, command, language);
    add_exit_status(page);
    if (!command.examples.empty()) {
        page.section("Examples");
        page.verbatim(command.examples);
    }
    see_also(page, {"ratectl(1)", "ratectl-exit-codes(7)", "ratectl.toml(5)"});
    return page.roff();
}

std::string exit_codes_page() {
    RoffPage page("ratectl-exit-codes", 7);
    add_name(page, "ratectl-exit-codes", "what the exit code of ratectl promises");
    page.section("Description");
    for (const ExitMeaning& meaning : exit_meanings()) {
        page.item(std::to_string(static_cast<int>(meaning.code)), std::string(meaning.name), meaning.meaning);
    }
    page.section("Rules");
    page.text(exit_code_rules());
    see_also(page, {"ratectl(1)"});
    return page.roff();
}

}  // namespace ratectl::cli
