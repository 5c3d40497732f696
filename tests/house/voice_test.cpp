// How comments look and speak: they end where code does, and name who does what, without the words that leave it open.
#include <regex>

#include "house/source_tree.h"
#include "support/catch.h"

TEST_CASE("Comments say who does what") {
    // The caller, the server, another client, the user and the application have names; these words hide which is meant.
    static const std::regex vague(R"((^|\s)(//|--).*\b(nobody|somebody|whoever|anybody|everybody)\b)",
                                  std::regex::ECMAScript | std::regex::icase);
    for (const auto& folder : {"src", "lua"}) {
        for (const auto& file : ratectl::test::source_files(folder)) {
            for (std::size_t i = 0; i < file.lines.size(); ++i) {
                if (!std::regex_search(file.lines[i], vague)) continue;
                FAIL_CHECK("say who is meant: " << file.path << ":" << i + 1);
            }
        }
    }
}

TEST_CASE("Comments end at 120 columns") {
    static const std::regex comment(R"(^\s*(//|--))");
    for (const auto& folder : {"src", "lua", "tests"}) {
        for (const auto& file : ratectl::test::source_files(folder)) {
            for (std::size_t i = 0; i < file.lines.size(); ++i) {
                if (file.lines[i].size() <= 120 || !std::regex_search(file.lines[i], comment)) continue;
                FAIL_CHECK("longer than 120 columns: " << file.path << ":" << i + 1);
            }
        }
    }
}
