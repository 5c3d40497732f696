// What argv means, word by word.
#include "cli/parse.h"

#include <initializer_list>
#include <string>
#include <vector>

#include "support/catch.h"

namespace {

using ratectl::cli::Early;
using ratectl::cli::Invocation;
using ratectl::support::ExitCode;

std::variant<Invocation, Early> parse(std::initializer_list<std::string_view> words) {
    return ratectl::cli::parse(std::vector<std::string_view>(words));
}

ratectl::support::Error error_of(std::initializer_list<std::string_view> words) {
    auto parsed = parse(words);
    REQUIRE(std::holds_alternative<Early>(parsed));
    CHECK(std::get<Early>(parsed).out.empty());
    return std::get<Early>(parsed).error;
}

std::string text_of(std::initializer_list<std::string_view> words) {
    auto parsed = parse(words);
    REQUIRE(std::holds_alternative<Early>(parsed));
    CHECK(std::get<Early>(parsed).code == ExitCode::done);
    return std::get<Early>(parsed).out;
}

Invocation invocation_of(std::initializer_list<std::string_view> words) {
    auto parsed = parse(words);
    if (const auto* early = std::get_if<Early>(&parsed)) FAIL(early->error.message);
    return std::get<Invocation>(std::move(parsed));
}

}  // namespace

TEST_CASE("common options reach the invocation from before and after the command") {
    const auto run = invocation_of({"-o", "json", "-vv", "sandbox", "--url=redis://a:1", "status", "-u", "redis://b:2",
                                    "-qn", "-d", "x", "--timeout", "1s", "--no-input", "--from", "10.0.0.1:6379"});
    CHECK(run.command == "sandbox");
    CHECK(run.options.output == "json");
    CHECK(run.options.verbose == 2);
    CHECK(run.options.quiet);
    CHECK(run.options.dry_run);
    CHECK(run.options.no_input);
    CHECK_FALSE(run.options.yes);
    CHECK(run.options.overrides.urls == std::vector<std::string>{"redis://a:1", "redis://b:2"});
    CHECK(run.options.overrides.deployment == "x");
    CHECK(run.options.overrides.timeout == "1s");
    CHECK(run.options.overrides.read_from == "10.0.0.1:6379");
    CHECK_FALSE(run.options.overrides.now);
}

TEST_CASE("a short flag takes its value from the same word or the next") {
    CHECK(invocation_of({"sandbox", "status", "-ojson"}).options.output == "json");
    CHECK(invocation_of({"sandbox", "status", "-o", "json"}).options.output == "json");
    CHECK(invocation_of({"sandbox", "status", "-qocsv"}).options.output == "csv");
}

TEST_CASE("values that look like lists or braces stay whole") {
    const auto run = invocation_of({"sandbox", "status", "--key", "[a,b]", "-u", "{}", "-u", "[x,y]", "-u", "%%"});
    CHECK(run.options.overrides.key == "[a,b]");
    CHECK(run.options.overrides.urls == std::vector<std::string>{"{}", "[x,y]", "%%"});
}

TEST_CASE("a flag of the command may stand before its name") {
    CHECK(invocation_of({"--shards", "2", "sandbox", "up"}).command == "sandbox");
    CHECK(invocation_of({"sandbox", "--shards", "2", "up"}).command == "sandbox");
}

TEST_CASE("a flag of another sub-command is refused by name") {
    const auto error = error_of({"sandbox", "status", "--shards", "2"});
    CHECK(error.code == ExitCode::usage);
    CHECK(error.message == "unknown flag '--shards'");
    CHECK(error_of({"sandbox", "--shards", "2", "status"}).message == "--shards does not belong to 'sandbox status'");
}

TEST_CASE("words after two dashes are arguments whatever they look like") {
    CHECK(invocation_of({"sandbox", "run", "--", "sh", "-c", "true", "--", "--yes", "--nonsense"}).options.yes ==
          false);
}

TEST_CASE("unknown words are answered with the nearest known one") {
    CHECK(error_of({"sandbx"}).message == "unknown command 'sandbx'");
    CHECK(error_of({"sandbx"}).hint == "did you mean 'sandbox'?");
    CHECK(error_of({"zzzzzzzzz"}).hint == "'ratectl help' lists the commands");
    CHECK(error_of({"sandbox", "stats"}).hint == "did you mean 'status'?");
    CHECK(error_of({"sandbox", "status", "--deplyment", "x"}).hint == "did you mean '--deployment'?");
    CHECK(error_of({"completion", "bsh"}).hint == "did you mean 'bash'?");
    CHECK(error_of({"help", "sandbx"}).hint == "did you mean 'sandbox'?");
    CHECK(error_of({"help", "exit-code"}).hint == "did you mean 'exit-codes'?");
}

TEST_CASE("a flag that other commands have is told to be theirs, and no slip of the pen") {
    CHECK(error_of({"reset", "x", "--fields", "key"}).hint == "did you mean '--columns'?");
    CHECK(error_of({"reset", "x", "--every", "1s"}).hint.starts_with("'--every' is a flag of "));
    CHECK(error_of({"sandbox", "status", "--only", "x"}).hint == "'--only' is a flag of doctor");
    CHECK(error_of({"undo", "x", "--cofirm", "x"}).hint == "did you mean '--confirm'?");
}

TEST_CASE("a command is never abbreviated and neither is a flag") {
    CHECK(error_of({"sand", "status"}).message == "unknown command 'sand'");
    CHECK(error_of({"sandbox", "status", "--outp", "json"}).message == "unknown flag '--outp'");
}

TEST_CASE("a forgotten value is not taken from the next flag") {
    const auto error = error_of({"sandbox", "status", "--deployment", "--yes"});
    CHECK(error.message == "--deployment needs a value, and '--yes' follows");
    CHECK(error.hint == "if that is the value, write --deployment=--yes");
    CHECK(invocation_of({"sandbox", "status", "--deployment=--yes"}).options.overrides.deployment == "--yes");
    CHECK(error_of({"sandbox", "status", "-d"}).message == "-d needs a value: NAME");
}

TEST_CASE("an empty value is an error and never the absence of the flag") {
    CHECK(error_of({"sandbox", "status", "--expiry-suffix", ""}).message == "--expiry-suffix: its value is empty");
    CHECK(error_of({"sandbox", "status", "--expiry-suffix="}).message == "--expiry-suffix: its value is empty");
}

TEST_CASE("a flag that is given twice is refused unless it may be repeated") {
    CHECK(error_of({"-o", "json", "sandbox", "status", "-o", "csv"}).message == "--output is given twice");
    CHECK(invocation_of({"sandbox", "status", "--json", "--json"}).options.json);
}

TEST_CASE("a switch takes no value") {
    CHECK(error_of({"sandbox", "status", "--json=yes"}).message == "--json takes no value");
}

TEST_CASE("closed choices are checked and open ones are left to their reader") {
    CHECK(error_of({"sandbox", "status", "--color", "sometimes"}).hint == "one of auto, always, never");
    CHECK(invocation_of({"sandbox", "status", "-o", "github"}).options.output == "github");
}

TEST_CASE("missing and superfluous arguments are named") {
    CHECK(error_of({"completion"}).message == "completion: SHELL is missing");
    CHECK(error_of({"completion", "bash", "zsh"}).message == "unexpected argument 'zsh'");
    CHECK(error_of({"sandbox"}).message == "'sandbox' needs one of up, status, down, run");
    CHECK(error_of({"--json"}).message == "no command is given");
}

TEST_CASE("help wins over everything but unknown words") {
    CHECK(text_of({}).find("usage: ratectl") != std::string::npos);
    CHECK(text_of({"help"}) == text_of({}));
    CHECK(text_of({"--help"}).find("--deployment NAME") != std::string::npos);
    CHECK(text_of({"sandbox", "up", "-h"}) == text_of({"help", "sandbox", "up"}));
    CHECK(text_of({"completion", "--help"}) == text_of({"help", "completion"}));
    CHECK(text_of({"sandbox", "--help"}) == text_of({"help", "sandbox"}));
}

TEST_CASE("the habits of redis-cli are answered with the URL to write and never with the password") {
    const auto error = error_of({"-h", "10.0.0.1", "-p", "6380", "-a", "hunter2", "check", "core:1"});
    CHECK(error.code == ExitCode::usage);
    CHECK(error.message.find("-h HOST, -p PORT, -a PASSWORD are redis-cli's way") == 0);
    CHECK(error.hint.find("-u redis://10.0.0.1:6380") != std::string::npos);
    CHECK(error.hint.find("REDISCLI_AUTH") != std::string::npos);
    CHECK((error.message + error.hint).find("hunter2") == std::string::npos);
    CHECK(error_of({"-n", "3", "check", "core:1"}).hint.find("-u redis://HOST:6379/3") != std::string::npos);
    CHECK(error_of({"check", "core:1", "-h", "localhost"}).hint.find("-u redis://localhost:6379") != std::string::npos);
    CHECK(error_of({"-h", "redis", "-p", "6379", "scan"}).hint.find("-u redis://redis:6379") != std::string::npos);
    CHECK(error_of({"check", "core:1", "-ahunter2"}).message.find("hunter2") == std::string::npos);
    CHECK(error_of({"check", "core:1", "--pass", "hunter2"}).hint.find("REDISCLI_AUTH") != std::string::npos);
    CHECK(error_of({"check", "core:1", "--pass=hunter2"}).message.find("hunter2") == std::string::npos);
    CHECK(text_of({"-h", "check"}).find("ratectl check") != std::string::npos);
    CHECK(text_of({"check", "core:1", "-h"}).find("ratectl check") != std::string::npos);
    CHECK(invocation_of({"reset", "-n", "--", "3"}).options.dry_run);
    CHECK(invocation_of({"reset", "-n", "core:3"}).options.dry_run);
}

TEST_CASE("the version names compiler and libraries") {
    CHECK(text_of({"-V"}) == text_of({"--version"}));
    for (const auto& text : {text_of({"--version"}), text_of({"sandbox", "status", "--version"})}) {
        CHECK(text.rfind("ratectl ", 0) == 0);
        CHECK(text.find("\ncompiler ") != std::string::npos);
        CHECK(text.find("CLI11 2.") != std::string::npos);
    }
}

TEST_CASE("there is no flag that takes a password") {
    CHECK(error_of({"sandbox", "status", "--password", "x"}).message == "unknown flag '--password'");
}

TEST_CASE("the wish for machine-readable messages is seen on a command line that does not parse") {
    using ratectl::cli::wants_json_messages;
    const auto wants = [](std::initializer_list<std::string_view> words) {
        return wants_json_messages(std::vector<std::string_view>(words));
    };
    CHECK(wants({"--messages", "json", "nonsense"}));
    CHECK(wants({"nonsense", "--messages=json"}));
    CHECK_FALSE(wants({"nonsense", "--", "--messages=json"}));
    CHECK_FALSE(wants({"--messages", "text"}));
    CHECK_FALSE(wants({"--messages"}));
}
