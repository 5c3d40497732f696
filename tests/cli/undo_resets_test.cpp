// What a reset removed comes back exactly: bytes, expiries to the millisecond, halves that were alone, TTLs that were
// missing.
#include "cli/recorded_box.h"

using namespace ratectl::test;

TEST_CASE("undo puts values expiries and the millisecond of the TTL back") {
    RecordedBox box;
    const auto end = seconds_from_now(1000);
    box.set_half("core:1", "41", end * 1000 + 1017);
    box.set_half("core:1:exp", std::to_string(end), end * 1000 + 1018);
    const auto before = box.halves_of("core:1");
    const auto op = box.change({"reset", "core:1"});
    CHECK(box.halves() == "0");
    const auto undone = box.rows({"undo", op});
    REQUIRE(undone.size() == 1);
    CHECK(undone[0].at("status") == "applied");
    CHECK(undone[0].at("op") == "undo");
    CHECK(undone[0].at("before_used").is_null());
    CHECK(undone[0].at("after_used") == 41);
    CHECK(undone[0].at("reset_at") == end);
    CHECK(box.halves_of("core:1") == before);
}

TEST_CASE("undo restores orphans leaks and values that are no numbers as they were") {
    RecordedBox box;
    const auto end = seconds_from_now(1000);
    box.set_half("core:counter", "5", end * 1000 + 7);
    box.set_half("core:expiry:exp", std::to_string(end), end * 1000 + 8);
    box.set_half("core:leaked", "17", 0);
    box.set_half("core:leaked:exp", std::to_string(end), 0);
    box.set_half("core:text", std::string("a\0b\xFF\n", 5), end * 1000 + 9);
    box.set_half("core:text:exp", "soon", 0);
    box.set_half("core:empty", "", end * 1000 + 10);
    box.set_half("core:huge", "99999999999999999999999", 0);
    box.set_half("core:huge:exp", std::to_string(end), end * 1000 + 11);
    const std::vector<std::string> keys = {"core:counter", "core:expiry", "core:leaked",
                                           "core:text",    "core:empty",  "core:huge"};
    std::vector<std::string> before;
    for (const auto& key : keys) before.push_back(box.halves_of(key));
    std::vector<std::string> reset = {"reset"};
    reset.insert(reset.end(), keys.begin(), keys.end());
    const auto op = box.change(reset);
    CHECK(box.halves() == "0");
    for (const auto& row : box.rows({"undo", op})) CHECK(row.at("status") == "applied");
    for (std::size_t i = 0; i < keys.size(); ++i) {
        INFO(keys[i]);
        CHECK(box.halves_of(keys[i]) == before[i]);
    }
}

TEST_CASE("undo leaves a newer window alone and says what is there") {
    RecordedBox box;
    box.set_window("core:1", "41", seconds_from_now(1000));
    const auto op = box.change({"reset", "core:1"});
    const auto newer = seconds_from_now(3000);
    box.set_window("core:1", "3", newer);
    const auto there = box.halves_of("core:1");
    const auto refused = box.rows({"undo", op}, 7);
    REQUIRE(refused.size() == 1);
    CHECK(refused[0].at("status") == "window-changed");
    CHECK(refused[0].at("reason") == "window-there");
    CHECK(refused[0].at("before_used") == 3);
    CHECK(refused[0].at("before_reset_at") == newer);
    CHECK(box.halves_of("core:1") == there);
}

TEST_CASE("a merge leaves what would be there had nobody removed the window") {
    RecordedBox box;
    const auto end = seconds_from_now(1000);
    box.set_half("core:1", "41", end * 1000 + 1017);
    box.set_half("core:1:exp", std::to_string(end), end * 1000 + 1018);
    const auto op = box.change({"reset", "core:1"});
    box.set_window("core:1", "3", seconds_from_now(3000));
    const auto merged = box.rows({"undo", op, "--merge"});
    REQUIRE(merged.size() == 1);
    CHECK(merged[0].at("status") == "applied");
    CHECK(merged[0].at("before_used") == 3);
    CHECK(merged[0].at("after_used") == 44);
    box.set_half("core:same", "44", end * 1000 + 1017);
    box.set_half("core:same:exp", std::to_string(end), end * 1000 + 1018);
    CHECK(box.halves_of("core:1") == box.halves_of("core:same"));
}

TEST_CASE("a window that is over is not put back, merged or not") {
    RecordedBox box;
    const auto end = seconds_from_now(1000);
    box.set_window("core:1", "41", end);
    const auto op = box.change({"reset", "core:1"});
    const std::string later = std::to_string(end + 1);
    for (const std::string flag : {"--no-input", "--merge"}) {
        const auto refused = box.rows({"undo", op, flag, "--now", later}, 7);
        REQUIRE(refused.size() == 1);
        CHECK(refused[0].at("reason") == "closed");
    }
    CHECK(box.halves() == "0");
    CHECK(box.rows({"undo", op, "--now", std::to_string(end)}).at(0).at("status") == "applied");
}

TEST_CASE("a second undo says that it is done and writes nothing") {
    RecordedBox box;
    box.set_window("core:1", "41", seconds_from_now(1000));
    const auto op = box.change({"reset", "core:1"});
    CHECK(box.rows({"undo", op}).at(0).at("status") == "applied");
    box.server().command({"INCR", "core:1"});
    const auto again = box.rows({"undo", op});
    CHECK(again.at(0).at("status") == "already-applied");
    CHECK(again.at(0).at("reason") == "already-undone");
    CHECK(box.used("core:1") == "42");
}

TEST_CASE("another machine can take a reset back and both know that it is done") {
    RecordedBox box("writes = \"allow\"", 2);
    std::vector<std::string> reset = {"reset"};
    for (int i = 0; i < 20; ++i) {
        reset.push_back(RecordedBox::spread_key(i));
        REQUIRE(box.run({"increment", reset.back(), "--amount", std::to_string(i + 1)}).code == 0);
    }
    const auto op = box.change(reset);
    const auto undone = box.rows({"undo", op}, 0, box.elsewhere());
    CHECK(undone.size() == 20);
    for (const auto& row : undone) CHECK(row.at("status") == "applied");
    for (int i = 0; i < 20; ++i) {
        const auto check =
            box.run({"check", RecordedBox::spread_key(i), "-o", "csv", "--no-header", "--columns", "used"});
        CHECK(check.out == std::to_string(i + 1) + "\n");
    }
    for (const auto& row : box.rows({"undo", op})) CHECK(row.at("reason") == "already-undone");
}

TEST_CASE("rows are taken back one by one and the rest later") {
    RecordedBox box;
    for (const std::string key : {"core:1", "core:2", "core:3"}) box.set_window(key, "7", seconds_from_now(1000));
    const auto op = box.change({"reset", "core:1", "core:2", "core:3"});
    const auto first = box.rows({"undo", op + "/2"});
    REQUIRE(first.size() == 1);
    CHECK(first[0].at("key") == "core:2");
    CHECK(box.used("core:1") == "(nil)");
    CHECK(box.used("core:2") == "7");
    const auto rest = box.rows({"undo", op});
    REQUIRE(rest.size() == 3);
    CHECK(rest[0].at("status") == "applied");
    CHECK(rest[1].at("reason") == "already-undone");
    CHECK(rest[2].at("status") == "applied");
    CHECK(box.run({"undo", op + "/4"}).code == 1);
}

TEST_CASE("what an undo had to refuse can be merged afterwards and the rest is not written twice") {
    RecordedBox box;
    for (const std::string key : {"core:1", "core:2"}) box.set_window(key, "7", seconds_from_now(1000));
    const auto op = box.change({"reset", "core:1", "core:2"});
    box.set_window("core:1", "1", seconds_from_now(1000));
    CHECK(box.rows({"undo", op}, 9).at(0).at("reason") == "window-there");
    box.server().command({"INCR", "core:2"});
    const auto merged = box.rows({"undo", op, "--merge"});
    CHECK(merged.at(0).at("after_used") == 8);
    CHECK(merged.at(1).at("reason") == "already-undone");
    CHECK(box.used("core:1") == "8");
    CHECK(box.used("core:2") == "8");
}

TEST_CASE("a dry undo shows what would stand there and writes nothing") {
    RecordedBox box;
    for (const std::string key : {"core:1", "core:2"}) box.set_window(key, "7", seconds_from_now(1000));
    const auto op = box.change({"reset", "core:1", "core:2"});
    box.set_window("core:2", "1", seconds_from_now(1000));
    const auto planned = box.rows({"undo", op, "-n", "--merge"});
    CHECK(planned.at(0).at("status") == "planned");
    CHECK(planned.at(0).at("after_used") == 7);
    CHECK(planned.at(1).at("after_used") == 8);
    CHECK(box.rows({"undo", op, "-n"}, 9).at(1).at("reason") == "window-there");
    CHECK(box.used("core:1") == "(nil)");
    CHECK(box.newest() == op);
}

TEST_CASE("an undo of thousands of windows gives every one of them back") {
    RecordedBox box;
    const auto end = std::to_string(seconds_from_now(1000));
    box.server().command({"EVAL",
                          "for i = 1, 7000 do redis.call('SET', 'core:' .. i, i, 'EX', 1001) "
                          "redis.call('SET', 'core:' .. i .. ':exp', ARGV[1], 'EX', 1001) end",
                          "0", end});
    REQUIRE(box.run({"reset", "--match", "core:*", "-o", "name"}).code == 0);
    CHECK(box.halves() == "0");
    const auto undone = box.run({"undo", box.newest(), "-o", "ndjson", "--columns", "status"});
    INFO(undone.err);
    CHECK(undone.code == 0);
    CHECK(contains(undone.err, "7000 applied"));
    CHECK(box.halves() == "14000");
    CHECK(box.used("core:6999") == "6999");
}

TEST_CASE("a window that expires later than any exact millisecond is removed and put back") {
    RecordedBox box;
    const auto reset_at = std::to_string(seconds_from_now(1000));
    box.set_half("core:1", "7", 9223372036854775807);
    box.set_half("core:1:exp", reset_at, 9200000000000000000);
    const auto op = box.change({"reset", "core:1"});
    CHECK(box.rows({"undo", op}).at(0).at("status") == "applied");
    CHECK(box.halves_of("core:1") == "string=7@9007199254740991 string=" + reset_at + "@9007199254740991 ");
}
