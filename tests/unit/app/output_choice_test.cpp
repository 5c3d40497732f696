// What options, environment and terminal make of the output.
#include "app/output_choice.h"

#include <map>

#include "app/terminal.h"
#include "support/catch.h"
#include "support/failure_of.h"

namespace {

using ratectl::app::choose_messages;
using ratectl::app::choose_output;
using ratectl::app::ColorWish;
using ratectl::app::Env;
using ratectl::app::fill_from_environment;
using ratectl::app::TerminalFacts;
using ratectl::commands::GlobalOptions;
using ratectl::output::Format;
using ratectl::support::ExitCode;
using ratectl::test::failure_of;

Env environment(std::map<std::string, std::string> values) {
    return [values = std::move(values)](const std::string& name) -> std::optional<std::string> {
        const auto it = values.find(name);
        return it == values.end() ? std::nullopt : std::optional(it->second);
    };
}

const TerminalFacts kTerminal{true, true, true, 132, 90};
const TerminalFacts kPipe{};

}  // namespace

TEST_CASE("the environment fills what no flag said") {
    GlobalOptions options;
    options.color = "always";
    fill_from_environment(options, environment({{"RATECTL_OUTPUT", "csv"},
                                                {"RATECTL_COLOR", "never"},
                                                {"RATECTL_COLUMNS", "key"},
                                                {"RATECTL_TZ", "UTC"},
                                                {"RATECTL_MESSAGES", "json"},
                                                {"RATECTL_QUIET", "1"},
                                                {"RATECTL_NO_INPUT", "true"},
                                                {"RATECTL_VERBOSE", "0"}}));
    CHECK(options.output == "csv");
    CHECK(options.color == "always");
    CHECK(options.columns == "key");
    CHECK(options.zone == "UTC");
    CHECK(options.messages == "json");
    CHECK(options.quiet);
    CHECK(options.no_input);
    CHECK(options.verbose == 0);
}

TEST_CASE("no variable answers yes and one that would rehearse is refused") {
    GlobalOptions options;
    fill_from_environment(options, environment({{"RATECTL_YES", "1"}, {"RATECTL_DRY_RUN", "0"}}));
    CHECK_FALSE(options.yes);
    CHECK_FALSE(options.dry_run);
    CHECK_THROWS_AS(fill_from_environment(options, environment({{"RATECTL_DRY_RUN", "1"}})), ratectl::support::Failure);
}

TEST_CASE("an output flag wins over both variables about it") {
    GlobalOptions by_name;
    by_name.output = "tsv";
    fill_from_environment(by_name, environment({{"RATECTL_JSON", "1"}, {"RATECTL_OUTPUT", "csv"}}));
    CHECK(choose_output(by_name, kPipe, environment({})).format == Format::tsv);
    GlobalOptions by_switch;
    by_switch.json = true;
    fill_from_environment(by_switch, environment({{"RATECTL_OUTPUT", "csv"}}));
    CHECK(choose_output(by_switch, kPipe, environment({})).format == Format::json);
}

TEST_CASE("a switch in the environment is one or zero") {
    GlobalOptions options;
    const auto error = failure_of([&] { fill_from_environment(options, environment({{"RATECTL_QUIET", "perhaps"}})); });
    CHECK(error.code == ExitCode::usage);
    CHECK(error.message.find("RATECTL_QUIET") != std::string::npos);
}

TEST_CASE("two different formats at once are refused") {
    GlobalOptions options;
    options.json = true;
    options.output = "csv";
    CHECK(failure_of([&] { choose_output(options, kPipe, environment({})); }).code == ExitCode::usage);
    options.output = "json";
    CHECK(choose_output(options, kPipe, environment({})).format == Format::json);
}

TEST_CASE("bad output options are usage errors") {
    for (const auto& set : std::vector<void (*)(GlobalOptions&)>{
             [](GlobalOptions& o) { o.output = "jsn"; }, [](GlobalOptions& o) { o.color = "blue"; },
             [](GlobalOptions& o) { o.zone = "Mars/Olympus"; }, [](GlobalOptions& o) { o.key_format = "octal"; }}) {
        GlobalOptions options;
        set(options);
        CHECK(failure_of([&] { choose_output(options, kPipe, environment({})); }).code == ExitCode::usage);
    }
    GlobalOptions options;
    options.messages = "xml";
    CHECK(failure_of([&] { choose_messages(options, kPipe, environment({})); }).code == ExitCode::usage);
}

TEST_CASE("what the environment says wrong is said of the variable and not of the flag") {
    for (const std::string variable : {"RATECTL_COLOR", "RATECTL_MESSAGES"}) {
        GlobalOptions options;
        const auto error = failure_of([&] { fill_from_environment(options, environment({{variable, "blue"}})); });
        CHECK(error.code == ExitCode::usage);
        CHECK(error.message == variable + ": 'blue' is not one of its values");
    }
}

TEST_CASE("colour is on for a terminal unless something says no") {
    const auto color = [](bool terminal, ColorWish wish, std::map<std::string, std::string> values) {
        return ratectl::app::color_of(terminal, wish, environment(std::move(values)));
    };
    CHECK(color(true, ColorWish::automatic, {{"TERM", "xterm"}}));
    CHECK_FALSE(color(false, ColorWish::automatic, {{"TERM", "xterm"}}));
    CHECK_FALSE(color(true, ColorWish::automatic, {{"TERM", "xterm"}, {"NO_COLOR", "1"}}));
    CHECK(color(true, ColorWish::automatic, {{"TERM", "xterm"}, {"NO_COLOR", ""}}));
    CHECK_FALSE(color(true, ColorWish::automatic, {{"TERM", "dumb"}}));
    CHECK_FALSE(color(true, ColorWish::automatic, {}));
    CHECK(color(false, ColorWish::always, {{"NO_COLOR", "1"}}));
    CHECK_FALSE(color(true, ColorWish::never, {{"TERM", "xterm"}}));
}

TEST_CASE("the width is that of the terminal and a mad COLUMNS is ignored") {
    CHECK(ratectl::app::width_of(kPipe, environment({{"COLUMNS", "100"}})) == 0);
    CHECK(ratectl::app::width_of(kTerminal, environment({})) == 132);
    CHECK(ratectl::app::width_of(kTerminal, environment({{"COLUMNS", "100"}})) == 100);
    for (const char* mad : {"0", "1", "-5", "99999999", "abc", ""}) {
        CHECK(ratectl::app::width_of(kTerminal, environment({{"COLUMNS", mad}})) == 132);
    }
    CHECK(ratectl::app::width_of({true, true, true, 0, 0}, environment({})) == 80);
}

TEST_CASE("decorations are ASCII unless the locale is UTF-8") {
    CHECK(ratectl::app::ascii_only(environment({})));
    CHECK(ratectl::app::ascii_only(environment({{"LANG", "C"}})));
    CHECK(ratectl::app::ascii_only(environment({{"LANG", "en_US.UTF-8"}, {"LC_ALL", "POSIX"}})));
    CHECK_FALSE(ratectl::app::ascii_only(environment({{"LANG", "de_DE.utf8"}})));
    CHECK_FALSE(ratectl::app::ascii_only(environment({{"LC_CTYPE", "C.UTF-8"}, {"LANG", "C"}})));
}

TEST_CASE("each stream decides about itself") {
    GlobalOptions options;
    const TerminalFacts only_errors{false, false, true, 0, 90};
    const Env env = environment({{"TERM", "xterm"}});
    CHECK_FALSE(choose_output(options, only_errors, env).color);
    CHECK_FALSE(choose_output(options, only_errors, env).terminal);
    CHECK(choose_messages(options, only_errors, env).color);
    CHECK(choose_messages(options, only_errors, env).terminal);
    CHECK(choose_messages(options, only_errors, env).width == 90);
    CHECK(choose_messages(options, kPipe, env).width == 0);
}
