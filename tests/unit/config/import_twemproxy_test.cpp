// config import twemproxy: pools as teams have them become deployments that place every key as the real proxy did.
#include <functional>
#include <string>

#include <fmt/format.h>

#include "config/import.h"
#include "config/starter.h"
#include "config/toml_words.h"
#include "config_world.h"
#include "support/catch.h"
#include "unit/config/round_trip.h"
#include "unit/sharding/vectors.h"

namespace ratectl::config {
namespace {

using sharding::vectors::split;

ConfigFile file_of(const std::string& text) {
    ConfigFile file;
    file.path = "nutcracker.yml";
    file.folder = "/";
    file.text = text;
    return file;
}

ImportedDeployment imported_pool(const std::string& text, const std::optional<std::string>& pool = std::nullopt) {
    return import_twemproxy(file_of(text), pool);
}

support::Error pool_error(const std::string& text, const std::optional<std::string>& pool = std::nullopt) {
    try {
        imported_pool(text, pool);
    } catch (const support::Failure& failure) {
        return failure.error();
    }
    return {support::ExitCode::done, "", ""};
}

/// The pool behind a column of the vectors: `nutcracker-HASH-DISTRIBUTION-VARIANT`.
std::string pool_of(const std::string& column) {
    const auto parts = split(column, '-');
    const std::string& variant = parts.at(3);
    const auto has = [&](std::string_view word) { return variant.find(word) != std::string::npos; };
    std::string text = fmt::format("pool:\n  listen: 127.0.0.1:22121\n  redis: true\n  hash: {}\n  distribution: {}\n",
                                   parts.at(1), parts.at(2));
    if (has("tag")) text += has("dollar") ? "  hash_tag: \"$$\"\n" : "  hash_tag: \"{}\"\n";
    text += "  servers:\n";
    const bool weights = variant == "w5" || variant == "namesw5";
    for (unsigned i = 0; i < 5; ++i) {
        const unsigned server = has("reversed") ? 4 - i : i;
        text +=
            fmt::format("   - 127.0.0.1:{}:{}{}\n", 7001 + server, weights ? sharding::vectors::kWeights[server] : 1u,
                        has("names") ? fmt::format(" {}", sharding::vectors::kGreek[server]) : std::string{});
    }
    return text;
}

constexpr const char* kOneServer = "alpha:\n  redis: true\n  servers:\n    - 10.0.0.1:6379:1\n";

}  // namespace

TEST_CASE("an imported pool places every key where the real nutcracker put it") {
    std::size_t seen = 0;
    for (const auto& column : sharding::vectors::columns("nutcracker-")) {
        ++seen;
        const Settings settings = round_trip(imported_pool(pool_of(column)));
        REQUIRE(settings.sharding);
        sharding::vectors::check_column(column, *settings.sharding, servers_of(settings));
    }
    CHECK(seen >= 50);
}

TEST_CASE("an imported pool keeps names weights sockets and databases and explains the labels") {
    const auto deployment = imported_pool(
        "web:\n  redis: true\n  redis_db: 3\n  servers:\n"
        "   - cache-1.example:6379:2 one\n   - 10.0.0.2:11211:1\n   - /run/redis.sock:5\n   - ::1:6380:1\n"
        "   - 10.0.0.4:6379:1 a,b\n");
    CHECK(deployment.name == "web");
    const Settings settings = round_trip(deployment);
    CHECK(settings.deployment == "web");
    CHECK(settings.sharding->preset == "twemproxy-ketama");
    CHECK(settings.sharding->hash == "fnv1a_64");
    CHECK_FALSE(settings.sharding->key_tag);
    REQUIRE(settings.shards.size() == 5);
    CHECK(settings.shards[0].shard.name == "one");
    CHECK(settings.shards[0].server.weight == 2);
    CHECK(settings.shards[0].shard.primary.url() == "redis://cache-1.example:6379/3");
    CHECK(settings.shards[2].shard.primary.url() == "unix:///run/redis.sock?db=3");
    CHECK(settings.shards[3].shard.primary.url() == "redis://[::1]:6380/3");
    CHECK(settings.shards[4].server.label == "a,b");
    const std::string text = imported_file(deployment);
    CHECK(contains(text, "# its label is \"one\": the name in the pool"));
    CHECK(contains(text, "# its label is \"10.0.0.2\": the pool gives no name, and twemproxy leaves :11211 out"));
    CHECK(contains(text, "# its label is \"/run/redis.sock:\": the pool gives no name"));
    CHECK(contains(text, "# distribution: ketama, twemproxy's default"));
    CHECK(contains(text, "# its label is \"::1:6380\""));
}

TEST_CASE("a password in a pool is neither printed nor forgotten") {
    const auto deployment =
        imported_pool("alpha:\n  redis: true\n  redis_auth: hunter2\n  servers: [10.0.0.1:6379:1]\n");
    const std::string text = imported_file(deployment);
    CHECK_FALSE(contains(text, "hunter2"));
    CHECK(contains(text, "# password_file = "));
    REQUIRE(deployment.notes.size() == 1);
    CHECK(contains(deployment.notes[0].message, "redis_auth is not copied"));
    CHECK_FALSE(contains(deployment.notes[0].message, "hunter2"));
    CHECK(contains(deployment.notes[0].hint, "password_file"));
}

TEST_CASE("random and ejecting pools are imported as all-shards and say why") {
    const auto pool = [](const std::string& more) {
        return "alpha:\n  redis: true\n" + more + "  servers:\n   - 10.0.0.1:6379:1\n   - 10.0.0.2:6379:1\n";
    };
    const auto random = imported_pool(pool("  distribution: random\n"));
    REQUIRE(random.notes.size() == 1);
    CHECK(contains(random.notes[0].message, "at random"));
    CHECK(round_trip(random).all_shards);
    const auto ejecting = imported_pool(pool("  hash: murmur\n  auto_eject_hosts: true\n"));
    REQUIRE(ejecting.notes.size() == 1);
    CHECK(contains(ejecting.notes[0].message, "ejects"));
    const Settings settings = round_trip(ejecting);
    CHECK(settings.all_shards);
    CHECK_FALSE(settings.sharding);
    CHECK(contains(imported_file(ejecting), "# sharding = { preset = \"twemproxy-ketama\", hash = \"murmur\" }\n"));
    CHECK_FALSE(round_trip(imported_pool(pool("  auto_eject_hosts: false\n"))).all_shards);
    // One server: nothing can be anywhere else.
    CHECK(imported_pool("alpha: {redis: true, distribution: random, servers: [10.0.0.1:6379:1]}").notes.empty());
}

TEST_CASE("what twemproxy does not know is left out with a warning that names the line") {
    const auto deployment = imported_pool(std::string{kOneServer} + "  sever_connections: 3\n  preconnect: true\n");
    REQUIRE(deployment.notes.size() == 1);
    CHECK(contains(deployment.notes[0].message, "nutcracker.yml:5: 'alpha.sever_connections' is not a setting"));
    CHECK(contains(deployment.notes[0].hint, "server_connections"));
}

TEST_CASE("several pools need a choice and a wrong one is told the names") {
    const std::string both = std::string{kOneServer} + "beta:\n  redis: true\n  servers:\n    - 10.0.0.2:6379:1\n";
    const auto none = pool_error(both);
    CHECK(none.code == support::ExitCode::usage);
    CHECK(none.message == "nutcracker.yml has several pools: alpha, beta");
    CHECK(imported_pool(both, "beta").shards[0].primary == "redis://10.0.0.2:6379");
    const auto typo = pool_error(both, "bet");
    CHECK(typo.code == support::ExitCode::usage);
    CHECK(contains(typo.hint, "beta"));
}

TEST_CASE("a pool that cannot be used is refused at its place in the file") {
    const auto at = [](const std::string& text, const std::string& place, const std::string& words) {
        const auto error = pool_error(text);
        INFO(text << "\n" << error.message);
        CHECK(error.code == support::ExitCode::configuration);
        CHECK(error.message.starts_with("nutcracker.yml:" + place));
        CHECK(contains(error.message, words));
    };
    at("alpha:\n  servers: [10.0.0.1:6379:1]\n", "1:1: ", "is for memcached");
    at("alpha:\n  redis: false\n  servers: [10.0.0.1:6379:1]\n", "2:10: ", "is for memcached");
    at("alpha:\n  redis: maybe\n", "2:10: ", "alpha.redis: must be true or false");
    at("alpha:\n  redis: true\n", "1:1: ", "has no servers");
    at("alpha:\n  redis: true\n  servers: []\n", "3:12: ", "has no servers");
    at("alpha:\n  redis: true\n  servers:\n   - 10.0.0.1:6379\n", "4:6: ", "too few colons");
    at("alpha:\n  redis: true\n  servers:\n   - 10.0.0.1:6379:0\n", "4:6: ", "weight");
    at("alpha:\n  redis: true\n  servers:\n   - 10.0.0.1:66379:1\n", "4:6: ", "port");
    at("alpha:\n  redis: true\n  servers:\n   - 10.0.0.1:6379:1 \"\n   - [a]\n", "5:6: ", "single value");
    at("alpha:\n  redis: true\n  servers:\n   - 0x7f.1:6379:1\n", "4:6: ", "not an IPv4 address");
    at("alpha:\n  redis: true\n  hash: fnv1a64\n  servers: [10.0.0.1:6379:1]\n", "3:9: ", "alpha.hash");
    at("alpha:\n  redis: true\n  distribution: kettle\n  servers: [h:1:1]\n", "3:17: ", "alpha.distribution");
    at("alpha:\n  redis: true\n  hash_tag: {}\n  servers: [h:1:1]\n", "3:13: ", "single value");
    at("alpha:\n  redis: true\n  hash_tag: \"{\"\n  servers: [h:1:1]\n", "3:13: ", "two characters");
    at("alpha:\n  redis: true\n  redis: true\n", "3:3: ", "given twice");
    at("alpha:\n  redis: [\n", "", "end of sequence");
    at("- a\n- b\n", "1:1: ", "not a list of pools");
    at("", "", "not a list of pools");
    at("alpha\n", "1:1: ", "not a list of pools");
    at("alpha: 3\n", "1:8: ", "has no settings");
    at(std::string{kOneServer} + kOneServer, "5:1: ", "two pools are named 'alpha'");
    at(std::string(100'000, '['), "1:", "nested too deeply");
    at("a: &a [*a]\n", "1:4: ", "has no settings");
}

TEST_CASE("a pool with names that no TOML file can hold is refused") {
    for (const std::string name : {"\\ud800", "\xef\xd9"}) {
        const auto error = pool_error("a:\n  redis: true\n  servers: [\"h:1:1 " + name + "\"]\n");
        INFO(error.message);
        CHECK(error.code == support::ExitCode::configuration);
    }
    for (const char* bytes : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xe2\x80", "\xf4\x90\x80\x80", "\x80"})
        CHECK_FALSE(fits_toml(bytes));
    for (const char* bytes : {"", "a", "\xc3\xa9", "\xe6\x97\xa5", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"})
        CHECK(fits_toml(bytes));
}

TEST_CASE("two servers of one label or address are refused once the file is checked") {
    ConfigWorld world;
    for (const char* servers : {"[10.0.0.1:6379:1 a, 10.0.0.2:6379:1 a]", "[10.0.0.1:6379:1 a, 10.0.0.1:6379:1 b]"}) {
        const auto deployment = imported_pool(fmt::format("alpha:\n  redis: true\n  servers: {}\n", servers));
        CHECK_THROWS_AS(check_starting_file(imported_file(deployment), "new.toml", world.world()), support::Failure);
    }
}

TEST_CASE("names with control characters and quotes do not break out of the text") {
    const auto deployment =
        imported_pool("\"a\\nb \\\"c\\\"\":\n  redis: true\n  servers:\n   - \"10.0.0.1:6379:1 \\e[31m\\\"x\"\n");
    const Settings settings = round_trip(deployment);
    CHECK(settings.shards[0].server.label == "\x1b[31m\"x");
}

}  // namespace ratectl::config
