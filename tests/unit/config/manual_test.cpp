// The manual page and the example say what the parser does: every key is in ratectl.toml(5), and the example resolves.
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "config/keys.h"
#include "config/review.h"
#include "config_world.h"
#include "support/catch.h"
#include "support/places.h"

namespace ratectl::config {
namespace {

const std::string kSource = test::source_dir();
using Keys = std::set<std::pair<std::string, std::string>>;

/// The keys that the page describes: `.It Ic KEY` below a comment that names the table.
Keys described() {
    std::ifstream page(kSource + "/man/ratectl.toml.5");
    REQUIRE(page.good());
    Keys keys;
    std::string table = "none";
    for (std::string line; std::getline(page, line);) {
        const std::string comment = ".\\\" table";
        const std::string item = ".It Ic ";
        if (line.starts_with(comment)) table = line.size() > comment.size() ? line.substr(comment.size() + 1) : "";
        if (line.starts_with(item)) keys.emplace(table, line.substr(item.size()));
    }
    return keys;
}

TEST_CASE("the manual describes exactly the keys that the parser accepts") {
    Keys accepted;
    for (const Key& key : known_keys()) accepted.emplace(key.table, key.name);
    const Keys in_manual = described();
    for (const auto& [table, key] : accepted) {
        INFO(table << " " << key << " is missing in the manual");
        CHECK(in_manual.count({table, key}) == 1);
    }
    for (const auto& [table, key] : in_manual) {
        INFO(table << " " << key << " is in the manual only");
        CHECK(accepted.count({table, key}) == 1);
    }
}

TEST_CASE("the example configuration resolves and has nothing odd in it") {
    ConfigWorld world;
    world.env["REDIS_PASSWORD"] = "x";
    Overrides overrides;
    overrides.config_file = kSource + "/examples/ratectl.toml";
    CHECK(world.resolve(overrides).deployment == "staging");
    overrides.deployment = "production";
    const Settings production = world.resolve(overrides);
    CHECK(production.shards.size() == 3);
    CHECK(production.policies.match("core:acme")->limit == 15000);
    CHECK(production.policies.match("core:Initech, Inc.")->limit == 10000);
    CHECK(production.policies.match("core:migration-2026")->limit == 25000);
    CHECK(production.policies.match("core:search:acme")->policy->name == "search");
    for (const auto& finding : review(production)) {
        INFO(finding.message);
        CHECK((finding.weight == Finding::Weight::note || finding.check == "tls"));
    }
}

TEST_CASE("the example uses every key at least once or names it in a comment") {
    std::ifstream file(kSource + "/examples/ratectl.toml");
    std::ostringstream text;
    text << file.rdbuf();
    const std::set<std::string> rare{
        "kind",  "nodes",      "address_map",  "networks", "points",           "signed_chars",
        "label", "point_hash", "strip_prefix", "order",    "points_per_label", "table_size",
        "slots", "cert_file",  "key_file",     "insecure", "password"};
    for (const Key& key : known_keys()) {
        INFO(key.name);
        if (rare.count(std::string{key.name}) == 0) CHECK(contains(text.str(), std::string{key.name}));
    }
}

}  // namespace
}  // namespace ratectl::config
