// compare over pretended servers: what real ones of this version cannot show, and where the home of a key is not known.
#include "commands/all_commands.h"

#include "support/catch.h"
#include "support/contains.h"
#include "unit/commands/fake_context.h"

using namespace ratectl;
using support::ExitCode;
using test::Answer;
using test::contains;
using test::FakeContext;
using test::FakeNode;

namespace {

/// A script's look at one window: both halves absent, or with these values and no time left.
redis::Reply script_look(const std::optional<std::string>& used = {}, const std::string& end = {}) {
    const auto half = [&](const std::string& value) -> std::vector<redis::Reply> {
        if (!used) return {test::text("none"), test::nil(), test::integer(-2)};
        return {test::text("string"), test::text(value), test::integer(0)};
    };
    auto replies = half(used.value_or(""));
    for (auto& reply : half(end)) replies.push_back(std::move(reply));
    return test::array(std::move(replies));
}

/// What every node is asked beside its windows.
void serve(FakeNode& node, domain::Role role, const redis::Reply& script, int major = 7) {
    node.facts.version = domain::ServerVersion{major, major == 6 ? 2 : 0, 15, false};
    for (const char* word : {"EVALSHA", "EVALSHA_RO"}) {
        node.always(test::first_word_is(word), [script](const test::Command& command) -> Answer {
            return test::array(std::vector<redis::Reply>(std::stoul(command.at(2)) / 2, script));
        });
    }
    const bool is_replica = role == domain::Role::replica;
    node.always(test::first_word_is("INFO"), [is_replica](const auto&) -> Answer {
        return test::text(is_replica ? "role:slave\r\nmaster_link_status:up\r\nslave_repl_offset:500\r\n"
                                     : "role:master\r\nmaster_repl_offset:500\r\n");
    });
    node.always(test::first_word_is("ROLE"), [is_replica](const auto&) -> Answer {
        if (!is_replica) return test::array({test::text("master"), test::integer(500), test::array({})});
        return test::array({test::text("slave"), test::text("10.0.0.1"), test::integer(6379), test::text("connected"),
                            test::integer(500)});
    });
    node.always(test::first_word_is("DBSIZE"), [](const auto&) -> Answer { return test::integer(3); });
}

void serve_all(FakeContext& context, std::size_t shards = 1) {
    for (std::size_t i = 0; i < shards; ++i) {
        serve(context.primary(i), domain::Role::primary, script_look());
        serve(context.replica(i), domain::Role::replica, script_look());
    }
}

ExitCode compare(FakeContext& context, std::vector<std::string> arguments) {
    return context.run(commands::compare_command(), std::move(arguments));
}

}  // namespace

TEST_CASE("compare shows what a script on a replica of Redis 6 sees and a plain read hides") {
    FakeContext context;
    serve(context.primary(0), domain::Role::primary, script_look(), 6);
    serve(context.replica(0), domain::Role::replica, script_look("7", "990"), 6);
    CHECK(compare(context, {"core:alice"}) == ExitCode::attention);
    CHECK(context.output() ==
          "KEY         NODE           ROLE     STATE   USED  RESET AT              CAUSE\n"
          "core:alice  10.0.0.1:6379  primary  absent     -  -                     -\n"
          "core:alice  10.0.1.1:6379  replica  absent     -  -                     masked-expiry\n"
          "core:alice  10.0.1.1:6379  replica  closed     -  -                     masked-expiry\n");
    CHECK(contains(context.errors(), "a plain read hides it; a script on this node still sees 7 used"));

    SECTION("and to an application whose clock is behind the window is open") {
        context.configured.now = support::from_epoch(985);
        CHECK(compare(context, {"core:alice"}) == ExitCode::attention);
        CHECK(contains(context.errors(),
                       "an application would get from 10.0.1.1:6379 (replica): 7 of 20 used, 13 left, "
                       "resets at 1970-01-01T00:16:30Z (scripts only; plain reads hide it)"));
    }
}

TEST_CASE("compare asks every shard for a key whose home nobody knows and shows the one that has it") {
    FakeContext context(3);
    context.configured.sharding.reset();
    serve_all(context, 3);
    context.put_raw(1, "core:alice", "7");
    context.put_raw(1, "core:alice:exp", "1600");
    context.given.output = "ndjson";
    context.given.columns = "key,shard,role,state";
    CHECK(compare(context, {"core:alice", "core:bob"}) == ExitCode::done);
    CHECK(context.output() ==
          "{\"key\":\"core:alice\",\"shard\":\"beta\",\"role\":\"primary\",\"state\":\"open\"}\n"
          "{\"key\":\"core:alice\",\"shard\":\"beta\",\"role\":\"replica\",\"state\":\"open\"}\n"
          "{\"key\":\"core:bob\",\"shard\":\"alpha\",\"role\":\"primary\",\"state\":\"absent\"}\n"
          "{\"key\":\"core:bob\",\"shard\":\"alpha\",\"role\":\"replica\",\"state\":\"absent\"}\n");
}

TEST_CASE("compare says where a window is that its own shard does not have") {
    FakeContext context(3);
    serve_all(context, 3);
    const auto home = context.shard_map()->shard_of("core:alice");
    const auto other = (home + 1) % 3;
    context.put_raw(other, "core:alice", "7");
    context.put_raw(other, "core:alice:exp", "1600");
    context.given.output = "ndjson";
    context.given.columns = "key,shard,state,differs,cause";
    SECTION("although a replica of its own shard gives no answer") { context.kill_replica(home); }
    SECTION("while all nodes of its own shard answer") {}
    const auto code = compare(context, {"core:alice"});
    CHECK((code == ExitCode::attention || code == ExitCode::partial));
    CHECK(contains(context.output(), "{\"key\":\"core:alice\",\"shard\":\"" +
                                         context.configured.shards[other].shard.name +
                                         "\",\"state\":\"open\",\"differs\":true,\"cause\":\"misplaced\"}\n"));
    CHECK(contains(context.errors(), "1 of 1 window differs (1 misplaced)"));
    CHECK(contains(context.errors(),
                   "key 'core:alice': not on its shard '" + context.configured.shards[home].shard.name +
                       "', but 10.0.0." + std::to_string(other + 1) + ":6379 of shard '" +
                       context.configured.shards[other].shard.name + "' has it: 7 used until 1970-01-01T00:26:40Z"));
}

TEST_CASE("compare ends with attention where a window is on another shard and all nodes agree") {
    FakeContext context(2);
    serve_all(context, 2);
    const auto other = 1 - context.shard_map()->shard_of("core:alice");
    context.put_raw(other, "core:alice", "7");
    context.put_raw(other, "core:alice:exp", "1600");
    SECTION("asked by name") { CHECK(compare(context, {"core:alice"}) == ExitCode::attention); }
    SECTION("found by a sweep") {
        CHECK(compare(context, {"--match", "core:*"}) == ExitCode::attention);
        CHECK(contains(context.errors(), "misplaced: the application looks for it on shard '"));
    }
    CHECK(contains(context.output(), "misplaced"));
}

TEST_CASE("compare warns of a key that several shards have where nobody knows its home") {
    FakeContext context(2);
    context.configured.sharding.reset();
    serve_all(context, 2);
    for (const std::size_t shard : {0U, 1U}) {
        context.put_raw(shard, "core:alice", shard == 0 ? "7" : "9");
        context.put_raw(shard, "core:alice:exp", "1600");
    }
    CHECK(compare(context, {"core:alice"}) == ExitCode::attention);
    CHECK(contains(context.errors(), "duplicate: key 'core:alice' is on 2 shards: 'alpha' (7 used"));
}

TEST_CASE("compare says once that a choice of nodes has no effect on named keys") {
    FakeContext context;
    serve_all(context);
    context.given.overrides.read_from = "replica";
    SECTION("of which there are two") {
        CHECK(compare(context, {"core:alice", "core:bob"}) == ExitCode::done);
        const auto first = context.errors().find("--from has no effect on named keys");
        REQUIRE(first != std::string::npos);
        CHECK(context.errors().find("--from", first + 1) == std::string::npos);
    }
    SECTION("and nothing of it where it sweeps") {
        CHECK(compare(context, {"--match", "core:*"}) == ExitCode::done);
        CHECK_FALSE(contains(context.errors(), "--from"));
    }
}

TEST_CASE("compare keeps to the filters and lists its columns without asking anybody") {
    FakeContext context;
    serve_all(context);
    context.put("core:alice", "20", "1600");
    context.put("core:bob", "3", "1600");
    context.given.columns = "key";
    context.given.output = "csv";
    CHECK(compare(context, {"core:alice", "core:bob", "--state", "exhausted"}) == ExitCode::partial);
    CHECK(contains(context.errors(), "key 'core:bob' is left out by --state"));
    CHECK(contains(context.output(), "core:alice"));
    CHECK_FALSE(contains(context.output(), "core:bob"));

    FakeContext silent;
    silent.given.columns = "help";
    CHECK(compare(silent, {}) == ExitCode::done);
    CHECK(contains(silent.output(), "used_delta"));
    CHECK(contains(silent.output(), "two-primaries"));
}
