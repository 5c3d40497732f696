// --max-staleness on real servers: links that are held, cut, silent or not spoken of.
#include "cli/scenes_box.h"

namespace ratectl::test {
namespace {

const std::string kBehind = "core:42";

/// A window with 10 used on the primary, of which the replica knows 3.
void fall_behind(SceneBox& box) {
    const auto reset_at = seconds_from_now(3600);
    box.count_everywhere(kBehind, 3, reset_at);
    box.link().hold();
    application_counts(box.primary(), kBehind, 7, reset_at, seconds_from_now(0));
}

/// The rows by address.
std::map<std::string, nlohmann::json> rows_by_node(const RunResult& result) {
    INFO(result.err << result.out);
    std::map<std::string, nlohmann::json> rows;
    for (const auto& row : rows_of(result.out)) rows[row.at("node").get<std::string>()] = row;
    return rows;
}

TEST_CASE("a replica that has what its primary had is read under max-staleness") {
    SceneBox box;
    box.count_everywhere(kBehind, 3, seconds_from_now(3600));
    for (const std::string& from : {box.address(box.replica()), std::string("replica"), std::string("all")}) {
        for (const auto& command : {std::vector<std::string>{"check", kBehind}, {"scan"}}) {
            INFO(from << " " << command.front());
            auto arguments = command;
            for (const auto* more :
                 {"--max-staleness", "30s", "-o", "ndjson", "--columns", "node,used,stale", "--from"})
                arguments.emplace_back(more);
            arguments.push_back(from);
            const auto result = box.run(arguments);
            CHECK(result.code == 0);
            const auto rows = rows_by_node(result);
            REQUIRE(rows.count(box.address(box.replica())) == 1);
            CHECK(rows.at(box.address(box.replica())).at("used") == 3);
            CHECK(rows.at(box.address(box.replica())).at("stale") == false);
        }
    }
}

TEST_CASE("a replica that is named and lags is shown as stale, and the command ends with 9") {
    SceneBox box;
    fall_behind(box);
    const auto replica = box.address(box.replica());
    const std::vector<std::string> look{"check", kBehind, "--from", replica, "-o", "ndjson"};
    const auto believed = box.run(look);
    CHECK(believed.code == 0);
    CHECK(rows_by_node(believed).at(replica).at("stale") == false);

    for (const auto& command :
         {std::vector<std::string>{"check", kBehind}, {"scan"}, {"scan", "--count"}, {"doctor"}}) {
        INFO(command.front() << command.size());
        auto arguments = command;
        for (const auto& more : {std::string("--from"), replica, std::string("--max-staleness"), std::string("300ms"),
                                 std::string("-o"), std::string("ndjson")})
            arguments.push_back(more);
        const auto result = box.run(arguments);
        INFO(result.out << result.err);
        CHECK(result.code == 9);
        check_holds(result.err, {replica, "not shown to be at most 300ms behind", "it lacks", "bytes"});
        if (command.size() > 1 ? command.back() != kBehind : command.front() != "scan") continue;
        CHECK(rows_by_node(result).at(replica).at("stale") == true);
        CHECK(rows_by_node(result).at(replica).at("used") == 3);
    }
}

TEST_CASE("a replica that lags is passed over where the primary can answer") {
    SceneBox box;
    fall_behind(box);
    const auto primary = box.address(box.primary());
    for (const bool streamed : {false, true}) {
        RunOptions options;
        options.environment["RATECTL_MAX_STALENESS"] = "300ms";
        options.input = kBehind + "\n";
        const auto result =
            box.run({"check", streamed ? "-" : kBehind, "--from", "replica", "-o", "ndjson"}, std::move(options));
        CHECK(result.code == 4);  // asked for by hand: nothing stands in for it
        CHECK(rows_by_node(result).empty());
        check_holds(result.err, {"no replica is shown to be at most 300ms behind", "it lacks",
                                 "--from replica reads no primary", "--from " + box.address(box.replica())});
    }
    const auto scan = box.run({"scan", "--max-staleness", "300ms", "-o", "ndjson"});
    CHECK(scan.code == 0);
    CHECK(rows_by_node(scan).at(primary).at("used") == 10);
    CHECK(rows_by_node(scan).at(primary).at("stale") == false);
    check_holds(scan.err, {"no replica is shown to be at most 300ms behind", "it lacks", "its primary is read"});
    box.link().release();
    box.catch_up();
    const auto after = box.run({"scan", "--max-staleness", "30s", "-o", "ndjson"});
    CHECK(rows_by_node(after).at(box.address(box.replica())).at("used") == 10);
}

TEST_CASE("of all nodes only the one that lags is stale") {
    SceneBox box;
    fall_behind(box);
    const auto result = box.run({"check", kBehind, "--from", "all", "--max-staleness", "300ms", "-o", "ndjson"});
    CHECK(result.code == 9);
    const auto rows = rows_by_node(result);
    REQUIRE(rows.size() == 2);
    CHECK(rows.at(box.address(box.primary())).at("stale") == false);
    CHECK(rows.at(box.address(box.replica())).at("stale") == true);
}

TEST_CASE("a replica that is cut off is said to be, and for how long") {
    SceneBox box;
    box.count_everywhere(kBehind, 3, seconds_from_now(3600));
    domain::Endpoint nowhere;
    nowhere.host = "127.0.0.1";
    nowhere.port = 1;
    box.follow(nowhere);
    const auto replica = box.address(box.replica());
    const auto named = box.run({"check", kBehind, "--from", replica, "--max-staleness", "1h", "-o", "ndjson"});
    CHECK(named.code == 9);
    CHECK(rows_by_node(named).at(replica).at("stale") == true);
    check_holds(named.err, {"its link to its primary "});
    const auto chosen = box.run({"check", kBehind, "--from", "replica", "--max-staleness", "1h", "-o", "ndjson"});
    CHECK(chosen.code == 4);
    check_holds(chosen.err, {"--from replica reads no primary"});
    const auto without = box.run({"check", kBehind, "--from", replica, "-o", "ndjson"});
    CHECK(without.code == 0);
    CHECK(rows_by_node(without).at(replica).at("stale") == true);
}

TEST_CASE("while the primary is silent nobody knows how far a replica is") {
    SceneBox box;
    box.count_everywhere(kBehind, 3, seconds_from_now(3600));
    box.primary().pause();
    const auto replica = box.address(box.replica());
    for (const std::string& from : {replica, std::string("replica")}) {
        INFO(from);
        const auto result =
            box.run({"check", kBehind, "--from", from, "--max-staleness", "1h", "--timeout", "2s", "-o", "ndjson"});
        CHECK(result.code == 9);
        CHECK(rows_by_node(result).at(replica).at("stale") == true);
        check_holds(result.err, {"not shown to be at most 1h behind", "was not heard", box.address(box.primary())});
    }
    box.primary().resume();
}

TEST_CASE("a replica that may not be asked counts as too old") {
    SceneBox box;
    box.count_everywhere(kBehind, 3, seconds_from_now(3600));
    box.replica().command({"ACL", "SETUSER", "default", "-info"});
    const auto replica = box.address(box.replica());
    const auto result = box.run({"check", kBehind, "--from", replica, "--max-staleness", "1h", "-o", "ndjson"});
    CHECK(result.code == 9);
    CHECK(rows_by_node(result).at(replica).at("stale") == true);
    check_holds(result.err, {"it does not say how far it is"});
    box.replica().command({"ACL", "SETUSER", "default", "+@all"});
    box.primary().command({"ACL", "SETUSER", "default", "-info"});
    const auto other = box.run({"check", kBehind, "--from", replica, "--max-staleness", "1h", "-o", "ndjson"});
    CHECK(other.code == 9);
    check_holds(other.err, {"the primary does not say how far it is"});
}

TEST_CASE("nodes shows how far behind each replica is, and marks what is too far") {
    SceneBox box;
    box.catch_up();
    const std::vector<std::string> nodes{"nodes", "-o", "ndjson"};
    auto rows = rows_by_node(box.run(nodes));
    CHECK(rows.at(box.address(box.primary())).at("behind_ms").is_null());
    CHECK(rows.at(box.address(box.replica())).at("behind_ms").is_number());
    fall_behind(box);
    rows = rows_by_node(box.run(nodes));
    CHECK(rows.at(box.address(box.replica())).at("behind_ms").is_null());
    CHECK(rows.at(box.address(box.replica())).at("state") == "ok");
    const auto marked = box.run({"nodes", "-o", "ndjson", "--max-staleness", "200ms"});
    rows = rows_by_node(marked);
    CHECK(rows.at(box.address(box.replica())).at("state") == "stale");
    check_holds(rows.at(box.address(box.replica())).at("stale_because").get<std::string>(), {"it lacks", "bytes"});
    check_holds(marked.err, {"not shown to keep --max-staleness"});
}

TEST_CASE("what compares shards takes one node of each and refuses to read a single one") {
    WrittenDeployment box("writes = \"allow\"", 2);
    const auto node = box.server(1).endpoint().address();
    for (const auto& command : {std::vector<std::string>{"scan", "--duplicates"}, {"sharding", "verify"}}) {
        for (const std::string& from : {node, std::string("all"), std::string("primary")}) {
            INFO(command.front() << " " << from);
            auto arguments = command;
            arguments.insert(arguments.end(), {"--from", from});
            CHECK((box.run(arguments).code == 2) == (from != "primary"));
        }
    }
}

TEST_CASE("max-staleness is a duration that is not nothing") {
    SceneBox box;
    CHECK(box.run({"check", kBehind, "--max-staleness", "5"}).code == 2);
    CHECK(box.run({"check", kBehind, "--max-staleness", "48h"}).code == 2);
    CHECK(box.run({"check", kBehind, "--max-staleness", "5s"}).code == 0);
}

}  // namespace
}  // namespace ratectl::test
