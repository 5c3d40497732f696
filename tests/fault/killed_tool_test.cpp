// kill -9 anywhere in a bulk reset: every window is untouched or recorded, the rest can be done, and all can be taken back.
#include "fault/killed_tool.h"

#include <thread>

namespace ratectl::test {
namespace {

using std::chrono::microseconds;

KillPoint random_point(std::mt19937_64& dice, std::uint64_t writes, microseconds whole) {
    KillPoint point;
    point.at = static_cast<KillPoint::At>(dice() % 5);
    point.write = 1 + dice() % writes;
    const auto span = point.at == KillPoint::At::moment ? whole : microseconds(4000);
    point.wait = microseconds(dice() % static_cast<std::uint64_t>(span.count()));
    return point;
}

/// A run that is killed, looked at, half of the times finished, and taken back.
void try_apply(KilledReset& all, const KillPoint& point, bool finishes) {
    const auto operation = all.make_plan();
    const std::vector<std::string> apply{"apply", all.plan_file(), "-y", "-q", "-o", "ndjson", "--timeout", "2s"};
    const bool killed = all.kill_at(point, apply);
    const auto words = "apply " + point.shown() + (killed ? "" : ", too late");
    all.check_account(operation, words);
    if (finishes) all.check_finished(all.box.run(apply), words + ", run again");
    all.check_taken_back(operation, words, finishes);
}

void try_stream(KilledReset& all, const KillPoint& point, bool finishes, const std::string& operation) {
    const std::vector<std::string> reset{"reset",  "-",       "-y",      "-q",        "-o",
                                         "ndjson", "--op-id", operation, "--timeout", "2s"};
    const bool killed = all.kill_at(point, reset, all.keys_file());
    const auto words = "reset " + point.shown() + (killed ? "" : ", too late");
    all.check_account(operation, words);
    if (finishes) {
        RunOptions options;
        std::ifstream keys(all.keys_file());
        options.input.assign(std::istreambuf_iterator<char>(keys), {});
        all.check_finished(all.box.run(reset, options), words + ", run again");
    }
    all.check_taken_back(operation, words, finishes);
}

void try_points(std::uint64_t seed, std::size_t windows, int points) {
    INFO("seed " << seed);
    KilledReset all(windows);
    std::mt19937_64 dice(seed);
    const auto operation = all.make_plan();
    const auto whole = all.duration({"apply", all.plan_file(), "-y", "-q"});
    all.check_taken_back(operation, "nobody was killed", true);
    for (int i = 0; i < points; ++i) {
        const auto point = random_point(dice, windows / 100 + 4, whole);
        if (i % 2 == 0) {
            try_apply(all, point, i % 4 == 0);
        } else {
            try_stream(all, point, i % 4 == 1, "stream" + std::to_string(i));
        }
    }
}

TEST_CASE("a bulk reset that is killed at one of many points accounts for every window") { try_points(101, 800, 28); }

TEST_CASE("a smaller reset that is killed at one of many points accounts for every window") {
    try_points(102, 500, 26);
}

TEST_CASE("a reset of ten thousand windows that is killed accounts for every window") { try_points(103, 10'000, 3); }

TEST_CASE("an undo while a killed reset is still on its way to the server never calls it undone") {
    KilledReset all(100);
    // The server knows the script, so that the first write is the call itself.
    REQUIRE(all.box.run({"increment", "core:elsewhere"}).code == 0);
    REQUIRE(all.box.run({"reset", "core:elsewhere"}).code == 0);
    const std::vector<std::string> reset{"reset", "-", "-y", "-q", "--op-id", "mine", "--timeout", "3s"};
    // It arrives long after the tool has died, but within the time it may take.
    const KillPoint point{KillPoint::At::held, 1, std::chrono::milliseconds(900)};
    REQUIRE(all.kill_at(point, reset, all.keys_file()));
    const auto early = all.box.run({"undo", "mine", "-y", "-o", "ndjson"});
    INFO(early.err.substr(0, 1000));
    CHECK(early.code != 0);
    CHECK(all.is_as_it_was());
    std::this_thread::sleep_for(std::chrono::milliseconds(1300));
    CHECK_FALSE(all.is_as_it_was());
    all.check_account("mine", "arrived after an undo");
    all.check_taken_back("mine", "arrived after an undo", true);
}

}  // namespace
}  // namespace ratectl::test
