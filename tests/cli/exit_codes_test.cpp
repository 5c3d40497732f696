// Usage and configuration errors of the real binary: code, message, hint, and nothing on standard output.
#include <filesystem>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/json.h"
#include "support/patience.h"
#include "support/run_ratectl.h"

namespace {

using ratectl::test::kPatience;
using ratectl::test::parse_json;
using ratectl::test::run_ratectl;
using ratectl::test::RunOptions;
using ratectl::test::RunResult;

void check_refused(const RunResult& result, int code, const std::string& text) {
    INFO(result.err);
    CHECK(result.code == code);
    CHECK(result.out.empty());
    CHECK(result.err.rfind("ratectl: ", 0) == 0);
    CHECK(result.err.find(text) != std::string::npos);
}

}  // namespace

TEST_CASE("a wrong command line ends with two and a hint") {
    check_refused(run_ratectl({"chekc", "x"}), 2, "did you mean 'check'?");
    check_refused(run_ratectl({"check", "--formt", "json"}), 2, "unknown flag '--formt'");
    check_refused(run_ratectl({"check", "--output"}), 2, "--output needs a value");
    check_refused(run_ratectl({"sandbox", "stop"}), 2, "'sandbox' has no 'stop'");
    check_refused(run_ratectl({"completion", "tcsh"}), 2, "one of bash, zsh, fish");
    check_refused(run_ratectl({"-o", "json"}), 2, "no command is given");
}

TEST_CASE("a bad output option is refused before any server is asked") {
    for (const char* option :
         {"--output=jsn", "--color=blue", "--key-format=octal", "--messages=xml", "--tz=Mars/Olympus"}) {
        INFO(option);
        CHECK(run_ratectl({"check", "x", "-u", "redis://127.0.0.1:1", option}).code == 2);
    }
}

// What was written with both was read back as other keys.
TEST_CASE("NUL-separated keys have no other format than their own bytes") {
    const std::vector<std::string> words{"check", "x", "-u", "redis://127.0.0.1:1", "-0"};
    const auto with = [&](const char* flag, RunOptions options = {}) {
        auto all = words;
        if (*flag != 0) all.emplace_back(flag);
        return run_ratectl(all, options).code;
    };
    CHECK(with("--key-format=hex") == 2);
    CHECK(with("--key-format=raw") == 4);
    RunOptions options;
    options.environment["RATECTL_KEY_FORMAT"] = "hex";
    CHECK(with("", options) == 4);  // the flag is more than the variable
    options.environment = {{"RATECTL_NULL", "1"}};
    CHECK(run_ratectl({"check", "78", "--key-format", "hex", "-u", "redis://127.0.0.1:1"}, options).code == 4);
    options.environment["RATECTL_KEY_FORMAT"] = "hex";
    check_refused(run_ratectl({"check", "78", "-u", "redis://127.0.0.1:1"}, options), 2, "RATECTL_KEY_FORMAT");
}

// It was called no percentage at all.
TEST_CASE("a percentage with too many digits is told how many it may have") {
    const std::string words = "a percentage with up to 6 digits behind the point";
    const std::vector<std::string> server{"-u", "redis://127.0.0.1:1"};
    for (std::vector<std::string> arguments : {std::vector<std::string>{"scan", "--min-used", "33.3333333%"},
                                               {"watch", "x", "--until", "below:33.3333333%"}}) {
        arguments.insert(arguments.end(), server.begin(), server.end());
        check_refused(run_ratectl(arguments), 2, words);
    }
}

// Most commands resolved their configuration first, and said what was wrong there.
TEST_CASE("a bad output option is refused before a configuration is looked for") {
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"check", "x"},
                                                                                       {"client", "x"},
                                                                                       {"stats"},
                                                                                       {"throttle", "list"},
                                                                                       {"reset", "x"},
                                                                                       {"nodes"},
                                                                                       {"config", "check"}}) {
        for (const std::string option : {"--output=jsn", "--key-format=octal", "--tz=Mars/Olympus"}) {
            auto arguments = words;
            arguments.push_back(option);
            check_refused(run_ratectl(arguments), 2, option.substr(option.find('=') + 1));
        }
    }
    check_refused(run_ratectl({"check", "x", "-o", "github"}), 2, "github");
    check_refused(run_ratectl({"client", "x", "-o", "github"}), 3, "no configuration");
    check_refused(run_ratectl({"stats", "-o", "html"}), 3, "no configuration");
}

// Most commands resolved their configuration first here, too.
TEST_CASE("a column that a command does not have is refused before a configuration is looked for") {
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"check", "x"},
                                                                                       {"client", "x"},
                                                                                       {"explain", "x"},
                                                                                       {"scan"},
                                                                                       {"top"},
                                                                                       {"stats"},
                                                                                       {"doctor"},
                                                                                       {"nodes"},
                                                                                       {"locate", "x"},
                                                                                       {"compare", "x"},
                                                                                       {"increment", "x"},
                                                                                       {"history"},
                                                                                       {"undo", "x"},
                                                                                       {"throttle", "show", "x"},
                                                                                       {"throttle", "reset", "x"},
                                                                                       {"knobs", "set", "x", "rps=1"},
                                                                                       {"rollout", "show"},
                                                                                       {"rollout", "set", "x", "5"},
                                                                                       {"governor", "step", "x"}}) {
        INFO(words.front());
        auto wrong = words;
        wrong.insert(wrong.end(), {"--columns", "bogus"});
        check_refused(run_ratectl(wrong), 2, "no column is called 'bogus'");
    }
    // The variable is of all commands, and names columns that only some of them have.
    RunOptions options;
    options.environment["RATECTL_COLUMNS"] = "used";
    check_refused(run_ratectl({"explain", "x"}, options), 3, "no configuration");
}

// It was refused when the throttle had been looked for.
TEST_CASE("governors draw nothing but simulations, and say so at once") {
    for (const std::string action : {"run", "step", "explain"})
        check_refused(run_ratectl({"governor", action, "x", "-o", "plot"}), 2, "plot");
}

TEST_CASE("a bad value in the environment is named by its variable") {
    RunOptions options;
    options.environment["RATECTL_QUIET"] = "perhaps";
    check_refused(run_ratectl({"check", "x"}, options), 2, "RATECTL_QUIET");
}

TEST_CASE("without any configuration the ways to begin are named") {
    const auto result = run_ratectl({"check", "x"});
    check_refused(result, 3, "no configuration");
    CHECK(result.err.find("ratectl config init") != std::string::npos);
    CHECK(result.err.find("-u redis://") != std::string::npos);
    CHECK(result.err.find("sandbox") != std::string::npos);
}

TEST_CASE("a password on the command line is refused and not repeated") {
    const auto in_url = run_ratectl({"check", "x", "-u", "redis://me:s3cret@127.0.0.1:1"});
    check_refused(in_url, 2, "env:");
    CHECK(in_url.err.find("s3cret") == std::string::npos);
    check_refused(run_ratectl({"check", "x", "--password", "s3cret"}), 2, "unknown flag '--password'");
}

TEST_CASE("a server that is not there ends with four within the timeout") {
    const auto result = run_ratectl({"check", "x", "-u", "redis://127.0.0.1:1", "--timeout", "1s", "-o", "name"});
    CHECK(result.code == 4);
    CHECK(result.out.empty());
    CHECK(result.wall_time < std::chrono::milliseconds(1300) + kPatience);
}

TEST_CASE("control bytes in a wrong word never reach the terminal") {
    RunOptions options;
    options.terminal = true;
    options.environment["TERM"] = "dumb";
    const std::string evil = "\x1b]0;pwn\x07\xc2\x9b\xe2\x80\xae\x7f";
    for (const auto& arguments :
         std::vector<std::vector<std::string>>{{evil},
                                               {"check", "--" + evil},
                                               {"check", "x", "--color", evil},
                                               {"check", "x", "-u", evil},
                                               {"help", evil},
                                               {"sandbox", evil},
                                               {"completion", evil},
                                               {"check", "x", "--columns", evil, "-u", "redis://127.0.0.1:1"}}) {
        const auto result = run_ratectl(arguments, options);
        INFO(arguments.front());
        CHECK(result.code >= 2);
        CHECK(result.terminal.find("ratectl: ") != std::string::npos);
        for (const char* raw : {"\x1b", "\x07", "\xc2\x9b", "\xe2\x80\xae", "\x7f"})
            CHECK(result.terminal.find(raw) == std::string::npos);
    }
}

TEST_CASE("errors are JSON objects when that is wanted even if the command line is wrong") {
    RunOptions options;
    options.environment["RATECTL_MESSAGES"] = "json";
    for (const auto& result : {run_ratectl({"chekc", "--messages", "json"}), run_ratectl({"chekc"}, options)}) {
        const auto error = parse_json(result.err.substr(0, result.err.find('\n')));
        CHECK(error["kind"] == "error");
        CHECK(error["code"] == 2);
        CHECK(error["hint"] == "did you mean 'check'?");
    }
}

TEST_CASE("no variable answers the question before a bulk write") {
    RunOptions options;
    options.environment["RATECTL_YES"] = "1";
    options.input = "a\nb\n";
    const auto result = run_ratectl({"reset", "-", "-u", "redis://127.0.0.1:1"}, options);
    CHECK(result.code != 0);
    CHECK(result.code != 2);
    CHECK(result.err.find("RATECTL_YES") == std::string::npos);
}

TEST_CASE("an option before the command does what it does behind it") {
    const auto before = run_ratectl({"--columns", "help", "check", "x"});
    CHECK(before.code == 0);
    CHECK(before.out == run_ratectl({"check", "x", "--columns", "help"}).out);
}
