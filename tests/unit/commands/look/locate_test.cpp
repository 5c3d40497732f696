// locate: places without servers, in every shape the command line offers.
#include "commands/all_commands.h"

#include <array>

#include "support/catch.h"
#include "support/contains.h"
#include "unit/commands/fake_context.h"

namespace ratectl::commands {

namespace {

using support::ExitCode;
using test::contains;
using test::FakeContext;

/// Three shards, as JSON a line.
struct Located {
    explicit Located(const std::string& preset = "modulo", std::string input = {}) : context(3, std::move(input)) {
        context.configured.sharding->preset = preset;
        context.given.output = "ndjson";
    }
    ExitCode run(std::vector<std::string> arguments) { return context.run(locate_command(), std::move(arguments)); }
    FakeContext context;
};

}  // namespace

TEST_CASE("locate names shard and primary and replicas and policy and client") {
    Located located;
    CHECK(located.run({"core:1"}) == ExitCode::done);
    const std::size_t shard = located.context.shard_map()->shard_of("core:1");
    const std::string number = std::to_string(shard + 1);
    const char* names[] = {"alpha", "beta", "gamma"};
    CHECK(located.context.output() == "{\"key\":\"core:1\",\"shard\":\"" + std::string(names[shard]) +
                                          "\",\"node\":\"10.0.0." + number + ":6379\",\"replicas\":\"10.0.1." + number +
                                          ":6379\",\"policy\":\"core\",\"client\":\"1\",\"client_class\":null,"
                                          "\"limit\":20,\"limit_source\":\"policy:core\"}\n");
    CHECK(located.context.errors().empty());
}

TEST_CASE("locate prints a table of what people ask for first") {
    Located located;
    located.context.given.output.reset();
    CHECK(located.run({"core:midas", "elsewhere"}) == ExitCode::done);
    CHECK(contains(located.context.output(), "KEY"));
    CHECK(contains(located.context.output(), "REPLICAS"));
    CHECK(contains(located.context.output(), "midas"));
    CHECK_FALSE(contains(located.context.output(), "HASH"));
}

TEST_CASE("locate with steps explains tag and hash and ring point") {
    Located located("redis-rb-5");
    CHECK(located.run({"--steps", "{user:1}:core"}) == ExitCode::done);
    const auto steps = located.context.shard_map()->explain("{user:1}:core");
    const std::string& row = located.context.output();
    CHECK(contains(row, "\"tag\":\"user:1\""));
    CHECK(contains(row, "\"hash\":\"crc32\",\"hash_value\":\"" + steps.hash_text + "\""));
    CHECK(contains(row, "\"point\":\"" + *steps.point_text + "\""));
    CHECK(contains(row, "\"label\":\"" + *steps.point_label + "\""));
    CHECK(contains(row, "\"bucket\":null"));
    CHECK_FALSE(contains(row, "\"runner_up\":null"));
}

TEST_CASE("the steps of a table of buckets show the bucket and no point") {
    Located located;
    located.context.given.output.reset();
    CHECK(located.run({"--steps", "core:1", "core:2"}) == ExitCode::done);
    CHECK(contains(located.context.output(), "BUCKET"));
    CHECK_FALSE(contains(located.context.output(), "POINT"));
}

TEST_CASE("a step named in columns needs no flag") {
    Located located("twemproxy-ketama");
    located.context.given.columns = "key,point";
    CHECK(located.run({"core:1"}) == ExitCode::done);
    CHECK(contains(located.context.output(), *located.context.shard_map()->explain("core:1").point_text));
}

TEST_CASE("columns help lists the steps too") {
    Located located;
    located.context.given.columns = "help";
    CHECK(located.run({}) == ExitCode::done);
    CHECK(contains(located.context.output(), "runner_up"));
    CHECK(contains(located.context.output(), "replicas"));
}

TEST_CASE("locate streams standard input in its order") {
    std::string input;
    for (int i = 0; i < 2500; ++i) input += "core:" + std::to_string(i) + "\n";
    Located located("redis-rb-4", input);
    CHECK(located.run({"-"}) == ExitCode::done);
    const std::string& rows = located.context.output();
    std::size_t at = 0;
    for (int i = 0; i < 2500; ++i) {
        const auto next = rows.find("{\"key\":\"core:" + std::to_string(i) + "\"", at);
        REQUIRE(next != std::string::npos);
        at = next + 1;
    }
    CHECK(std::count(rows.begin(), rows.end(), '\n') == 2500);
}

TEST_CASE("locate finds every key of a client") {
    Located located;
    CHECK(located.run({"--client", "midas"}) == ExitCode::done);
    CHECK(contains(located.context.output(), "\"key\":\"core:midas\""));
    CHECK(contains(located.context.output(), "\"key\":\"search:midas\""));
    CHECK(contains(located.context.output(), "\"client_class\":\"gold\""));
    Located narrowed;
    CHECK(narrowed.run({"--client", "midas", "--policy", "core"}) == ExitCode::done);
    CHECK_FALSE(contains(narrowed.context.output(), "search"));
}

TEST_CASE("locate refuses to guess when several shards have no known rule") {
    Located located;
    located.context.configured.sharding.reset();
    CHECK(located.run({"core:1"}) == ExitCode::configuration);
    CHECK(located.context.output().empty());
    CHECK(contains(located.context.errors(), "3 shards"));
    CHECK(contains(located.context.errors(), "--sharding"));
}

TEST_CASE("locate without a key is a usage error") {
    Located located;
    CHECK(located.run({}) == ExitCode::usage);
    CHECK(contains(located.context.errors(), "which key"));
}

TEST_CASE("the expiry half is located where it says with a word about its counter") {
    Located located;
    CHECK(located.run({"core:1:exp", "core:2:exp", ":exp"}) == ExitCode::done);
    CHECK(contains(located.context.errors(), "'core:1'"));
    CHECK_FALSE(contains(located.context.errors(), "core:2"));
}

TEST_CASE("locate prints a hostile key without its control bytes") {
    Located located;
    located.context.given.output.reset();
    const std::string key("core:\x1b[2J\n\xff");
    CHECK(located.run({key}) == ExitCode::done);
    CHECK_FALSE(contains(located.context.output(), "\x1b"));
    CHECK(std::count(located.context.output().begin(), located.context.output().end(), '\n') == 2);
}

TEST_CASE("the steps of one key stand upright with both halves and the points beside") {
    Located located("redis-rb-4");
    located.context.given.output.reset();
    CHECK(located.run({"--steps", "{user:1}:core"}) == ExitCode::done);
    const auto steps = located.context.shard_map()->explain("{user:1}:core");
    const std::string& text = located.context.output();
    CHECK(contains(text, "{user:1}:core:exp"));
    CHECK(contains(text, "else both live where the first one does"));
    CHECK(contains(text, steps.hash_text));
    REQUIRE(steps.before);
    REQUIRE(steps.after);
    CHECK(contains(text, steps.before->point_text));
    CHECK(contains(text, steps.after->label));
    CHECK(contains(text, "runner_up"));
    CHECK_FALSE(contains(text, "bucket"));
    CHECK(std::stoul(*steps.point_text) > std::stoul(steps.before->point_text));
    CHECK(std::stoul(*steps.point_text) < std::stoul(steps.after->point_text));
}

TEST_CASE("the steps of several keys are rows and as JSON all of them are flat fields") {
    Located located("twemproxy-ketama");
    CHECK(located.run({"--steps", "core:1"}) == ExitCode::done);
    const auto steps = located.context.shard_map()->explain("core:1");
    const std::string& row = located.context.output();
    CHECK(contains(row, "\"expiry_key\":\"core:1:exp\",\"hashed\":\"core:1\""));
    CHECK(contains(row, "\"before_point\":\"" + steps.before->point_text + "\""));
    CHECK(contains(row, "\"after_label\":\"" + steps.after->label + "\""));
    CHECK(contains(row, "\"shared_with\":null"));
    Located table("twemproxy-ketama");
    table.context.given.output.reset();
    CHECK(table.run({"--steps", "core:1", "core:2"}) == ExitCode::done);
    CHECK(contains(table.context.output(), "RUNNER-UP"));
    CHECK(std::count(table.context.output().begin(), table.context.output().end(), '\n') == 3);
}

TEST_CASE("a ring that leaves a point to chance is warned about") {
    Located located("go-redis-7");
    auto& shards = located.context.configured.shards;
    shards[0].server.name = "plumless";  // these two words have the same crc32
    shards[1].server.name = "buckeroo";
    shards[2].server.name = "gamma";
    CHECK(located.run({"--steps", "core:1"}) == ExitCode::done);
    CHECK(contains(located.context.errors(), "'alpha' and 'beta' share point"));
    CHECK(contains(located.context.errors(), "and 99 more"));
    CHECK(contains(located.context.errors(), "leaves open"));
    Located ruled("redis-rb-4");
    for (std::size_t i = 0; i < 3; ++i)
        ruled.context.configured.shards[i].server.label = std::array{"plumless", "buckeroo", "gamma"}[i];
    CHECK(ruled.run({"core:1"}) == ExitCode::done);
    CHECK(ruled.context.errors().empty());
    CHECK(ruled.run({"--steps", "core:1"}) == ExitCode::done);
    CHECK(contains(ruled.context.errors(), "the library has a rule for it"));
}

}  // namespace ratectl::commands
