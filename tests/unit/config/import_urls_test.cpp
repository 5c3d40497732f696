// config import urls: a list in the application's order becomes a deployment; passwords stay where they are.
#include <string>
#include <vector>

#include "config/import.h"
#include "config/starter.h"
#include "config_world.h"
#include "support/catch.h"
#include "unit/config/round_trip.h"

namespace ratectl::config {
namespace {

std::vector<Given> arguments(const std::vector<std::string>& texts) {
    std::vector<Given> urls;
    for (const auto& text : texts) urls.push_back({text, "URL", {Origin::Kind::flag, "argument"}});
    return urls;
}

ImportedDeployment imported_urls(ConfigWorld& world, const std::vector<std::string>& urls,
                                 const std::optional<std::string>& preset = "redis-rb-4") {
    return import_urls(arguments(urls), preset, world.world());
}

support::Error urls_error(ConfigWorld& world, const std::vector<std::string>& urls,
                          const std::optional<std::string>& preset = "redis-rb-4") {
    try {
        imported_urls(world, urls, preset);
    } catch (const support::Failure& failure) {
        return failure.error();
    }
    return {support::ExitCode::done, "", ""};
}

}  // namespace

TEST_CASE("a list of URLs keeps its order names users and databases") {
    ConfigWorld world;
    world.env["THIRD"] = "rediss://ops@redis-c.example:6380/2";
    const auto deployment = imported_urls(
        world, {"redis://ops@10.0.0.2:7001", "b=redis://ops@10.0.0.1:7001/1", "c=env:THIRD"}, "go-redis-7");
    CHECK(deployment.notes.empty());
    CHECK(deployment.username == "ops");
    CHECK(deployment.shards[0].primary == "redis://10.0.0.2:7001");
    CHECK(deployment.shards[1].name == "b");
    CHECK(deployment.shards[2].primary == "rediss://redis-c.example:6380/2");
    // go-redis goes by names, and the first has none.
    CHECK_THROWS_AS(check_starting_file(imported_file(deployment), "x", world.world()), support::Failure);
    const Settings settings =
        round_trip(world, imported_urls(world, {"a=redis://10.0.0.2:7001", "b=redis://h:1"}, "go-redis-9"));
    CHECK(settings.shards[1].shard.name == "b");
    CHECK(settings.sharding->preset == "go-redis-9");
}

TEST_CASE("a password is refused on the command line and left out from a variable") {
    ConfigWorld world;
    const auto refused = urls_error(world, {"redis://:hunter2@10.0.0.1"});
    CHECK(refused.code == support::ExitCode::usage);
    CHECK_FALSE(contains(refused.message + refused.hint, "hunter2"));
    world.env["REDIS_URL"] = "redis://:hunter2@10.0.0.1";
    const auto deployment = imported_urls(world, {"env:REDIS_URL", "redis://10.0.0.2"});
    const std::string text = imported_file(deployment);
    CHECK_FALSE(contains(text, "hunter2"));
    CHECK(contains(text, "# password_file"));
    REQUIRE(deployment.notes.size() == 1);
    CHECK_FALSE(contains(deployment.notes[0].message, "hunter2"));
    CHECK(urls_error(world, {"env:NOT_SET"}).code == support::ExitCode::usage);
}

TEST_CASE("several URLs without a preset are imported with a warning and a wrong preset is refused") {
    ConfigWorld world;
    const auto several = imported_urls(world, {"redis://10.0.0.1", "redis://10.0.0.2"}, std::nullopt);
    REQUIRE(several.notes.size() == 1);
    CHECK(contains(several.notes[0].message, "no --sharding"));
    CHECK_FALSE(round_trip(world, several).sharding);
    CHECK(imported_urls(world, {"redis://10.0.0.1"}, std::nullopt).notes.empty());
    const auto wrong = urls_error(world, {"redis://10.0.0.1"}, "twemproxy-kettle");
    CHECK(wrong.code == support::ExitCode::usage);
    CHECK(contains(wrong.hint, "twemproxy-ketama"));
    CHECK(urls_error(world, {"http://10.0.0.1"}).code != support::ExitCode::done);
}

TEST_CASE("django-redis gets the location as it is written for a label") {
    ConfigWorld world;
    const auto deployment = imported_urls(
        world, {"redis://10.0.0.1:6379/0", "redis://10.0.0.2", "redis://ops@10.0.0.3:6379/0"}, "django-redis");
    CHECK_FALSE(deployment.shards[0].label);
    CHECK(deployment.shards[1].label == "redis://10.0.0.2");
    CHECK(deployment.shards[2].label == "redis://ops@10.0.0.3:6379/0");
    world.env["SECRET_URL"] = "redis://:hunter2@10.0.0.1:6379/0";
    const auto secret = imported_urls(world, {"env:SECRET_URL", "redis://10.0.0.2"}, "django-redis");
    CHECK_FALSE(contains(imported_file(secret), "hunter2"));
    REQUIRE(secret.notes.size() == 2);
    CHECK(contains(secret.notes[0].message, "the shard's label is missing"));
    CHECK_FALSE(contains(secret.notes[0].message + secret.notes[0].hint, "hunter2"));
}

TEST_CASE("users that differ are named in a warning and not mixed up") {
    ConfigWorld world;
    const auto deployment = imported_urls(world, {"redis://ops@10.0.0.1", "redis://dev@10.0.0.2"});
    CHECK(deployment.username.empty());
    REQUIRE(deployment.notes.size() == 1);
    CHECK(contains(deployment.notes[0].message, "different users"));
}

}  // namespace ratectl::config
