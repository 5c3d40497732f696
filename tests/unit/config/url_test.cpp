// A deployment made of URLs alone: -u and RATECTL_URL.
#include <string>

#include "config_world.h"
#include "support/catch.h"

namespace ratectl::config {
namespace {

using support::ExitCode;

Overrides urls(std::vector<std::string> list) {
    Overrides overrides;
    overrides.urls = std::move(list);
    return overrides;
}

TEST_CASE("one URL needs nothing else") {
    const ConfigWorld world;
    const auto settings = world.resolve(urls({"redis://127.0.0.1:7001/2"}));
    CHECK(settings.deployment == "127.0.0.1:7001/2");
    REQUIRE(settings.shards.size() == 1);
    CHECK(settings.shards[0].shard.name == "127.0.0.1:7001/2");
    CHECK(settings.shards[0].shard.primary.db == 2);
    CHECK(settings.sharding);
    CHECK_FALSE(settings.file);
    CHECK(settings.writes == WriteMode::confirm);
    CHECK(settings.origins.at("shards.127.0.0.1:7001/2.primary").text == "flag --url");
}

TEST_CASE("several URLs keep their order and need a sharding for writes") {
    const ConfigWorld world;
    auto overrides = urls({"redis://b:1", "redis://a:1", "redis://a:1/1"});
    CHECK_FALSE(world.resolve(overrides).sharding);
    overrides.sharding = "modulo";
    const auto settings = world.resolve(overrides);
    REQUIRE(settings.sharding);
    CHECK(settings.sharding->preset == "modulo");
    CHECK(settings.shards[0].server.host == "b");
    CHECK(settings.shards[2].shard.name == "a:1/1");
    CHECK_FALSE(settings.shards[0].server.name);
}

TEST_CASE("the same server twice is refused") {
    const ConfigWorld world;
    const auto error = world.error(urls({"redis://a:1", "redis://a:1/0"}));
    CHECK(error.code == ExitCode::usage);
    CHECK(contains(error.message, "listed twice"));
}

TEST_CASE("a password on the command line is refused and not repeated") {
    const ConfigWorld world;
    for (const std::string url :
         {"redis://user:hunter2@h:1", "redis://:hunter2@h", "rediss://:hunter2@h:99999", "unix://:hunter2@/run/x"}) {
        const auto error = world.error(urls({url}));
        CHECK(error.code == ExitCode::usage);
        CHECK_FALSE(contains(error.message + error.hint, "hunter2"));
    }
    const auto error = world.error(urls({"redis://user:hunter2@h:1"}));
    CHECK(contains(error.hint, "-u env:REDIS_URL"));
    CHECK(contains(error.hint, "REDISCLI_AUTH"));
}

TEST_CASE("env NAME reads the URL and its password from the environment") {
    ConfigWorld world;
    world.env["REDIS_URL"] = "redis://user:hunter2@h:1";
    const auto settings = world.resolve(urls({"env:REDIS_URL"}));
    const auto& credentials = settings.shards[0].shard.primary.credentials;
    CHECK(credentials.username == "user");
    CHECK(credentials.password->reveal() == "hunter2");
    CHECK(credentials.source == "environment REDIS_URL");
    CHECK(shown(settings, "shards.h:1.primary") == "redis://h:1 (user user, password (set))");
    const auto unset = world.error(urls({"env:REDIS_URI"}));
    CHECK(unset.code == ExitCode::usage);
    CHECK(contains(unset.message, "'REDIS_URI' is not set"));
    world.env["REDIS_URL"] = "redis://user:hunter2@h:0";
    const auto bad = world.error(urls({"env:REDIS_URL"}));
    CHECK(bad.code == ExitCode::usage);
    CHECK(contains(bad.message, "--url env:REDIS_URL: "));
    CHECK_FALSE(contains(bad.message, "hunter2"));
}

TEST_CASE("REDISCLI_AUTH is the password of URLs without one") {
    ConfigWorld world;
    world.env["REDISCLI_AUTH"] = "from-environment";
    world.env["REDIS_URL"] = "redis://user:own@b:1";
    const auto settings = world.resolve(urls({"redis://user@a:1", "env:REDIS_URL"}));
    CHECK(settings.shards[0].shard.primary.credentials.username == "user");
    CHECK(settings.shards[0].shard.primary.credentials.password->reveal() == "from-environment");
    CHECK(settings.shards[0].shard.primary.credentials.source == "environment REDISCLI_AUTH");
    CHECK(settings.shards[1].shard.primary.credentials.password->reveal() == "own");
}

TEST_CASE("REDISCLI_AUTH says nothing about servers of a file") {
    ConfigWorld world;
    world.env["REDISCLI_AUTH"] = "for-redis-cli";
    CHECK_FALSE(world.resolve_text(one_shard()).shards[0].shard.primary.credentials.password);
}

TEST_CASE("a URL that is none is a usage error") {
    const ConfigWorld world;
    for (const std::string url : {"", "127.0.0.1", "http://h", "redis://", "redis://h:65536", "redis://h:6379x",
                                  "redis://h:88576", "redis://h:-1"}) {
        INFO(url);
        const auto error = world.error(urls({url}));
        CHECK(error.code == ExitCode::usage);
        CHECK(error.message.starts_with("--url: "));
    }
}

TEST_CASE("RATECTL_URL holds one or several URLs") {
    ConfigWorld world;
    world.env["RATECTL_URL"] = "redis://a:1, redis://:secret@b:2  env:THIRD";
    world.env["THIRD"] = "redis://c:3";
    const auto settings = world.resolve();
    REQUIRE(settings.shards.size() == 3);
    CHECK(settings.deployment == "a:1,b:2,c:3");
    CHECK(settings.shards[1].shard.primary.credentials.password->reveal() == "secret");
    CHECK(settings.shards[2].shard.primary.host == "c");
    CHECK(settings.origins.at("deployment").text == "environment RATECTL_URL");
    world.env["RATECTL_URL"] = " , ";
    CHECK(contains(world.error().message, "RATECTL_URL: no URL in it"));
}

TEST_CASE("flags decide between URLs and the file") {
    ConfigWorld world;
    world.write("home/.config/ratectl/ratectl.toml",
                one_shard("expiry_suffix = \":file\"") +
                    "[[deployments.main.policies]]\nname = \"core\"\nkey = \"core:{client}\"\n");
    CHECK(world.resolve().deployment == "main");
    auto overrides = urls({"redis://h:1"});
    overrides.key = "api:{client}";
    const auto settings = world.resolve(overrides);
    CHECK(settings.deployment == "h:1");
    CHECK(settings.layout.expiry_suffix == ":exp");
    REQUIRE(settings.policies.policies().size() == 1);
    CHECK(settings.policies.policies()[0].key.text() == "api:{client}");
    overrides.deployment = "main";
    CHECK(world.error(overrides).code == ExitCode::usage);
}

TEST_CASE("a flag that asks for the file beats RATECTL_URL and two variables that disagree are refused") {
    ConfigWorld world;
    world.write("home/.config/ratectl/ratectl.toml", one_shard());
    world.env["RATECTL_URL"] = "redis://elsewhere:1";
    CHECK(world.resolve().deployment == "elsewhere:1");
    Overrides overrides;
    overrides.deployment = "main";
    CHECK(world.resolve(overrides).deployment == "main");
    world.env["RATECTL_DEPLOYMENT"] = "main";
    CHECK(world.error().code == ExitCode::usage);
    CHECK(contains(world.error().message, "RATECTL_URL: RATECTL_DEPLOYMENT is set, too"));
    CHECK(world.resolve(urls({"redis://h:1"})).deployment == "h:1");
}

}  // namespace
}  // namespace ratectl::config
