// A replica that was promoted without the last writes, while its old primary is dead or goes on.
#include <string>

#include "cli/scenes_box.h"

using namespace ratectl::test;

namespace {

/// 3 requests are on both nodes, 7 more only on the old primary; the replica is a primary now.
void promote_without_last_write(SceneBox& box) {
    const auto reset_at = seconds_from_now(600);
    box.count_everywhere("core:42", 3, reset_at);
    box.link().hold();
    application_counts(box.primary(), "core:42", 7, reset_at, seconds_from_now(0));
    box.replica().command({"REPLICAOF", "NO", "ONE"});
    REQUIRE(box.primary().command({"GET", "core:42"}) == "10");
    REQUIRE(box.replica().command({"GET", "core:42"}) == "3");
}

}  // namespace

TEST_CASE("a promoted replica that lacks a write is explained while the old primary is dead") {
    SceneBox box;
    promote_without_last_write(box);
    box.primary().kill();

    const auto found = box.diagnosis(9);
    REQUIRE(found.size() == 1);
    CHECK(found.at("wrong-role") == box.address(box.replica()) + ": known as replica, it is a primary\n");

    const auto old = box.address(box.primary());
    const auto promoted = box.address(box.replica());
    const auto nodes = box.comparison("core:42", 9);
    CHECK(nodes.at(old).at("cause") == "unreachable");
    CHECK(nodes.at(old).at("used").is_null());
    CHECK(contains(nodes.at(old).at("error"), old));
    CHECK(nodes.at(promoted).at("counts") == true);
    CHECK(nodes.at(promoted).at("role") == "primary");
    CHECK(nodes.at(promoted).at("configured_role") == "replica");
    CHECK(nodes.at(promoted).at("used") == 3);
    CHECK(nodes.at(promoted).at("cause") == "wrong-role");
    check_holds(nodes.at(promoted).at("detail"), {"known as replica, acts as primary"});
    check_holds(box.explanation("core:42", 9),
                {"3 of 100 requests used, 97 left",
                 "Primary " + promoted + " of shard 'alpha', known as a replica and acting as primary",
                 old + " could not be asked", "(wrong-role)"});
}

TEST_CASE("a promoted replica that lacks a write is explained while the old primary goes on") {
    SceneBox box;
    promote_without_last_write(box);

    const auto found = box.diagnosis(1);
    REQUIRE(found.size() == 2);
    CHECK(found.at("wrong-role") == box.address(box.replica()) + ": known as replica, it is a primary\n");
    CHECK(found.at("two-primaries") == box.address(box.replica()) +
                                           ": it acts as primary of shard 'alpha', and so does " +
                                           box.address(box.primary()) + "\n");

    const auto old = box.address(box.primary());
    const auto promoted = box.address(box.replica());
    const auto nodes = box.comparison("core:42", 1);
    CHECK(nodes.at(old).at("counts") == true);
    CHECK(nodes.at(old).at("used") == 10);
    CHECK(nodes.at(promoted).at("role") == "primary");
    CHECK(nodes.at(promoted).at("used") == 3);
    CHECK(nodes.at(promoted).at("used_delta") == -7);
    CHECK(nodes.at(promoted).at("cause") == "two-primaries");
    check_holds(nodes.at(promoted).at("detail"), {"3 used where " + old + " has 10",
                                                  "both act as primary, and writes to the one never reach the other"});
    check_holds(box.explanation("core:42"),
                {"10 of 100 used, 90 left", promoted + " would have said: 3 of 100 used, 97 left", "(two-primaries)",
                 "both act as primary"});
}

// Rows called it the primary that it was configured as, and no word said that its answers may be old.
TEST_CASE("a configured primary that is a replica now is one in every row and said to be once") {
    SceneBox box;
    box.count_everywhere("core:42", 3, seconds_from_now(600));
    box.replica().command({"REPLICAOF", "NO", "ONE"});
    box.primary().make_replica_of(box.replica());
    const auto promoted = box.address(box.replica());
    const auto demoted = box.address(box.primary());
    const std::vector<std::vector<std::string>> looks{{"scan", "--from", "primary"},
                                                      {"scan", "--from", "primary", "--state", "open"},
                                                      {"scan", "--from", "primary", "--look", "full"},
                                                      {"check", "core:42"},
                                                      {"check", "core:42", "--look", "light"},
                                                      {"check", "core:42", "--as-script"},
                                                      {"client", "42"},
                                                      {"headers", "core:42"},
                                                      {"watch", "core:42", "--until", "below:50"}};
    for (auto look : looks) {
        look.insert(look.end(), {"-o", "ndjson"});
        const auto result = box.run(look);
        INFO(look.front() << '\n' << result.err << result.out);
        CHECK(result.code == 0);
        const auto rows = rows_of(result.out);
        REQUIRE(!rows.empty());
        for (const auto& row : rows) {
            CHECK(row.at("node") == demoted);
            if (row.contains("role")) CHECK(row.at("role") == "replica");
        }
        const std::string said = demoted + "): configured as the primary, and it is a replica of " + promoted + " now";
        CHECK(contains(result.err, said));
        CHECK(result.err.find(said) == result.err.rfind(said));
    }

    for (const std::vector<std::string>& sweep : {std::vector<std::string>{"scan"}, {"doctor"}, {"stats"}, {"top"}}) {
        const auto result = box.run(sweep);
        INFO(sweep.front() << ": " << result.err);
        check_holds(result.err, {"no healthy replica (" + promoted + ": it acts as a primary itself, and follows none)",
                                 demoted + ", known as its primary and a replica now, is read instead"});
        CHECK_FALSE(contains(result.err, "its primary is read"));
    }
    CHECK(contains(box.run({"check", "core:42", "--from", "replica"}).err, promoted + ": it acts as a primary itself"));
    check_holds(box.run({"explain", "core:42"}).out,
                {"Primary " + promoted + " of shard 'alpha', known as a replica and acting as primary"});

    const auto all = box.run({"check", "core:42", "--from", "all", "-o", "ndjson"});
    CHECK_FALSE(contains(all.err, "configured as the primary"));
    const auto nodes = SceneBox::by_node(all.out);
    CHECK(nodes.at(demoted).at("role") == "replica");
    CHECK(nodes.at(promoted).at("role") == "primary");
    CHECK_FALSE(contains(box.run({"check", "core:42", "--from", promoted}).err, "configured as the primary"));
}
