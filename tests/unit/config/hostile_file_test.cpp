// Files that are broken or meant to hurt: an error with its place, never a crash, never a secret.
#include <algorithm>
#include <string>

#include "config/keys.h"
#include "config_world.h"
#include "support/catch.h"

namespace ratectl::config {
namespace {

using support::ExitCode;

TEST_CASE("a byte order mark and CRLF line ends are fine") {
    ConfigWorld world;
    const auto settings = world.resolve_text(
        "\xef\xbb\xbf[deployments.main]\r\ntimeout = \"3s\"\r\n[[deployments.main.shards]]\r\nprimary = "
        "\"redis://h:1\"\r\n");
    CHECK(settings.timeout == support::Milliseconds{3000});
    CHECK(contains(settings.origins.at("timeout").text, "ratectl.toml:2"));
}

TEST_CASE("bytes that are no TOML are refused with their place") {
    ConfigWorld world;
    const auto place = [&](const std::string& text) {
        const auto error = world.error_of_text(text);
        CHECK(error.code == ExitCode::configuration);
        return error.message;
    };
    CHECK(
        contains(place(one_shard() + std::string("x = \"a\0b\"\n", 10)), "ratectl.toml:5: the file holds a NUL byte"));
    CHECK(contains(place("a = 1\nb = \"x\xffy\"\n"), "ratectl.toml:2:6"));
    CHECK(contains(place("a = 1\na = 2\n"), "ratectl.toml:2:"));
    CHECK(contains(place("[deployments.main\n"), "ratectl.toml:1:"));
    CHECK(contains(place("x = \x1b[31m\n"), "ratectl.toml:1:5"));
}

TEST_CASE("deep nesting of every kind is refused before it can end the process") {
    ConfigWorld world;
    const auto repeated = [](const std::string& part, int times) {
        std::string text;
        for (int i = 0; i < times; ++i) text += part;
        return text;
    };
    SECTION("arrays") { CHECK(world.error_of_text("x = " + repeated("[", 100'000)).code == ExitCode::configuration); }
    SECTION("dotted keys") {
        const auto error = world.error_of_text("y = 1\na" + repeated(".a", 400'000) + " = 1\n");
        CHECK(error.code == ExitCode::configuration);
        CHECK(contains(error.message, "ratectl.toml:2: keys nested too deeply"));
    }
    SECTION("table names") {
        CHECK(contains(world.error_of_text("[a" + repeated(".a", 400'000) + "]\n").message, "nested too deeply"));
    }
    SECTION("dotted keys after texts and comments that hold quotes") {
        const std::string before = "a = \"it's\" # don't\nb = '\"'\nc = \"\"\"\n'''.\n\"\"\"\nd = \"\\\"\"\n";
        const auto error = world.error_of_text(before + "e" + repeated(" . e", 200'000) + " = 1\n");
        CHECK(contains(error.message, "ratectl.toml:7: keys nested too deeply"));
    }
    SECTION("dots in texts and comments do not count") {
        const std::string dots = repeated(".", 5000);
        const auto settings =
            world.resolve_text("# " + dots + "\n" + one_shard("protect = [\"a" + dots.substr(0, 400) + "\"]"));
        CHECK(settings.protect.size() == 1);
    }
}

TEST_CASE("unknown keys are errors in every table with the nearest known one") {
    ConfigWorld world;
    const auto refused = [&](const std::string& text, const std::string& message, const std::string& hint) {
        const auto error = world.error_of_text(text);
        CHECK(error.code == ExitCode::configuration);
        CHECK(contains(error.message, message));
        CHECK(contains(error.hint, hint));
    };
    refused("defalt = \"x\"\n" + one_shard(), "ratectl.toml:1:1: unknown key 'defalt'", "did you mean 'default'?");
    refused(one_shard("time_out = \"2s\""), ":2:1: unknown key 'deployments.main.time_out'", "did you mean 'timeout'?");
    refused(one_shard() + "primry = \"x\"\n", "unknown key 'deployments.main.shards[0].primry'",
            "did you mean 'primary'?");
    refused(one_shard("sharding = { preset = \"modulo\", keytag = \"{}\" }"), "sharding.keytag'",
            "did you mean 'key_tag'?");
    refused(one_shard("tls = { cafile = \"x\" }"), "tls.cafile'", "did you mean 'ca_file'?");
    refused(one_shard() + "[[deployments.main.policies]]\nname = \"a\"\nkey = \"{c}\"\nlimits = 5\n",
            "policies[0].limits'", "'limit'");
    refused(one_shard("zzzzzzzz = 1"), "zzzzzzzz", "known here: kind, sharding");
}

TEST_CASE("a value of the wrong type or out of range names its place and its key") {
    ConfigWorld world;
    struct Row {
        std::string line;
        std::string message;
    };
    const std::string key = ":2:";
    for (const Row& row : {Row{"timeout = 2", "timeout: must be a duration such as \"2s\", not an integer"},
                           Row{"timeout = \"2\"", "timeout"}, Row{"timeout = \"0s\"", "timeout"},
                           Row{"timeout = \"2h\"", "timeout: must be between 1ms and 1h"},
                           Row{"writes = \"maybe\"", "writes: 'maybe' is not one of allow, confirm, confirm-all, deny"},
                           Row{"read_from = \"all\"", "read_from: 'all' is not one of primary, replica"},
                           Row{"max_keys = 0", "max_keys: must be between 1"},
                           Row{"max_keys = \"500\"", "max_keys: must be an integer, not a text"},
                           Row{"require_reason = \"yes\"", "require_reason: must be true or false, not a text"},
                           Row{"expiry_suffix = \"\"", "expiry_suffix: must not be empty"},
                           Row{"protect = \"internal:*\"", "protect: must be an array of texts, not a text"},
                           Row{"protect = [1]", "protect[0]: must be a text in quotes, not an integer"},
                           Row{"protect = [\"\"]", "protect[0]: must not be empty"},
                           Row{"kind = \"shard\"", "kind: 'shard' is not one of"},
                           Row{"sharding = 1", "sharding: must be a text in quotes, not an integer"},
                           Row{"sharding = { hash = \"crc32\" }", "sharding: needs a 'preset'"},
                           Row{"tls = true", "tls: must be a table, not true or false"},
                           Row{"tls = { cert_file = \"a\" }", "tls: cert_file and key_file only work together"},
                           Row{"username = 1979-05-27", "username: must be a text in quotes, not a date"}}) {
        const auto error = world.error_of_text(one_shard(row.line));
        INFO(row.line << " -> " << error.message);
        CHECK(error.code == ExitCode::configuration);
        CHECK(contains(error.message, key));
        CHECK(contains(error.message, "deployments.main." + row.message));
    }
}

TEST_CASE("shards are checked one by one") {
    ConfigWorld world;
    const auto message = [&](const std::string& shards) {
        const auto error = world.error_of_text("[deployments.main]\n" + shards);
        CHECK(error.code == ExitCode::configuration);
        return error.message;
    };
    CHECK(contains(message(""), "deployments.main.shards: a deployment needs at least one shard"));
    CHECK(contains(message("shards = []"), "at least one shard"));
    CHECK(contains(message("shards = [1]"), "shards[0]: must be a table, not an integer"));
    CHECK(contains(message("shards = [{ name = \"a\" }]"), "shards[0].primary: is missing"));
    CHECK(contains(message("shards = [{ primary = \"redis://h:0\" }]"), "shards[0].primary: server URL: port '0'"));
    CHECK(contains(message("shards = [{ primary = \"redis://h\", weight = 0 }]"),
                   "shards[0].weight: must be between 1 and 65535"));
    CHECK(contains(message("shards = [{ primary = \"redis://h\", name = \"a,b\" }]"),
                   "shards[0].name: a name cannot hold a comma"));
    CHECK(contains(message("shards = [{ primary = \"redis://h\", name = \"a\\u001b\" }]"), "control characters"));
    CHECK(contains(message("shards = [{ primary = \"redis://h\", replicas = \"none\" }]"),
                   "replicas: must be an array of URLs or \"auto\""));
    CHECK(contains(message("shards = [{ primary = \"redis://h:1/2\", replicas = [\"redis://h:2/3\"] }]"),
                   "asked for database 3, its primary for 2"));
    CHECK(contains(message("shards = [{ primary = \"redis://h:1\" }, { primary = \"redis://h:1\" }]"),
                   "redis://h:1 is listed twice"));
    CHECK(contains(message("shards = [{ primary = \"redis://h:1\", replicas = [\"redis://h:1\"] }]"),
                   "listed twice: as the primary of shard"));
    CHECK(contains(
        message("shards = [{ primary = \"redis://h:1\", name = \"a\" }, { primary = \"redis://h:2\", name = \"a\" }]"),
        "two shards are named 'a'"));
}

TEST_CASE("an error of the parser names characters in words and leaves no escape to be escaped again") {
    ConfigWorld world;
    for (const std::string text : {"timeout = \n", "timeout = \\\n", "a = \"x\ny\"\n", "a = 1 \t\x1b b\n"}) {
        const auto error = world.error_of_text(text);
        CAPTURE(error.message);
        CHECK_FALSE(contains(error.message, "\\"));
    }
    CHECK(contains(world.error_of_text("timeout = \n").message, "the end of the line"));
}

TEST_CASE("a deployment that is not chosen is checked all the same") {
    ConfigWorld world;
    Overrides overrides;
    overrides.deployment = "main";
    const auto error = world.error_of_text(one_shard() + "[deployments.other]\nwrites = \"never\"\n", overrides);
    CHECK(contains(error.message, "deployments.other.writes"));
}

TEST_CASE("the list of keys names each key once and its tables exist") {
    for (const Key& key : known_keys()) {
        const auto names = keys_of(key.table);
        CHECK(std::count(names.begin(), names.end(), std::string{key.name}) == 1);
    }
    CHECK(keys_of("no.such.table").empty());
}

}  // namespace
}  // namespace ratectl::config
