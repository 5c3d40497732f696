// scan over pretended servers: what is swept, what is left out, ordering, and exit codes.
#include "commands/all_commands.h"

#include "commands/look/check.h"
#include "support/catch.h"
#include "support/contains.h"
#include "unit/commands/fake_context.h"
#include "unit/commands/look/scan_run.h"

using namespace ratectl;
using support::ExitCode;
using test::contains;
using test::FakeContext;
using test::scan;

namespace {

/// Names of the windows, sorted.
std::vector<std::string> names(const std::string& output) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < output.size();) {
        const std::size_t end = output.find('\n', begin);
        lines.push_back(output.substr(begin, end - begin));
        begin = end + 1;
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

void fill_policies(FakeContext& context) {
    context.put("core:alice", "7", "1600");
    context.put("core:bob", "20", "1010");
    context.put("core:old", "3", "999");
    context.put("search:alice", "30", "1600");
    context.put("other:thing", "1", "1600");
    context.put_raw(0, "lonely:exp", "1600");
    context.given.output = "name";
}

}  // namespace

TEST_CASE("a scan shows windows that a policy knows and counts the rest in one notice") {
    FakeContext context(3);
    fill_policies(context);
    CHECK(scan(context) == ExitCode::done);
    CHECK(names(context.output()) == std::vector<std::string>{"core:alice", "core:bob", "core:old", "search:alice"});
    CHECK(contains(context.errors(), "notice: 2 keys match no policy"));
    CHECK(contains(context.errors(), "4 windows on 3 shards\n"));
}

TEST_CASE("without policies a scan shows whole pairs only") {
    FakeContext context;
    fill_policies(context);
    context.configured.policies = {};
    CHECK(scan(context) == ExitCode::done);
    CHECK(names(context.output()) ==
          std::vector<std::string>{"core:alice", "core:bob", "core:old", "other:thing", "search:alice"});
    CHECK(contains(context.errors(), "1 key is half of a window"));
}

TEST_CASE("a glob shows all that it catches whatever the policies say") {
    FakeContext context;
    fill_policies(context);
    CHECK(scan(context, {"*o*"}) == ExitCode::done);
    CHECK(names(context.output()) ==
          std::vector<std::string>{"core:alice", "core:bob", "core:old", "lonely", "other:thing"});
}

TEST_CASE("a scan of one policy asks the server for its keys only") {
    FakeContext context;
    fill_policies(context);
    CHECK(scan(context, {"--policy=search"}) == ExitCode::done);
    CHECK(context.output() == "search:alice\n");
    const auto& asked = context.replica(0).asked();
    const auto found =
        std::find_if(asked.begin(), asked.end(), [](const test::Command& command) { return command[0] == "SCAN"; });
    REQUIRE(found != asked.end());
    CHECK(found->at(3) == "search:*:exp");
}

TEST_CASE("a scan reads replicas unless told otherwise and check reads primaries") {
    FakeContext context;
    fill_policies(context);
    scan(context);
    CHECK(context.primary(0).opened() == 0);
    CHECK(context.run(commands::check_command(), {"--match=core:*"}) == ExitCode::done);
    CHECK(context.primary(0).opened() > 0);
    FakeContext told;
    fill_policies(told);
    told.configured.from_given = true;
    scan(told);
    CHECK(told.replica(0).opened() == 0);
}

TEST_CASE("scan filters by state and use and time") {
    FakeContext context;
    fill_policies(context);
    const auto shown = [&](const std::vector<std::string>& arguments) {
        const std::size_t before = context.output().size();
        CHECK(scan(context, arguments) == ExitCode::done);
        return names(context.output().substr(before));
    };
    CHECK(shown({"--state=exhausted", "--policy=core"}) == std::vector<std::string>{"core:bob"});
    CHECK(shown({"--state=closed"}) == std::vector<std::string>{"core:old"});
    CHECK(shown({"--min-used=20"}) == std::vector<std::string>{"core:bob", "search:alice"});
    CHECK(shown({"--min-used=35%", "--policy=core"}) == std::vector<std::string>{"core:alice", "core:bob"});
    CHECK(shown({"--resets-within=10s"}) == std::vector<std::string>{"core:bob"});
    CHECK(contains(context.errors(), "1 of 4 windows on 1 shard\n"));
}

TEST_CASE("the top windows come first and only so many") {
    FakeContext context;
    fill_policies(context);
    CHECK(scan(context, {"--top=2"}) == ExitCode::done);
    CHECK(context.output() == "search:alice\ncore:bob\n");
    FakeContext by_key;
    fill_policies(by_key);
    CHECK(scan(by_key, {"--sort=key", "--top=2"}) == ExitCode::done);
    CHECK(by_key.output() == "search:alice\ncore:old\n");
    FakeContext sorted;
    fill_policies(sorted);
    CHECK(scan(sorted, {"--sort=key"}) == ExitCode::done);
    CHECK(sorted.output() == "core:alice\ncore:bob\ncore:old\nsearch:alice\n");
}

TEST_CASE("the top of many windows is exact") {
    FakeContext context;
    context.given.output = "name";
    for (int i = 0; i < 300; ++i) context.put("core:c" + std::to_string(i), std::to_string((i * 7919) % 1000), "1600");
    scan(context, {"--top=300"});
    const std::string all = context.output();
    FakeContext again;
    again.given.output = "name";
    for (int i = 0; i < 300; ++i) again.put("core:c" + std::to_string(i), std::to_string((i * 7919) % 1000), "1600");
    scan(again, {"--top=17"});
    CHECK(std::count(again.output().begin(), again.output().end(), '\n') == 17);
    CHECK(all.starts_with(again.output()));
}

TEST_CASE("first stops early and count prints a number") {
    FakeContext context;
    fill_policies(context);
    CHECK(scan(context, {"--first=1"}) == ExitCode::done);
    CHECK(std::count(context.output().begin(), context.output().end(), '\n') == 1);
    // It said "1 of 4 windows on 1 shard", of the four that had been seen by then, whatever came behind.
    CHECK(
        contains(context.errors(), "1 window shown; stopped there, as asked, and how many there are was not counted"));
    CHECK_FALSE(contains(context.errors(), " of "));
    FakeContext counted;
    fill_policies(counted);
    counted.given.output.reset();
    CHECK(scan(counted, {"--count"}) == ExitCode::done);
    CHECK(counted.output() == "4\n");
    FakeContext json;
    fill_policies(json);
    json.given.output = "ndjson";
    CHECK(scan(json, {"--count", "--min-used=20"}) == ExitCode::done);
    CHECK(json.output() == "{\"windows\":2}\n");
}

TEST_CASE("orphan counters show only when asked for and known to a policy") {
    FakeContext context;
    fill_policies(context);
    context.put_raw(0, "core:orphan", "4");
    context.put_raw(0, "session:1", "4");
    CHECK(scan(context, {"--orphans", "--state=orphan-counter"}) == ExitCode::done);
    CHECK(context.output() == "core:orphan\n");
    FakeContext nobody;
    nobody.configured.policies = {};
    CHECK(scan(nobody, {"--orphans"}) == ExitCode::usage);
}

TEST_CASE("a dead primary leaves its stale replica and ends with partial") {
    FakeContext context(2);
    fill_policies(context);
    context.given.output = "ndjson";
    context.given.columns = "key,shard,role,stale";
    context.kill_primary(1);
    context.replica(1).facts.link_up = false;
    context.put_raw(1, "core:there", "1");
    context.put_raw(1, "core:there:exp", "1600");
    CHECK(scan(context) == ExitCode::partial);
    CHECK(contains(context.output(), R"({"key":"core:there","shard":"beta","role":"replica","stale":true})"));
    CHECK(contains(context.errors(), "connection refused"));
}

TEST_CASE("the table says stale beside the shard") {
    FakeContext context;
    fill_policies(context);
    context.given.output.reset();
    context.kill_primary(0);
    context.replica(0).facts.link_up = false;
    CHECK(scan(context, {"--policy=search"}) == ExitCode::partial);
    CHECK(contains(context.output(), "alpha (stale)\n"));
}

TEST_CASE("a shard that nobody answers for is missing and the document says so") {
    FakeContext context(2);
    fill_policies(context);
    context.given.output = "json";
    context.kill_primary(1);
    context.kill_replica(1);
    CHECK(scan(context) == ExitCode::partial);
    CHECK(contains(context.output(), "\"complete\":false}"));
    CHECK(contains(context.errors(), "; shard 'beta' is incomplete\n"));
    FakeContext alone;
    alone.given.output = "name";
    alone.kill_primary(0);
    alone.kill_replica(0);
    CHECK(scan(alone) == ExitCode::unavailable);
}

TEST_CASE("scan with exit status is one when a row was printed") {
    FakeContext context;
    fill_policies(context);
    CHECK(scan(context, {"--exit-status", "--state=closed"}) == ExitCode::attention);
    CHECK(scan(context, {"--exit-status", "--state=negative"}) == ExitCode::done);
}

TEST_CASE("a state that needs a limit names the window whose limit is unknown") {
    FakeContext context;
    fill_policies(context);
    CHECK(scan(context, {"--state=exhausted"}) == ExitCode::configuration);
    CHECK(contains(context.errors(), "'search:alice'"));
}

TEST_CASE("a glob without a wildcard that finds nothing gets a hint") {
    FakeContext context;
    fill_policies(context);
    CHECK(scan(context, {"core:al"}) == ExitCode::done);
    CHECK(contains(context.errors(), "no wildcard"));
    FakeContext found;
    fill_policies(found);
    CHECK(scan(found, {"core:alice"}) == ExitCode::done);
    CHECK(found.output() == "core:alice\n");
    CHECK_FALSE(contains(found.errors(), "no wildcard"));
}

TEST_CASE("a scan of one shard leaves the others alone") {
    FakeContext context(3);
    fill_policies(context);
    CHECK(scan(context, {"--shard=beta"}) == ExitCode::done);
    CHECK(context.replica(0).opened() + context.replica(2).opened() == 0);
    CHECK(contains(context.errors(), "on 1 shard\n"));
}

TEST_CASE("what scan cannot mean is a usage error before anything is asked") {
    const std::vector<std::vector<std::string>> wrong = {{"a*", "--match=b*"},
                                                         {""},
                                                         {"--top=0"},
                                                         {"--top=x"},
                                                         {"--first=-1"},
                                                         {"--look=deep"},
                                                         {"--sort=key,used"},
                                                         {"--max-latency=1"},
                                                         {"--max-latency=-1ms"},
                                                         {"--ops=0"},
                                                         {"--ops=1e3"},
                                                         {"--ops=5/m"},

                                                         {"--resume=/tmp/x", "--top=3"},
                                                         {"--resume=/tmp/x", "--sort=key"},
                                                         {"--resume=/tmp/x", "--count"},
                                                         {"--resume=/tmp/x", "--duplicates"},
                                                         {"--policy=nope"}};
    for (const auto& arguments : wrong) {
        FakeContext context;
        CHECK(scan(context, arguments) == ExitCode::usage);
        CHECK(context.replica(0).opened() == 0);
    }
}

TEST_CASE("keys that no policy matches are counted and not looked at") {
    FakeContext context;
    context.put("core:1", "3", "2000");
    context.put("session:1", "3", "2000");
    CHECK(scan(context) == ExitCode::done);
    CHECK(contains(context.output(), "core:1"));
    CHECK(contains(context.errors(), "matches no policy and is not shown"));
    for (const auto& command : context.replica(0).asked()) {
        CHECK(std::find(command.begin(), command.end(), "session:1") == command.end());
    }
}
