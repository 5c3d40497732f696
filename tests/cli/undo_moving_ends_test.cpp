// Counts and refunds of limiters whose ends move are taken back from the window that they changed, and from no newer
// one.
#include "cli/moving_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

// It took the requests of the window that was opened since, down to none.
TEST_CASE("a count is not taken back from a window that was opened since a reset") {
    MovingDeployment box;
    for (const auto& limiter : moving_limiters()) {
        INFO(limiter.scheme);
        const auto key = box.key(limiter, "a");
        const auto op = "COUNT-" + limiter.scheme;
        box.change("increment", key, 5, op);
        box.server().command({"DEL", key});  // as a reset on another machine
        box.change("increment", key, 3);
        box.check_refused(op);
        CHECK(box.used(key) == 3);
        CHECK(box.row({"undo", op, "--force"}).at("status") == "applied");
        CHECK(box.used(key) == 0);
    }
}

TEST_CASE("windows are told apart however much was counted since, by what is stored, or by the journal") {
    MovingDeployment box;
    for (const auto& limiter : moving_limiters()) {
        INFO(limiter.scheme);
        const auto key = box.key(limiter, "a");
        const auto op = "COUNT-" + limiter.scheme;
        box.change("increment", key, 5, op);
        if (limiter.knows_its_windows) {
            box.server().command({"DEL", key});
        } else {
            REQUIRE(box.run({"reset", key}).code == 0);
        }
        box.change("increment", key, 8);
        box.check_refused(op);
        CHECK(box.used(key) == 8);
    }
}

TEST_CASE("a count is taken back from its window after a reset was taken back") {
    MovingDeployment box;
    for (const auto& limiter : moving_limiters()) {
        INFO(limiter.scheme);
        const auto key = box.key(limiter, "a");
        box.change("increment", key, 2);
        box.change("increment", key, 5, "COUNT-" + limiter.scheme);
        REQUIRE(box.run({"reset", key, "--op-id", "RESET-" + limiter.scheme}).code == 0);
        REQUIRE(box.run({"undo", "RESET-" + limiter.scheme}).code == 0);
        CHECK(box.row({"undo", "COUNT-" + limiter.scheme}).at("status") == "applied");
        CHECK(box.used(key) == 2);
    }
}

// They were counted again on top of what came since, or opened a window again that had been removed.
TEST_CASE("what was given back is not counted again after a reset") {
    MovingDeployment box;
    for (const auto& limiter : moving_limiters()) {
        INFO(limiter.scheme);
        const auto key = box.key(limiter, "a");
        const auto op = "GIVE-" + limiter.scheme;
        box.change("increment", key, 5);
        box.change("refund", key, 2, op);
        box.server().command({"DEL", key});
        box.check_refused(op);
        CHECK(box.count(key) == "0");
        box.change("increment", key, 2);
        box.check_refused(op);
        CHECK(box.used(key) == 2);
        CHECK(box.row({"undo", op, "--force"}).at("status") == "applied");
        CHECK(box.used(key) == 4);
    }
}

TEST_CASE("a count is taken back from beneath what others counted since") {
    MovingDeployment box;
    for (const auto& limiter : moving_limiters()) {
        INFO(limiter.scheme);
        const auto key = box.key(limiter, "a");
        const auto op = "COUNT-" + limiter.scheme;
        box.change("increment", key, 5, op);
        box.change("increment", key, 4);
        box.change("refund", key, 1, "GIVE-" + limiter.scheme);
        box.change("increment", key, 3);
        CHECK(box.row({"undo", "GIVE-" + limiter.scheme}).at("status") == "applied");
        for (const std::string dry : {"-n", "-y"}) CHECK(box.row({"undo", op, dry}).at("after_used") == 7);
        CHECK(box.used(key) == 7);
    }
}

// Each row is known by what it left, and what the first one left is more than there is once the last is taken back.
TEST_CASE("rows of one key whose end moves are taken back the last first") {
    MovingDeployment box;
    for (const auto& limiter : moving_limiters()) {
        INFO(limiter.scheme);
        const auto key = box.key(limiter, "a");
        box.change("increment", key, 2);
        const auto row = [&key](int amount) { return json{{"key", key}, {"amount", amount}}.dump() + "\n"; };
        for (const bool singly : {false, true}) {
            const auto op = (singly ? "SINGLE-" : "WHOLE-") + limiter.scheme;
            const auto made =
                box.run({"increment", "-", "-y", "--input", "ndjson", "--op-id", op}, row(5) + row(7) + row(4));
            INFO(made.err);
            REQUIRE(made.code == 0);
            std::vector<std::string> undo{"undo", op, "-y"};
            if (singly) undo = {"undo", op + "/1", op + "/2", op + "/3", "-y"};
            for (const auto& undone : box.rows(undo)) CHECK(undone.at("status") == "applied");
            CHECK(box.used(key) == 2);
        }
    }
}

// It was `below-zero`: fewer were used than when the window was looked at.
TEST_CASE("all that is used is given back however fast a limiter drains") {
    LimiterDeployment box(
        "[[deployments.box.policies]]\nname = \"fast\"\nkey = \"fast:{client}\"\nscheme = \"throttled\"\n"
        "limit = 1000000\nperiod = \"1s\"\nburst = 100000000\n");
    for (int i = 0; i < 5; ++i) {
        const auto key = "fast:" + std::to_string(i);
        box.server().command({"SET", key, std::to_string(seconds_from_now(60)) + "000000000", "EX", "60"});
        const auto row = box.rows({"refund", key, "--amount", "100%"}).at(0);
        CHECK(row.at("status") == "applied");
        CHECK((row.at("after_used").is_null() || row.at("after_used") == 0));
    }
}

// What a GCRA stores tells that requests were given back since, and what buckets store looks as if they were others'.
TEST_CASE("what was given back since is told apart from another window or refused as one") {
    MovingDeployment box;
    const auto& all = all_moving_limiters();
    for (const auto* scheme : {"throttled", "stripe"}) {
        INFO(scheme);
        const auto& limiter = *std::ranges::find(all, scheme, &MovingLimiter::scheme);
        const auto key = box.key(limiter, "a");
        const auto op = std::string("COUNT-") + scheme;
        box.change("increment", key, 3);
        box.change("increment", key, 5, op);
        box.change("refund", key, 2);
        if (!limiter.knows_its_windows) box.check_refused(op);
        CHECK(box.row({"undo", op, limiter.knows_its_windows ? "-y" : "--force"}).at("after_used") == 1);
    }
}

// Of sliding windows the key stays, and where nothing was there the words were others.
TEST_CASE("a dry run of an undo says what is left and why nothing is taken as the undo does") {
    MovingDeployment box;
    for (const auto& limiter : moving_limiters()) {
        INFO(limiter.scheme);
        const auto gone = box.key(limiter, "gone");
        box.change("increment", box.key(limiter, "there"), 5, "THERE-" + limiter.scheme);
        box.change("increment", gone, 5, "GONE-" + limiter.scheme);
        REQUIRE(box.run({"reset", gone, "--journal", box.box().file("other.db")}).code == 0);  // on another machine
        const auto dry = box.row({"undo", "THERE-" + limiter.scheme, "-n"});
        CHECK(dry.at("after_used") == box.row({"undo", "THERE-" + limiter.scheme}).at("after_used"));
        const auto refused = box.row({"undo", "GONE-" + limiter.scheme, "-n"});
        CHECK(refused.at("why_not") == box.row({"undo", "GONE-" + limiter.scheme}).at("why_not"));
    }
}

// What a bucket or a moment holds was read by the terms of now: 60 requests came back as 9,960, or as 6.
TEST_CASE("removed requests are added to newer ones only where both were counted under the same terms") {
    MovingDeployment box;
    const auto check = [&](const std::string& op, const std::string& key, const std::vector<std::string>& terms,
                           const std::string& status, int used) {
        INFO(op);
        for (const std::string how : {"-n", "-y"}) {
            std::vector<std::string> undo{"undo", op, "--merge", how};
            undo.insert(undo.end(), terms.begin(), terms.end());
            const auto row = box.row(undo);
            const bool merges = status == "applied";
            CHECK(row.at("status") == (merges && how == "-n" ? "planned" : status));
            if (!merges) CHECK(row.at("why_not") == "window-there");
            if (merges) CHECK(row.at("after_used") == used);
        }
        CHECK(box.used(key) == used);
    };
    const auto remove_and_count = [&](const std::string& op, const std::string& key, bool with_knobs = false) {
        box.change("increment", key, 60);
        std::vector<std::string> words{"reset", key, "-y", "--op-id", op};
        if (with_knobs) words = {"throttle", "delete", "c", "-y", "--op-id", op};
        REQUIRE(box.run(words).code == 0);
        box.change("increment", key, 7);
    };
    remove_and_count("SAME", "throttle:a");
    check("SAME", "throttle:a", {}, "applied", 67);

    remove_and_count("TURNED", "throttle:b");
    REQUIRE(box.run({"knobs", "set", "b", "rps=10", "burst=20", "window=50"}).code == 0);
    const auto turned = box.used("throttle:b");
    check("TURNED", "throttle:b", {}, "window-changed", static_cast<int>(turned));

    box.server().command({"HSET", "throttle:c:knobs", "rps", "10", "burst", "20", "window", "50"});
    remove_and_count("DELETED", "throttle:c", true);
    CHECK(box.row({"undo", "DELETED/1", "--merge", "-y"}).at("why_not") == "window-there");
    CHECK(box.used("throttle:c") == 7);

    for (const std::string name : {"rate", "token"}) {
        const auto key = name + ":a";
        const auto op = "TERMS-" + name;
        remove_and_count(op, key);
        check(op, key, {"--limit", "6", "--period", "1h", "--burst", "9999"}, "window-changed", 7);
        check(op, key, {}, "applied", 67);
    }
}

// They were taken back five thousand at a time, the first of them first: none of those was as its change had left it.
TEST_CASE("more rows of one key than are taken back together are taken back the last first") {
    LimiterDeployment box(
        "[[deployments.box.policies]]\nname = \"bucket\"\nkey = \"bucket:{client}\"\nscheme = \"upstash-token\"\n"
        "limit = 9999\nperiod = \"30d\"\nburst = 9999\n"
        "[[deployments.box.policies]]\nname = \"sliding\"\nkey = \"sliding:{client}:{bucket}\"\n"
        "scheme = \"upstash-sliding\"\nlimit = 9999\nperiod = \"30d\"\n");
    if (is_binary_sanitized()) return;  // two minutes
    constexpr int rows = 5003;
    const auto sliding = "sliding:a:" + std::to_string(seconds_from_now(0) / kMovingMonth);
    // The one by this machine's journal, the other by what the server has on record.
    for (const auto& [key, journal] :
         {std::pair<std::string, std::string>{"bucket:a", "here.db"}, {sliding, "new.db"}}) {
        std::string keys;
        for (int i = 0; i < rows; ++i) keys += key + "\n";
        const auto op = "many-" + key.substr(0, 6);
        const auto made =
            box.run({"increment", "-", "-q", "-y", "--op-id", op, "--journal", box.box().file("here.db")}, keys);
        INFO(made.err);
        REQUIRE(made.code == 0);
        const auto undone = box.run({"undo", op, "-q", "-y", "--journal", box.box().file(journal)});
        INFO(undone.err);
        CHECK(undone.code == 0);
        const auto used = box.rows({"check", key}).at(0).at("used");
        CHECK((used.is_null() || used == 0));
    }
}
