// Policies.
#include "domain/policy.h"

#include <algorithm>
#include <iterator>
#include <random>
#include <string>

#include "support/catch.h"
#include "unit/domain/named_policy.h"

using namespace ratectl;
using namespace ratectl::domain;

namespace {

PolicyBook book() {
    Policy core = policy("core", "core:{client}", 5000);
    core.classes = {{"enterprise", 15000}, {"app", 10000}};
    core.members = {{"acme", {"enterprise", {}}}, {"big", {"enterprise", 99999}}, {"odd", {"unlisted", {}}}};
    Policy search = policy("search", "search:{region}:{client}", {});
    return PolicyBook({core, search, policy("rest", "{any}", 10)});
}

}  // namespace

TEST_CASE("the first policy in file order that matches wins") {
    const PolicyBook policies = book();
    const auto core = policies.match("core:ann");
    REQUIRE(core);
    CHECK(core->policy == policies.find("core"));
    CHECK(core->client == "ann");
    CHECK(core->limit == 5000);
    CHECK(core->limit_source == "policy:core");
    CHECK(core->client_class.empty());
    const auto rest = policies.match("core:");
    REQUIRE(rest);
    CHECK(rest->policy->name == "rest");
    CHECK(rest->client == "core:");
    CHECK_FALSE(policies.match(""));
    CHECK_FALSE(PolicyBook{}.match("core:ann"));
}

TEST_CASE("the nearest limit wins") {
    const PolicyBook policies = book();
    const auto acme = policies.match("core:acme");
    REQUIRE(acme);
    CHECK(acme->client_class == "enterprise");
    CHECK(acme->limit == 15000);
    CHECK(acme->limit_source == "class:enterprise");
    const auto big = policies.match("core:big");
    REQUIRE(big);
    CHECK(big->limit == 99999);
    CHECK(big->limit_source == "class-file:big");
    CHECK(big->client_class == "enterprise");
    const auto odd = policies.match("core:odd");
    REQUIRE(odd);
    CHECK(odd->limit == 5000);
    CHECK(odd->client_class == "unlisted");
    CHECK(odd->limit_source == "policy:core");
}

TEST_CASE("a policy without a limit has no limit source") {
    const PolicyBook policies = book();
    const auto match = policies.match("search:eu:ann");
    REQUIRE(match);
    CHECK(match->client == "ann");
    CHECK_FALSE(match->limit);
    CHECK(match->limit_source.empty());
}

TEST_CASE("a key is built from a client when the client is all it needs") {
    const PolicyBook policies = book();
    CHECK(PolicyBook::key_of(*policies.find("core"), "ann") == "core:ann");
    CHECK(PolicyBook::key_of(*policies.find("rest"), "x") == "x");
    const auto search = PolicyBook::key_of(*policies.find("search"), "ann");
    REQUIRE_FALSE(search);
    CHECK(search.error().code == support::ExitCode::usage);
    CHECK_FALSE(PolicyBook::key_of(*policies.find("core"), ""));
    CHECK_FALSE(PolicyBook::key_of(policy("one", "global", 1), "ann"));
    CHECK(policies.find("nothing") == nullptr);
}

TEST_CASE("a template without holes matches for no client") {
    const PolicyBook policies({policy("all", "global", 100)});
    const auto match = policies.match("global");
    REQUIRE(match);
    CHECK(match->client.empty());
    CHECK(match->limit == 100);
}

TEST_CASE("among many policies with nested beginnings the first in file order still wins") {
    std::vector<Policy> all;
    for (const char* key : {"api:v1:{client}", "api:{client}", "api:v{n}:{client}", "{any}:end", "api:v1:core:{client}",
                            "b{x}", "api:v1", "a{x}z", "{any}", "zz:{client}", "api:v1:core:{client}:burst"}) {
        all.push_back(policy("p" + std::to_string(all.size()), key, 1));
    }
    for (int i = 0; i < 100; ++i)
        all.push_back(policy("q" + std::to_string(i), "service:" + std::to_string(i) + ":{client}", 2));
    std::mt19937 random(3);
    const std::string_view pieces[] = {"api:", "v1:", "v",        "core:", "a",  "b", "z",
                                       ":end", "zz:", "service:", "7",     "70", ":", ":burst"};
    for (int turn = 0; turn < 8; ++turn) {
        std::shuffle(all.begin(), all.end(), random);
        const PolicyBook book(all);
        for (int i = 0; i < 500; ++i) {
            std::string key;
            for (auto parts = random() % 6; parts > 0; --parts) key += pieces[random() % std::size(pieces)];
            const auto first =
                std::find_if(all.begin(), all.end(), [&](const Policy& p) { return p.key.match(key).has_value(); });
            const auto found = book.match(key);
            REQUIRE(found.has_value() == (first != all.end()));
            if (found) REQUIRE(found->policy->name == first->name);
        }
    }
}

TEST_CASE("a copy of the policies matches without the original") {
    std::optional<PolicyBook> original = book();
    const PolicyBook copy = *original;
    original.reset();
    const auto big = copy.match("core:big");
    REQUIRE(big);
    CHECK(big->limit_source == "class-file:big");
    CHECK(big->client_class == "enterprise");
    CHECK(big->client == "big");
}
