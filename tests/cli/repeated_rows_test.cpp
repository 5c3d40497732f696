// Rows of one key: a dry run shows what each of them finds and leaves, a plan of them is carried out whole, and an undo
// takes them back as its own dry run says.
#include <functional>

#include "cli/moving_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// A key of each limiter whose ends move, and of one whose ends stand still.
std::vector<std::string> keys_of_all(const std::string& client) {
    std::vector<std::string> keys{"core:" + client};
    for (const auto& limiter : moving_limiters()) keys.push_back(MovingDeployment::key(limiter, client));
    return keys;
}

std::string rows_of_five_seven_and_four(const std::string& key) {
    std::string rows;
    for (const int amount : {5, 7, 4}) rows += json{{"key", key}, {"amount", amount}}.dump() + "\n";
    return rows;
}

/// How many were used before and after each row.
json course_of(const json& rows) {
    json course = json::array();
    for (const auto& row : rows) course.push_back({row.at("before_used"), row.at("after_used")});
    return course;
}

json statuses_of(const json& rows) {
    json all = json::array();
    for (const auto& row : rows) all.push_back(row.at("status"));
    return all;
}

json thrice(const std::string& status) { return {status, status, status}; }

}  // namespace

// The second row began from nothing, and `apply` wrote one of them and took its own change for another's.
TEST_CASE("rows of one key go on from one another in a dry run, and their plan is carried out whole") {
    MovingDeployment box;
    for (const bool is_there : {false, true}) {
        for (const auto& key : keys_of_all(is_there ? "there" : "absent")) {
            INFO(key);
            const int before = is_there ? 2 : 0;
            if (is_there) box.change("increment", key, before);
            const auto plan = box.box().file(std::to_string(std::hash<std::string>()(key)) + ".plan");
            const auto rows = rows_of_five_seven_and_four(key);
            const auto dry = box.rows({"increment", "-", "--input", "ndjson", "-n"}, rows);
            CHECK(statuses_of(dry) == thrice("planned"));
            const json first = is_there ? json(before) : json();
            CHECK(course_of(dry) == json{{first, before + 5}, {before + 5, before + 12}, {before + 12, before + 16}});
            const auto planned = box.rows({"increment", "-", "--input", "ndjson", "--plan", plan}, rows);
            CHECK(course_of(planned) == course_of(dry));
            CHECK(course_of(box.rows({"apply", plan, "-n"})) == course_of(dry));
            const auto applied = box.rows({"apply", plan, "-y"});
            CHECK(statuses_of(applied) == thrice("applied"));
            CHECK(course_of(applied) == course_of(dry));
            CHECK(statuses_of(box.rows({"apply", plan, "-y"})) == thrice("already-applied"));
            CHECK(box.used(key) == before + 16);
        }
    }
}

TEST_CASE("rows of a plan that go on from one whose window was opened since are not carried out either") {
    MovingDeployment box;
    for (const auto& key : keys_of_all("a")) {
        INFO(key);
        const auto plan = box.box().file(std::to_string(std::hash<std::string>()(key)) + ".plan");
        box.rows({"increment", "-", "--input", "ndjson", "--plan", plan}, rows_of_five_seven_and_four(key));
        box.change("increment", key, 40);
        CHECK(statuses_of(box.rows({"apply", plan, "-n"})) == thrice("window-changed"));
        CHECK(statuses_of(box.rows({"apply", plan, "-y"})) == thrice("window-changed"));
        CHECK(box.used(key) == 40);
    }
}

// The first row's call is on record where it was carried out, as after an apply that was cut off.
TEST_CASE("the rows that a plan has left of a key go on from those that were carried out") {
    MovingDeployment box;
    for (const auto& key : keys_of_all("a")) {
        INFO(key);
        const auto name = std::to_string(std::hash<std::string>()(key));
        const auto plan = box.box().file(name + ".plan");
        box.rows({"increment", "-", "--input", "ndjson", "--plan", plan}, rows_of_five_seven_and_four(key));
        const auto applied = box.rows({"apply", plan, "-y"});
        const auto op = applied.at(2).at("op_id").get<std::string>();
        box.change("refund", key, 4);
        REQUIRE(box.server().command({"UNLINK", "ratectl:op:" + op.substr(0, op.find('/')) + ".3"}) == "1");
        const auto other = box.box().file(name + ".db");
        const auto again = box.rows({"apply", plan, "-y", "--journal", other});
        CHECK(statuses_of(again) == json{"already-applied", "already-applied", "applied"});
        CHECK(box.used(key) == 16);
    }
}

// What a row demands of its window was demanded of it as the row before left it.
TEST_CASE("what a filter or a guard demands of a window is demanded before the first row of its key") {
    MovingDeployment box;
    for (const auto& key : keys_of_all("a")) {
        INFO(key);
        const auto count = [&](const std::string& mode, const std::vector<std::string>& guard) {
            std::vector<std::string> words{"increment", "-", "--input", "ndjson", mode};
            words.insert(words.end(), guard.begin(), guard.end());
            return box.rows(words, rows_of_five_seven_and_four(key));
        };
        const auto check = [&](const std::vector<std::string>& guard, int before) {
            const auto dry = count("-n", guard);
            INFO(dry);
            CHECK(dry.at(2).at("before_used") == before + 12);
            CHECK(statuses_of(dry) == thrice("planned"));
            const auto made = count("-y", guard);
            CHECK(statuses_of(made) == thrice("applied"));
            CHECK(course_of(made) == course_of(dry));
        };
        check({"--state", "absent"}, 0);
        check({"--state", "open"}, 16);
        check({"--if-used-at-least", "30"}, 32);
        const auto end = box.row({"check", key}).at("reset_at").get<std::int64_t>();
        check({"--if-window", std::to_string(end)}, 48);
        CHECK(box.used(key) == 64);
    }
}

// Each row was shown alone.
TEST_CASE("a dry run of an undo shows row after row of a key what the undo does") {
    MovingDeployment box;
    for (const bool is_there : {false, true}) {
        for (const auto& key : keys_of_all(is_there ? "there" : "absent")) {
            INFO(key);
            // Of one millisecond these logs do not tell the newest.
            if (!is_there && (key.starts_with("limit:") || key.starts_with("rolling:"))) continue;
            if (is_there) box.change("increment", key, 2);
            for (const bool singly : {false, true}) {
                const auto op = std::to_string(std::hash<std::string>()(key)) + (singly ? "-singly" : "-whole");
                const auto made = box.rows({"increment", "-", "-y", "--input", "ndjson", "--op-id", op},
                                           rows_of_five_seven_and_four(key));
                CHECK(statuses_of(made) == thrice("applied"));
                std::vector<std::string> undo{"undo", op, "-y"};
                if (singly) undo = {"undo", op + "/1", op + "/2", op + "/3", "-y"};
                auto rehearsal = undo;
                rehearsal.back() = "-n";
                const auto dry = box.rows(rehearsal);
                CHECK(statuses_of(dry) == thrice("planned"));
                const auto undone = box.rows(undo);
                INFO(dry << undone);
                CHECK(statuses_of(undone) == thrice("applied"));
                CHECK(course_of(undone) == course_of(dry));
                CHECK(box.used(key) == (is_there ? 2 : 0));
            }
        }
    }
}
