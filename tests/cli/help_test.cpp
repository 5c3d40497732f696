// Help as people see it, kept as files under golden/help; set RATECTL_REGENERATE=1 to write them anew.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/run_ratectl.h"

namespace {

namespace fs = std::filesystem;
using ratectl::test::run_ratectl;

const fs::path kGolden = fs::path(RATECTL_SOURCE_DIR) / "tests/cli/golden/help";

std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void check_golden(const std::string& name, const std::vector<std::string>& arguments) {
    const auto result = run_ratectl(arguments);
    const fs::path path = kGolden / (name + ".txt");
    if (std::getenv("RATECTL_REGENERATE") != nullptr) {
        fs::create_directories(kGolden);
        std::ofstream(path, std::ios::binary) << result.out;
    }
    INFO(path.string() << " differs; run this test with RATECTL_REGENERATE=1 if that is meant");
    CHECK(result.code == 0);
    CHECK(result.err.empty());
    CHECK_FALSE(result.out.empty());
    CHECK(result.out == read(path));
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
    check_golden("short", {});
    check_golden("full", {"--help"});
}

TEST_CASE("the help of every command is the one that was agreed on") {
    const auto commands = listed({"Look", "Change", "Investigate", "Set up"});
    CHECK(commands.size() >= 14);
    for (const std::string& command : commands) check_golden("command-" + command, {"help", command});
}

TEST_CASE("every topic of the help is the one that was agreed on") {
    const auto topics = listed({"Topics"});
    CHECK(topics.size() == 7);
    for (const std::string& topic : topics) check_golden("topic-" + topic, {"help", topic});
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

TEST_CASE("the version says what was built in") {
    const auto result = run_ratectl({"--version"});
    CHECK(result.code == 0);
    CHECK(result.out.rfind("ratectl 0.", 0) == 0);
    CHECK(result.out.find("\ntls ") != std::string::npos);
}
