// Flags over environment over file: every value, its check, and where it came from.
#include <limits>
#include <string>

#include "config_world.h"
#include "support/catch.h"

namespace ratectl::config {
namespace {

using support::ExitCode;
using Which = domain::ReadFrom::Which;

const std::string kWholeDeployment = R"(
default = "production"
[deployments.production]
kind = "shards"
sharding = { preset = "twemproxy-ketama", key_tag = "{}", hash = "fnv1a_64" }
expiry_suffix = ":until"
read_from = "replica"
scan_from = "primary"
writes = "confirm-all"
require_reason = true
max_keys = 40
protect = ["internal:*", "root"]
timeout = "1500ms"
username = "support"
tls = { ca_file = "ca.pem", cert_file = "/etc/me.pem", key_file = "keys/me.key", server_name = "redis.internal" }
[[deployments.production.shards]]
name = "alpha"
primary = "redis://10.0.0.11:6379"
replicas = ["redis://10.0.0.12:6379", "redis://10.0.0.13:6380"]
weight = 2
[[deployments.production.shards]]
name = "beta"
primary = "unix:///run/redis.sock?db=3"
replicas = "auto"
[[deployments.production.policies]]
name = "core"
key = "core:{client}"
limit = 5000
period = "1h"
classes = { enterprise = 15000, blocked = 0 }
[[deployments.production.policies]]
name = "tokens"
key = "token:{token}"
)";

TEST_CASE("every key of a deployment arrives in the settings") {
    ConfigWorld world;
    const Settings settings = world.resolve_text(kWholeDeployment);
    CHECK(settings.deployment == "production");
    REQUIRE(settings.sharding);
    CHECK(settings.sharding->preset == "twemproxy-ketama");
    CHECK(settings.sharding->key_tag == "{}");
    CHECK(settings.sharding->hash == "fnv1a_64");
    CHECK(settings.layout.expiry_suffix == ":until");
    CHECK(settings.read_from.which == Which::replica);
    CHECK(settings.scan_from.which == Which::primary);
    CHECK_FALSE(settings.from_given);
    CHECK(settings.writes == WriteMode::confirm_all);
    CHECK(settings.require_reason);
    CHECK(settings.max_keys == 40);
    CHECK(settings.protect == std::vector<std::string>{"internal:*", "root"});
    CHECK(settings.timeout == support::Milliseconds{1500});
    CHECK(settings.login.username == "support");
    CHECK(settings.tls.ca_file == world.path("ca.pem"));
    CHECK(settings.tls.cert_file == "/etc/me.pem");
    CHECK(settings.tls.key_file == world.path("keys/me.key"));
    CHECK(settings.tls.server_name == "redis.internal");
}

TEST_CASE("shards keep their order and a tls table turns TLS on for TCP only") {
    ConfigWorld world;
    const Settings settings = world.resolve_text(kWholeDeployment);
    REQUIRE(settings.shards.size() == 2);
    const auto& [alpha, alpha_server, alpha_master] = settings.shards[0];
    CHECK(alpha.name == "alpha");
    CHECK(alpha.primary.address() == "10.0.0.11:6379");
    CHECK(alpha.primary.tls);
    CHECK(alpha.replicas.size() == 2);
    CHECK(alpha.replicas[1].tls);
    CHECK(alpha.primary.credentials.username == "support");
    CHECK(alpha_server.weight == 2);
    CHECK(alpha_server.name == "alpha");
    CHECK(alpha_server.host == "10.0.0.11");
    CHECK(alpha_server.tls);
    const auto& [beta, beta_server, beta_master] = settings.shards[1];
    CHECK(beta.discover_replicas);
    CHECK_FALSE(beta.primary.tls);
    CHECK(beta_server.path == "/run/redis.sock");
    CHECK(beta_server.db == 3);
}

TEST_CASE("policies keep file order with their limits periods and classes") {
    ConfigWorld world;
    const Settings settings = world.resolve_text(kWholeDeployment);
    const auto& policies = settings.policies.policies();
    REQUIRE(policies.size() == 2);
    CHECK(policies[0].name == "core");
    CHECK(policies[0].limit == 5000);
    CHECK(policies[0].period == support::Seconds{3600});
    CHECK(policies[0].classes.at("enterprise") == 15000);
    CHECK(policies[0].classes.at("blocked") == 0);
    CHECK_FALSE(policies[1].limit);
}

TEST_CASE("a policy is checked value by value") {
    ConfigWorld world;
    const auto message = [&](const std::string& policy) {
        const auto error = world.error_of_text(one_shard() + "[[deployments.main.policies]]\n" + policy + "\n");
        CHECK(error.code == ExitCode::configuration);
        return error.message;
    };
    CHECK(contains(message("key = \"{c}\""), "policies[0].name: is missing"));
    CHECK(contains(message("name = \"a\""), "policies[0].key: is missing"));
    CHECK(contains(message("name = \"a\"\nkey = \"core:{client\""), "policies[0].key: key template"));
    CHECK(contains(message("name = \"a\"\nkey = \"{c}\"\nlimit = -1"),
                   "policies[0].limit: must be between 0 and 9007199254740991"));
    CHECK(contains(message("name = \"a\"\nkey = \"{c}\"\nlimit = 9007199254740992"), "policies[0].limit"));
    CHECK(contains(message("name = \"a\"\nkey = \"{c}\"\nlimit = 5e3"),
                   "must be an integer, not a number with a fraction"));
    CHECK(contains(message("name = \"a\"\nkey = \"{c}\"\nperiod = \"1500ms\""),
                   "policies[0].period: must be whole seconds"));
    CHECK(contains(message("name = \"a\"\nkey = \"{c}\"\nperiod = 3600"), "policies[0].period: must be a duration"));
    CHECK(contains(message("name = \"a\"\nkey = \"{c}\"\nclasses = { x = \"5\" }"),
                   "policies[0].classes.x: must be a limit"));
    CHECK(contains(message("name = \"a\"\nkey = \"{c}\"\nclasses = { x = -5 }"),
                   "policies[0].classes.x: must be between 0"));
    CHECK(contains(message("name = \"a\"\nkey = \"{c}\"\n[[deployments.main.policies]]\nname = \"a\"\nkey = \"{d}\""),
                   "policies[1].name: another policy is named 'a'"));
}

TEST_CASE("defaults stand where the file says nothing") {
    ConfigWorld world;
    const Settings settings = world.resolve_text(one_shard());
    CHECK(settings.layout.expiry_suffix == ":exp");
    CHECK(settings.read_from.which == Which::primary);
    CHECK(settings.scan_from.which == Which::replica);
    CHECK(settings.writes == WriteMode::confirm);
    CHECK(settings.max_keys == 500);
    CHECK(settings.timeout == support::Milliseconds{2000});
    CHECK_FALSE(settings.deadline);
    CHECK_FALSE(settings.now);
    CHECK_FALSE(settings.read_only);
    CHECK(settings.shards[0].shard.name == "127.0.0.1:7001");
    CHECK_FALSE(settings.shards[0].server.name);
    REQUIRE(settings.sharding);
    CHECK(settings.sharding->preset == "modulo");
    CHECK(settings.origins.count("timeout") == 0);
}

TEST_CASE("several shards without a word on sharding leave it open") {
    ConfigWorld world;
    const Settings settings =
        world.resolve_text(one_shard() + "[[deployments.main.shards]]\nprimary = \"redis://127.0.0.1:7002\"\n");
    CHECK_FALSE(settings.sharding);
    CHECK(shown(settings, "sharding.preset") == "(not set)");
}

TEST_CASE("all-shards in the file or the environment or a flag says that no rule places keys") {
    ConfigWorld world;
    const std::string second = "[[deployments.main.shards]]\nprimary = \"redis://127.0.0.1:7002\"\n";
    const auto by_file = world.resolve_text(one_shard("sharding = \"all-shards\"") + second);
    CHECK(by_file.all_shards);
    CHECK_FALSE(by_file.sharding);
    CHECK(shown(by_file, "sharding.preset") == "all-shards");
    CHECK(contains(by_file.origins.at("sharding.preset").text, "ratectl.toml:2"));

    const std::string ruled = one_shard("sharding = { preset = \"modulo\", hash = \"crc32\" }") + second;
    CHECK_FALSE(world.resolve_text(ruled).all_shards);
    Overrides overrides;
    overrides.all_shards = true;
    const auto by_flag = world.resolve_text(ruled, overrides);
    CHECK(by_flag.all_shards);
    CHECK_FALSE(by_flag.sharding);
    CHECK(by_flag.origins.at("sharding.preset").text == "flag --all-shards");
    CHECK(by_flag.origins.count("sharding.hash") == 0);

    world.env["RATECTL_ALL_SHARDS"] = "1";
    CHECK(world.resolve_text(ruled).all_shards);
    Overrides preset;
    preset.sharding = "twemproxy-ketama";
    CHECK_FALSE(world.resolve_text(ruled, preset).all_shards);
    world.env["RATECTL_ALL_SHARDS"] = "0";
    CHECK_FALSE(world.resolve_text(ruled).all_shards);
}

TEST_CASE("a rule and the word that there is none contradict each other") {
    ConfigWorld world;
    const std::string second = "[[deployments.main.shards]]\nprimary = \"redis://127.0.0.1:7002\"\n";
    Overrides overrides;
    overrides.all_shards = true;
    overrides.sharding = "modulo";
    const auto both = world.error_of_text(one_shard() + second, overrides);
    CHECK(both.code == ExitCode::usage);
    CHECK(contains(both.message, "--all-shards"));
    const auto adjusted =
        world.error_of_text(one_shard("sharding = { preset = \"all-shards\", hash = \"crc32\" }") + second);
    CHECK(adjusted.code == ExitCode::configuration);
    CHECK(contains(adjusted.message, "no options"));
    overrides.sharding.reset();
    const auto alone = world.resolve_text(one_shard(), overrides);
    REQUIRE(alone.sharding);
    CHECK(alone.sharding->preset == "modulo");
}

TEST_CASE("writes = allow lifts max_keys unless the file gives one") {
    ConfigWorld world;
    CHECK(world.resolve_text(one_shard("writes = \"allow\"")).max_keys == std::numeric_limits<std::uint64_t>::max());
    CHECK(world.resolve_text(one_shard("writes = \"allow\"\nmax_keys = 7")).max_keys == 7);
}

TEST_CASE("an unknown preset is refused at its line with a near name") {
    ConfigWorld world;
    const auto error = world.error_of_text(one_shard("sharding = \"twemproxy-ketma\""));
    CHECK(error.code == ExitCode::configuration);
    CHECK(contains(error.message, "ratectl.toml:2: sharding: "));
    CHECK(contains(error.hint, "twemproxy-ketama"));
    Overrides overrides;
    overrides.sharding = "redis-rb-55";
    const auto by_flag = world.error_of_text(one_shard(), overrides);
    CHECK(by_flag.code == ExitCode::usage);
    CHECK(contains(by_flag.message, "flag --sharding"));
}

TEST_CASE("flags beat the environment and the environment beats the file") {
    ConfigWorld world;
    const std::string text =
        one_shard("timeout = \"1s\"\nexpiry_suffix = \":a\"\nsharding = { preset = \"modulo\", hash = \"crc32\" }");
    const auto from_file = world.resolve_text(text);
    CHECK(from_file.timeout == support::Milliseconds{1000});
    CHECK(from_file.origins.at("timeout").kind == Origin::Kind::file);
    CHECK(contains(from_file.origins.at("timeout").text, "ratectl.toml:2"));
    world.env["RATECTL_TIMEOUT"] = "2s";
    world.env["RATECTL_EXPIRY_SUFFIX"] = ":b";
    world.env["RATECTL_SHARDING"] = "twemproxy-ketama";
    const auto from_environment = world.resolve_text(text);
    CHECK(from_environment.timeout == support::Milliseconds{2000});
    CHECK(from_environment.origins.at("timeout").text == "environment RATECTL_TIMEOUT");
    CHECK(from_environment.layout.expiry_suffix == ":b");
    CHECK(from_environment.sharding->preset == "twemproxy-ketama");
    CHECK_FALSE(from_environment.sharding->hash);
    Overrides overrides;
    overrides.timeout = "3s";
    overrides.expiry_suffix = ":c";
    const auto from_flag = world.resolve_text(text, overrides);
    CHECK(from_flag.timeout == support::Milliseconds{3000});
    CHECK(from_flag.origins.at("timeout").text == "flag --timeout");
    CHECK(from_flag.layout.expiry_suffix == ":c");
}

TEST_CASE("an empty variable counts as unset") {
    ConfigWorld world;
    world.env["RATECTL_TIMEOUT"] = "";
    world.env["RATECTL_READ_ONLY"] = "";
    const auto settings = world.resolve_text(one_shard());
    CHECK(settings.timeout == support::Milliseconds{2000});
    CHECK_FALSE(settings.read_only);
}

TEST_CASE("values of one command come from flags and environment") {
    ConfigWorld world;
    Overrides overrides;
    overrides.deadline = "1m";
    overrides.now = "+15m";
    overrides.limit = "60";
    overrides.period = "1h";
    overrides.key = "core:{client}";
    world.env["RATECTL_READ_ONLY"] = "1";
    const auto settings = world.resolve_text(kWholeDeployment, overrides);
    CHECK(settings.deadline == support::Milliseconds{60'000});
    CHECK(settings.now == support::from_epoch(1'800'000'900));
    CHECK(settings.limit == 60);
    CHECK(settings.period == support::Seconds{3600});
    CHECK(settings.read_only);
    CHECK(settings.origins.at("read_only").text == "environment RATECTL_READ_ONLY");
    REQUIRE(settings.policies.policies().size() == 3);
    CHECK(settings.policies.policies()[0].key.text() == "core:{client}");
    CHECK_FALSE(settings.policies.policies()[0].limit);
}

TEST_CASE("a bad flag or variable is a usage error that names it") {
    ConfigWorld world;
    struct Row {
        std::optional<std::string> Overrides::*flag;
        std::string name;
        std::string variable;
        std::string value;
    };
    for (const Row& row :
         {Row{&Overrides::timeout, "--timeout", "RATECTL_TIMEOUT", "2"},
          Row{&Overrides::timeout, "--timeout", "RATECTL_TIMEOUT", "2h"},
          Row{&Overrides::deadline, "--deadline", "RATECTL_DEADLINE", "soon"},
          Row{&Overrides::max_staleness, "--max-staleness", "RATECTL_MAX_STALENESS", "5"},
          Row{&Overrides::max_staleness, "--max-staleness", "RATECTL_MAX_STALENESS", "25h"},
          Row{&Overrides::now, "--now", "RATECTL_NOW", "tomorrow"},
          Row{&Overrides::limit, "--limit", "RATECTL_LIMIT", "010"},
          Row{&Overrides::limit, "--limit", "RATECTL_LIMIT", "-1"},
          Row{&Overrides::limit, "--limit", "RATECTL_LIMIT", "9007199254740992"},
          Row{&Overrides::period, "--period", "RATECTL_PERIOD", "1500ms"},
          Row{&Overrides::key, "--key", "RATECTL_KEY", "core:{client"},
          Row{&Overrides::expiry_suffix, "--expiry-suffix", "RATECTL_EXPIRY_SUFFIX", std::string(65, 'x')}}) {
        INFO(row.name << " " << row.value);
        Overrides overrides;
        overrides.*row.flag = row.value;
        const auto by_flag = world.error_of_text(one_shard(), overrides);
        CHECK(by_flag.code == ExitCode::usage);
        CHECK(by_flag.message.starts_with(row.name + ": "));
        world.env[row.variable] = row.value;
        const auto by_variable = world.error_of_text(one_shard());
        CHECK(by_variable.code == ExitCode::usage);
        CHECK(by_variable.message.starts_with(row.variable + ": "));
        world.env.erase(row.variable);
    }
}

TEST_CASE("max_staleness comes from the file and a flag or variable replaces it") {
    ConfigWorld world;
    CHECK_FALSE(world.resolve_text(one_shard()).max_staleness);
    const auto text = one_shard("max_staleness = \"5s\"\n");
    CHECK(world.resolve_text(text).max_staleness == std::optional(support::Milliseconds(5000)));
    world.env["RATECTL_MAX_STALENESS"] = "7s";
    CHECK(world.resolve_text(text).max_staleness == std::optional(support::Milliseconds(7000)));
    Overrides overrides;
    overrides.max_staleness = "200ms";
    const auto settings = world.resolve_text(text, overrides);
    CHECK(settings.max_staleness == std::optional(support::Milliseconds(200)));
    CHECK(settings.origins.at("max_staleness").text == "flag --max-staleness");
}

TEST_CASE("read only can be asked for but never taken back") {
    ConfigWorld world;
    Overrides overrides;
    overrides.read_only = true;
    world.env["RATECTL_READ_ONLY"] = "0";
    CHECK(world.resolve_text(one_shard(), overrides).read_only);
    CHECK_FALSE(world.resolve_text(one_shard()).read_only);
    world.env["RATECTL_READ_ONLY"] = "maybe";
    CHECK(world.error_of_text(one_shard()).code == ExitCode::usage);
    CHECK(contains(world.error_of_text(one_shard()).message, "RATECTL_READ_ONLY: 'maybe'"));
}

TEST_CASE("from names a role or a node of the deployment") {
    ConfigWorld world;
    Overrides overrides;
    overrides.read_from = "all";
    const auto all = world.resolve_text(one_shard(), overrides);
    CHECK(all.read_from.which == Which::all);
    CHECK(all.scan_from.which == Which::all);
    CHECK(all.from_given);
    overrides.read_from = "127.0.0.1:7001";
    CHECK(world.resolve_text(one_shard(), overrides).read_from.node == "127.0.0.1:7001");
    overrides.read_from = "replcia";
    const auto error = world.error_of_text(one_shard(), overrides);
    CHECK(error.code == ExitCode::usage);
    CHECK(contains(error.hint, "did you mean 'replica'?"));
    overrides.read_from = "10.0.0.99:1";
    CHECK(world.error_of_text(one_shard(), overrides).code == ExitCode::usage);
    CHECK(world.resolve_text(kWholeDeployment, overrides).read_from.node == "10.0.0.99:1");
}

TEST_CASE("shown values cover what was configured and each has an origin") {
    ConfigWorld world;
    const Settings settings = world.resolve_text(kWholeDeployment);
    CHECK(shown(settings, "deployment") == "production");
    CHECK(shown(settings, "sharding.preset") == "twemproxy-ketama");
    CHECK(shown(settings, "writes") == "confirm-all");
    CHECK(shown(settings, "timeout") == "1s500ms");
    CHECK(shown(settings, "protect") == "internal:* root");
    CHECK(shown(settings, "shards.alpha.primary") == "rediss://10.0.0.11:6379");
    CHECK(shown(settings, "shards.alpha.weight") == "2");
    CHECK(shown(settings, "shards.beta.replicas") == "auto");
    CHECK(shown(settings, "policies.core.classes") == "blocked = 0, enterprise = 15000");
    for (const char* name :
         {"shards.alpha.primary", "shards.alpha.replicas", "shards.alpha.weight", "policies.core.limit",
          "policies.tokens.key", "sharding.key_tag", "tls.key_file", "protect", "username"}) {
        INFO(name);
        REQUIRE(settings.origins.count(name) == 1);
        CHECK(settings.origins.at(name).kind == Origin::Kind::file);
    }
}

}  // namespace
}  // namespace ratectl::config
