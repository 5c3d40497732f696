// Prints help on the terminal: the short one, a command's, a topic's.
#include "cli/help.h"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "cli/topics.h"
#include "commands/all_commands.h"
#include "support/ascii.h"

namespace ratectl::cli {
namespace {

constexpr std::size_t kColumn = 28;

std::size_t page_width(const ParseWorld& world) { return std::clamp<std::size_t>(world.width, 40, 80); }

std::string headed(std::string_view text, const ParseWorld& world) {
    return world.color ? "\x1b[1m" + std::string(text) + "\x1b[0m\n" : std::string(text) + "\n";
}

std::string left_of(const Flag& flag) {
    std::string left = flag.letter != 0 ? std::string{'-', flag.letter} + ", " : "    ";
    left += flag.shown();
    return flag.takes_value() ? left + " " + value_shown(flag) : left;
}

void add_flags(std::string& out, const std::vector<Flag>& flags, const ParseWorld& world) {
    for (const std::string& heading : headings(flags)) {
        out += "\n" + headed(heading, world);
        for (const Flag& flag : flags) {
            if (flag.heading == heading)
                out += two_columns(left_of(flag), about_with_choices(flag), kColumn, page_width(world));
        }
    }
}

/// Only their names: a command's help should fit a screen.
void add_common(std::string& out, const Grammar& globals, const ParseWorld& world) {
    std::string list;
    for (const Flag& flag : globals.flags) {
        if (!list.empty()) list += ", ";
        if (flag.letter != 0) list += std::string{'-', flag.letter} + "/";
        list += "--" + flag.name;
    }
    out += "\n" + headed("Common options ('ratectl --help' explains them)", world) + filled(list, page_width(world), 2);
}

void add_arguments(std::string& out, const Grammar& command, const ParseWorld& world) {
    if (command.arguments.empty()) return;
    out += "\n" + headed("Arguments", world);
    for (const Flag& argument : command.arguments) {
        const std::string left = argument.name + (argument.repeatable ? "..." : "");
        out += two_columns(left, about_with_choices(argument), kColumn, page_width(world));
    }
}

void add_examples(std::string& out, const Grammar& command, const ParseWorld& world) {
    if (command.examples.empty()) return;
    out += "\n" + headed("Examples", world);
    std::string_view rest = command.examples;
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        out += "  " + std::string(rest.substr(0, end)) + "\n";
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
}

}  // namespace

std::vector<std::string> headings(const std::vector<Flag>& flags) {
    std::vector<std::string> list;
    for (const Flag& flag : flags) {
        if (!flag.hidden && std::ranges::find(list, flag.heading) == list.end()) list.push_back(flag.heading);
    }
    std::stable_partition(list.begin(), list.end(), [](const std::string& heading) { return heading == "Options"; });
    return list;
}

std::string value_shown(const Flag& flag) {
    if (flag.choices.empty()) return flag.value;
    const std::string name = support::upper(flag.name.substr(flag.name.rfind('-') + 1));
    if (name == "COLOR") return "WHEN";
    if (name == "FROM") return "NODE";
    if (name == "MESSAGES") return "FORM";
    return name == "OUTPUT" ? "FORMAT" : name;
}

std::string about_with_choices(const Flag& flag) {
    if (flag.choices.empty()) return flag.about;
    std::string list;
    for (const std::string& choice : flag.choices) list += (list.empty() ? "" : "|") + choice;
    return flag.about + " [" + list + (flag.open ? "|...]" : "]");
}

std::string usage_of(const Grammar& command) {
    std::string usage = "ratectl " + command.path;
    if (!command.children.empty()) {
        std::string list;
        for (const Grammar& child : command.children) list += (list.empty() ? "" : "|") + child.name;
        return usage + " " + list + " [options] [arguments]";
    }
    usage += " [options]";
    for (const Flag& argument : command.arguments) {
        const std::string name = argument.name + (argument.repeatable ? "..." : "");
        usage += argument.required ? " " + name : " [" + name + "]";
    }
    return usage;
}

Early short_help(const Grammar& globals, bool full, const ParseWorld& world) {
    std::string out =
        "ratectl: look at, correct and reset the rate-limit windows of a sharded,\nreplicated Redis limiter\n\n";
    out += "usage: ratectl [options] COMMAND [options] [arguments]\n";
    for (const auto group : commands::kGroups) {
        std::string lines;
        for (const commands::Command& command : commands::all_commands()) {
            if (command.group == group) lines += two_columns(command.name, command.summary, 16, page_width(world));
        }
        if (!lines.empty()) out += "\n" + headed(commands::name_of(group), world) + lines;
    }
    if (full) add_flags(out, globals.flags, world);
    out += "\n" + headed("Topics", world);
    for (const Topic& topic : topics()) out += two_columns(topic.name, topic.summary, 20, page_width(world));
    out += "\n'ratectl help COMMAND' and 'ratectl help TOPIC' say more";
    out += full ? ".\n" : ";\n'ratectl --help' lists the options that every command has.\n";
    return Early{support::ExitCode::done, std::move(out), {}};
}

Early help_on(const Grammar& command, const Grammar& globals, const ParseWorld& world) {
    std::string out = filled("ratectl " + command.path + ": " + command.summary, page_width(world));
    out += "\nusage: " + usage_of(command) + "\n";
    add_examples(out, command, world);
    if (!command.children.empty()) {
        out += "\n" + headed("Commands", world);
        for (const Grammar& child : command.children)
            out += two_columns(child.name, child.summary, 16, page_width(world));
    }
    add_arguments(out, command, world);
    add_flags(out, command.flags, world);
    add_common(out, globals, world);
    return Early{support::ExitCode::done, std::move(out), {}};
}

Early help_on(const Topic& topic, const ParseWorld& world) {
    std::string out = headed(std::string(topic.name) + ": " + std::string(topic.summary), world) + "\n";
    std::string_view rest = topic.text;
    if (topic.name == "exit-codes") {
        for (const ExitMeaning& meaning : exit_meanings()) {
            const std::string left = fmt::format("{:>3}  {}", static_cast<int>(meaning.code), meaning.name);
            out += two_columns(left, meaning.meaning, 30, page_width(world));
        }
        out += "\n";
        rest = exit_code_rules();
    }
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        const std::string_view line = rest.substr(0, end);
        if (line.empty())
            out += "\n";
        else if (line.starts_with("  "))
            out += std::string(line) + "\n";
        else
            out += filled(line, page_width(world));
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return Early{support::ExitCode::done, std::move(out), {}};
}

std::string filled(std::string_view text, std::size_t width, std::size_t indent) {
    const std::string margin(indent, ' ');
    std::string out;
    std::string line;
    std::size_t begin = 0;
    while ((begin = text.find_first_not_of(" \n", begin)) != std::string_view::npos) {
        const std::size_t end = text.find_first_of(" \n", begin);
        const std::string_view word = text.substr(begin, end == std::string_view::npos ? end : end - begin);
        if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
            out += margin + line + "\n";
            line.clear();
        }
        if (!line.empty()) line += ' ';
        line += word;
        if (end == std::string_view::npos) break;
        begin = end;
    }
    return out + margin + line + "\n";
}

std::string two_columns(std::string_view left, std::string_view right, std::size_t at, std::size_t width) {
    const std::string body = filled(right, width, at);
    std::string head = "  " + std::string(left);
    if (head.size() + 2 > at) return head + "\n" + body;
    return head + body.substr(head.size());
}

}  // namespace ratectl::cli
