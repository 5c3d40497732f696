// Rules over every command and every flag there is.
#include <algorithm>
#include <map>
#include <set>

#include "cli/grammar.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/topics.h"
#include "support/catch.h"

namespace {

using ratectl::cli::Flag;
using ratectl::cli::Grammar;
using ratectl::cli::Language;

std::vector<const Grammar*> everything(const Language& language) {
    std::vector<const Grammar*> all{&language.globals.grammar};
    for (const auto& command : language.commands) {
        all.push_back(&command.grammar);
        for (const Grammar& child : command.grammar.children) all.push_back(&child);
    }
    return all;
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

/// A line that ends with a backslash goes on in the next.
std::vector<std::string> joined_lines(std::string_view text) {
    std::vector<std::string> lines;
    bool goes_on = false;
    for (const std::string& line : lines_of(text)) {
        CHECK(line.size() <= 76);
        if (goes_on)
            lines.back() += line;
        else
            lines.push_back(line);
        goes_on = lines.back().ends_with("\\");
        if (goes_on) lines.back().pop_back();
    }
    return lines;
}

/// The words of a simple command, as a shell splits them: quotes, and nothing after a pipe or a redirection.
std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> words;
    std::string word;
    char quote = 0;
    bool any = false;
    for (const char c : line + " ") {
        if (quote != 0) {
            if (c == quote)
                quote = 0;
            else
                word += c;
        } else if (c == '\'' || c == '"') {
            quote = c;
            any = true;
        } else if (c == ' ') {
            if (any || !word.empty()) words.push_back(word);
            word.clear();
            any = false;
            if (!words.empty() &&
                (words.back() == "|" || words.back() == ">" || words.back() == ">>" || words.back() == "&&")) {
                words.pop_back();
                return words;
            }
        } else {
            word += c;
        }
    }
    return words;
}

void check_wording(const std::string& text) {
    INFO(text);
    CHECK_FALSE(text.empty());
    CHECK_FALSE(text.ends_with('.'));
    CHECK(text.find('\n') == std::string::npos);
    const bool all_ascii = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
    CHECK(all_ascii);
    const bool starts_like_a_sentence =
        text.size() > 1 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a' && text[1] <= 'z';
    CHECK_FALSE(starts_like_a_sentence);
}

void check_width(const std::string& text, std::size_t most) {
    for (const std::string& line : lines_of(text)) {
        INFO(line);
        CHECK(line.size() <= most);
    }
}

}  // namespace

TEST_CASE("every command has a name of its own and a summary of one line") {
    const Language language = ratectl::cli::whole_language();
    std::set<std::string> names;
    for (const auto& command : language.commands) {
        CHECK(names.insert(command.grammar.name).second);
        for (const Grammar& child : command.grammar.children) check_wording(child.summary);
        check_wording(command.grammar.summary);
        INFO(command.grammar.name);
        CHECK(command.grammar.summary.size() <= 90);
        CHECK_FALSE(command.grammar.examples.empty());
    }
}

TEST_CASE("every flag has a long form and a description") {
    const Language language = ratectl::cli::whole_language();
    for (const Grammar* grammar : everything(language)) {
        for (const Flag& flag : grammar->flags) {
            INFO(grammar->path << " " << flag.name);
            CHECK(flag.name.size() > 1);
            CHECK(flag.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos);
            check_wording(flag.about);
        }
        for (const Flag& argument : grammar->arguments) check_wording(argument.about);
    }
}

TEST_CASE("no flag has two meanings within one command line") {
    const Language language = ratectl::cli::whole_language();
    const Grammar& globals = language.globals.grammar;
    for (const Grammar* grammar : everything(language)) {
        std::set<std::string> names;
        std::set<char> letters;
        for (const Flag& flag : grammar->flags) {
            INFO(grammar->path << " --" << flag.name);
            CHECK(names.insert(flag.name).second);
            if (flag.letter != 0) CHECK(letters.insert(flag.letter).second);
            if (grammar == &globals || flag.hidden) continue;  // a hidden one is refused there
            CHECK(globals.find(flag.name) == nullptr);
            if (flag.letter != 0) CHECK(globals.find(flag.letter) == nullptr);
        }
    }
}

TEST_CASE("a flag of several commands takes a value in all of them or in none") {
    const Language language = ratectl::cli::whole_language();
    std::map<std::string, bool> takes_value;
    for (const Grammar* grammar : everything(language)) {
        for (const Flag& flag : grammar->flags) {
            INFO(grammar->path << " --" << flag.name);
            CHECK(takes_value.emplace(flag.name, flag.takes_value()).first->second == flag.takes_value());
        }
    }
}

TEST_CASE("only the last argument of a command may be repeated") {
    const Language language = ratectl::cli::whole_language();
    for (const Grammar* grammar : everything(language)) {
        for (std::size_t i = 0; i + 1 < grammar->arguments.size(); ++i) {
            INFO(grammar->path);
            CHECK_FALSE(grammar->arguments[i].repeatable);
        }
    }
}

TEST_CASE("every example that is a plain command line parses") {
    const Language language = ratectl::cli::whole_language();
    for (const auto& command : language.commands) {
        for (const std::string& line : joined_lines(command.grammar.examples)) {
            INFO(line);
            const bool known = line.rfind("# ", 0) == 0 || line.find("ratectl") != std::string::npos;
            CHECK(known);
            if (line.rfind("ratectl ", 0) != 0) continue;
            const std::vector<std::string> words = words_of(line);
            const std::vector<std::string_view> arguments(words.begin() + 1, words.end());
            const auto parsed = ratectl::cli::parse(arguments);
            const auto* early = std::get_if<ratectl::cli::Early>(&parsed);
            if (early == nullptr) continue;
            INFO(early->error.message);
            CHECK(early->code == ratectl::support::ExitCode::done);
        }
    }
}

TEST_CASE("all help fits eighty columns") {
    const Language language = ratectl::cli::whole_language();
    const Grammar& globals = language.globals.grammar;
    check_width(ratectl::cli::short_help(globals, true, {}).out, 80);
    for (const Grammar* grammar : everything(language)) {
        if (grammar != &globals) check_width(ratectl::cli::help_on(*grammar, globals, {}).out, 80);
    }
    for (const auto& topic : ratectl::cli::topics()) check_width(ratectl::cli::help_on(topic, {}).out, 80);
}

TEST_CASE("help names every flag of its command") {
    const Language language = ratectl::cli::whole_language();
    for (const Grammar* grammar : everything(language)) {
        if (grammar == &language.globals.grammar) continue;
        const std::string help = ratectl::cli::help_on(*grammar, language.globals.grammar, {}).out;
        for (const auto* list : {&grammar->flags, &language.globals.grammar.flags}) {
            for (const Flag& flag : *list) {
                INFO(grammar->path << " --" << flag.name);
                CHECK((flag.hidden || help.find("--" + flag.name) != std::string::npos));
            }
        }
    }
}

TEST_CASE("every exit code is explained once") {
    std::set<int> codes;
    for (const auto& meaning : ratectl::cli::exit_meanings())
        CHECK(codes.insert(static_cast<int>(meaning.code)).second);
    CHECK(codes == std::set<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 70, 130, 141, 143});
}

TEST_CASE("help is plain unless colour is wanted") {
    const Language language = ratectl::cli::whole_language();
    const Grammar& globals = language.globals.grammar;
    CHECK(ratectl::cli::short_help(globals, true, {}).out.find('\x1b') == std::string::npos);
    CHECK(ratectl::cli::short_help(globals, true, {80, true}).out.find("\x1b[1mTopics\x1b[0m") != std::string::npos);
}
