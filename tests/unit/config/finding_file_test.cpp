// Where the configuration comes from: which file, which deployment, and what is refused before a byte of it is
// believed.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include "config_world.h"
#include "support/catch.h"

namespace ratectl::config {
namespace {

using support::ExitCode;

std::string deployment_named(const std::string& name) {
    return "[deployments." + name + "]\n[[deployments." + name + ".shards]]\nprimary = \"redis://127.0.0.1:7001\"\n";
}

TEST_CASE("without any configuration the three ways to begin are named") {
    const ConfigWorld world;
    const auto error = world.error();
    CHECK(error.code == ExitCode::configuration);
    CHECK(contains(error.message, "no configuration"));
    CHECK(contains(error.hint, "config init"));
    CHECK(contains(error.hint, "-u redis://"));
    CHECK(contains(error.hint, "sandbox up"));
}

TEST_CASE("the flag beats the environment and both beat the usual places") {
    ConfigWorld world;
    world.write("etc/ratectl.toml", deployment_named("system"));
    CHECK(world.resolve().deployment == "system");
    world.write("home/.config/ratectl/ratectl.toml", deployment_named("home"));
    CHECK(world.resolve().deployment == "home");
    world.write("xdg/ratectl/ratectl.toml", deployment_named("xdg"));
    world.env["XDG_CONFIG_HOME"] = world.path("xdg");
    CHECK(world.resolve().deployment == "xdg");
    world.env["RATECTL_CONFIG"] = world.write("variable.toml", deployment_named("variable"));
    CHECK(world.resolve().deployment == "variable");
    Overrides overrides;
    overrides.config_file = world.write("flag.toml", deployment_named("flag"));
    CHECK(world.resolve(overrides).deployment == "flag");
    CHECK(world.resolve(overrides).file == overrides.config_file);
}

TEST_CASE("a relative XDG_CONFIG_HOME is ignored and the working folder is never searched") {
    ConfigWorld world;
    const auto before = std::filesystem::current_path();
    world.write("work/ratectl/ratectl.toml", deployment_named("trap"));
    world.write("work/ratectl.toml", deployment_named("trap"));
    std::filesystem::current_path(world.path("work"));
    world.env["XDG_CONFIG_HOME"] = ".";
    const auto error = world.error();
    std::filesystem::current_path(before);
    CHECK(error.code == ExitCode::configuration);
    CHECK(contains(error.message, "no configuration"));
}

TEST_CASE("a named file that is missing is an error even when another exists") {
    ConfigWorld world;
    world.write("etc/ratectl.toml", deployment_named("system"));
    Overrides overrides;
    overrides.config_file = world.path("nowhere.toml");
    CHECK(world.error(overrides).code == ExitCode::configuration);
    CHECK(contains(world.error(overrides).message, "nowhere.toml: does not exist (named by --config)"));
    world.env["RATECTL_CONFIG"] = world.path("gone.toml");
    CHECK(contains(world.error().message, "named by RATECTL_CONFIG"));
}

TEST_CASE("only a regular file of a sensible size is read") {
    ConfigWorld world;
    Overrides overrides;
    SECTION("a folder") {
        std::filesystem::create_directories(world.path("folder"));
        overrides.config_file = world.path("folder");
        CHECK(contains(world.error(overrides).message, "is a folder"));
    }
    SECTION("a named pipe without a writer does not block") {
        REQUIRE(::mkfifo(world.path("pipe").c_str(), 0600) == 0);
        overrides.config_file = world.path("pipe");
        CHECK(contains(world.error(overrides).message, "is a named pipe"));
    }
    SECTION("a device") {
        overrides.config_file = "/dev/zero";
        CHECK(contains(world.error(overrides).message, "is a device"));
    }
    SECTION("a huge sparse file is refused unread") {
        overrides.config_file = world.write("huge.toml", "");
        REQUIRE(::truncate(overrides.config_file->c_str(), off_t{1} << 30) == 0);
        CHECK(contains(world.error(overrides).message, "larger than 1048576 bytes"));
    }
    SECTION("a symbolic link to a regular file is followed") {
        const auto target = world.write("real.toml", deployment_named("real"));
        std::filesystem::create_symlink(target, world.path("link.toml"));
        overrides.config_file = world.path("link.toml");
        CHECK(world.resolve(overrides).deployment == "real");
        return;
    }
    CHECK(world.error(overrides).code == ExitCode::configuration);
}

TEST_CASE("one deployment needs no name and several need a default or a choice") {
    ConfigWorld world;
    const std::string two = deployment_named("production") + deployment_named("staging");
    CHECK(world.resolve_text(deployment_named("only")).deployment == "only");
    const auto error = world.error_of_text(two);
    CHECK(error.code == ExitCode::usage);
    CHECK(contains(error.message, "production, staging"));
    CHECK(contains(error.hint, "-d production"));
    CHECK(world.resolve_text("default = \"staging\"\n" + two).deployment == "staging");
    Overrides overrides;
    overrides.deployment = "production";
    const auto settings = world.resolve_text("default = \"staging\"\n" + two, overrides);
    CHECK(settings.deployment == "production");
    CHECK(settings.origins.at("deployment").text == "flag --deployment");
    world.env["RATECTL_DEPLOYMENT"] = "staging";
    CHECK(world.resolve_text(two).deployment == "staging");
    CHECK(world.resolve_text(two, overrides).deployment == "production");
}

TEST_CASE("a deployment that does not exist is the fault of whoever named it") {
    ConfigWorld world;
    Overrides overrides;
    overrides.deployment = "prodution";
    const auto by_flag = world.error_of_text(deployment_named("production"), overrides);
    CHECK(by_flag.code == ExitCode::usage);
    CHECK(contains(by_flag.message, "--deployment: there is no deployment 'prodution'"));
    CHECK(contains(by_flag.hint, "production"));
    const auto by_default = world.error_of_text("default = \"prodution\"\n" + deployment_named("production"));
    CHECK(by_default.code == ExitCode::configuration);
    CHECK(contains(by_default.message, "ratectl.toml:1:"));
    CHECK(contains(by_default.hint, "did you mean 'production'?"));
}

TEST_CASE("a file without deployments is refused") {
    ConfigWorld world;
    CHECK(world.error_of_text("").code == ExitCode::configuration);
    CHECK(contains(world.error_of_text("[deployments]\n").message, "no deployment"));
}

TEST_CASE("a kind of deployment that there is not is refused with those that there are") {
    ConfigWorld world;
    const auto error = world.error_of_text("[deployments.big]\nkind = \"sentinels\"\n" + deployment_named("small"));
    CHECK(error.code == ExitCode::configuration);
    CHECK(contains(error.message + error.hint, "sentinel"));
}

}  // namespace
}  // namespace ratectl::config
