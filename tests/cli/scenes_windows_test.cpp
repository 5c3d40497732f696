// Windows that are not where or when the application believes: late expiries, a shard that was added, clocks that
// differ.
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/reshard_box.h"
#include "cli/scenes_box.h"

using namespace ratectl::test;

namespace {

/// Runs the command on a window that ends in so many seconds of the servers' time; again where a slow machine took too
/// long for it.
RunResult while_open(SceneBox& box, std::int64_t seconds, std::vector<std::string> command,
                     const RunOptions& options = {}) {
    command.emplace_back();
    for (int attempt = 0; attempt < 20; ++attempt) {
        command.back() = "core:brief-" + command.front() + std::to_string(attempt);
        const auto reset_at = seconds_from_now(seconds);
        application_counts(box.primary(), command.back(), 7, reset_at, seconds_from_now(0));
        box.catch_up();
        auto result = box.run(command, options);
        if (seconds_from_now(0) <= reset_at) return result;
    }
    throw std::runtime_error("no run was quick enough");
}

}  // namespace

TEST_CASE("a counter that a late EXPIREAT left behind is found and explained") {
    SceneBox box;
    const auto now = seconds_from_now(0);
    // The application's clock is a minute behind: its windows of half a minute end in the server's past.
    CHECK(application_counts(box.primary(), "core:42", 5, now - 30, now - 60) == "5\n" + std::to_string(now - 30));
    CHECK(application_counts(box.primary(), "core:42", 1, now - 30, now - 60) == "1\n" + std::to_string(now - 30));
    box.catch_up();
    REQUIRE(box.primary().command({"PTTL", "core:42"}) == "-1");
    REQUIRE(box.primary().command({"EXISTS", "core:42:exp"}) == "0");

    const auto found = box.diagnosis(1);
    REQUIRE(found.size() == 1);
    CHECK(found.at("orphan-counter") == "1 used, no expiry half and no TTL: a late EXPIREAT leaves this\n");

    // No node is wrong, so nothing differs; yet what is there is told.
    for (const auto& [node, row] : box.comparison("core:42", 0)) {
        INFO(node);
        CHECK(row.at("state") == "orphan-counter");
        CHECK(row.at("cause") == "missing-ttl");
        CHECK(row.at("differs") == false);
        CHECK(row.at("detail") == "the counter has no TTL, so it stays");
    }
    check_holds(box.explanation("core:42"),
                {"'core:42' is allowed", "1 used, no expiry half and no TTL: a late EXPIREAT leaves this",
                 "(orphan-counter)", "doctor --fix orphan-counter"});
}

TEST_CASE("a window on the shard where it was before another one was added is found and explained") {
    ReshardBox box;
    const auto reset_at = seconds_from_now(600);
    std::string moved;
    std::string stayed;
    for (std::uint64_t i = 0; moved.empty() || stayed.empty(); ++i) {
        const auto key = ReshardBox::key(i);
        (ReshardBox::home(key, 4) == 3 ? moved : stayed) = key;
    }
    box.put(moved, "7", reset_at);
    box.put(stayed, "9", reset_at);
    CHECK(box.run({"doctor", "-c", box.file("three")}).code == 0);

    const auto result = box.run({"doctor", "-c", box.file("four"), "-o", "ndjson"});
    INFO(result.err);
    CHECK(result.code == 1);
    const auto rows = rows_of(result.out);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].at("class") == "misplaced");
    CHECK(rows[0].at("key") == moved);
    CHECK(rows[0].at("detail") == "the application looks for it on shard 'delta'");
    CHECK(rows[0].at("counter") == "7");
    CHECK(rows[0].at("expiry") == std::to_string(reset_at));

    const auto& there = box.server(ReshardBox::home(moved, 3));
    const auto compared = box.run({"compare", moved, "-c", box.file("four")});
    check_holds(compared.err,
                {"key '" + moved + "': not on its shard 'delta', but " + there.endpoint().address(), "7 used until "});
    CHECK_FALSE(contains(box.run({"compare", stayed, "-c", box.file("four")}).err, "not on its shard"));
    const auto explained = box.run({"explain", moved, "-c", box.file("four")});
    INFO(explained.err);
    CHECK(explained.code == 0);
    check_holds(explained.out, {"it has no window", "'delta'", "(misplaced)", "reshard"});
}

TEST_CASE("a clock that is three seconds ahead of the servers is found and explained") {
    SceneBox box;
    const auto ahead = with_clock_ahead(std::chrono::seconds(3));
    box.count_everywhere("core:42", 7, seconds_from_now(600));
    CHECK(box.diagnosis(0).empty());
    const auto found = box.diagnosis(1, ahead);
    REQUIRE(found.size() == 1);
    const auto& skew = found.at("clock-skew");
    for (auto* server : {&box.primary(), &box.replica()}) {
        const auto skewed = box.address(*server) + ": its clock is ";
        CHECK(about(3000, milliseconds_after(skew, skewed)));
        CHECK(contains(skew.substr(skew.find(skewed)), " behind ours"));
    }

    // By our clock it has ended, by theirs it is still open: for three seconds.
    const auto compared = while_open(box, 2, {"compare", "-o", "ndjson"}, ahead);
    INFO(compared.err);
    CHECK(compared.code == 1);
    const auto rows = rows_of(compared.out);
    CHECK(rows.size() == 2);
    for (const auto& row : rows) {
        INFO(row.dump());
        CHECK(row.at("state") == "closed");
        CHECK(row.at("cause") == "clock");
        CHECK(about(-3000, row.at("clock_skew_ms").get<std::int64_t>()));
        check_holds(row.at("detail"), {"closed by our clock and open by its own, which is ", " behind ours"});
    }
    check_holds(while_open(box, 2, {"explain"}, ahead).out,
                {"by our clock", "would have said by their own clocks: 7 of 100 used", "(clock)", " behind ours"});
}

TEST_CASE("a replica whose clock is three seconds ahead is found and explained") {
    SceneBox box(server_with_clock_ahead(std::chrono::seconds(3)));
    const auto found = box.diagnosis(1);
    REQUIRE(found.size() == 1);
    const auto& skew = found.at("clock-skew");
    CHECK(about(3000, milliseconds_after(skew, box.address(box.replica()) + ": its clock is ")));
    CHECK(contains(skew, " ahead of ours"));

    // It removes keys three seconds before its primary does.
    const auto compared = while_open(box, 1, {"compare", "-o", "ndjson"});
    INFO(compared.err);
    CHECK(compared.code == 1);
    const auto nodes = SceneBox::by_node(compared.out);
    const auto& hasty = nodes.at(box.address(box.replica()));
    CHECK(nodes.at(box.address(box.primary())).at("used") == 7);
    CHECK(hasty.at("state") == "absent");
    CHECK(hasty.at("cause") == "clock");
    CHECK(about(3000, hasty.at("clock_skew_ms").get<std::int64_t>()));
    check_holds(hasty.at("detail"), {"no window where " + box.address(box.primary()) + " has 7 used until ",
                                     "ahead of that of ", "the keys are expired"});
    check_holds(while_open(box, 1, {"explain"}).out, {"7 of 100 used", "(clock)", "ahead of that of "});
}
