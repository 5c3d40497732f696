// Pages show what is true: their sessions are run and their output compared, every command of the README's table runs,
// and a picture is what its command draws.
// Set RATECTL_REGENERATE=1 to write the output anew.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "examples/example_world.h"
#include "examples/normal_text.h"
#include "examples/transcript.h"
#include "support/catch.h"
#include "support/places.h"

namespace {

using namespace ratectl::test;

const std::string kReadme = source_dir() + "/README.md";
const std::string kTableGolden = source_dir() + "/tests/cli/golden/examples/README.txt";

std::vector<std::string> lines_in(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

std::string text_in(const std::string& path) {
    std::string text;
    for (const std::string& line : lines_in(path)) text += line + "\n";
    return text;
}

/// One command of a console block, and the lines below it.
struct Step {
    std::string typed;
    std::string script;
    std::string shown;
};

/// A part of a page: either lines to be kept, or the steps of a console block.
struct Part {
    std::string kept;
    std::vector<Step> steps;
};

std::vector<Part> parts_of(const std::string& page) {
    std::vector<Part> parts(1);
    bool inside = false;
    for (const std::string& line : lines_in(page)) {
        if (!inside || line == "```") {
            if (inside || parts.back().kept.empty()) parts.emplace_back();
            parts.back().kept += line + "\n";
            if (line == "```console") parts.emplace_back();
            inside = line == "```console";
        } else if (line.starts_with("$ ")) {
            parts.back().steps.push_back({line + "\n", line.substr(2) + "\n", {}});
        } else if (line.starts_with("> ")) {
            parts.back().steps.back().typed += line + "\n";
            parts.back().steps.back().script += line.substr(2) + "\n";
        } else {
            parts.back().steps.back().shown += line + "\n";
        }
    }
    return parts;
}

/// Where lines break depends on how long a port is.
std::string comparable(const std::string& text, const ExampleWorld& world) {
    std::istringstream words(normal_text(text, world.folder()));
    std::string out;
    for (std::string word; words >> word;) out += word + " ";
    return out;
}

}  // namespace

TEST_CASE("the sessions that the README and the pages show are what happens") {
    const auto& [page, least, has_throttles] =
        GENERATE(std::tuple{"/README.md", 10, false}, std::tuple{"/docs/governor.md", 9, true});
    const std::string path = source_dir() + page;
    const ExampleWorld world;
    if (has_throttles) world.add_throttles();
    auto parts = parts_of(path);
    int run = 0;
    std::string anew;
    for (Part& part : parts) {
        anew += part.kept;
        for (std::size_t i = 0; i < part.steps.size(); ++i) {
            const Step& step = part.steps[i];
            const RunResult result = world.run(step.script);
            const std::string shown = result.out + result.err;
            INFO(step.typed << shown);
            CHECK((result.code == 0 || result.code == 1));
            CHECK(comparable(step.shown, world) == comparable(shown, world));
            anew += step.typed + shown + (i + 1 < part.steps.size() ? "\n" : "");
            ++run;
        }
    }
    CHECK(run >= least);
    if (std::getenv("RATECTL_REGENERATE") != nullptr) std::ofstream(path, std::ios::binary) << anew;
}

TEST_CASE("the picture of a governed throttle is what its command draws") {
    const std::string path = source_dir() + "/docs/governor.svg";
    const ExampleWorld world;
    const auto drawn = world.run("ratectl governor simulate --set-point 2 --max 200 -o svg -q\n").out;
    if (std::getenv("RATECTL_REGENERATE") != nullptr) std::ofstream(path, std::ios::binary) << drawn;
    CHECK(drawn == text_in(path));
}

TEST_CASE("every command of the table in the README runs") {
    std::string examples;
    static const std::regex command("`(ratectl [^`]*)`");
    for (const std::string& line : lines_in(kReadme)) {
        if (!line.starts_with("| ")) continue;
        const std::string question = "# " + line.substr(2, line.find(" |", 2) - 2) + "\n";
        for (auto it = std::sregex_iterator(line.begin(), line.end(), command); it != std::sregex_iterator(); ++it)
            examples += question + std::regex_replace((*it)[1].str(), std::regex(R"(\\\|)"), "|") + "\n";
    }
    const ExampleWorld world;
    world.add_clients(60);
    const std::string transcript = transcript_of(examples, world);
    if (std::getenv("RATECTL_REGENERATE") != nullptr) std::ofstream(kTableGolden, std::ios::binary) << transcript;
    INFO(kTableGolden << " differs; run this test with RATECTL_REGENERATE=1 if that is meant");
    CHECK(std::count(examples.begin(), examples.end(), '#') >= 10);
    CHECK(transcript == text_in(kTableGolden));
}
