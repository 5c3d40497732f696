// Writes the manual pages: one for ratectl, one for each command.

#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "cli/help.h"
#include "cli/topics.h"
#include "support/ascii.h"

namespace ratectl::cli {
namespace {

constexpr std::size_t kLineWidth = 78;
constexpr std::string_view kDate = "2026-11-21";

/// A line of text must not begin like a request.
std::string guarded_lines(std::string_view text) {
    std::string out;
    bool at_start = true;
    for (const char c : text) {
        if (at_start && (c == '.' || c == '\'')) out += "\\&";
        out += c;
        at_start = c == '\n';
    }
    return out;
}

/// A man(7) page in the making. Texts are plain: everything that roff would interpret is escaped.
class RoffPage {
public:
    RoffPage(std::string_view title, int section);

    void section(std::string_view heading);
    void subsection(std::string_view heading);
    /// Paragraphs apart by an empty line; a line that begins with two spaces stands as it is.
    void text(std::string_view text);
    /// A tagged paragraph; the tag's words after the bold ones are in italics.
    void item(std::string_view bold, std::string_view italic, std::string_view text);
    /// Lines that stand as they are.
    void verbatim(std::string_view lines);
    /// Raw roff, a line or more, that ends with a newline.
    void raw(std::string_view roff) { out_ += roff; }
    const std::string& roff() const { return out_; }

    static std::string escaped(std::string_view text);
    /// Dashes become the ones that can be copied into a shell.
    static std::string literal(std::string_view text);

private:
    void filled_line(std::string_view line);

    std::string out_;
    bool after_heading_ = false;
};

RoffPage::RoffPage(std::string_view title, int section) {
    out_ = fmt::format(
        ".\\\" Made from the program's own declarations: ratectl help --man\n.TH {} {} {} \"ratectl {}\" \"ratectl "
        "manual\"\n",
        support::upper(std::string(title)), section, kDate, RATECTL_VERSION);
}

std::string RoffPage::escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\')
            out += "\\e";
        else if (c == '~')
            out += "\\(ti";
        else if (c == '^')
            out += "\\(ha";
        else if (c == '`')
            out += "\\(ga";
        else
            out += c;
    }
    return out;
}

std::string RoffPage::literal(std::string_view text) {
    std::string out;
    for (const char c : escaped(text)) {
        if (c == '-')
            out += "\\-";
        else if (c == '\'')
            out += "\\(aq";
        else
            out += c;
    }
    return out;
}

void RoffPage::section(std::string_view heading) {
    out_ += ".SH " + support::upper(escaped(heading)) + "\n";
    after_heading_ = true;
}

void RoffPage::subsection(std::string_view heading) {
    out_ += ".SS " + escaped(heading) + "\n";
    after_heading_ = true;
}

void RoffPage::filled_line(std::string_view line) {
    if (!after_heading_) out_ += ".PP\n";
    after_heading_ = false;
    out_ += guarded_lines(filled(escaped(line), kLineWidth));
}

void RoffPage::text(std::string_view text) {
    std::string as_is;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.starts_with("  ")) {
            as_is += std::string(line.substr(2)) + "\n";
            continue;
        }
        if (!as_is.empty()) verbatim(as_is);
        as_is.clear();
        if (!line.empty()) filled_line(line);
    }
    if (!as_is.empty()) verbatim(as_is);
}

void RoffPage::item(std::string_view bold, std::string_view italic, std::string_view text) {
    after_heading_ = false;
    out_ += ".TP\n";
    if (!bold.empty()) out_ += "\\fB" + literal(bold) + "\\fR";
    if (!bold.empty() && !italic.empty()) out_ += " ";
    if (!italic.empty()) out_ += "\\fI" + literal(italic) + "\\fR";
    out_ += "\n" + guarded_lines(filled(escaped(text), kLineWidth));
}

void RoffPage::verbatim(std::string_view lines) {
    if (!after_heading_) out_ += ".PP\n";
    after_heading_ = false;
    std::string body = guarded_lines(literal(lines));
    if (!body.ends_with('\n')) body += '\n';
    out_ += ".nf\n" + body + ".fi\n";
}

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
        "counter and the second at which it ends. Flags may stand anywhere; one that takes a value takes exactly one, "
        "and may be "
        "repeated where "
        "that makes sense; -- ends them. A KEY is literal, only a GLOB is a pattern.");
    page.section("Commands");
    std::vector<std::string> others;
    for (const auto group : commands::kGroups) {
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
