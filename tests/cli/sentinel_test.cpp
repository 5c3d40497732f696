// Deployments whose servers Redis Sentinel tells: looks, sweeps and changes, through failovers, with sentinels that are
// silent, disagree, or know nothing.
#include <signal.h>

#include <fstream>
#include <future>
#include <map>
#include <thread>

#include "sandbox/folder.h"
#include "support/catch.h"
#include "support/contains.h"
#include "support/json.h"
#include "support/require.h"
#include "support/run_ratectl.h"
#include "support/sentinels.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

class SentinelBox {
public:
    explicit SentinelBox(std::size_t shards = 1,
                         std::chrono::milliseconds down_after = std::chrono::milliseconds(30'000))
        : world_(shards, down_after),
          folder_(require(ratectl::sandbox::TemporaryFolder::make("/tmp", "ratectl-test"))) {
        write(world_.settings());
    }
    void write(const std::string& settings, const std::string& sharding = "modulo") const {
        std::ofstream(config()) << "[deployments.box]\nwrites = \"allow\"\nsharding = \"" << sharding << "\"\n"
                                << settings
                                << "[[deployments.box.policies]]\nname = \"core\"\nkey = \"core:{client}\"\n"
                                   "limit = 100000\nperiod = \"1h\"\n";
    }
    RunResult run(const std::vector<std::string>& arguments, RunOptions options = {}) const {
        options.environment["RATECTL_CONFIG"] = config();
        options.environment.emplace("XDG_STATE_HOME", folder_.path() + "/state");
        return run_ratectl(arguments, options);
    }
    std::vector<json> rows(std::vector<std::string> arguments, const std::string& input = {}) const {
        arguments.insert(arguments.end(), {"-o", "ndjson"});
        RunOptions options;
        options.input = input;
        const auto result = run(arguments, options);
        std::vector<json> rows;
        for (auto& row : parse_json_lines(result.out)) {
            if (row.contains("key")) rows.push_back(std::move(row));
        }
        return rows;
    }
    std::string config() const { return folder_.path() + "/ratectl.toml"; }
    Sentinels& world() { return world_; }
    static std::string address(const RedisServer& server) { return server.endpoint().address(); }

private:
    Sentinels world_;
    ratectl::sandbox::TemporaryFolder folder_;
};

/// Of primaries that die.
constexpr std::chrono::milliseconds kSoon{2000};

std::string keys(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += "core:" + std::to_string(i) + "\n";
    return text;
}

}  // namespace

TEST_CASE("servers that sentinels tell are looked at, swept and changed like any others") {
    SentinelBox box(2);
    RunOptions input;
    input.input = keys(20);
    REQUIRE(box.run({"increment", "-", "--amount", "3"}, input).code == 0);
    std::map<std::string, int> nodes;
    for (const auto& row : box.rows({"check", "-"}, keys(20))) {
        CHECK(row.at("used") == 3);
        ++nodes[row.at("node").get<std::string>()];
    }
    CHECK(nodes.size() == 2);
    CHECK(nodes[box.address(box.world().primary(0))] + nodes[box.address(box.world().primary(1))] == 20);
    CHECK(box.rows({"check", "core:1", "--from", "all"}).size() == 2);
    const auto replica = box.rows({"check", "core:1", "--from", "replica"}).at(0).at("node");
    CHECK((replica == box.address(box.world().replica(0)) || replica == box.address(box.world().replica(1))));
    CHECK(box.rows({"scan"}).size() == 20);
    CHECK(box.rows({"refund", "core:1", "--amount", "1"}).at(0).at("status") == "applied");
    CHECK(box.rows({"check", "core:1"}).at(0).at("used") == 2);
    CHECK(box.run({"nodes"}).code == 0);
    CHECK(contains(box.run({"config", "show"}).out, "shards.alpha.master"));
    CHECK(box.run({"config", "check", "--connect"}).code == 0);
}

TEST_CASE("after a failover the new primary is asked, whether the old one is a replica or dead") {
    SentinelBox box;
    REQUIRE(box.run({"increment", "core:1", "--amount", "3", "--wait-replicas", "1"}).code == 0);
    REQUIRE(box.world().sentinel(0).command({"SENTINEL", "FAILOVER", "m1"}) == "OK");
    box.world().await_primary(0, box.world().replica(0));
    const auto row = box.rows({"check", "core:1"}).at(0);
    CHECK(row.at("node") == box.address(box.world().replica(0)));
    CHECK(row.at("role") == "primary");
    CHECK(row.at("used") == 3);
    CHECK(box.rows({"increment", "core:1"}).at(0).at("status") == "applied");
    CHECK(box.world().replica(0).command({"GET", "core:1"}) == "4");
    CHECK(box.rows({"scan", "--from", "primary"}).at(0).at("node") == box.address(box.world().replica(0)));
}

TEST_CASE("what was done before a failover is taken back after it, where the new primary has it") {
    SentinelBox box;
    const std::string op = "01JD0W3V5M7Q9R2T4X6Z8B1C3E";
    REQUIRE(box.run({"increment", "core:1", "--amount", "3", "--wait-replicas", "1", "--op-id", op}).code == 0);
    REQUIRE(box.run({"increment", "core:2"}).code == 0);
    CHECK(box.rows({"undo", "--dry-run", op}).at(0).at("status") == "planned");
    REQUIRE(box.world().sentinel(0).command({"SENTINEL", "FAILOVER", "m1"}) == "OK");
    box.world().await_primary(0, box.world().replica(0));
    const auto row = box.rows({"undo", op}).at(0);
    INFO(row.dump());
    CHECK(row.at("status") == "applied");
    CHECK(box.rows({"check", "core:1"}).at(0).at("state") == "absent");
    CHECK(contains(box.run({"history", "--on-servers"}).out, "core:2"));
}

TEST_CASE("a watch that goes on follows the primary through its death") {
    SentinelBox box(1, kSoon);
    REQUIRE(box.run({"increment", "core:1", "--amount", "3", "--wait-replicas", "1"}).code == 0);
    RunOptions options;
    options.signal_number = SIGINT;
    options.signal_after = std::chrono::seconds(60);  // only a hang lasts so long
    auto watch = std::async(std::launch::async, [&] {
        return box.run({"watch", "core:1", "-o", "ndjson", "--every", "200ms", "--until", "changed"}, options);
    });
    std::this_thread::sleep_for(std::chrono::seconds(1));
    box.world().primary(0).kill();
    box.world().await_primary(0, box.world().replica(0));
    box.world().replica(0).command({"INCR", "core:1"});
    const auto watched = watch.get();
    INFO(watched.out << watched.err);
    CHECK(watched.code == 0);
    CHECK(contains(watched.out, "\"used\":4"));
}

TEST_CASE("a failover in the midst of a bulk change loses nothing that was reported, and tells of the rest") {
    SentinelBox box(1, kSoon);
    constexpr std::size_t kKeys = 10'000;
    RunOptions options;
    options.input = keys(kKeys);
    auto change = std::async(std::launch::async, [&] {
        return box.run(
            {"increment", "-", "--wait-replicas", "1", "--op-id", "01JD0W3V5M7Q9R2T4X6Z8B1C3D", "-o", "ndjson"},
            options);
    });
    auto& primary = box.world().primary(0);
    while (primary.command({"DBSIZE"}).size() < 3) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    primary.kill();
    const auto first = change.get();
    box.world().await_primary(0, box.world().replica(0));
    auto& promoted = box.world().replica(0);
    const auto stored = [&](const std::string& key) { return promoted.command({"GET", key}); };
    std::map<std::string, std::size_t> statuses;
    for (const auto& row : parse_json_lines(first.out)) {
        if (!row.contains("key")) continue;
        const auto status = row.at("status").get<std::string>();
        ++statuses[status];
        const auto key = row.at("key").get<std::string>();
        if (status == "applied" && row.at("acknowledged") == 1) CHECK(stored(key) == "1");
        if (status == "failed" || status == "not-attempted") CHECK(stored(key) == "(nil)");
    }
    INFO(first.err);
    std::size_t told = 0;
    for (const auto& [status, count] : statuses) {
        UNSCOPED_INFO(status << " " << count);
        told += count;
    }
    CHECK(told == kKeys);
    // The same operation once more brings what is missing, and nothing twice.
    const auto again = box.run({"increment", "-", "--op-id", "01JD0W3V5M7Q9R2T4X6Z8B1C3D", "-o", "ndjson"}, options);
    INFO(again.err);
    std::size_t once = 0, none = 0;
    for (std::size_t i = 0; i < kKeys; ++i) {
        const auto used = stored("core:" + std::to_string(i));
        once += used == "1" ? 1 : 0;
        none += used == "(nil)" ? 1 : 0;
    }
    CHECK(once + none == kKeys);
    CHECK(none <= statuses["applied"] + statuses["unknown"]);
}

TEST_CASE("some silent sentinels are no trouble, and without any it is said that no address is known") {
    SentinelBox box;
    box.world().sentinel(1).kill();
    const auto good = box.run({"check", "core:1"});
    INFO(good.err);
    CHECK(good.code == 0);
    CHECK(good.err.empty());
    box.world().sentinel(0).kill();
    CHECK(box.run({"check", "core:1"}).code == 0);
    box.world().sentinel(2).kill();
    const auto none = box.run({"check", "core:1"});
    CHECK(none.code == 4);
    CHECK(contains(none.err, "no sentinel tells where the servers are"));
    CHECK(contains(none.err, "no sentinel has told where it is"));
    CHECK(contains(none.err, "connection refused"));
    CHECK(box.run({"increment", "core:1"}).code == 4);
    CHECK(box.run({"scan"}).code == 4);
}

TEST_CASE("a paused sentinel costs no more than the others' patience") {
    SentinelBox box;
    box.world().sentinel(0).pause();
    const auto begun = std::chrono::steady_clock::now();
    CHECK(box.run({"check", "core:1", "--timeout", "1h"}).code == 0);
    box.world().sentinel(0).resume();
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::minutes(1));  // only a hang lasts so long
}

TEST_CASE("sentinels that disagree are named with what each says") {
    SentinelBox box;
    RedisServer stranger;
    auto& odd = box.world().sentinel(2);
    odd.command({"SENTINEL", "REMOVE", "m1"});
    odd.command({"SENTINEL", "MONITOR", "m1", "127.0.0.1", std::to_string(stranger.port()), "2"});
    const auto result = box.run({"check", "core:1", "-o", "json"});
    CHECK(result.code == 0);
    CHECK(contains(result.err, "the sentinels disagree about the primary of shard 'alpha'"));
    CHECK(contains(result.err, SentinelBox::address(stranger)));
    const auto node = parse_json(result.out).at("rows").at(0).at("node");
    CHECK(node == SentinelBox::address(box.world().primary(0)));

    const auto checked = box.run({"config", "check", "--connect", "-o", "json"});
    INFO(checked.out << checked.err);
    CHECK(checked.code == 1);
    std::size_t warnings = 0;
    const auto document = parse_json(checked.out);
    for (const auto& row : document.at("rows")) {
        if (row.at("check") != "sentinel" || row.at("result") != "warning") continue;
        ++warnings;
        CHECK(contains(row.at("detail").get<std::string>(),
                       "sees the primary of m1 at " + SentinelBox::address(stranger) + " and not at "));
    }
    CHECK(warnings == 1);
}

TEST_CASE("a master that no sentinel watches is a mistake of the configuration") {
    SentinelBox box;
    auto settings = box.world().settings();
    settings.replace(settings.find("\"m1\""), 4, "\"orders\"");
    box.write(settings);
    const auto result = box.run({"check", "core:1"});
    CHECK(result.code == 3);
    CHECK(contains(result.err, "shard 'alpha': the sentinels watch no master 'orders'"));
    CHECK(contains(result.err, "they watch m1"));
}

TEST_CASE("what is asked as a sentinel and is none is said, and the other way round") {
    SentinelBox box;
    const auto sentinel = box.world().sentinel(0).endpoint().url();
    const auto as_server = box.run({"check", "core:1", "-u", sentinel});
    CHECK(as_server.code != 0);
    INFO(as_server.err);
    CHECK(contains(as_server.err, "is a sentinel"));
    auto settings = box.world().settings();
    const auto from = settings.find("[\"") + 1;
    settings.replace(from, settings.find(']') - from, "\"" + box.world().primary(0).endpoint().url() + "\"");
    box.write(settings);
    const auto as_sentinel = box.run({"check", "core:1"});
    CHECK(as_sentinel.code == 4);
    INFO(as_sentinel.err);
    CHECK(contains(as_sentinel.err, "no sentinel tells"));
}

TEST_CASE("sentinels may ask for a password of their own, which no server gets") {
    SentinelBox box;
    for (std::size_t i = 0; i < box.world().size(); ++i)
        REQUIRE(box.world().sentinel(i).command({"ACL", "SETUSER", "default", "resetpass", ">xyzzy"}) == "OK");
    const auto settings = box.world().settings();
    const auto login = std::string("sentinel_login = { password_env = \"SENTINELS\" }\n");
    box.write(login + settings);
    RunOptions options;
    options.environment["SENTINELS"] = "xyzzy";
    const auto good = box.run({"check", "core:1"}, options);
    INFO(good.err);
    CHECK(good.code == 0);
    options.environment["SENTINELS"] = "wrong";
    const auto bad = box.run({"check", "core:1"}, options);
    CHECK(bad.code != 0);
    CHECK_FALSE(contains(bad.err + bad.out, "wrong\""));
}

TEST_CASE("a rule that goes by addresses wants labels, and a sentinel deployment no addresses") {
    SentinelBox box(2);
    box.write(box.world().settings(), "redis-rb-5");
    const auto by_address = box.run({"check", "core:1"});
    CHECK(by_address.code == 3);
    CHECK(contains(by_address.err, "label = "));
    auto settings = box.world().settings();
    box.write(settings + "primary = \"redis://127.0.0.1:1\"\n");
    const auto both = box.run({"check", "core:1"});
    CHECK(both.code == 3);
    CHECK(contains(both.err, "is what the sentinels tell"));
}
