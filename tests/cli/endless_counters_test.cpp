// Counters that nothing ends, and what the limiter that keeps them does: every command tells of both.
#include <algorithm>

#include "cli/limiter_deployment.h"
#include "cli/reshard_box.h"
#include "cli/watching.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

std::vector<std::string> keys_of(const json& rows) {
    std::vector<std::string> keys;
    keys.reserve(rows.size());
    for (const auto& row : rows) keys.push_back(row.at("key"));
    std::ranges::sort(keys);
    return keys;
}

}  // namespace

// They were `leaked` alone: a sweep for exhausted windows and the figures of stats left out who is refused for good.
TEST_CASE("a counter that never ends and is used up is exhausted wherever that is asked") {
    CounterDeployment box("fastify");
    box.server().command({"SET", "core:full", "120"});
    box.server().command({"SET", "core:some", "3"});
    box.set("core:open", "100", seconds_from_now(600));
    const std::vector<std::string> exhausted{"core:full", "core:open"};
    CHECK(keys_of(box.rows({"scan", "--state", "exhausted"})) == exhausted);
    CHECK(keys_of(box.rows({"scan", "--state", "leaked"})) == std::vector<std::string>{"core:full", "core:some"});
    CHECK(box.run({"check", "core:full", "--state", "exhausted"}).code == 0);
    CHECK(box.run({"check", "core:some", "--state", "exhausted"}).code == 9);
    CHECK(box.rows({"check", "core:full"})[0].at("state") == "leaked");
    const auto stats = parse_json(box.run({"stats", "--at-limit", "3,120", "-o", "json"}).out);
    CHECK(stats.at("live") == 3);
    CHECK(stats.at("exhausted") == 2);
    CHECK(stats.at("used_sum") == 223);
    for (const auto& trial : stats.at("at_limit")) {
        if (trial.at("all_policies") == true)
            CHECK(trial.at("limited") == (trial.at("limit") == "3" ? 3 : trial.at("limit") == "120" ? 1 : 2));
    }
    CHECK(box.run({"stats", "-o", "html"}).code == 0);
    CHECK(box.rows({"reset", "--policy", "core", "--state", "exhausted", "-n"}).size() == 2);
    CHECK(box.run({"reset", "--policy", "core", "--state", "exhausted"}).code == 0);
    CHECK(box.count("core:full") == "0");
    CHECK(box.stored("core:some") == "3");
    const auto text = box.run({"stats"});
    INFO(text.out << text.err);
    CHECK(contains(text.out, "0 of 1 live window exhausted"));
    CHECK(contains(text.out, "never"));
}

TEST_CASE("a counter that never ends and is used up can be reset by its state where no policy is for it") {
    CounterDeployment box("fastify");
    box.server().command({"SET", "other", "120"});
    CHECK(box.run({"reset", "other", "--limit", "200", "--state", "exhausted"}).code == 9);
    CHECK(box.run({"reset", "other", "--limit", "100", "--state", "exhausted"}).code == 0);
    CHECK(box.count("other") == "0");
}

// They were called orphans, and no client of one was said to get a fresh window.
TEST_CASE("a reshard names counters that never end and the clients who would notice") {
    ReshardBox box("writes = \"allow\"\nscheme = \"fastify\"");
    std::vector<std::string> movers;
    for (int i = 0; movers.size() < 3; ++i) {
        const auto key = "core:m" + std::to_string(i);
        if (ReshardBox::home(key, 3) != ReshardBox::home(key, 4)) movers.push_back(key);
    }
    const auto put = [&](const std::string& key, const char* used) {
        box.server(ReshardBox::home(key, 3)).command({"SET", key, used});
    };
    put(movers[0], "120");
    put(movers[1], "3");
    put(movers[2], "many");
    const auto plan = box.plan({"-o", "ndjson"});
    INFO(plan.out << plan.err);
    CHECK(plan.code == 0);
    CHECK(contains(plan.err, "1 client at 80 % of the limit or more would get a fresh one"));
    CHECK(contains(plan.err, "left behind: 2 endless, 1 corrupt"));
    CHECK(contains(plan.out, movers[0]));
    CHECK_FALSE(contains(plan.out, movers[1]));
    const auto applied = box.apply();
    CHECK(contains(applied.err, "nothing has to move; left behind: 2 endless, 1 corrupt"));
    const auto along = box.apply({"--state", "exhausted"});
    INFO(along.out << along.err);
    CHECK(contains(along.err, "1 applied; left behind: 1 endless, 1 corrupt"));
    auto& target = box.server(ReshardBox::home(movers[0], 4));
    CHECK(target.command({"GET", movers[0]}) == "120");
    CHECK(target.command({"PTTL", movers[0]}) == "-1");
}

// It was said that there is no window.
TEST_CASE("what an application would get from a replica whose counter never ends is told") {
    CounterDeployment box("fastify");
    RedisServer replica;
    replica.make_replica_of(box.server());
    box.set("core:a", "3", seconds_from_now(600));
    replica.await_replication_of(box.server());
    replica.command({"CONFIG", "SET", "replica-read-only", "no"});
    replica.command({"SET", "core:a", "77"});
    box.box().add_replica(0, replica.endpoint());
    for (const char* command : {"compare", "explain"}) {
        const auto told = box.run({command, "core:a"});
        INFO(told.out << told.err);
        CHECK(contains(told.out + told.err, "77 of 100 used, 23 left, and nothing ends it"));
    }
}

// Each step was a mere `changed`.
TEST_CASE("a watch tells how much more is counted where nothing ends a counter") {
    CounterDeployment box("fastify");
    box.server().command({"SET", kAlice, "90"});
    Watching watching(box.box(), {kAlice, "--every", "20ms"});
    CHECK(watching.wait_for("first").at("used") == 90);
    box.server().command({"INCRBY", kAlice, "12"});
    CHECK(watching.wait_for("counted").at("delta") == 12);
    CHECK(watching.wait_for("exhausted").at("used") == 102);
    box.server().command({"DECRBY", kAlice, "40"});
    CHECK(watching.wait_for("refunded").at("delta") == -40);
    box.server().command({"DEL", kAlice});
    CHECK(watching.wait_for("removed").at("delta") == -62);
    CHECK(watching.interrupt().code == 130);
    CHECK(watching.events() == "first counted exhausted refunded removed");
}
