// What knobs alone make of a throttle: they are read as its limiter reads them, and one that they stop or break is
// found without a bucket, too.
#include <string>
#include <vector>

#include "cli/knobs_deployment.h"
#include "support/catch.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

void turn(KnobsDeployment& box, const std::string& rps, const std::string& burst, const std::string& window) {
    box.server().command({"HSET", "throttle:a:knobs", "rps", rps, "burst", burst, "window", window});
}

}  // namespace

// LimitLion takes them, and they were called corrupt.
TEST_CASE("knobs are the numbers that the limiter takes them for") {
    KnobsDeployment box;
    struct Texts {
        const char *rps, *burst, *window;
        int limit;
    };
    for (const auto& [rps, burst, window, limit] :
         {Texts{"+3", "1", "5", 15}, Texts{" 7", "1 ", "5.", 35}, Texts{"0x10", "1", "5", 80},
          Texts{"1e1", "+2", "0x5", 100}, Texts{"00000000000000000000000000002", "1", "5", 10},
          Texts{"0", "inf", "1e10", 0}}) {
        turn(box, rps, burst, window);
        INFO(rps << '/' << burst << '/' << window);
        const auto row = box.row({"throttle", "show", "a"});
        CHECK(row.at("state") == (limit == 0 ? "exhausted" : "absent"));
        CHECK(row.at("limit") == limit);
        CHECK(row.at("rps") == rps);
        CHECK(box.rows({"doctor"}).empty());
    }
    turn(box, "-1.0", "1", "nan");
    CHECK(box.row({"throttle", "show", "a"}).at("limit").is_null());
    CHECK(box.rows({"doctor"}).empty());
    // The others are left as they are.
    turn(box, "+3", "1.", " 5");
    CHECK(box.row({"knobs", "set", "a", "rps=4"}).at("status") == "applied");
    CHECK(box.knobs("a") == "rps 4 burst 1. window  5");
    CHECK(box.row({"increment", "throttle:a"}).at("after_used") == 1);
}

TEST_CASE("knobs by which the limiter fails or loses count are corrupt and it is said why") {
    KnobsDeployment box;
    struct Texts {
        const char *rps, *burst, *window, *why;
    };
    for (const auto& [rps, burst, window, why] :
         {Texts{"", "1", "5", "rps is no number, so every call of the limiter fails"},
          Texts{"0", "", "5", "burst is no number, so every call of the limiter fails"},
          Texts{"3f", "1", "5", "rps is no number"}, Texts{"inf", "1", "5", "rps is infinite, or NaN"},
          Texts{"nan", "1", "5", "rps is infinite, or NaN"}, Texts{"2", "inf", "5", "Redis refuses the TTL"},
          Texts{"2", "-0", "5", "Redis refuses the TTL"}, Texts{"1e-9", "1e16", "5", "Redis refuses the TTL"},
          Texts{"0", "1", "inf", "window is infinite"}, Texts{"1e20", "1", "5", "2^53"}}) {
        turn(box, rps, burst, window);
        INFO(rps << '/' << burst << '/' << window);
        CHECK(box.row({"check", "throttle:a"}).at("state") == "corrupt");
        const auto found = box.rows({"doctor"});
        REQUIRE(found.size() == 1);
        CHECK(contains(found.at(0).at("detail"), why));
    }
}

// The bucket was to be removed, which mended nothing; and without one the throttle was not found.
TEST_CASE("a throttle that its knobs break is found without a bucket and advised by its knobs") {
    KnobsDeployment box;
    turn(box, "many", "1", "5");
    box.tune("sound", "9");
    for (const bool has_bucket : {false, true}) {
        if (has_bucket) box.put("a", "3");
        const auto explained = box.run({"explain", "throttle:a"}).out;
        INFO(explained);
        CHECK(contains(explained, "knobs set a rps=N burst=N window=N`"));
        CHECK(contains(explained, "knobs unset a`"));
        CHECK_FALSE(contains(explained, "reset --state"));
        const auto found = box.rows({"doctor"});
        REQUIRE(found.size() == 1);
        CHECK(found.at(0).at("class") == "corrupt");
        CHECK(found.at(0).at("key") == "throttle:a");
        CHECK(contains(found.at(0).at("advice"), "ratectl knobs unset NAME"));
        const auto corrupt = box.rows({"scan", "--state", "corrupt"});
        REQUIRE(corrupt.size() == 1);
        CHECK(corrupt.at(0).at("key") == "throttle:a");
    }
    box.server().command({"DEL", "throttle:a:knobs", "throttle:a"});
    box.server().command({"SET", "throttle:a:knobs", "9"});
    CHECK(contains(box.run({"explain", "throttle:a"}).out, "no command of ratectl removes knobs of another type"));
    CHECK(box.rows({"doctor"}).size() == 1);
}

// It was `absent`, and passed over.
TEST_CASE("a stopped throttle without a bucket is found as exhausted") {
    KnobsDeployment box(2);
    std::vector<std::string> stopped;
    for (int i = 0; stopped.size() < 3; ++i) {
        const auto name = "t" + std::to_string(i);
        if (box.is_together(name)) stopped.push_back(name);
    }
    for (const auto& name : stopped) CHECK(box.row({"knobs", "stop", name}).at("status") == "applied");
    const auto running = stopped.back();
    stopped.pop_back();
    CHECK(box.row({"knobs", "set", running, "rps=9"}).at("status") == "applied");
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"scan", "--state", "exhausted"}, {"scan"}, {"scan", "throttle:t*"}}) {
        const auto found = box.rows(words);
        REQUIRE(found.size() == 2);
        for (const auto& row : found) {
            CHECK(row.at("state") == "exhausted");
            CHECK(row.at("limit") == 0);
            CHECK(row.at("limited") == true);
        }
    }
    CHECK(box.rows({"scan", "throttle:" + stopped.front()}).size() == 1);
    CHECK(box.rows({"scan", "--state", "closed"}).empty());
    CHECK(box.rows({"throttle", "list"}).size() == 3);
    CHECK(box.row({"check", "throttle:" + stopped.front(), "--state", "exhausted"}).at("state") == "exhausted");
    CHECK(box.run({"watch", "throttle:" + stopped.front(), "--until", "exhausted", "--every", "100ms", "--deadline",
                   "5s"})
              .code == 0);
    const auto watched = box.run({"watch", "--match", "throttle:" + stopped.front() + "*", "--until", "exhausted",
                                  "--every", "100ms", "--deadline", "5s"});
    INFO(watched.out << watched.err);
    CHECK(watched.code == 0);
    CHECK(contains(watched.err, "1 window watched"));
    // Nothing of it can be removed.
    CHECK(box.run({"reset", "throttle:" + stopped.front()}).code == 1);
}
