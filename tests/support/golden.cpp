// Reads, writes and compares; and the list of what differs from run to run.
#include "support/golden.h"

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

#include "support/catch.h"
#include "support/places.h"

namespace ratectl::test {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

struct Changing {
    std::regex what;
    bool digits_only;  // else every letter and digit of it
    char mark;
};

const std::vector<Changing>& changing() {
    static const std::vector<Changing> all{
        {std::regex(R"(\b\d{4}-\d\d-\d\d)"), true, '0'},
        {std::regex(R"(\d\d:\d\d:\d\d(\.\d+)?)"), true, '0'},
        {std::regex(R"(\bin (\d+(\.\d+)?(ms|s|m|h|d))+)"), true, '0'},
        {std::regex(R"((\d+(\.\d+)?(ms|s|m|h|d))+ ago)"), true, '0'},
        {std::regex(R"(127\.0\.0\.1:\d+)"), true, '0'},
        {std::regex(R"(\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b)"), false, 'O'},
        {std::regex(R"(/ratectl-[a-z]+-\w{6})"), false, 'x'},
    };
    return all;
}

std::string replaced(const std::string& text, const Changing& rule) {
    std::string result;
    auto at = text.begin();
    for (auto match = std::sregex_iterator(text.begin(), text.end(), rule.what); match != std::sregex_iterator();
         ++match) {
        result.append(at, (*match)[0].first);
        for (auto c = (*match)[0].first; c != (*match)[0].second; ++c) {
            const auto byte = static_cast<unsigned char>(*c);
            const bool changes = rule.digits_only ? std::isdigit(byte) != 0 : std::isalnum(byte) != 0;
            result += changes ? rule.mark : *c;
        }
        at = (*match)[0].second;
    }
    return result.append(at, text.end());
}

}  // namespace

void check_golden(const std::string& path, const std::string& text) {
    const fs::path file = fs::path(source_dir()) / "tests" / path;
    if (std::getenv("RATECTL_REGENERATE") != nullptr) {
        fs::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
    }
    INFO(file.string() << " differs; run this test with RATECTL_REGENERATE=1 if that is meant");
    CHECK_FALSE(text.empty());
    CHECK(text == read(file));
}

std::string without_what_changes(const std::string& text) {
    std::string result = text;
    for (const Changing& rule : changing()) result = replaced(result, rule);
    return result;
}

}  // namespace ratectl::test
