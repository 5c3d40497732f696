// What the help topics promise to be complete about is complete.
#include "cli/topics.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "cli/grammar.h"
#include "support/catch.h"

using namespace ratectl;

namespace {

/// RATECTL_KEY_FORMAT for key-format.
std::string variable_of(const std::string& option) {
    std::string name = "RATECTL_";
    for (const char c : option) name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return name;
}

}  // namespace

TEST_CASE("the topic of the environment names the variable of every common option but those that guard a write") {
    const std::vector<std::string> without{"yes", "dry-run", "reveal", "help", "version"};
    const std::string_view text = cli::find_topic("environment")->text;
    const auto globals = cli::bind_globals();
    CHECK(globals.grammar.flags.size() > 20);
    for (const auto& flag : globals.grammar.flags) {
        const bool has_none = std::find(without.begin(), without.end(), flag.name) != without.end();
        INFO(flag.name);
        CHECK((has_none || text.find(variable_of(flag.name)) != std::string_view::npos));
    }
}

TEST_CASE("every topic of the help says something and is found by its name") {
    for (const cli::Topic& topic : cli::topics()) {
        CHECK(cli::find_topic(topic.name) == &topic);
        CHECK_FALSE(topic.summary.empty());
        CHECK((topic.name == "exit-codes" || topic.text.size() > 500));
    }
    CHECK(cli::find_topic("nonsense") == nullptr);
}
