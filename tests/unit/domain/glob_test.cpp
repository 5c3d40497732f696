// Redis's glob rules.
#include <string>
#include <utility>
#include <vector>

#include "domain/key_template.h"
#include "support/catch.h"
#include "unit/random_source.h"

using namespace ratectl;
using namespace ratectl::domain;

TEST_CASE("globs match as a server matches them") {
    const std::vector<std::pair<std::string, std::string>> matching{{"*", "anything"},
                                                                    {"*", ""},
                                                                    {"a*c", "abbc"},
                                                                    {"a*c", "ac"},
                                                                    {"*:*:x", "a:b:c:x"},
                                                                    {"a?c", "a\nc"},
                                                                    {"[abc]x", "bx"},
                                                                    {"[^abc]x", "dx"},
                                                                    {"[a-c]x", "bx"},
                                                                    {"[c-a]x", "bx"},
                                                                    {"\\*", "*"},
                                                                    {"[\\]]", "]"},
                                                                    {"[a", "a"},
                                                                    {"[a-", "-"},
                                                                    {"a\\", "a\\"},
                                                                    {"***", "x"},
                                                                    {"a**b", "ab"},
                                                                    {"[^]x", "\xffx"},
                                                                    {"[a-\\c]", "]"},
                                                                    {"x[a-]", "xa"},
                                                                    {"{client}", "{client}"}};
    for (const auto& [glob, text] : matching) {
        CAPTURE(glob, text);
        CHECK(glob_matches(glob, text));
    }
}

TEST_CASE("globs do not match more than a server matches") {
    const std::vector<std::pair<std::string, std::string>> others{
        {"", "a"},           {"a", ""},        {"a*c", "abd"}, {"a?c", "ac"}, {"[abc]x", "dx"},
        {"[^abc]x", "ax"},   {"\\*", "x"},     {"A", "a"},     {"[]a", "a"},  {"?", ""},
        {"a*", "ba"},        {"*a", "ab"},     {"[a-c]", "d"}, {"**a", "b"},  {"a\\", "a"},
        {"core:*", "corex"}, {"[a-\\c]", "b"}, {"[", "a"},     {"[a-c", "d"}};
    for (const auto& [glob, text] : others) {
        CAPTURE(glob, text);
        CHECK_FALSE(glob_matches(glob, text));
    }
    CHECK(glob_matches("", ""));
}

TEST_CASE("a pattern made to be slow is answered at once") {
    std::string glob;
    for (int i = 0; i < 16; ++i) glob += "a*";
    CHECK_FALSE(glob_matches(glob + "b", std::string(20'000, 'a')));
}

TEST_CASE("an escaped literal matches itself and nothing else") {
    test::RandomSource random;
    SHOW_SEED(random);
    for (int i = 0; i < 20'000; ++i) {
        const std::string_view alphabet = random.one_in(2) ? std::string_view{} : std::string_view("*?[]^-\\ab");
        const std::string literal = random.bytes(alphabet, 0, 12);
        const std::string other = random.bytes(alphabet, 0, 12);
        const std::string glob = escape_glob(literal);
        CAPTURE(literal, other, glob);
        CHECK(glob_matches(glob, literal));
        CHECK(glob_matches(glob, other) == (literal == other));
        CHECK_FALSE(has_wildcard(glob));
        CHECK(literal_prefix(glob) == literal);
    }
}

TEST_CASE("what a glob matches begins with its literal prefix") {
    test::RandomSource random;
    SHOW_SEED(random);
    int matched = 0;
    for (int i = 0; i < 50'000; ++i) {
        const std::string glob = random.bytes("ab*?[]\\-^", 1, 6);
        const std::string text = random.bytes("ab-]", 0, 5);
        if (!glob_matches(glob, text)) continue;
        ++matched;
        CAPTURE(glob, text);
        CHECK(text.starts_with(literal_prefix(glob)));
        if (!has_wildcard(glob)) CHECK(text == literal_prefix(glob));
    }
    CHECK(matched > 100);
}

TEST_CASE("the literal prefix ends at the first wildcard") {
    CHECK(literal_prefix("core:*") == "core:");
    CHECK(literal_prefix("core:\\*x[ab]") == "core:*x");
    CHECK(literal_prefix("*").empty());
    CHECK(literal_prefix("a]b") == "a]b");
    CHECK(literal_prefix("a\\") == "a\\");
    CHECK(has_wildcard("a?"));
    CHECK_FALSE(has_wildcard("a\\?"));
}

TEST_CASE("a pattern that would hurt a server is refused") {
    CHECK(check_glob("core:*"));
    CHECK(check_glob(std::string(512, 'a')));
    CHECK(check_glob(std::string(16, '*')));
    CHECK(check_glob(std::string(16, '*') + "\\*\\*"));
    for (const std::string& glob : {std::string{}, std::string(513, 'a'), std::string(17, '*')}) {
        REQUIRE_FALSE(check_glob(glob));
        CHECK(check_glob(glob).error().code == support::ExitCode::usage);
    }
}
