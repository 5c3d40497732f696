// sharding: presets shown, and rules verified and guessed from what pretended servers hold.
#include "commands/all_commands.h"

#include "sharding/options.h"
#include "support/catch.h"
#include "support/contains.h"
#include "unit/commands/fake_context.h"

namespace ratectl::commands {

namespace {

using support::ExitCode;
using test::contains;
using test::FakeContext;

/// Three shards whose windows were placed by `written`, and a configuration that says `configured`.
struct Deployment {
    Deployment(const std::string& written, const std::string& configured, int windows = 300) : context(3) {
        std::vector<sharding::Server> servers;
        for (auto& shard : context.configured.shards) servers.push_back(shard.server);
        const auto options = support::value_or_throw(sharding::parse_options(written));
        const auto map = support::value_or_throw(sharding::ShardMap::make(options, servers));
        for (int i = 0; i < windows; ++i) {
            const std::string key = "core:" + std::to_string(i * 37);
            put(map.shard_of(key), key);
        }
        context.configured.sharding = support::value_or_throw(sharding::parse_options(configured));
        context.given.output = "ndjson";
    }
    void put(std::size_t shard, const std::string& key) {
        context.put_raw(shard, key, "3");
        context.put_raw(shard, key + ":exp", "2000");
    }
    ExitCode run(std::vector<std::string> arguments) { return context.run(sharding_command(), std::move(arguments)); }
    const std::string& rows() const { return context.output(); }
    const std::string& words() const { return context.errors(); }
    FakeContext context;
};

}  // namespace

TEST_CASE("sharding lists the presets and shows one of them upright") {
    FakeContext context;
    CHECK(context.run(sharding_command(), {"list"}) == ExitCode::done);
    CHECK(contains(context.output(), "twemproxy-ketama"));
    FakeContext one;
    CHECK(one.run(sharding_command(), {"show", "redis-rb-5"}) == ExitCode::done);
    CHECK(contains(one.output(), "redis://host:port"));
    CHECK(contains(one.output(), "ruby"));
    CHECK(contains(one.output(), "NODE:0"));
    CHECK(contains(one.output(), "strip_prefix"));
    CHECK_FALSE(contains(one.output(), "points_per_label"));
    CHECK_FALSE(contains(one.output(), "twemproxy"));
    FakeContext row;
    row.given.output = "ndjson";
    CHECK(row.run(sharding_command(), {"show", "redis-rb-5"}) == ExitCode::done);
    CHECK(contains(row.output(), "\"key_tag\":\"ruby\""));
    CHECK(contains(row.output(), "\"points\":160"));
    CHECK(contains(row.output(), "\"options\":\"key_tag, strip_prefix, order, points\""));
    FakeContext wrong;
    CHECK(wrong.run(sharding_command(), {"show", "redis-rb"}) == ExitCode::usage);
    CHECK(contains(wrong.errors(), "redis-rb-"));
}

TEST_CASE("verify finds every key in place where the configuration is right") {
    Deployment right("redis-rb-5", "redis-rb-5");
    CHECK(right.run({"verify"}) == ExitCode::done);
    CHECK(contains(right.rows(), "\"shard\":\"alpha\",\"node\":\"10.0.1.1:6379\""));
    CHECK(contains(right.rows(), "\"misplaced\":0,\"in_place_percent\":100"));
    CHECK(contains(right.rows(), "\"complete\":true,\"stray\":null,\"belongs_on\":null"));
    CHECK(contains(right.words(), "all 300 sampled windows are where they should be"));
}

TEST_CASE("verify calls a wrong preset by its signature and names the right one") {
    Deployment wrong("redis-rb-4", "twemproxy-ketama");
    CHECK(wrong.run({"verify"}) == ExitCode::attention);
    CHECK(contains(wrong.words(), "about 2/3 misplaced"));
    CHECK(contains(wrong.words(), "wrong labels or preset"));
    CHECK(contains(wrong.words(), "belongs on"));
    CHECK(contains(wrong.words(), "redis-rb-4 explains 100 % of them"));
    CHECK(contains(wrong.words(), "sharding guess"));
}

TEST_CASE("verify tells a few strays from a wrong rule") {
    Deployment mostly("redis-rb-5", "redis-rb-5");
    const auto home = mostly.context.shard_map()->shard_of("core:stray");
    mostly.put((home + 1) % 3, "core:stray");
    CHECK(mostly.run({"verify"}) == ExitCode::attention);
    CHECK(contains(mostly.words(), "99.7 % in place"));
    CHECK(contains(mostly.words(), "'core:stray' is on shard"));
    CHECK(contains(mostly.rows(), "\"stray\":\"core:stray\""));
}

TEST_CASE("verify samples no more than it was asked for and only windows") {
    Deployment big("modulo", "modulo");
    big.context.put_raw(0, "elsewhere:exp", "2000");
    CHECK(big.run({"verify", "--sample", "10"}) == ExitCode::done);
    CHECK(contains(big.rows(), "\"sampled\":10"));
    CHECK(contains(big.words(), "all 30 sampled windows"));
    Deployment none("modulo", "modulo", 0);
    CHECK(none.run({"verify"}) == ExitCode::attention);
    CHECK(contains(none.words(), "nothing is proved"));
    for (const auto* text : {"0", "many", "-1", "9999999"}) {
        Deployment refused("modulo", "modulo", 1);
        CHECK(refused.run({"verify", std::string("--sample=") + text}) == ExitCode::usage);
    }
}

TEST_CASE("verify goes on without a shard that is gone and says so") {
    Deployment broken("redis-rb-5", "redis-rb-5");
    broken.context.kill_primary(1);
    broken.context.kill_replica(1);
    CHECK(broken.run({"verify"}) == ExitCode::partial);
    CHECK(contains(broken.rows(), "\"shard\":\"beta\",\"node\":null,\"sampled\":0"));
    CHECK(contains(broken.rows(), "\"shard\":\"gamma\",\"node\":\"10.0.1.3:6379\""));
    CHECK(contains(broken.words(), "connection refused"));
}

TEST_CASE("verify without a rule points to guess") {
    Deployment open("redis-rb-5", "redis-rb-5");
    open.context.configured.sharding.reset();
    CHECK(open.run({"verify"}) == ExitCode::configuration);
    CHECK(contains(open.words(), "sharding guess"));
}

TEST_CASE("guess finds the rule without being told and prints the line to configure") {
    Deployment unknown("twemproxy-ketama,hash=murmur", "modulo");
    unknown.context.configured.sharding.reset();
    CHECK(unknown.run({"guess"}) == ExitCode::done);
    CHECK(contains(unknown.rows(), "{\"rank\":1,\"preset\":\"twemproxy-ketama\",\"options\":\"hash=murmur\""));
    CHECK(contains(unknown.rows(), "\"in_place\":300,\"in_place_percent\":100"));
    CHECK(contains(unknown.words(), "sharding = { preset = \"twemproxy-ketama\", hash = \"murmur\" }"));
    CHECK(contains(unknown.words(), "300 keys lead to twemproxy-ketama,hash=murmur"));
}

TEST_CASE("guess says when there is too little to go by") {
    Deployment few("redis-rb-5", "modulo", 3);
    CHECK(few.run({"guess"}) == ExitCode::attention);
    CHECK(contains(few.words(), "3 keys are too few to decide"));
    CHECK_FALSE(contains(few.words(), "sharding ="));
    Deployment empty("redis-rb-5", "modulo", 0);
    CHECK(empty.run({"guess"}) == ExitCode::attention);
    CHECK(contains(empty.words(), "nothing to guess from"));
    FakeContext alone(1);
    CHECK(alone.run(sharding_command(), {"guess"}) == ExitCode::usage);
    Deployment chaos("redis-rb-5", "modulo", 0);
    for (int i = 0; i < 200; ++i)
        chaos.put(static_cast<std::size_t>((i * i / 7 + i / 3) % 3), "core:" + std::to_string(i));
    CHECK(chaos.run({"guess"}) == ExitCode::attention);
    CHECK(contains(chaos.words(), "no rule explains the 200 keys"));
}

TEST_CASE("guess works with the shards that are left") {
    Deployment broken("redis-rb-5", "modulo");
    broken.context.kill_primary(2);
    broken.context.kill_replica(2);
    CHECK(broken.run({"guess"}) == ExitCode::partial);
    CHECK(contains(broken.rows(), "\"rank\":1,\"preset\":\"redis-rb-5\""));
}

}  // namespace ratectl::commands
