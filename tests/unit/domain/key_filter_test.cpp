// Filters in key templates: what goes into a hole, and what may stand there.
#include <string>

#include "domain/key_template.h"
#include "support/catch.h"
#include "unit/domain/named_policy.h"
#include "unit/random_source.h"

using namespace ratectl;
using namespace ratectl::domain;

namespace {

const std::string kAlice = "2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90";

std::string key_of(std::string_view text, std::string client) {
    return template_of(text).expand({{"client", std::move(client)}}).value();
}

}  // namespace

TEST_CASE("a filter is applied on the way into the key") {
    CHECK(key_of("core:{client|sha256}", "alice") == "core:" + kAlice);
    CHECK(key_of("core:{client|sha256:16}", "alice") == "core:" + kAlice.substr(0, 16));
    CHECK(key_of("core:{client|md5}:x", "alice") == "core:6384e2b2184bcbf58eccf10ca7a6563c:x");
    CHECK(key_of("{client|sha1:8}", "alice") == "522b276a");
    CHECK(key_of("core:{client|lower}", "Alice-\xc3\x84") == "core:alice-\xc3\x84");
    CHECK(key_of("core:{client|lower|sha256}", "ALICE") == "core:" + kAlice);
}

TEST_CASE("a hole with a digest holds lower-case digits of its length and nothing else") {
    const KeyTemplate t = template_of("core:{client|sha256:16}");
    const std::string digits = kAlice.substr(0, 16);
    CHECK(t.match("core:" + digits) == Captures{{"client", digits}});
    CHECK(t.holds_digest("client"));
    CHECK_FALSE(template_of("core:{client|lower}").holds_digest("client"));
    for (const std::string& key : {std::string("core:alice"), "core:" + digits + "0", "core:" + digits.substr(1),
                                   "core:" + std::string(16, 'A'), "core:" + std::string(15, 'a') + "g"}) {
        CAPTURE(key);
        CHECK_FALSE(t.match(key));
    }
}

TEST_CASE("a digest behind a hole that stretches is found though its separator occurs twice") {
    const KeyTemplate t = template_of("{org}:{client|md5:8}:{route}");
    CHECK(t.match("a:b:0123abcd:x:y") == Captures{{"org", "a:b"}, {"client", "0123abcd"}, {"route", "x:y"}});
    CHECK(template_of("{org}:{client|md5:8}").match("a:0123abcd:0123abcd") ==
          Captures{{"org", "a:0123abcd"}, {"client", "0123abcd"}});
    CHECK(template_of("{a|md5:8}{b|md5:8}").match("0123abcd01234567") ==
          Captures{{"a", "0123abcd"}, {"b", "01234567"}});
    CHECK_FALSE(t.match("a:b:0123abcg:x"));
}

TEST_CASE("a filter that cannot be meant is refused") {
    for (const std::string text : {"{client|}", "{client|sha512}", "{client|sha256:7}", "{client|sha256:65}",
                                   "{client|md5:33}", "{client|sha256:}", "{client|md5|lower}", "{client|md5|sha1}",
                                   "{client||md5}", "{|md5}", "{client|lower:3}", "{client|sha256:016}"}) {
        CAPTURE(text);
        const auto parsed = KeyTemplate::parse(text);
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error().code == support::ExitCode::configuration);
        CHECK_FALSE(parsed.error().hint.empty());
    }
}

TEST_CASE("a pattern for what is known escapes it and puts it through the filter") {
    const KeyTemplate t = template_of("s:{client|lower}:{route}");
    CHECK(t.glob() == "s:*:*");
    CHECK(t.glob({{"client", "A*"}}) == "s:a\\*:*");
    CHECK(template_of("s:{client|md5:8}").glob({{"client", "alice"}}) == "s:6384e2b2");
}

TEST_CASE("keys with filters match their template and are put together again from what they hold") {
    test::RandomSource random;
    SHOW_SEED(random);
    for (const char* text :
         {"{kind}:{client|sha1:10}/{path}", "{client|md5}{path}", "{path}-{kind|lower}{client|sha256:8}"}) {
        const KeyTemplate t = template_of(text);
        for (int i = 0; i < 2000; ++i) {
            const Captures values{{"kind", random.bytes("ab:/0-", 1, 9)},
                                  {"client", random.bytes({}, 1, 9)},
                                  {"path", random.bytes("0f/:-", 1, 40)}};
            const std::string key = t.expand(values).value();
            CAPTURE(text, key);
            const auto held = t.match(key);
            REQUIRE(held);
            CHECK(t.assemble(*held) == key);
            CHECK(glob_matches(t.glob(), key));
            CHECK(glob_matches(t.glob({{"client", values.at("client")}}), key));
        }
    }
}
