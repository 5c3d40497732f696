// kill -9 anywhere in a bulk reset: every window is untouched or recorded, the rest can be done, and all can be taken
// back.
#include "fault/killed_tool.h"

#include <thread>

#include "support/built_programs.h"

namespace ratectl::test {
namespace {

TEST_CASE("a bulk reset that is killed at one of many points accounts for every window") { try_points(101, 800, 10); }

TEST_CASE("a smaller reset that is killed at one of many points accounts for every window") {
    try_points(102, 500, 10);
}

TEST_CASE("a reset of ten thousand windows that is killed accounts for every window") {
    if (!is_binary_sanitized()) try_points(103, 10'000, 2);  // two minutes
}

TEST_CASE("a reset of chunks that overlap accounts for every window when it is killed") {
    if (!is_binary_sanitized()) try_points(104, 12'000, 1);  // two minutes
}

TEST_CASE("an undo while a killed reset is still on its way to the server never calls it undone") {
    KilledReset all(100);
    // The server knows the script, so that the first write is the call itself.
    REQUIRE(all.box.run({"increment", "core:elsewhere"}).code == 0);
    REQUIRE(all.box.run({"reset", "core:elsewhere"}).code == 0);
    const std::vector<std::string> reset{"reset", "-", "-y", "-q", "--op-id", "mine", "--timeout", "8s"};
    // It arrives long after the tool has died, but within the time it may take.
    const KillPoint point{KillPoint::At::held, 1, std::chrono::milliseconds(4000)};
    REQUIRE(all.kill_at(point, reset, all.keys_file()));
    const auto early = all.box.run({"undo", "mine", "-y", "-o", "ndjson"});
    INFO(early.err.substr(0, 1000));
    CHECK(early.code != 0);
    CHECK(all.is_as_it_was());
    std::this_thread::sleep_for(std::chrono::milliseconds(4400));
    CHECK_FALSE(all.is_as_it_was());
    all.check_account("mine", "arrived after an undo");
    all.check_taken_back("mine", "arrived after an undo", true);
}

}  // namespace
}  // namespace ratectl::test
