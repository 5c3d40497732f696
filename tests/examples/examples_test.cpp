// Every example of every command's help (and so of its manual page) is run, and does what golden/examples/COMMAND.txt
// shows; set RATECTL_REGENERATE=1 to write the files anew, and look at the difference.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "examples/example_world.h"
#include "examples/transcript.h"
#include "support/catch.h"
#include "support/places.h"

namespace {

namespace fs = std::filesystem;
using namespace ratectl::test;

const fs::path kGolden = fs::path(source_dir()) / "tests/cli/golden/examples";

std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// The names below a heading of the short help.
std::vector<std::string> commands_below(const std::string& heading) {
    std::istringstream help(run_ratectl({}).out);
    std::vector<std::string> names;
    bool inside = false;
    for (std::string line; std::getline(help, line);) {
        if (!line.starts_with("  "))
            inside = line == heading;
        else if (inside && line[2] != ' ')
            names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
    return names;
}

/// The lines below `Examples` in a command's help, without their margin.
std::string examples_of(const std::string& command) {
    std::istringstream help(run_ratectl({"help", command}).out);
    std::string examples;
    bool inside = false;
    for (std::string line; std::getline(help, line);) {
        if (inside && line.starts_with("  ")) examples += line.substr(2) + "\n";
        inside = line == "Examples" || (inside && line.starts_with("  "));
    }
    return examples;
}

void check_examples_below(const std::string& heading) {
    const auto commands = commands_below(heading);
    CHECK(commands.size() >= 2);
    for (const std::string& command : commands) {
        const std::string examples = examples_of(command);
        INFO(command);
        CHECK_FALSE(examples.empty());
        ExampleWorld world;
        if (command == "sharding") world.add_clients(60);  // few keys fit many rules
        if (command == "throttle" || command == "knobs" || command == "running" || command == "governor")
            world.add_throttles();
        if (command == "rollout") world.add_predecessor();
        if (command == "reshard") world.add_cluster();
        const std::string transcript = transcript_of(examples, world);
        const fs::path path = kGolden / (command + ".txt");
        if (std::getenv("RATECTL_REGENERATE") != nullptr) {
            fs::create_directories(kGolden);
            std::ofstream(path, std::ios::binary) << transcript;
        }
        INFO(path.string() << " differs; run this test with RATECTL_REGENERATE=1 if that is meant");
        CHECK(transcript == read(path));
    }
}

}  // namespace

TEST_CASE("the examples of commands that look do what they say") { check_examples_below("Look"); }
TEST_CASE("the examples of commands that change do what they say") { check_examples_below("Change"); }
TEST_CASE("the examples of commands that investigate do what they say") { check_examples_below("Investigate"); }
TEST_CASE("the examples of commands for one limiter do what they say") { check_examples_below("Limiters"); }
TEST_CASE("the examples of commands that set up do what they say") { check_examples_below("Set up"); }
