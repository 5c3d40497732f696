// Did you mean.
#include "support/suggest.h"

#include <string>
#include <vector>

#include "support/catch.h"

using namespace ratectl::support;

namespace {
const std::vector<std::string> kNames{"check",     "client", "explain", "scan",   "stats",
                                      "increment", "refund", "reset",   "replay", "up"};
}

TEST_CASE("a slip of the fingers finds the name that was meant") {
    CHECK(nearest("chekc", kNames) == "check");
    CHECK(nearest("rest", kNames) == "reset");
    CHECK(nearest("refunds", kNames) == "refund");
    CHECK(nearest("scna", kNames) == "scan");
    CHECK(nearest("CHECK", kNames) == "check");
    CHECK(nearest("explian", kNames) == "explain");
    CHECK(nearest("incr", kNames) == "increment");
}

TEST_CASE("a word that is nothing like a name suggests nothing") {
    for (const std::string word : {"", "ls", "x", "banana", "decrement-all-windows", "zzzzz"}) {
        CAPTURE(word);
        CHECK_FALSE(nearest(word, kNames));
        CHECK(did_you_mean(word, kNames).empty());
    }
    CHECK_FALSE(nearest(std::string(100'000, 'c'), kNames));
    CHECK_FALSE(nearest("check", std::vector<std::string>{}));
}

// `knobs set NAME --rps 10` was answered with `did you mean '--yes'?`.
TEST_CASE("the dashes that flags begin with make no two of them alike") {
    const std::vector<std::string> flags{"--yes", "--limit", "--columns", "--exit-status", "--tz"};
    CHECK_FALSE(nearest("--rps", flags));
    CHECK_FALSE(nearest("--client", flags));
    CHECK_FALSE(nearest("--", flags));
    CHECK(nearest("--yse", flags) == "--yes");
    CHECK(nearest("--colums", flags) == "--columns");
    CHECK(nearest("--exit-stat", flags) == "--exit-status");
    CHECK(nearest("--limits", flags) == "--limit");
    CHECK_FALSE(nearest("-z", flags));
}

TEST_CASE("a suggestion is a question that can be a hint") {
    CHECK(did_you_mean("rset", kNames) == "did you mean 'reset'?");
}
