// nodes --probe on real servers: what it measures, and that nothing stays behind.
#include <signal.h>

#include <thread>

#include "cli/scenes_box.h"

namespace ratectl::test {
namespace {

const std::vector<std::string> kProbe{"nodes", "--probe", "--rounds", "1", "-o", "ndjson", "--timeout", "20s"};

nlohmann::json only_line(const RunResult& result) {
    INFO(result.err << result.out);
    const auto rows = rows_of(result.out);
    REQUIRE(rows.size() == 1);
    return rows.front();
}

bool has_probe_key(RedisServer& server) { return !server.command({"KEYS", "ratectl:probe:*"}).empty(); }

/// As soon as the throw-away window stands on the primary.
template <class Act>
std::thread when_written(RedisServer& primary, Act act) {
    return std::thread([&primary, act] {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (!has_probe_key(primary) && std::chrono::steady_clock::now() < deadline)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        act();
    });
}

TEST_CASE("a probe measures every write at every replica, and leaves no key") {
    SceneBox box;
    const auto result =
        box.run({"nodes", "--probe", "--rounds", "5", "--every", "5ms", "--timeout", "20s", "-o", "ndjson"});
    CHECK(result.code == 0);
    const auto row = only_line(result);
    CHECK(row.at("node") == box.address(box.replica()));
    CHECK(row.at("state") == "seen");
    CHECK(row.at("seen") == 5);
    CHECK(row.at("lost") == 0);
    CHECK(row.at("resolution_ms").get<double>() > 0);
    CHECK(row.at("p50_ms").get<double>() > 0);
    CHECK(row.at("max_ms").get<double>() >= row.at("p50_ms").get<double>());
    CHECK(row.at("max_ms").get<double>() >= row.at("last_ms").get<double>());
    CHECK(row.at("key").get<std::string>().starts_with("ratectl:probe:"));
    CHECK(box.primary().command({"DBSIZE"}) == "0");
    const auto history = box.run({"history", "-o", "ndjson"});
    CHECK(rows_of(history.out).size() == 6);  // five writes and a removal
    check_holds(history.out, {row.at("key").get<std::string>(), "increment", "reset"});
}

TEST_CASE("a link that holds writes back for a while is measured at that at least") {
    SceneBox box;
    box.link().hold();
    auto later = when_written(box.primary(), [&box] {
        std::this_thread::sleep_for(std::chrono::milliseconds(250));
        box.link().release();
    });
    const auto result = box.run(kProbe);
    later.join();
    CHECK(result.code == 0);
    const auto row = only_line(result);
    CHECK(row.at("seen") == 1);
    CHECK(row.at("last_ms").get<double>() >= 250);
    // The pauses between questions grow with the time that has passed, and no faster.
    CHECK(row.at("resolution_ms").get<double>() < row.at("last_ms").get<double>());
    CHECK(box.primary().command({"DBSIZE"}) == "0");
}

TEST_CASE("a write that a replica never shows is lost, and the command ends with 1") {
    SceneBox box;
    box.link().hold();
    const auto result = box.run({"nodes", "--probe", "--rounds", "2", "--timeout", "2s", "-o", "ndjson"});
    CHECK(result.code == 1);
    const auto row = only_line(result);
    CHECK(row.at("state") == "lost");
    CHECK(row.at("seen") == 0);
    CHECK(row.at("lost") == 2);
    CHECK(row.at("p50_ms").is_null());
    CHECK(box.primary().command({"DBSIZE"}) == "0");
}

TEST_CASE("an interrupted probe removes its window all the same") {
    SceneBox box;
    box.link().hold();
    int pid = 0;
    std::thread interrupter;
    RunOptions options;
    options.started = [&](int started) {
        pid = started;
        interrupter = when_written(box.primary(), [&pid] { ::kill(pid, SIGINT); });
    };
    const auto result = box.run(kProbe, options);
    interrupter.join();
    INFO(result.err << result.out);
    CHECK(result.code == 130);
    CHECK(box.primary().command({"DBSIZE"}) == "0");
    CHECK(only_line(result).at("lost") == 0);
}

TEST_CASE("a replica that cannot be asked fails, and the others are measured") {
    SceneBox box;
    RedisServer gone;
    gone.make_replica_of(box.primary());
    box.add_replica(0, gone.endpoint());
    gone.kill();
    const auto result = box.run({"nodes", "--probe", "--rounds", "1", "-o", "ndjson"});
    INFO(result.err << result.out);
    CHECK(result.code == 9);
    const auto rows = rows_of(result.out);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].at("state") == "seen");
    CHECK(rows[1].at("state") == "failed");
    CHECK(box.primary().command({"DBSIZE"}) == "0");
}

TEST_CASE("a primary that is silent about its replicas fails, and is not said to have none") {
    SceneBox box;
    box.primary().pause();
    const auto result = box.run({"nodes", "--probe", "--rounds", "1", "-o", "json", "--timeout", "500ms"});
    box.primary().resume();
    INFO(result.err << result.out);
    CHECK(result.code == 4);
    CHECK_FALSE(contains(result.err, "nothing to measure"));
    const auto document = parse_json(result.out);
    CHECK(document.at("complete") == false);
    CHECK(document.at("failures").size() == 1);
}

TEST_CASE("a probe is a write: guards and dry runs hold it back") {
    SceneBox box;
    CHECK(box.run({"nodes", "--probe", "--read-only"}).code == 7);
    const auto dry = box.run({"nodes", "--probe", "-n", "--read-only", "-o", "ndjson"});
    CHECK(dry.code == 0);
    CHECK(only_line(dry).at("state") == "planned");
    CHECK(box.run({"history"}).out.find("probe") == std::string::npos);
    CHECK_FALSE(contains(box.primary().command({"INFO", "commandstats"}), "cmdstat_evalsha"));
    CHECK(box.run({"nodes", "--rounds", "3"}).code == 2);
    CHECK(box.run({"nodes", "--probe", "--rounds", "0"}).code == 2);

    for (const auto& [settings, more, code] :
         {std::tuple{"writes = \"deny\"", "-y", 7}, std::tuple{"writes = \"confirm-all\"", "--no-input", 7},
          std::tuple{"writes = \"confirm-all\"", "-y", 0}, std::tuple{"writes = \"confirm\"", "--no-input", 0},
          std::tuple{"writes = \"confirm\"\nrequire_reason = true", "-y", 7},
          std::tuple{"writes = \"confirm\"\nprotect = [\"ratectl:*\"]", "-y", 7}}) {
        INFO(settings << more);
        WrittenDeployment guarded(settings);
        RedisServer replica;
        replica.make_replica_of(guarded.server());
        guarded.add_replica(0, replica.endpoint());
        CHECK(guarded.run({"nodes", "--probe", "--rounds", "1", "--timeout", "20s", more}).code == code);
        CHECK(guarded.server().command({"DBSIZE"}) == "0");
    }
}

TEST_CASE("a probe of several shards writes several keys and asks like every write of that many") {
    WrittenDeployment box("writes = \"confirm\"", 2);
    RedisServer first;
    RedisServer second;
    first.make_replica_of(box.server(0));
    second.make_replica_of(box.server(1));
    box.add_replica(0, first.endpoint());
    box.add_replica(1, second.endpoint());
    const auto probe = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"nodes", "--probe", "--rounds", "1", "--timeout", "20s"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const auto result = box.run(arguments);
        INFO(result.err);
        for (std::size_t shard = 0; shard < 2; ++shard) CHECK(box.server(shard).command({"DBSIZE"}) == "0");
        return result;
    };
    const auto refused = probe({"--no-input"});
    CHECK(refused.code == 7);
    check_holds(refused.err, {"measure the replication delay with 2 windows", "needs a yes"});
    CHECK_FALSE(contains(box.server(0).command({"INFO", "commandstats"}), "cmdstat_evalsha"));
    CHECK(probe({"--no-input", "--shard", "beta"}).code == 0);
    CHECK(probe({"--no-input", "-y"}).code == 0);

    // The same servers, and it is not said how keys are shared out.
    std::ifstream file(box.config_file());
    std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string rule = "sharding = \"twemproxy-ketama\"\n";
    REQUIRE(contains(text, rule));
    text.erase(text.find(rule), rule.size());
    std::ofstream(box.file("unsharded.toml")) << text;
    const std::string unsharded = box.file("unsharded.toml");
    const auto unknown = probe({"-c", unsharded, "-y"});
    CHECK(unknown.code == 3);
    check_holds(unknown.err, {"nothing says how keys are shared out over the 2 shards", "nothing was written"});
    CHECK(probe({"-c", unsharded, "-y", "--shard", "alpha"}).code == 0);
    CHECK(probe({"-c", unsharded, "-y", "--all-shards"}).code == 0);
}

TEST_CASE("a probe writes where the application would look for its key, on every shard that has replicas") {
    WrittenDeployment box("writes = \"allow\"", 3);
    RedisServer first;
    RedisServer second;
    first.make_replica_of(box.server(0));
    second.make_replica_of(box.server(2));
    box.add_replica(0, first.endpoint());
    box.add_replica(2, second.endpoint());
    const auto result = box.run({"nodes", "--probe", "--rounds", "2", "--timeout", "20s", "-o", "ndjson"});
    INFO(result.err << result.out);
    CHECK(result.code == 0);
    const auto rows = rows_of(result.out);
    REQUIRE(rows.size() == 2);
    check_holds(result.err, {"no replicas, so nothing to measure: beta"});
    for (const auto& row : rows) {
        CHECK(row.at("seen") == 2);
        const auto located = box.run({"locate", row.at("key").get<std::string>(), "-o", "ndjson"});
        CHECK(rows_of(located.out).front().at("shard") == row.at("shard"));
    }
    for (std::size_t shard = 0; shard < 3; ++shard) CHECK(box.server(shard).command({"DBSIZE"}) == "0");
}

TEST_CASE("nobody takes the window of a probe for one of an application") {
    WrittenDeployment box("writes = \"allow\"");
    box.set_window("ratectl:probe:01ABC.1", "1", seconds_from_now(60));
    box.server().command({"SET", "ratectl:probe:01ABC.2", "1"});
    const auto scan = box.run({"scan", "*", "-o", "ndjson"});
    CHECK(scan.code == 0);
    CHECK(scan.out.empty());
    CHECK(box.run({"scan", "--key", "{client}", "--orphans", "-o", "ndjson"}).out.empty());
    const auto doctor = box.run({"doctor", "*", "-o", "ndjson"});
    INFO(doctor.out);
    CHECK_FALSE(contains(doctor.out, "probe"));
    CHECK(box.run({"reset", "ratectl:probe:01ABC.1"}).code == 7);
    CHECK(box.halves() == "3");
}

}  // namespace
}  // namespace ratectl::test
