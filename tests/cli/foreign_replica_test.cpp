// A configured replica whose link is up, to the primary of another shard: what it has are no windows of its shard.
#include <csignal>
#include <set>

#include "cli/scenes_box.h"

namespace ratectl::test {
namespace {

constexpr int kStrayWindows = 40;

/// Alpha and beta with windows, and a replica of beta that is configured as one of alpha.
class StrayBox : public WrittenDeployment {
public:
    /// `tunnelled`: it knows beta's primary by an address that is not configured.
    explicit StrayBox(bool tunnelled = false)
        : WrittenDeployment("writes = \"allow\"\ntimeout = \"20s\"", 2), link_(server(1).endpoint()) {
        if (tunnelled) {
            follows_ = link_.endpoint();
            stray_.command({"REPLICAOF", follows_.host, std::to_string(follows_.port)});
        } else {
            follows_ = server(1).endpoint();
            stray_.make_replica_of(server(1));
        }
        std::string keys;
        for (int i = 0; i < kStrayWindows; ++i) keys += "core:" + std::to_string(i) + "\n";
        const auto filled = run_with_input({"increment", "-", "--amount", "5", "-y"}, keys);
        INFO(filled.err);
        REQUIRE(filled.code == 0);
        for (const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
             !contains(stray_.command({"INFO", "replication"}), "master_link_status:up");) {
            REQUIRE(std::chrono::steady_clock::now() < deadline);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        stray_.await_replication_of(server(1));
        REQUIRE(halves(0) != "0");
        REQUIRE(halves(1) != "0");
        add_replica(0, stray_.endpoint());
    }

    std::string stray() const { return stray_.endpoint().address(); }
    std::string followed() const { return follows_.address(); }
    /// `shard key` of every row.
    static std::set<std::string> windows_in(const RunResult& result) {
        std::set<std::string> windows;
        for (const auto& row : rows_of(result.out))
            windows.insert(row.at("shard").get<std::string>() + " " + row.at("key").get<std::string>());
        return windows;
    }

private:
    RedisServer stray_;
    HeldLink link_;
    domain::Endpoint follows_;
};

TEST_CASE("a replica of another shard is passed over for the primary and named") {
    for (const bool tunnelled : {false, true}) {
        INFO(tunnelled);
        StrayBox box(tunnelled);
        const auto right = box.run({"scan", "--from", "primary", "-o", "ndjson"});
        REQUIRE(StrayBox::windows_in(right).size() == kStrayWindows);
        const auto result = box.run({"scan", "-o", "ndjson"});
        INFO(result.err);
        CHECK(result.code == 0);
        CHECK(StrayBox::windows_in(result) == StrayBox::windows_in(right));
        check_holds(result.err, {"shard 'alpha'", box.stray(), "another history", "(of " + box.followed() + ")",
                                 "its primary is read instead"});
        const auto by_hand = box.run({"scan", "--from", "replica", "-o", "ndjson"});
        CHECK(by_hand.code == 4);
        CHECK(StrayBox::windows_in(by_hand).empty());
        check_holds(by_hand.err, {"another history", "--from replica reads no primary", "shard 'beta'"});
        std::string keys;
        for (int i = 0; i < kStrayWindows; ++i) keys += "core:" + std::to_string(i) + "\n";
        const auto looks = box.run_with_input({"check", "-", "--from", "replica", "-o", "ndjson"}, keys);
        CHECK(looks.code == 4);
        CHECK(rows_of(looks.out).empty());
    }
}

TEST_CASE("a replica of another shard that is named is marked stale with a warning") {
    StrayBox box;
    const auto named = box.run({"scan", "--from", box.stray(), "-o", "ndjson"});
    INFO(named.err);
    const auto rows = rows_of(named.out);
    REQUIRE(!rows.empty());
    for (const auto& row : rows) CHECK(row.at("stale") == true);
    check_holds(named.err, {box.stray(), "another history", "no windows of this shard"});

    const auto all = box.run({"scan", "--from", "all", "-o", "ndjson"});
    check_holds(all.err, {box.stray(), "no windows of this shard"});
    std::set<std::string> healthy;
    for (const auto& row : rows_of(all.out)) {
        CHECK(row.at("stale") == (row.at("node") == box.stray()));
        healthy.insert(row.at("node"));
    }
    CHECK(healthy.size() == 3);

    std::string key;
    for (const auto& row : rows_of(box.run({"scan", "--from", "primary", "-o", "ndjson"}).out)) {
        if (row.at("shard") == "alpha") key = row.at("key");
    }
    const auto look = box.run({"check", key, "--from", box.stray(), "-o", "ndjson"});
    INFO(look.err);
    REQUIRE(rows_of(look.out).size() == 1);
    CHECK(rows_of(look.out).front().at("stale") == true);
    check_holds(look.err, {box.stray(), "no windows of this shard"});
}

TEST_CASE("a replica of another shard is no stand-in for a dead primary") {
    StrayBox box;
    box.server(0).kill();
    const auto result = box.run({"scan", "-o", "ndjson"});
    INFO(result.err);
    CHECK(result.code == 9);
    for (const auto& row : rows_of(result.out)) CHECK(row.at("shard") == "beta");
    check_holds(result.err, {box.stray(), "it follows " + box.followed() + ", the primary of shard 'beta'"});
}

TEST_CASE("doctor names a replica of another shard and nobody measures its lag") {
    StrayBox box;
    // Alpha is far ahead of beta (it counts bytes only where it has a replica): a lag between the two would be found.
    RedisServer own;
    own.make_replica_of(box.server(0));
    for (int i = 0; i < 20; ++i) box.server(0).command({"SET", "filler", std::string(20'000, 'x'), "PX", "1"});
    const auto result = box.run({"doctor", "-o", "ndjson"});
    INFO(result.err << result.out);
    CHECK(result.code == 1);
    const auto rows = rows_of(result.out);
    REQUIRE(rows.size() == 1);
    CHECK(rows.front().at("class") == "wrong-role");
    CHECK(rows.front().at("node") == box.stray());
    check_holds(rows.front().at("detail"), {"its link is up, but it follows another history than its shard's primary " +
                                            box.server(0).endpoint().address() + ": that of " + box.followed()});
    const auto nodes = box.run({"nodes", "-o", "ndjson"});
    check_holds(nodes.err, {box.stray(), "another history", "not windows of this shard"});
    for (const auto& row : rows_of(nodes.out)) {
        if (row.at("node") == box.stray()) CHECK(row.at("lag_bytes").is_null());
    }
}

TEST_CASE("a replica that knows its own primary by another address is read as ever") {
    SceneBox box;
    box.count_everywhere("core:42", 3, seconds_from_now(3600));
    for (const auto& from : {std::string("replica"), box.address(box.replica())}) {
        const auto result = box.run({"check", "core:42", "--from", from, "-o", "ndjson"});
        INFO(from << result.err);
        CHECK(result.code == 0);
        const auto rows = rows_of(result.out);
        REQUIRE(rows.size() == 1);
        CHECK(rows.front().at("node") == box.address(box.replica()));
        CHECK(rows.front().at("used") == 3);
        CHECK(rows.front().at("stale") == false);
        CHECK(result.err.find("history") == std::string::npos);
    }
}

TEST_CASE("doctor that is interrupted while a server is silent ends with the code of that signal") {
    for (const auto& [number, code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}}) {
        WrittenDeployment box("timeout = \"30s\"");
        box.server().pause();
        RunOptions options;
        options.signal_number = number;
        options.signal_after = std::chrono::milliseconds(1000);
        const auto result = box.run({"doctor", "-o", "ndjson"}, options);
        box.server().resume();
        INFO(number << result.err);
        CHECK(result.code == code);
    }
}

TEST_CASE("nodes calls a replica of another shard stale and says whom it follows") {
    StrayBox box;
    const auto nodes = box.run({"nodes", "-o", "ndjson"});
    INFO(nodes.err);
    CHECK(nodes.code == 0);
    std::size_t doubtful = 0;
    for (const auto& row : rows_of(nodes.out)) {
        const bool stray = row.at("node") == box.stray();
        CHECK((row.at("state") == "stale") == stray);
        if (!stray) continue;
        ++doubtful;
        check_holds(row.at("stale_because").get<std::string>(), {"another history", box.followed()});
    }
    CHECK(doubtful == 1);
}

}  // namespace
}  // namespace ratectl::test
