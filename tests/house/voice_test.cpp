// How comments speak: they name who does what, so the words that leave it open are not used.
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
