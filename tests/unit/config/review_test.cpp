// The second look at a configuration: overlapping policies, and what else is allowed but odd.
#include <random>
#include <string>

#include "config/review.h"
#include "config_world.h"
#include "support/catch.h"

namespace ratectl::config {
namespace {

domain::KeyTemplate key(const std::string& text) { return support::value_or_throw(domain::KeyTemplate::parse(text)); }

std::string policies(const std::vector<std::string>& keys) {
    std::string text;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        text += "[[deployments.main.policies]]\nname = \"p" + std::to_string(i) + "\"\nkey = \"" + keys[i] +
                "\"\nlimit = 5\n";
    }
    return text;
}

TEST_CASE("two templates have a common key exactly when one exists") {
    CHECK(common_key(key("core:{c}"), key("search:{c}")) == std::nullopt);
    CHECK(common_key(key("core:{c}"), key("core:{c}")).has_value());
    CHECK(common_key(key("core:{c}"), key("{a}:premium")) == "core:premium");
    CHECK(common_key(key("a{x}b"), key("a{y}c")) == std::nullopt);
    CHECK(common_key(key("a{x}"), key("a")) == std::nullopt);
    CHECK(common_key(key("{x}aa"), key("aa{y}")).has_value());
    CHECK(common_key(key("*{x}"), key("[{x}")) == std::nullopt);
    // Numbers are digits, and digests so many hexadecimal ones: such pairs were said to overlap, or not to.
    CHECK(common_key(key("a:{bucket}"), key("a:x{c}")) == std::nullopt);
    CHECK(common_key(key("a:{bucket}:{c}"), key("a:fail2ban:{c}")) == std::nullopt);
    CHECK(common_key(key("a:{bucket}"), key("a:{c}")) == "a:0");
    CHECK(common_key(key("a:{c|md5:8}"), key("a:{bucket}")) == "a:00000000");
    CHECK(common_key(key("a:{c|md5:8}"), key("a:user{x}")) == std::nullopt);
    CHECK(common_key(key("a:{c|md5:8}"), key("a:cafe{x}")) == "a:cafe0000");
    CHECK(common_key(key("a:{c|md5:8}"), key("a:{c|md5:9}")) == std::nullopt);
}

TEST_CASE("every common key that is found matches both templates") {
    std::mt19937 random(7);
    const auto random_template = [&] {
        std::string text;
        int holes = 0;
        const auto parts = 1 + random() % 5;
        for (unsigned i = 0; i < parts; ++i) {
            if (random() % 2 == 0 && holes < 3 && !text.ends_with('}')) {
                text += std::string("{h") + std::to_string(holes++) + "}";
            } else {
                text += "ab:*"[random() % 4];
            }
        }
        return text;
    };
    // The independent answer: all words over a small alphabet up to a length that suffices for such short templates.
    std::vector<std::string> words{""};
    for (std::size_t i = 0; i < words.size() && words[i].size() < 5; ++i) {
        for (const char c : std::string("ab:*")) words.push_back(words[i] + c);
    }
    int overlaps = 0;
    for (int round = 0; round < 150; ++round) {
        const auto a = key(random_template());
        const auto b = key(random_template());
        INFO(a.text() << " and " << b.text());
        const auto found = common_key(a, b);
        bool expected = false;
        bool a_covers_b = true;
        for (const auto& word : words) {
            const bool in_a = a.match(word).has_value();
            const bool in_b = b.match(word).has_value();
            expected = expected || (in_a && in_b);
            a_covers_b = a_covers_b && (in_a || !in_b);
        }
        if (found) {
            ++overlaps;
            CHECK(a.match(*found).has_value());
            CHECK(b.match(*found).has_value());
        } else {
            CHECK_FALSE(expected);
        }
        if (covers(a, b)) CHECK(a_covers_b);
    }
    CHECK(overlaps > 10);
}

TEST_CASE("a wider template covers a narrower one") {
    CHECK(covers(key("core:{c}"), key("core:premium:{c}")));
    CHECK(covers(key("{all}"), key("core:{c}")));
    CHECK_FALSE(covers(key("core:premium:{c}"), key("core:{c}")));
    CHECK_FALSE(covers(key("core:{c}"), key("search:{c}")));
    CHECK(covers(key("{a}:{b}"), key("{a}:{b}:{d}")));
    CHECK(covers(key("a:{bucket}:{c}"), key("a:{bucket}:{c}")));
    CHECK(covers(key("a:{c}"), key("a:{bucket}:{c}")));
    CHECK_FALSE(covers(key("a:{bucket}:{c}"), key("a:{b}:{c}")));
    CHECK_FALSE(covers(key("{c|md5:8}"), key("{bucket}aaaaaaa")));
}

TEST_CASE("a policy behind a wider one is warned about and the other order is only noted") {
    ConfigWorld world;
    const auto shadowed = review(world.resolve_text(one_shard() + policies({"core:{c}", "core:premium:{c}"})));
    REQUIRE(shadowed.size() == 1);
    CHECK(shadowed[0].weight == Finding::Weight::warning);
    CHECK(contains(shadowed[0].message, "policy 'p1' never applies"));
    CHECK(contains(shadowed[0].origin.text, "ratectl.toml:"));
    const auto ordered =
        review(world.resolve_text(one_shard() + policies({"core:premium:{c}", "core:{c}", "other:{c}"})));
    REQUIRE(ordered.size() == 1);
    CHECK(ordered[0].weight == Finding::Weight::note);
    CHECK(contains(ordered[0].message, "key 'core:premium:x' matches both and belongs to 'p0'"));
    CHECK(review(world.resolve_text(one_shard() + policies({"a:{c}", "b:{c}"}))).empty());
    CHECK(review(world.resolve_text(one_shard() + policies({"a:{bucket}:{c}", "a:fail2ban:{c}"}))).empty());
}

// The second of them was said never to apply.
TEST_CASE("a policy of some clients does not shadow that of the others") {
    ConfigWorld world;
    const auto of = [](const std::string& first, const std::string& second) {
        auto text = policies({"core:{client}", "core:{client}"});
        const auto add = [&text](const std::string& name, const std::string& clients) {
            const auto at = text.find("name = \"" + name + "\"");
            if (!clients.empty()) text.insert(at, "clients = \"" + clients + "\"\n");
        };
        add("p0", first);
        add("p1", second);
        return text;
    };
    const auto weights = [&](const std::string& first, const std::string& second) {
        std::string all;
        for (const auto& finding : review(world.resolve_text(one_shard() + of(first, second))))
            all += finding.weight == Finding::Weight::warning ? 'w' : 'n';
        return all;
    };
    CHECK(weights("app-*", "").empty());
    CHECK(weights("app-*", "user-*").empty());
    CHECK(weights("app-*", "app-*") == "w");
    CHECK(weights("", "app-*") == "w");
    CHECK(weights("x*", "*") == "n");
}

TEST_CASE("missing sharding and unreadable or absent TLS files and unknown limits are found") {
    ConfigWorld world;
    const auto several =
        review(world.resolve_text(one_shard() + "[[deployments.main.shards]]\nprimary = \"redis://h:2\"\n"));
    REQUIRE(several.size() == 1);
    CHECK(several[0].weight == Finding::Weight::warning);
    CHECK(contains(several[0].message, "2 shards and no 'sharding'"));
    const auto tls = review(world.resolve_text(one_shard("tls = { ca_file = \"missing.pem\", insecure = true }")));
    REQUIRE(tls.size() == 2);
    CHECK(contains(tls[0].message, "tls.ca_file cannot be read: " + world.path("missing.pem")));
    CHECK(contains(tls[1].message, "identity is not verified"));
    const auto limit =
        review(world.resolve_text(one_shard() + "[[deployments.main.policies]]\nname = \"a\"\nkey = \"a:{c}\"\n"));
    REQUIRE(limit.size() == 1);
    CHECK(limit[0].weight == Finding::Weight::note);
    CHECK(contains(limit[0].message, "policy 'a' has no limit"));
}

}  // namespace
}  // namespace ratectl::config
