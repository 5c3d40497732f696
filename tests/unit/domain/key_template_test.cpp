// Key templates.
#include "domain/key_template.h"

#include <string>
#include <vector>

#include "support/catch.h"
#include "unit/domain/named_policy.h"
#include "unit/random_source.h"

using namespace ratectl;
using namespace ratectl::domain;

namespace {

/// Every way to cut the key, first hole shortest first: the slow and obvious reading of the rule.
bool match_slowly(const std::vector<std::string>& parts, std::size_t part, std::string_view key,
                  std::vector<std::string>& holes) {
    if (part == parts.size()) return key.empty();
    if (parts[part] != "{}")
        return key.starts_with(parts[part]) && match_slowly(parts, part + 1, key.substr(parts[part].size()), holes);
    for (std::size_t n = 1; n <= key.size(); ++n) {
        holes.emplace_back(key.substr(0, n));
        if (match_slowly(parts, part + 1, key.substr(n), holes)) return true;
        holes.pop_back();
    }
    return false;
}

}  // namespace

TEST_CASE("a template matches whole keys only") {
    const KeyTemplate t = template_of("core:{client}");
    CHECK(t.match("core:ann") == Captures{{"client", "ann"}});
    CHECK(t.match(std::string("core:\n\xff\0", 8)) == Captures{{"client", std::string("\n\xff\0", 3)}});
    CHECK_FALSE(t.match("core:"));
    CHECK_FALSE(t.match("xcore:ann"));
    CHECK_FALSE(t.match(""));
    const KeyTemplate middle = template_of("{a}:used");
    CHECK(middle.match("x:used:used") == Captures{{"a", "x:used"}});
    CHECK_FALSE(middle.match("x:used2"));
    CHECK_FALSE(middle.match(":used"));
}

TEST_CASE("earlier holes are as short as possible") {
    CHECK(template_of("{a}:{b}").match("x:y:z") == Captures{{"a", "x"}, {"b", "y:z"}});
    CHECK(template_of("{a}{b}").match("xyz") == Captures{{"a", "x"}, {"b", "yz"}});
    CHECK(template_of("{a}:{b}:z").match("x:y:z:z") == Captures{{"a", "x"}, {"b", "y:z"}});
    CHECK(template_of("{a}:{b}").match("::y") == Captures{{"a", ":"}, {"b", "y"}});
    CHECK_FALSE(template_of("{a}{b}").match("x"));
}

TEST_CASE("a number is of digits alone and stands where the key ends however its client is called") {
    const auto held = [](const char* text, const char* key) {
        const auto found = support::value_or_throw(KeyTemplate::parse(text)).match(key);
        return found ? found->at("client") + "#" + found->at("bucket") : std::string("none");
    };
    CHECK(held("{client}:{bucket}", "2001:db8::1:1795246918") == "2001:db8::1#1795246918");
    CHECK(held("{client}:{bucket}", "alice:many") == "none");
    CHECK(held("{client}:{bucket}", ":17") == "none");
    CHECK(held("{client}:{bucket}:minute", "a:b:7:minute") == "a:b#7");
    CHECK(held("{client}_{bucket}", "10_20_30") == "10_20#30");
    CHECK(held("rack:{bucket}:{client}", "rack:29920781:2001:db8::1") == "2001:db8::1#29920781");
    CHECK(held("rack:{bucket}:{client}", "rack:fail2ban:ban") == "none");
    CHECK(held("{client}:{bucket}", "17") == "none");
    CHECK(held("rl:{client}:{bucket}:{path}", "rl:2001:db8::a:498737:search") == "2001:db8::a#498737");
    CHECK(held("rl:{client}:{bucket}:{path}", "rl:a:b:search") == "none");
}

// What these match was never what was meant, or not sure.
TEST_CASE("A number that could not be told from what follows it is refused") {
    for (const char* odd :
         {"a:{bucket|md5}:{client}", "a:{bucket|lower}", "a:{bucket|}", "a:{bucket}{client}", "a:{bucket}:{bucket}"}) {
        INFO(odd);
        const auto parsed = KeyTemplate::parse(odd);
        REQUIRE_FALSE(parsed.has_value());
        CHECK(parsed.error().message.find("{{") == std::string::npos);
    }
    for (const char* sound : {"a:{client}{bucket}", "a:{bucket}{client|sha256}", "{bucket}", "a{bucket}b{client}"})
        CHECK(KeyTemplate::parse(sound).has_value());
}

TEST_CASE("doubled braces are literal") {
    const KeyTemplate t = template_of("{{core}}:{client}}}");
    CHECK(t.match("{core}:ann}") == Captures{{"client", "ann"}});
    CHECK(t.expand({{"client", "bo"}}) == "{core}:bo}");
    CHECK(t.placeholders() == std::vector<std::string>{"client"});
    CHECK(t.text() == "{{core}}:{client}}}");
}

TEST_CASE("a template that cannot be meant is refused with its text") {
    for (const std::string text :
         {"", "core:{client", "core:client}", "{}", "{Client}", "{1a}", "{a b}", "{a}{a}", "{a}:{b}:{a}", "{-}"}) {
        CAPTURE(text);
        const auto parsed = KeyTemplate::parse(text);
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error().code == support::ExitCode::configuration);
        CHECK(parsed.error().message.find("'" + text + "'") != std::string::npos);
    }
    CHECK_FALSE(KeyTemplate::parse(std::string(600, 'k')));
}

TEST_CASE("a key cannot be built from a missing or empty value") {
    const KeyTemplate t = template_of("{policy}:{client}");
    for (const Captures& values : {Captures{{"policy", "core"}}, Captures{{"policy", "core"}, {"client", ""}}}) {
        const auto key = t.expand(values);
        REQUIRE_FALSE(key);
        CHECK(key.error().code == support::ExitCode::usage);
        CHECK(key.error().message.find("'client'") != std::string::npos);
    }
    CHECK(t.expand({{"policy", "core"}, {"client", "ann"}, {"other", "x"}}) == "core:ann");
}

TEST_CASE("a template without holes is one key") {
    const KeyTemplate t = template_of("global");
    CHECK(t.match("global") == Captures{});
    CHECK_FALSE(t.match("global2"));
    CHECK(t.expand({}) == "global");
    CHECK(t.glob() == "global");
}

TEST_CASE("the pattern of a template escapes its literals") {
    CHECK(template_of("core:{client}").glob() == "core:*");
    CHECK(template_of("{{[*]}}{a}{b}-x").glob() == "{\\[\\*\\]}*\\-x");
}

TEST_CASE("matching agrees with trying every way to cut the key") {
    test::RandomSource random;
    SHOW_SEED(random);
    int matched = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::vector<std::string> parts;
        std::string text;
        std::vector<std::string> names;
        for (auto n = random.number(1, 5); n > 0; --n) {
            if (random.one_in(2)) {
                names.push_back(std::string(1, static_cast<char>('a' + names.size())));
                parts.emplace_back("{}");
                text += "{" + names.back() + "}";
            } else {
                parts.push_back(random.bytes("x:", 1, 3));
                text += parts.back();
            }
        }
        const KeyTemplate t = template_of(text);
        const std::string key = random.bytes("x:", 0, 9);
        std::vector<std::string> holes;
        const bool expected = match_slowly(parts, 0, key, holes);
        const auto captures = t.match(key);
        CAPTURE(text, key);
        REQUIRE(captures.has_value() == expected);
        if (!expected) continue;
        ++matched;
        for (std::size_t h = 0; h < holes.size(); ++h) CHECK(captures->at(names[h]) == holes[h]);
        CHECK(t.expand(*captures) == key);
        CHECK(glob_matches(t.glob(), key));
    }
    CHECK(matched > 500);
}

TEST_CASE("a key built from a template matches it and is built again from what it captured") {
    test::RandomSource random;
    SHOW_SEED(random);
    const KeyTemplate t = template_of("rl:{{{kind}}}:{client}/{path}");
    for (int i = 0; i < 5000; ++i) {
        const Captures values{{"kind", random.bytes({}, 1, 6)},
                              {"client", random.bytes("ab:/{}", 1, 6)},
                              {"path", random.bytes({}, 1, 9)}};
        const std::string key = t.expand(values).value();
        const auto captures = t.match(key);
        REQUIRE(captures);
        CHECK(t.expand(*captures) == key);
        CHECK(glob_matches(t.glob(), key));
    }
}
