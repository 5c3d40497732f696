// The file that `config init` writes: it resolves to what was asked for, and is written with care.
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include <sys/stat.h>

#include "config/starter.h"
#include "config_world.h"
#include "support/catch.h"

namespace ratectl::config {
namespace {

using support::ExitCode;

std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

ExitCode code_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const support::Failure& failure) {
        return failure.error().code;
    }
    return ExitCode::done;
}

TEST_CASE("a starting file resolves to what was asked for") {
    ConfigWorld world;
    Starter starter;
    starter.name = "eu.west \"1\"";
    starter.shards = {{"alpha", "redis://10.0.0.1:6379", {"redis://10.0.0.2:6379", "unix:///run/r.sock"}, false},
                      {"", "redis://10.0.0.3:6379/2", {}, true}};
    starter.sharding = "redis-rb-5";
    starter.policies = {{"core", "core:{client}", "5000", "1h"}, {"odd\\name", "odd\"{client}", "", ""}};
    const std::string text = starting_file(starter);
    CHECK_NOTHROW(check_starting_file(text, "new.toml", world.world()));
    const Settings settings = world.resolve_text(text);
    CHECK(settings.deployment == starter.name);
    REQUIRE(settings.shards.size() == 2);
    CHECK(settings.shards[0].shard.name == "alpha");
    CHECK(settings.shards[0].shard.replicas.size() == 2);
    CHECK_FALSE(settings.shards[1].server.name);
    CHECK(settings.shards[1].shard.discover_replicas);
    CHECK(settings.sharding->preset == "redis-rb-5");
    REQUIRE(settings.policies.policies().size() == 2);
    CHECK(settings.policies.policies()[0].limit == 5000);
    CHECK(settings.policies.policies()[0].period == support::Seconds{3600});
    CHECK(settings.policies.policies()[1].name == "odd\\name");
    CHECK(settings.policies.policies()[1].key.text() == "odd\"{client}");
}

TEST_CASE("what is commented out in a starting file is right as it stands") {
    ConfigWorld world;
    Starter starter;
    starter.shards = {{"", "redis://10.0.0.1:6379", {}, false}};
    std::istringstream lines(starting_file(starter));
    std::string uncommented;
    for (std::string line; std::getline(lines, line);) {
        const bool example = line.starts_with("# ") && (contains(line, " = ") || contains(line, "[["));
        uncommented += (example ? line.substr(2) : line) + "\n";
    }
    world.write("secret", "x");
    const auto at = uncommented.find("/run/secrets/redis");
    REQUIRE(at != std::string::npos);
    uncommented.replace(at, std::string("/run/secrets/redis").size(), "secret");
    const Settings settings = world.resolve_text(uncommented);
    CHECK(settings.sharding->preset == "twemproxy-ketama");
    CHECK(settings.protect.size() == 1);
    CHECK(settings.login.username == "support");
    CHECK(settings.tls.ca_file == world.path("ca.pem"));
    CHECK(settings.shards[0].shard.discover_replicas);
    CHECK(settings.policies.policies().at(0).limit == 5000);
}

TEST_CASE("a starting file that would be refused is found out before it is written") {
    ConfigWorld world;
    Starter starter;
    starter.shards = {{"", "redis://10.0.0.1:6379", {}, false}, {"", "redis://10.0.0.1:6379", {}, false}};
    CHECK(code_of([&] { check_starting_file(starting_file(starter), "new.toml", world.world()); }) ==
          ExitCode::configuration);
    starter.shards.pop_back();
    starter.sharding = "no-such-preset";
    CHECK(code_of([&] { check_starting_file(starting_file(starter), "new.toml", world.world()); }) ==
          ExitCode::configuration);
}

TEST_CASE("a policy on the command line is a name and a template and perhaps a limit") {
    const auto policy = parse_starter_policy("core=core:{client}:5000/1h");
    REQUIRE(policy);
    CHECK(policy->name == "core");
    CHECK(policy->key == "core:{client}");
    CHECK(policy->limit == "5000");
    CHECK(policy->period == "1h");
    const auto bare = parse_starter_policy("paths=a:b/c:{path}");
    REQUIRE(bare);
    CHECK(bare->key == "a:b/c:{path}");
    CHECK(bare->limit.empty());
    for (const char* text : {"core", "=core:{client}", "core=", "core=core:{client", "core=core:{client}:5k/1h",
                             "core=core:{client}:5/60", "core=c:{x}:/1h"}) {
        INFO(text);
        const auto bad = parse_starter_policy(text);
        REQUIRE_FALSE(bad);
        CHECK(bad.error().code == ExitCode::usage);
    }
}

TEST_CASE("a private file is new and only for its owner") {
    ConfigWorld world;
    const std::string path = world.path("a/b/ratectl.toml");
    write_private_file(path, "one", false);
    CHECK(text_of(path) == "one");
    struct stat facts {};
    REQUIRE(::stat(path.c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777) == 0600);
    REQUIRE(::stat(world.path("a/b").c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777) == 0700);
    CHECK(code_of([&] { write_private_file(path, "two", false); }) == ExitCode::local_io);
    CHECK(text_of(path) == "one");
}

TEST_CASE("replacing a file happens in one step and leaves nothing beside it") {
    ConfigWorld world;
    const std::string path = world.write("c/ratectl.toml", "old", 0644);
    write_private_file(path, "new", true);
    CHECK(text_of(path) == "new");
    struct stat facts {};
    REQUIRE(::stat(path.c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777) == 0600);
    CHECK(std::distance(std::filesystem::directory_iterator(world.path("c")), std::filesystem::directory_iterator()) ==
          1);
}

TEST_CASE("a symbolic link is not written through") {
    ConfigWorld world;
    const std::string target = world.write("target", "precious");
    std::filesystem::create_symlink(target, world.path("link"));
    CHECK(code_of([&] { write_private_file(world.path("link"), "x", false); }) == ExitCode::local_io);
    write_private_file(world.path("link"), "x", true);
    CHECK(text_of(target) == "precious");
    CHECK(text_of(world.path("link")) == "x");
    CHECK(code_of([&] { write_private_file(world.path("target/below"), "x", false); }) == ExitCode::local_io);
}

}  // namespace
}  // namespace ratectl::config
