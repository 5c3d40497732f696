// Help as people see it, kept as files under golden/help; set RATECTL_REGENERATE=1 to write them anew.
#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/golden.h"
#include "support/run_ratectl.h"

namespace {

using ratectl::test::run_ratectl;

void check_help(const std::string& name, const std::vector<std::string>& arguments) {
    const auto result = run_ratectl(arguments);
    CHECK(result.code == 0);
    CHECK(result.err.empty());
    ratectl::test::check_golden("cli/golden/help/" + name + ".txt", result.out);
}

/// The names in the first column of a block of the short help.
std::vector<std::string> listed(const std::vector<std::string>& headings) {
    std::istringstream help(run_ratectl({}).out);
    std::vector<std::string> names;
    bool inside = false;
    for (std::string line; std::getline(help, line);) {
        if (line.rfind("  ", 0) != 0)
            inside = std::find(headings.begin(), headings.end(), line) != headings.end();
        else if (inside && line[2] != ' ')
            names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
    return names;
}

}  // namespace

TEST_CASE("the short help is the one that was agreed on") {
    check_help("short", {});
    check_help("full", {"--help"});
}

TEST_CASE("the help of every command is the one that was agreed on") {
    const auto commands = listed({"Look", "Change", "Investigate", "Limiters", "Set up"});
    CHECK(commands.size() >= 14);
    for (const std::string& command : commands) check_help("command-" + command, {"help", command});
}

TEST_CASE("the help of a topic and another word says that a topic stands by itself") {
    const auto result = run_ratectl({"help", "output", "safety"});
    CHECK(result.code == 2);
    CHECK(result.err == "ratectl: help shows one topic, and 'output' is one by itself\nhint: ratectl help output\n");
}

TEST_CASE("every topic of the help is the one that was agreed on") {
    const auto topics = listed({"Topics"});
    CHECK(topics.size() == 7);
    for (const std::string& topic : topics) check_help("topic-" + topic, {"help", topic});
}

TEST_CASE("help on a terminal has bold headings and nothing else") {
    ratectl::test::RunOptions options;
    options.terminal = true;
    options.environment["TERM"] = "xterm";
    const auto shown = run_ratectl({"help", "safety"}, options);
    CHECK(shown.code == 0);
    CHECK(shown.terminal.find("\x1b[1m") != std::string::npos);
    options.environment["NO_COLOR"] = "1";
    CHECK(run_ratectl({"help", "safety"}, options).terminal.find('\x1b') == std::string::npos);
}

// It said of every command that writes that it had --op-id, which apply, doctor --fix and replay have not.
TEST_CASE("help safety says of every command that writes how it is run again and promises no flag that is not there") {
    const auto topic = std::regex_replace(run_ratectl({"help", "safety"}).out, std::regex("\\s+"), " ");
    const auto takes_id = [](std::vector<std::string> command) {
        command.emplace_back("--help");
        const auto help = run_ratectl(command).out;
        CHECK(help.find("--no-op-key") != std::string::npos);
        return help.find("--op-id") != std::string::npos;
    };
    CHECK(topic.find("increment, refund, reset and undo take --op-id") != std::string::npos);
    for (const std::string command : {"increment", "refund", "reset", "undo"}) CHECK(takes_id({command}));
    CHECK(topic.find("an --op-id of reshard apply") != std::string::npos);
    CHECK(takes_id({"reshard", "apply"}));
    for (const std::string command : {"apply", "doctor", "replay"}) {
        INFO(command);
        CHECK_FALSE(takes_id({command}));
    }
    for (const char* const words : {"apply has the id that its plan was written under",
                                    "doctor --fix and reshard apply", "replay alone counts its log anew"})
        CHECK(topic.find(words) != std::string::npos);
    CHECK(topic.find("Every command that writes has an operation id (--op-id") == std::string::npos);
}

TEST_CASE("the version says what was built in") {
    const auto result = run_ratectl({"--version"});
    CHECK(result.code == 0);
    CHECK(result.out.rfind("ratectl 0.", 0) == 0);
    for (const char* fact : {"\ncommit ", "\ncompiler ", "\ntls ", "\nlibraries, "})
        CHECK(result.out.find(fact) != std::string::npos);
    // Each with a figure: a library that cmake found without a version would stand there bare.
    std::istringstream libraries(result.out.substr(result.out.find("\nlibraries, ")));
    std::size_t seen = 0;
    for (std::string one; std::getline(libraries, one, ','); ++seen) {
        INFO(one);
        if (seen > 0) CHECK(one.find_first_of("0123456789") != std::string::npos);
    }
    CHECK(seen > 10);
}

// Hints recommend it as it is, and these answered that an argument is missing, or knew no column called help.
TEST_CASE("columns are listed without the arguments that a command needs") {
    for (const std::vector<std::string>& command : {std::vector<std::string>{"client"},
                                                    {"apply"},
                                                    {"replay"},
                                                    {"limit", "trace"},
                                                    {"throttle", "show"},
                                                    {"throttle", "reset"},
                                                    {"knobs", "get"},
                                                    {"knobs", "set"},
                                                    {"running"},
                                                    {"governor", "step"},
                                                    {"rollout", "set"},
                                                    {"rollout", "who"},
                                                    {"rollout", "compare"},
                                                    {"rollout", "copy"},
                                                    {"reshard", "plan"},
                                                    {"reshard", "apply"},
                                                    {"sharding", "show"},
                                                    {"sandbox", "status"},
                                                    {"undo"},
                                                    {"check"}}) {
        auto words = command;
        words.insert(words.end(), {"--columns", "help"});
        const auto listed = run_ratectl(words);
        INFO(command.front() << " " << command.back() << ": " << listed.err);
        CHECK(listed.code == 0);
        CHECK(listed.err.empty());
        CHECK(std::ranges::count(listed.out, '\n') > 2);
    }
    CHECK(run_ratectl({"client", "--columns", "key"}).code == 2);
    // They print no rows.
    CHECK(run_ratectl({"sandbox", "run", "--columns", "help"}).code == 2);
    CHECK(run_ratectl({"completion", "--columns", "help"}).code == 2);
}
