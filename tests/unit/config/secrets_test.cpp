// Passwords: where they may come from, who may read the file that holds one, and that no message or listing ever shows
// one.
#include <chrono>
#include <string>

#include <unistd.h>

#include "config/password_source.h"
#include "config_world.h"
#include "support/catch.h"
#include "support/patience.h"

namespace ratectl::config {
namespace {

using support::ExitCode;

const std::string kPassword = "hunter2-is-secret";

std::string password_of(const Settings& settings) {
    const auto& credentials = settings.shards.at(0).shard.primary.credentials;
    return credentials.password ? credentials.password->reveal() : "(none)";
}

TEST_CASE("a password in the file needs a file that only its owner can use") {
    ConfigWorld world;
    Overrides overrides;
    for (const std::string& text :
         {one_shard("password = \"" + kPassword + "\""),
          "[deployments.main]\nshards = [{ primary = \"redis://u:" + kPassword + "@127.0.0.1:7001\" }]\n"}) {
        for (const mode_t mode : {0644, 0640, 0660, 0604, 0601}) {
            overrides.config_file = world.write("c.toml", text, mode);
            const auto error = world.error(overrides);
            CHECK(error.code == ExitCode::configuration);
            CHECK(contains(error.message, "c.toml:2: a password stands in the file"));
            CHECK(contains(error.hint, "chmod 600 " + *overrides.config_file));
            CHECK_FALSE(contains(error.message + error.hint, kPassword));
        }
        overrides.config_file = world.write("c.toml", text, 0600);
        CHECK(password_of(world.resolve(overrides)) == kPassword);
        overrides.config_file = world.write("c.toml", text, 0400);
        CHECK(password_of(world.resolve(overrides)) == kPassword);
    }
}

TEST_CASE("a password of another deployment in a readable file is refused too") {
    ConfigWorld world;
    Overrides overrides;
    overrides.deployment = "main";
    overrides.config_file = world.write(
        "c.toml", one_shard() + "[deployments.other]\npassword = \"x\"\nshards = [{ primary = \"redis://h\" }]\n",
        0644);
    CHECK(world.error(overrides).code == ExitCode::configuration);
}

TEST_CASE("a file with a password that belongs to somebody else is refused") {
    if (::geteuid() != 0) {
        WARN("only root can give a file away: the rest of this test needs root");
        return;
    }
    ConfigWorld world;
    Overrides overrides;
    overrides.config_file = world.write("c.toml", one_shard("password = \"x\""));
    REQUIRE(::chown(overrides.config_file->c_str(), 65534, 65534) == 0);
    const auto error = world.error(overrides);
    CHECK(error.code == ExitCode::configuration);
    CHECK(contains(error.message, "belongs to another user"));
}

TEST_CASE("a file that another user can change names no command, no file and no variable to take the password from") {
    ConfigWorld world;
    world.env["SECRET"] = kPassword;
    world.write("secret", kPassword);
    Overrides overrides;
    for (const std::string source : {"password_command", "password_file", "password_env"}) {
        const std::string value = source == "password_command" ? "touch " + world.path("ran") + "; echo x"
                                  : source == "password_file"  ? "secret"
                                                               : "SECRET";
        const std::string text = one_shard(source + " = \"" + value + "\"");
        INFO(source);
        for (const mode_t mode : {0660, 0606, 0622, 0666}) {
            overrides.config_file = world.write("c.toml", text, mode);
            const auto error = world.error(overrides);
            CHECK(error.code == ExitCode::configuration);
            CHECK(contains(error.message, "c.toml:2: " + source + " is not obeyed, because other users can change"));
            CHECK(contains(error.hint, "chmod go-w " + *overrides.config_file));
        }
        CHECK(::access(world.path("ran").c_str(), F_OK) != 0);
        if (::geteuid() != 0) continue;  // only root can give a file away
        overrides.config_file = world.write("c.toml", text, 0644);
        REQUIRE(::chown(overrides.config_file->c_str(), 65534, 65534) == 0);
        CHECK(contains(world.error(overrides).message, source + " is not obeyed, because the file belongs to another"));
        REQUIRE(::chown(overrides.config_file->c_str(), ::geteuid(), ::getegid()) == 0);
    }
    CHECK(::access(world.path("ran").c_str(), F_OK) != 0);
    overrides.config_file = world.write("c.toml", one_shard(), 0666);
    CHECK(world.error(overrides).code == ExitCode::done);
}

// A file that only its owner can write was obeyed in a folder in which everybody can put another one into its place.
TEST_CASE("a file in a folder that another user can change names no source of the password either") {
    ConfigWorld world;
    REQUIRE(::mkdir(world.path("open").c_str(), 0700) == 0);
    REQUIRE(::mkdir(world.path("open/inner").c_str(), 0700) == 0);
    const std::string text = one_shard("password_command = \"echo x\"");
    Overrides overrides;
    overrides.config_file = world.write("open/inner/c.toml", text, 0600);
    for (const std::string folder : {"open", "open/inner"}) {
        for (const mode_t mode : {0777, 0770, 0722}) {
            REQUIRE(::chmod(world.path(folder).c_str(), mode) == 0);
            const auto error = world.error(overrides);
            CHECK(error.code == ExitCode::configuration);
            CHECK(contains(error.message,
                           "password_command is not obeyed, because other users can change what is in "
                           "the folder " +
                               world.path(folder)));
            CHECK(contains(error.hint, "chmod go-w " + world.path(folder)));
        }
        REQUIRE(::chmod(world.path(folder).c_str(), 01777) == 0);
        CHECK(password_of(world.resolve(overrides)) == "x");
        REQUIRE(::chmod(world.path(folder).c_str(), 0700) == 0);
    }
    // The hint was chmod go-w, which changes nothing about its owner.
    if (::geteuid() == 0) {  // only root can give a folder away
        REQUIRE(::chmod(world.path("open/inner").c_str(), 0755) == 0);
        REQUIRE(::chown(world.path("open/inner").c_str(), 65534, 65534) == 0);
        const auto foreign = world.error(overrides);
        CHECK(contains(foreign.message, "because the folder " + world.path("open/inner") + " belongs to another user"));
        CHECK(contains(foreign.hint, "move the file to a folder of yours"));
        CHECK(contains(foreign.hint, "chown 0 " + world.path("open/inner")));
        CHECK_FALSE(contains(foreign.hint, "chmod"));
        REQUIRE(::chown(world.path("open/inner").c_str(), ::geteuid(), ::getegid()) == 0);
    }
    // A link from a safe folder into one that is not.
    REQUIRE(::symlink(overrides.config_file->c_str(), world.path("link.toml").c_str()) == 0);
    REQUIRE(::chmod(world.path("open").c_str(), 0777) == 0);
    overrides.config_file = world.path("link.toml");
    CHECK(contains(world.error(overrides).message, "the folder " + world.path("open")));
}

TEST_CASE("a password file that another user can change is not read") {
    ConfigWorld world;
    const auto error = [&](mode_t mode) {
        world.write("secret", kPassword, mode);
        return world.error_of_text(one_shard("password_file = \"secret\""));
    };
    for (const mode_t mode : {0666, 0660, 0622, 0602}) {
        const auto refused = error(mode);
        CHECK(refused.code == ExitCode::configuration);
        CHECK(contains(refused.message, "password_file " + world.path("secret") +
                                            " is not read, because other users can change the file"));
        CHECK(contains(refused.hint, "chmod go-w " + world.path("secret")));
        CHECK_FALSE(contains(refused.message + refused.hint, kPassword));
    }
    for (const mode_t mode : {0600, 0400, 0444, 0644}) CHECK(error(mode).code == ExitCode::done);
    if (::geteuid() != 0) return;  // only root can give a file away
    REQUIRE(::chown(world.path("secret").c_str(), 65534, 65534) == 0);
    CHECK(contains(world.error_of_text(one_shard("password_file = \"secret\"")).message, "belongs to another user"));
}

TEST_CASE("without a password in it anybody may read the file") {
    ConfigWorld world;
    Overrides overrides;
    overrides.config_file = world.write("c.toml", one_shard("password_env = \"SECRET\""), 0644);
    world.env["SECRET"] = kPassword;
    CHECK(password_of(world.resolve(overrides)) == kPassword);
}

TEST_CASE("a password file may be relative and loses one line end") {
    ConfigWorld world;
    world.write("secret", kPassword + "\n");
    CHECK(password_of(world.resolve_text(one_shard("password_file = \"secret\""))) == kPassword);
    world.write("secret", kPassword + "\r\n");
    CHECK(password_of(world.resolve_text(one_shard("password_file = \"secret\""))) == kPassword);
    world.write("secret", kPassword + " \n\n");
    CHECK(password_of(world.resolve_text(one_shard("password_file = \"" + world.path("secret") + "\""))) ==
          kPassword + " \n");
    const auto message = [&] { return world.error_of_text(one_shard("password_file = \"secret\"")).message; };
    world.write("secret", "\n");
    CHECK(contains(message(), "ratectl.toml:2: password_file " + world.path("secret") + " is empty"));
    world.write("secret", std::string(70'000, 'x'));
    CHECK(contains(message(), "is larger than 65536 bytes"));
    ::unlink(world.path("secret").c_str());
    CHECK(contains(message(), "does not exist"));
}

TEST_CASE("a password command gives its first line") {
    ConfigWorld world;
    CHECK(password_of(world.resolve_text(one_shard("password_command = \"printf 'hunter2\\\\nsecond'\""))) ==
          "hunter2");
    const auto error = world.error_of_text(one_shard("password_command = \"echo hunter2; exit 3\""));
    CHECK(error.code == ExitCode::configuration);
    CHECK(contains(error.message, "ratectl.toml:2: password_command: it ended with status 3"));
    CHECK_FALSE(contains(error.message + error.hint, "hunter2"));
}

TEST_CASE("a command has no standard input and fails in words") {
    const auto run = [](const std::string& command, int limit_ms = 5000) {
        return first_line_of_command(command, support::Milliseconds{limit_ms});
    };
    CHECK(run("cat; echo end").value() == "end");
    CHECK(contains(run("true").error().message, "its first line is empty"));
    CHECK(contains(run("kill -9 $$").error().message, "ended by signal 9"));
    CHECK(contains(run("head -c 100000 /dev/zero").error().message, "more than 64 KiB"));
    CHECK(run("printf 'a\\r\\n'").value() == "a");
}

TEST_CASE("a command that hangs is ended with everything it started") {
    ConfigWorld world;
    const std::string mark = world.path("survived");
    const auto before = std::chrono::steady_clock::now();
    for (const std::string& command :
         {"(sleep 2; touch " + mark + ") | cat", "(sleep 2; touch " + mark + ") & exec >&-; wait"}) {
        const auto result = first_line_of_command(command, support::Milliseconds{200});
        REQUIRE_FALSE(result);
        CHECK(result.error().code == ExitCode::configuration);
        CHECK(contains(result.error().message, "it was ended"));
    }
    CHECK(std::chrono::steady_clock::now() - before < std::chrono::milliseconds{1800} + test::kPatience);
    ::usleep(2'200'000);
    CHECK(::access(mark.c_str(), F_OK) != 0);
}

TEST_CASE("two sources of a password are one too many") {
    ConfigWorld world;
    const auto error = world.error_of_text(one_shard("password_env = \"A\"\npassword_file = \"b\""));
    CHECK(error.code == ExitCode::configuration);
    CHECK(contains(error.message, "the password has another source already"));
    CHECK(contains(world.error_of_text(one_shard("password_env = \"NOT_SET\"")).message,
                   "password_env names NOT_SET, which is not set"));
}

TEST_CASE("the login in a URL wins over the deployment's") {
    ConfigWorld world;
    world.env["SECRET"] = "shared";
    const auto settings = world.resolve_text(
        "[deployments.main]\nusername = \"support\"\npassword_env = \"SECRET\"\nsharding = \"modulo\"\n"
        "shards = [{ primary = \"redis://own:mine@h:1\", replicas = [\"redis://h:2\"] }, { primary = "
        "\"redis://other@h:3\" }]\n");
    const auto& first = settings.shards[0].shard;
    CHECK(first.primary.credentials.username == "own");
    CHECK(first.primary.credentials.password->reveal() == "mine");
    CHECK(first.replicas[0].credentials.username == "support");
    CHECK(first.replicas[0].credentials.password->reveal() == "shared");
    CHECK(first.replicas[0].credentials.source == "password_env SECRET");
    CHECK(settings.shards[1].shard.primary.credentials.username == "other");
    CHECK(settings.shards[1].shard.primary.credentials.password->reveal() == "shared");
}

TEST_CASE("a listing shows that there is a password and where it came from") {
    ConfigWorld world;
    const auto settings = world.resolve_text("[deployments.main]\npassword = \"" + kPassword +
                                             "\"\nshards = [{ primary = \"redis://u:" + kPassword +
                                             "@h:1\", replicas = [\"redis://h:2\"] }]\n");
    CHECK(shown(settings, "password") == "(set)");
    CHECK(contains(settings.origins.at("password").text, "ratectl.toml:2"));
    CHECK(shown(settings, "shards.h:1.primary") == "redis://h:1 (user u, password (set))");
    CHECK(shown(settings, "shards.h:1.replicas") == "redis://h:2");
    for (const auto& [name, value] : settings.shown()) CHECK_FALSE(contains(name + value, kPassword));
    for (const auto& [name, origin] : settings.origins) CHECK_FALSE(contains(name + origin.text, kPassword));
}

TEST_CASE("errors about a file never repeat its password") {
    ConfigWorld world;
    for (const std::string& text :
         {one_shard("password = \"" + kPassword), one_shard("password = " + kPassword),
          one_shard("password = ['" + kPassword + "']"), one_shard("password = '" + kPassword + "'\npassword = 'x'"),
          one_shard("passwort = \"" + kPassword + "\""),
          "[deployments.main]\nshards = [{ primary = \"redis://:" + kPassword + "@h:99999\" }]\n",
          "[deployments.main]\nshards = [{ primary = \"redis:/:" + kPassword + "@h\" }]\n",
          "[deployments.main]\nshards = [{ primary = \":" + kPassword + "@h\" }]\n",
          "[deployments.main]\nshards = [{ primary = \"redis://u:" + kPassword + "/x@h\" }]\n",
          "[deployments.main]\nshards = [{ primary = \"redis://u:" + kPassword +
              "@h\" }, { primary = \"redis://u:" + kPassword + "@h\" }]\n"}) {
        const auto error = world.error_of_text(text);
        INFO(error.message << " / " << error.hint);
        CHECK(error.code == ExitCode::configuration);
        CHECK_FALSE(contains(error.message + error.hint, kPassword));
    }
}

}  // namespace
}  // namespace ratectl::config
