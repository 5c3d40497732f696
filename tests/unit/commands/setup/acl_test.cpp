// acl: patterns from policies, rules for both generations of servers, and the lines that are pasted.
#include "commands/all_commands.h"

#include <algorithm>

#include "commands/setup/acl_rules.h"
#include "support/catch.h"
#include "support/contains.h"
#include "support/json.h"
#include "unit/commands/fake_context.h"

namespace ratectl::commands {

namespace {

using domain::Rights;
using support::ExitCode;
using test::contains;
using test::FakeContext;
using test::parse_json;
using Rules = std::vector<std::string>;

config::Settings with_keys(const std::vector<std::string>& templates) {
    config::Settings settings;
    std::vector<domain::Policy> policies;
    for (const auto& text : templates) {
        policies.emplace_back().name = "p" + std::to_string(policies.size());
        policies.back().key = *domain::KeyTemplate::parse(text);
    }
    settings.policies = domain::PolicyBook(policies);
    return settings;
}

/// The rules of one kind, for a reader on Redis 7 unless it is said.
Rules rules_of(AclRule::Kind kind, const config::Settings& settings, Rights rights = Rights::look,
               int generation = domain::kReadsKeysApart) {
    Rules found;
    for (const auto& rule : acl_rules({rights, "u", "", generation}, settings)) {
        CHECK_FALSE(rule.needed_for.empty());
        if (rule.kind == kind) found.push_back(rule.rule);
    }
    return found;
}

Rules key_rules(const config::Settings& settings, Rights rights = Rights::look,
                int generation = domain::kReadsKeysApart) {
    return rules_of(AclRule::Kind::keys, settings, rights, generation);
}

Rules commands_of(Rights rights, int generation) {
    auto rules = rules_of(AclRule::Kind::command, with_keys({"core:{client}"}), rights, generation);
    std::sort(rules.begin(), rules.end());
    return rules;
}

}  // namespace

TEST_CASE("acl rules name the keys of every policy and no others") {
    const auto settings = with_keys({"core:{client}", "lim:{client}:hour"});
    CHECK(key_rules(settings) ==
          Rules{"%R~core:*", "%R~lim:*:hour", "%R~lim:*:hour:exp", "%R~lim:*:hour:exp:exp", "%R~ratectl:op:*"});
    CHECK(key_rules(settings, Rights::change) == Rules{"~core:*", "~lim:*:hour", "~lim:*:hour:exp",
                                                       "%R~lim:*:hour:exp:exp", "~ratectl:op:*", "~ratectl:probe:*"});
    // Redis 6 cannot tell reading from writing a key.
    CHECK(key_rules(settings, Rights::look, 6) ==
          Rules{"~core:*", "~lim:*:hour", "~lim:*:hour:exp", "~lim:*:hour:exp:exp", "~ratectl:op:*"});
}

TEST_CASE("an acl pattern that another one covers is left out") {
    CHECK(key_rules(with_keys({"core:admin:{client}", "core:{client}", "core:{client}"})) ==
          Rules{"%R~core:*", "%R~ratectl:op:*"});
    // A server refuses patterns behind one for all keys.
    CHECK(key_rules(with_keys({"core:{client}", "{anything}"}), Rights::change) == Rules{"~*"});
    // A star in a template is no wildcard, and covers nothing.
    CHECK(key_rules(with_keys({"a*", "a{x}b"})) == Rules{"%R~a\\*", "%R~a\\*:exp", "%R~a\\*:exp:exp", "%R~a*b",
                                                         "%R~a*b:exp", "%R~a*b:exp:exp", "%R~ratectl:op:*"});
}

TEST_CASE("acl patterns take the bytes of templates literally and hold nothing that cannot be pasted") {
    CHECK(key_rules(with_keys({"w[1]-?{x}"})).front() == "%R~w\\[1\\]\\-\\?*");
    const auto odd = with_keys({"my core\"\t{x}"});
    CHECK(key_rules(odd).front() == "%R~my?core??*");
    CHECK(has_unpastable_bytes(odd));
    CHECK_FALSE(has_unpastable_bytes(with_keys({"core:{x}"})));
}

TEST_CASE("acl rules without a policy are for all keys") {
    CHECK(key_rules(config::Settings{}) == Rules{"%R~*"});
    CHECK(key_rules(config::Settings{}, Rights::change) == Rules{"~*"});
}

TEST_CASE("the expiry suffix of a deployment is in its acl patterns") {
    auto settings = with_keys({"core"});
    settings.layout.expiry_suffix = "-end";
    CHECK(key_rules(settings) == Rules{"%R~core", "%R~core\\-end", "%R~core\\-end\\-end", "%R~ratectl:op:*"});
}

TEST_CASE("acl commands for Redis 6 and 7") {
    CHECK(commands_of(Rights::look, 7) == Rules{"+client|setname", "+dbsize", "+eval_ro",  "+evalsha_ro", "+exec",
                                                "+exists",         "+get",    "+getrange", "+hlen",       "+hmget",
                                                "+info",           "+llen",   "+lrange",   "+mget",       "+multi",
                                                "+pexpiretime",    "+pttl",   "+role",     "+scan",       "+scard",
                                                "+srandmember",    "+time",   "+type",     "+zcard",      "+zrange"});
    CHECK(commands_of(Rights::look, 6) ==
          Rules{"+client|setname", "+dbsize", "+eval",  "+evalsha",     "+exec",   "+exists", "+get",   "+getrange",
                "+hlen",           "+hmget",  "+info",  "+llen",        "+lrange", "+mget",   "+multi", "+pttl",
                "+role",           "+scan",   "+scard", "+srandmember", "+time",   "+type",   "+zcard", "+zrange"});
    CHECK(commands_of(Rights::change, 7) ==
          Rules{"+client|setname", "+dbsize",      "+decrby", "+del",    "+eval",     "+eval_ro", "+evalsha",
                "+evalsha_ro",     "+exec",        "+exists", "+get",    "+getrange", "+hlen",    "+hmget",
                "+incrby",         "+info",        "+llen",   "+lrange", "+mget",     "+multi",   "+persist",
                "+pexpireat",      "+pexpiretime", "+pttl",   "+role",   "+scan",     "+scard",   "+set",
                "+srandmember",    "+time",        "+type",   "+wait",   "+zcard",    "+zrange"});
    CHECK(commands_of(Rights::change, 6) ==
          Rules{"+client|setname", "+dbsize", "+decrby",   "+del",   "+eval",        "+evalsha",   "+exec",
                "+exists",         "+get",    "+getrange", "+hlen",  "+hmget",       "+incrby",    "+info",
                "+llen",           "+lrange", "+mget",     "+multi", "+persist",     "+pexpireat", "+pttl",
                "+role",           "+scan",   "+scard",    "+set",   "+srandmember", "+time",      "+type",
                "+wait",           "+zcard",  "+zrange"});
}

TEST_CASE("acl asks for SELECT where a server's windows are in another db") {
    auto settings = with_keys({"core:{client}"});
    settings.shards.resize(2);
    const auto before = acl_rules({}, settings).size();
    settings.shards[1].shard.replicas.resize(1);
    settings.shards[1].shard.replicas[0].db = 3;
    const auto rules = rules_of(AclRule::Kind::command, settings);
    CHECK(acl_rules({}, settings).size() == before + 1);
    CHECK(std::count(rules.begin(), rules.end(), "+select") == 1);
}

TEST_CASE("acl prints one line to paste and says on standard error what to do with it") {
    FakeContext context;
    CHECK(context.run(acl_command(), {"reader", "--server", "7"}) == ExitCode::done);
    CHECK(context.output() ==
          "ACL SETUSER ratectl-reader reset on #<sha256-of-the-password> %R~core:* %R~search:* %R~repo:*/* "
          "%R~ratectl:op:* +info +role +time +client|setname +dbsize +mget +multi +exec +type +getrange +pttl "
          "+pexpiretime +scan +exists +lrange +llen +zrange +zcard +srandmember +scard +hmget +hlen +get +evalsha_ro "
          "+eval_ro\n");
    CHECK(contains(context.errors(), "sha256sum"));
    CHECK(contains(context.errors(), "accounts are not replicated"));
    CHECK_FALSE(contains(context.errors(), "policy"));
    CHECK(context.primary(0).opened() == 0);
}

TEST_CASE("acl writes the line of a file of users with a password that was made elsewhere") {
    FakeContext context;
    const std::string digest(64, 'A');
    CHECK(context.run(acl_command(), {"operator", "--server", "6", "--format", "aclfile", "--user", "support",
                                      "--password-sha256", digest}) == ExitCode::done);
    CHECK(context.output().starts_with("user support on #" + std::string(64, 'a') + " ~core:* "));
    CHECK(contains(context.output(), " +set +incrby "));
    CHECK_FALSE(contains(context.output(), "%R"));
    CHECK_FALSE(contains(context.errors(), "sha256sum"));
}

TEST_CASE("acl gives the reason of each rule to programs") {
    FakeContext context;
    context.given.output = "json";
    CHECK(context.run(acl_command(), {"operator", "--server", "7"}) == ExitCode::done);
    const auto document = parse_json(context.output());
    CHECK(document.at("schema") == "ratectl.acl.v1");
    bool found = false;
    for (const auto& row : document.at("rows")) {
        CHECK_FALSE(row.at("needed_for").get<std::string>().empty());
        CHECK(row.at("user") == "ratectl-operator");
        CHECK(row.at("server") == 7);
        if (row.at("rule") != "+persist") continue;
        found = true;
        CHECK(row.at("kind") == "command");
        CHECK(contains(row.at("needed_for"), "doctor --fix"));
    }
    CHECK(found);
}

TEST_CASE("acl asks the servers for their version and prints a line for each generation") {
    FakeContext context(2);
    for (std::size_t shard = 0; shard < 2; ++shard) {
        for (auto* node : {&context.primary(shard), &context.replica(shard)}) {
            for (const auto* word : {"INFO", "ROLE", "DBSIZE"}) {
                node->always(test::first_word_is(word), [](const test::Command&) { return test::error("NOPERM no"); });
            }
        }
    }
    context.replica(1).facts.version = domain::ServerVersion{6, 2, 14, false};
    CHECK(context.run(acl_command(), {"reader"}) == ExitCode::done);
    const auto second = context.output().find("ACL SETUSER", 1);
    REQUIRE(second != std::string::npos);
    CHECK(contains(context.output().substr(0, second), " ~core:* "));
    CHECK(contains(context.output().substr(second), " %R~core:* "));
    CHECK(contains(context.errors(), "the first line is for Redis 6: 10.0.1.2:6379"));
    CHECK(contains(context.errors(), "the second line is for Redis 7 and later: 10.0.0.1:6379"));
}

TEST_CASE("acl works where no server answers and says for which it is") {
    FakeContext context;
    context.kill_primary(0);
    context.kill_replica(0);
    CHECK(context.run(acl_command(), {"reader"}) == ExitCode::done);
    CHECK(contains(context.output(), "%R~core:*"));
    CHECK(contains(context.errors(), "connection refused"));
    CHECK(contains(context.errors(), "these rules are for Redis 7 and later"));
}

TEST_CASE("acl says why an account may touch every key") {
    FakeContext context;
    context.configured.policies = {};
    CHECK(context.run(acl_command(), {"reader", "--server", "7"}) == ExitCode::done);
    CHECK(contains(context.output(), " %R~* "));
    CHECK(contains(context.errors(), "no policy says which keys are windows"));
    CHECK(contains(context.errors(), "--key"));
}

TEST_CASE("acl refuses names and passwords that no server would take and never repeats a password") {
    const auto refused = [](const std::vector<std::string>& arguments) {
        FakeContext context;
        CHECK(context.run(acl_command(), arguments) == ExitCode::usage);
        CHECK(context.output().empty());
        return context.errors();
    };
    CHECK(contains(refused({"reader", "--user", "default"}), "the applications perhaps among them"));
    CHECK(contains(refused({"reader", "--user", "a b"}), "not a name for an account"));
    CHECK(contains(refused({"reader", "--user", ""}), "not a name for an account"));
    CHECK_FALSE(contains(refused({"reader", "--password-sha256", "hunter2"}), "hunter2"));
    CHECK(contains(refused({"reader", "--server", "5"}), "6, or 7"));
    CHECK(contains(refused({"reader", "--format", "yaml"}), "redis-cli or aclfile"));
}

}  // namespace ratectl::commands
