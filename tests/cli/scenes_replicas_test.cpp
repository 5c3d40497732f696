// Replicas that answer something else than their primary: cut off, behind, or full of keys that are gone.
#include <regex>
#include <string>
#include <thread>

#include "cli/scenes_box.h"

using namespace ratectl::test;

namespace {

/// The number in front of `unit`; -1 where there is none.
std::int64_t number_before(const std::string& text, const std::string& unit) {
    std::smatch found;
    return std::regex_search(text, found, std::regex("(-?[0-9]+)" + unit)) ? std::stoll(found[1]) : -1;
}

std::int64_t offset_of(RedisServer& server) {
    const auto text = server.command({"INFO", "replication"});
    const bool is_replica = contains(text, "role:slave");
    std::smatch found;
    REQUIRE(std::regex_search(text, found,
                              std::regex(is_replica ? "slave_repl_offset:([0-9]+)" : "master_repl_offset:([0-9]+)")));
    return std::stoll(found[1]);
}

}  // namespace

TEST_CASE("a replica that was cut off and answers an old window is found and explained") {
    SceneBox box;
    const auto reset_at = seconds_from_now(600);
    box.count_everywhere("core:42", 7, reset_at);
    ratectl::domain::Endpoint dead;
    dead.host = "127.0.0.1";
    dead.port = 1;
    box.follow(dead);
    box.primary().command({"DEL", "core:42", "core:42:exp"});
    REQUIRE(box.replica().command({"GET", "core:42"}) == "7");

    const auto found = box.diagnosis(1);
    REQUIRE(found.size() == 1);
    CHECK(contains(found.at("link-down"), "127.0.0.1:1 has been down for "));
    CHECK(contains(found.at("link-down"), "its shard's primary is " + box.address(box.primary())));

    const auto primary = box.address(box.primary());
    const auto replica = box.address(box.replica());
    const auto nodes = box.comparison("core:42", 1);
    CHECK(nodes.at(primary).at("counts") == true);
    CHECK(nodes.at(primary).at("state") == "absent");
    const auto& stale = nodes.at(replica);
    CHECK(stale.at("cause") == "cut-off");
    CHECK(stale.at("used") == 7);
    CHECK(stale.at("reset_at") == reset_at);
    CHECK(stale.at("used_delta") == 7);
    CHECK(stale.at("link") == "down");
    check_holds(stale.at("detail"), {"7 used until ", " where " + primary + " has no window",
                                     "its link to 127.0.0.1:1 has been down for "});
    check_holds(box.explanation("core:42"), {"it has no window", "Primary " + primary + " of shard 'alpha' decides",
                                             "eplica " + replica + " would have said: 7 of 100 used, 93 left",
                                             "(cut-off)", "its link to 127.0.0.1:1 has been down for "});

    const auto headers = box.run({"headers", "core:42", "--from", replica});
    CHECK(contains(headers.err, replica + "): a replica that has lost its primary; its headers may be old"));

    // The client is back: a new window there, the old one here.
    application_counts(box.primary(), "core:42", 1, reset_at + 60, seconds_from_now(0));
    const auto again = box.comparison("core:42", 1);
    CHECK(again.at(primary).at("used") == 1);
    CHECK(again.at(replica).at("used") == 7);
    CHECK(again.at(replica).at("used_delta") == 6);
    CHECK(again.at(replica).at("cause") == "cut-off");
}

TEST_CASE("a replica whose link is up and that stays behind is found and explained") {
    SceneBox box;
    const auto reset_at = seconds_from_now(600);
    box.count_everywhere("core:42", 3, reset_at);
    CHECK(box.diagnosis(0).empty());
    box.link().hold();
    application_counts(box.primary(), "core:42", 7, reset_at, seconds_from_now(0));
    REQUIRE(box.replica().command({"GET", "core:42"}) == "3");
    const auto behind = offset_of(box.primary()) - offset_of(box.replica());
    REQUIRE(behind > 0);

    const auto found = box.diagnosis(1);
    REQUIRE(found.size() == 1);
    const auto& lag = found.at("replica-lag");
    CHECK(contains(lag, box.address(box.replica()) + ": its link is up"));
    CHECK(number_before(lag, " bytes behind") >= behind);
    CHECK(number_before(lag, " bytes behind") <= offset_of(box.primary()) - offset_of(box.replica()));

    const auto primary = box.address(box.primary());
    const auto replica = box.address(box.replica());
    const auto nodes = box.comparison("core:42", 1);
    CHECK(nodes.at(primary).at("used") == 10);
    const auto& late = nodes.at(replica);
    CHECK(late.at("used") == 3);
    CHECK(late.at("used_delta") == -7);
    CHECK(late.at("cause") == "lag");
    CHECK(late.at("link") == "up");
    CHECK(late.at("lag_bytes") >= behind);
    CHECK(late.at("lag_bytes") <= offset_of(box.primary()) - offset_of(box.replica()));
    check_holds(late.at("detail"),
                {"3 used where " + primary + " has 10", "the link is up, but it is ",
                 std::to_string(late.at("lag_bytes").get<std::int64_t>()) + " bytes behind, still after "});
    check_holds(box.explanation("core:42"),
                {"10 of 100 used, 90 left", "eplica " + replica + " would have said: 3 of 100 used, 97 left", "(lag)",
                 "the link is up, but it is "});

    box.link().release();
    box.catch_up();
    CHECK(box.diagnosis(0).empty());
    const auto after = box.comparison("core:42", 0);
    CHECK(after.at(replica).at("used") == 10);
    CHECK_FALSE(contains(box.explanation("core:42"), "(lag)"));
}

TEST_CASE("keys past their end that a primary does not remove are counted and told apart from windows") {
    SceneBox box;
    REQUIRE(box.primary().command({"DEBUG", "SET-ACTIVE-EXPIRE", "0"}) == "OK");
    const auto now = seconds_from_now(0);
    for (int i = 0; i < 20; ++i)
        application_counts(box.primary(), "core:" + std::to_string(i) + "-gone", 7, now + 1, now);
    application_counts(box.primary(), "core:looked-at", 7, now + 1, now);
    box.count_everywhere("core:42", 7, seconds_from_now(600));
    while (seconds_from_now(0) < now + 3) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    REQUIRE(box.primary().command({"DBSIZE"}) == "44");
    REQUIRE(box.replica().command({"DBSIZE"}) == "44");

    // No node shows such a key any more; the first look at the primary removes it.
    for (const auto& [node, row] : box.comparison("core:looked-at", 0)) {
        INFO(node);
        CHECK(row.at("state") == "absent");
        CHECK(row.at("cause").is_null());
    }
    check_holds(box.explanation("core:looked-at"), {"'core:looked-at' is allowed: it has no window"});
    box.catch_up();
    REQUIRE(box.replica().command({"DBSIZE"}) == "42");

    // The replica first: a sweep of the primary removes what it finds expired.
    for (const auto* from : {"replica", "primary"}) {
        const auto result = box.run({"doctor", "--from", from, "-o", "ndjson"});
        INFO(from << result.err);
        const auto rows = rows_of(result.out);
        REQUIRE(rows.size() == 1);
        CHECK(rows[0].at("class") == "masked-keys");
        CHECK(contains(rows[0].at("detail"), "40 of 42 keys are expired and not removed"));
        CHECK(rows[0].at("node") == box.address(from == std::string("replica") ? box.replica() : box.primary()));
        CHECK(contains(result.err, "in 1 window on 1 shard"));
    }
    box.catch_up();
    CHECK(box.diagnosis(0).empty());
    CHECK(box.primary().command({"DBSIZE"}) == "2");
}
