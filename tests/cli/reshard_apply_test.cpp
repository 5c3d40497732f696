// Windows on their way to a new set of shards: exact, complete, resumable, and only with consent.
#include "cli/printed_rows.h"
#include "cli/reshard_box.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// Each window stands on the new home alone and is, to the millisecond, what it was.
void check_moved(ReshardBox& box, const std::map<std::string, std::map<std::size_t, Standing>>& before) {
    const auto after = box.windows();
    CHECK(after.size() == before.size());
    std::size_t wrong = 0;
    for (const auto& [key, places] : before) {
        const auto found = after.find(key);
        const bool right = found != after.end() && found->second.size() == 1 &&
                           found->second.begin()->first == ReshardBox::home(key, 4) &&
                           found->second.begin()->second == places.begin()->second;
        if (!right && ++wrong < 5) UNSCOPED_INFO(key << (found == after.end() ? " is gone" : " is not as it was"));
    }
    CHECK(wrong == 0);
}

std::string reset_text() { return std::to_string(seconds_from_now(3000)); }

}  // namespace

TEST_CASE("three shards become four and every window is there once and as it was") {
    ReshardBox box;
    box.fill(3000, seconds_from_now(2000));
    box.server(ReshardBox::home("core:leaked", 3)).command({"SET", "core:leaked", "7"});
    box.server(ReshardBox::home("core:leaked", 3)).command({"SET", "core:leaked:exp", reset_text()});
    const auto before = box.windows();
    REQUIRE(before.size() == 3001);
    const auto result = box.apply({"-o", "ndjson"});
    INFO(result.err);
    CHECK(result.code == 0);
    std::size_t expected = 0;
    for (const auto& [key, places] : before) expected += ReshardBox::home(key, 3) == ReshardBox::home(key, 4) ? 0 : 1;
    CHECK(expected > 600);
    CHECK(expected < 900);
    const auto rows = key_rows(result);
    CHECK(rows.size() == expected);
    for (const auto& row : rows) {
        CHECK(row.at("status") == "applied");
        CHECK(row.at("copies") == 1);
    }
    CHECK(contains(result.err, std::to_string(expected) + " applied"));
    check_moved(box, before);

    const auto again = box.apply();
    CHECK(again.code == 1);
    CHECK(contains(again.err, "nothing has to move"));
    check_moved(box, before);
}

TEST_CASE("what is moved is recorded as a copy and a removal under one operation") {
    ReshardBox box;
    box.fill(40, seconds_from_now(2000));
    const auto moved = key_rows(box.apply({"-o", "ndjson", "--op-id", "FOURTH", "--reason", "more room"})).size();
    REQUIRE(moved > 0);
    const auto history = box.run({"history", "-o", "ndjson", "-c", box.file("four")});
    std::map<std::string, std::size_t> entries;
    for (const auto& row : key_rows(history)) {
        const std::string op = row.at("op");
        ++entries[op.substr(0, op.find('/'))];
        CHECK(row.at("reason_text") == "more room");
        CHECK(row.at("command") == "reshard apply");
    }
    CHECK(entries["FOURTH-copy"] == moved);
    CHECK(entries["FOURTH-remove"] == moved);
    CHECK(box.apply({"--op-id", "FOURTH"}).code == 1);  // nothing is left
    REQUIRE(box.run({"increment", "core:0", "--op-id", "OTHER-remove", "-y", "-c", box.file("three")}).code == 0);
    const auto other = box.apply({"--op-id", "OTHER"});
    CHECK(other.code == 7);
    CHECK(contains(other.err, "has been used for something else"));
}

TEST_CASE("windows that are over or broken stay and are counted unless their state is named") {
    ReshardBox box;
    std::vector<std::string> movers;
    for (int i = 0; movers.size() < 5; ++i) {
        const auto key = "core:m" + std::to_string(i);
        if (ReshardBox::home(key, 3) != ReshardBox::home(key, 4)) movers.push_back(key);
    }
    const auto source = [&](const std::string& key) -> RedisServer& { return box.server(ReshardBox::home(key, 3)); };
    box.put(movers[0], "5", seconds_from_now(1000));
    source(movers[1]).command({"SET", movers[1], "3"});
    source(movers[1]).command({"SET", movers[1] + ":exp", std::to_string(seconds_from_now(-10))});
    source(movers[2]).command({"SET", movers[2] + ":exp", reset_text()});
    source(movers[3]).command({"SET", movers[3], "many"});
    source(movers[3]).command({"SET", movers[3] + ":exp", reset_text()});
    box.put(movers[4], "8", seconds_from_now(1000), static_cast<int>((ReshardBox::home(movers[4], 3) + 1) % 3));
    const auto before = box.windows();
    const auto result = box.apply();
    INFO(result.err);
    CHECK(result.code == 0);
    CHECK(contains(result.err, "left behind: 1 closed, 1 orphan, 1 corrupt, 1 misplaced"));
    auto after = box.windows();
    CHECK(after[movers[0]].begin()->first == ReshardBox::home(movers[0], 4));
    for (int i = 1; i < 5; ++i) CHECK(after[movers[i]] == before.at(movers[i]));

    CHECK(box.apply({"--state", "orphan-expiry,corrupt"}).code == 0);
    after = box.windows();
    for (const int i : {2, 3}) {
        REQUIRE(after[movers[i]].size() == 1);
        CHECK(after[movers[i]].begin()->first == ReshardBox::home(movers[i], 4));
        CHECK(after[movers[i]].begin()->second == before.at(movers[i]).begin()->second);
    }
    CHECK(after[movers[1]] == before.at(movers[1]));
}

TEST_CASE("another window at the target is left and so is the one at the source") {
    ReshardBox box;
    std::string key = "core:0";
    for (int i = 1; ReshardBox::home(key, 3) == ReshardBox::home(key, 4); ++i) key = "core:" + std::to_string(i);
    const auto target = static_cast<int>(ReshardBox::home(key, 4));
    box.put(key, "40", seconds_from_now(1000));
    box.put(key, "2", seconds_from_now(2000), target);
    const auto before = box.windows();
    const auto result = box.apply({"-o", "ndjson"});
    const auto rows = key_rows(result);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].at("status") == "skipped");
    CHECK(rows[0].at("reason") == "window-there");
    CHECK(contains(result.err, "1 of the skipped found another window there"));
    CHECK(box.windows() == before);

    // The very same window is a copy that was verified by the run that made it: only the source goes.
    box.put(key, "40", seconds_from_now(1000), target);
    box.put(key, "40", seconds_from_now(1000));
    CHECK(box.apply().code == 0);
    const auto after = box.windows();
    REQUIRE(after.at(key).size() == 1);
    CHECK(after.at(key).begin()->first == static_cast<std::size_t>(target));
}

// The application that still asks the old deployment opens a new window where the moved one stood: the moved one is no
// stale copy.
TEST_CASE("a window that is counted anew at the old place costs the moved one nothing") {
    ReshardBox box;
    std::string moving = "core:1";
    for (int i = 2; ReshardBox::home(moving, 3) == ReshardBox::home(moving, 4); ++i)
        moving = "core:" + std::to_string(i);
    const auto reset_at = seconds_from_now(2000);
    box.put(moving, "8", reset_at);
    REQUIRE(box.apply().code == 0);
    const std::pair<std::string, std::int64_t> newer[] = {{"1", reset_at + 500}, {"1", reset_at}, {"9", reset_at}};
    for (const auto& [used, ends] : newer) {
        box.put(moving, used, ends);
        const auto before = box.windows();
        REQUIRE(before.at(moving).size() == 2);
        const auto again = box.apply({"-o", "ndjson"});
        INFO(again.out << again.err);
        CHECK(key_rows(again).at(0).at("reason") == "window-there");
        CHECK(box.windows() == before);
    }
}

// Each was taken for another window as soon as the same keys had been moved before, and both stood for good.
TEST_CASE("a copy that is there already counts as copied however often its window was moved before") {
    ReshardBox box;
    box.fill(120, seconds_from_now(2000));
    const auto before = box.windows();
    REQUIRE(box.apply().code == 0);
    const auto moved = box.windows();
    REQUIRE(box.run({"reshard", "apply", box.file("four"), box.file("three")}).code == 0);
    REQUIRE(box.windows() == before);
    // As a run that is killed between copying and removing leaves them.
    for (const auto& [key, places] : before) {
        const auto& window = places.begin()->second;
        box.put(key, window.used, std::stoll(window.reset_at), static_cast<int>(ReshardBox::home(key, 4)));
    }
    REQUIRE(box.windows() != moved);
    const auto resumed = box.apply();
    INFO(resumed.err);
    CHECK(resumed.code == 0);
    CHECK_FALSE(contains(resumed.err, "skipped"));
    CHECK(box.windows() == moved);
    check_moved(box, before);
}

// Putting back what a reshard removed, while its copy stands elsewhere, makes two windows of one.
TEST_CASE("a reshard is taken back by a reshard and not by an undo of its removals") {
    ReshardBox box;
    box.fill(120, seconds_from_now(2000));
    REQUIRE(box.apply({"--op-id", "RS1"}).code == 0);
    const auto moved = box.windows();
    const auto refused = [&](const char* operation, const char* deployment, const char* why) {
        for (const bool elsewhere : {false, true}) {
            std::vector<std::string> words{"undo", operation, "-y", "-c", box.file(deployment)};
            if (elsewhere) words.insert(words.end(), {"--journal", box.file("elsewhere")});
            const auto result = box.run(words);
            INFO(operation << (elsewhere ? " of another machine: " : ": ") << result.err);
            CHECK(result.code == 7);
            CHECK(contains(result.err, why));
            CHECK(contains(result.err, "nothing was written"));
            CHECK(contains(result.err, "`ratectl reshard apply TO FROM`"));
        }
    };
    refused("RS1-remove", "three", "would leave two windows of one key");
    refused("RS1-copy", "four", "a reshard's copies");
    refused("RS1", "four", "is a reshard");
    refused("RS1", "three", "is a reshard");
    CHECK(box.windows() == moved);
    CHECK(box.run({"undo", "RS1-remove", "-y", "--force", "-c", box.file("three")}).code == 0);
    CHECK(box.windows() != moved);
}

TEST_CASE("a reshard that was cut short under a given id goes on under it") {
    ReshardBox box;
    box.fill(300, seconds_from_now(2000));
    REQUIRE(box.apply().code == 0);
    const auto back = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"reshard", "apply", box.file("four"), box.file("three")});
        return box.run(more);
    };
    box.server(1).kill();
    const auto cut = back({"--op-id", "RS2"});
    INFO(cut.err);
    CHECK(cut.code != 0);
    CHECK(contains(cut.err, "applied"));
    CHECK(contains(cut.err, "what is left is moved by the same command again"));
    box.server(1).start_again();
    const auto rest = back({"--op-id", "RS2", "-o", "ndjson"});
    CHECK(rest.code == 0);
    const auto history = box.run({"history", "RS2-again-remove", "-o", "ndjson", "-c", box.file("four")});
    CHECK(key_rows(history).size() == key_rows(rest).size());
    CHECK(back({"--op-id", "RS2"}).code == 1);
}

// -q printed every row.
TEST_CASE("a reshard prints no rows under -q unless -o asks for them") {
    ReshardBox box;
    box.fill(60, seconds_from_now(2000));
    CHECK(box.apply({"-q", "-n"}).out.empty());
    CHECK_FALSE(key_rows(box.apply({"-q", "-n", "-o", "ndjson"})).empty());
    const auto moved = box.apply({"-q"});
    CHECK(moved.code == 0);
    CHECK(moved.out.empty());
}

TEST_CASE("a dry run of a reshard writes nothing and says what would come of it") {
    ReshardBox box("writes = \"deny\"");
    box.fill(200, seconds_from_now(2000));
    const auto before = box.windows();
    const auto result = box.apply({"-n", "-o", "ndjson"});
    CHECK(result.code == 0);
    for (const auto& row : key_rows(result)) CHECK(row.at("status") == "planned");
    CHECK(key_rows(result).size() > 20);
    CHECK(box.windows() == before);
}

TEST_CASE("either deployment can forbid a reshard and both are named in the question") {
    ReshardBox box("writes = \"confirm\"\nmax_keys = 1000");
    box.fill(200, seconds_from_now(2000));
    const auto before = box.windows();
    const auto unasked = box.apply();
    CHECK(unasked.code == 7);
    CHECK(contains(unasked.err, "move to deployment 'four'"));
    CHECK(contains(unasked.err, "of deployment 'three'"));
    CHECK(contains(unasked.err, "-y"));
    CHECK(box.apply({"-y", "--max-keys", "5"}).code == 7);
    CHECK(box.apply({"-y", "--read-only"}).code == 7);
    box.write("four", 4, "writes = \"deny\"");
    const auto denied = box.apply({"-y"});
    CHECK(denied.code == 7);
    CHECK(contains(denied.err, "deployment 'four' is configured with writes = \"deny\""));
    box.write("four", 4, "writes = \"allow\"\nrequire_reason = true");
    CHECK(box.apply({"-y"}).code == 7);
    CHECK(box.windows() == before);
    CHECK(box.apply({"-y", "--reason", "more room"}).code == 0);
    check_moved(box, before);
}

TEST_CASE("a target that is gone is said once in a dry run") {
    ReshardBox box;
    box.fill(60, seconds_from_now(2000));
    box.server(3).kill();
    const auto result = box.apply({"-n"});
    INFO(result.err);
    CHECK(result.code != 0);
    const auto address = box.server(3).endpoint().address();
    CHECK(result.err.find(address) != std::string::npos);
    CHECK(result.err.find(address) == result.err.rfind(address));
}

TEST_CASE("a target that is gone costs only the windows that go there") {
    ReshardBox box;
    box.fill(300, seconds_from_now(2000));
    const auto before = box.windows();
    box.server(3).kill();
    const auto result = box.apply({"-o", "ndjson"});
    CHECK(result.code == 4);
    CHECK(key_rows(result).size() > 30);
    for (const auto& row : key_rows(result)) CHECK(row.at("status") == "failed");
    box.server(3).start_again();
    CHECK(box.windows() == before);
    CHECK(box.apply().code == 0);
    check_moved(box, before);
}
