// Increments and refunds are taken back in the window that they changed, once, and in no other.
#include "cli/recorded_box.h"
#include "support/time.h"
#include "support/time_text.h"

using namespace ratectl::test;

TEST_CASE("an increment is given back in its window once") {
    RecordedBox box;
    box.set_window("core:1", "10", seconds_from_now(1000));
    const auto op = box.change({"increment", "core:1", "--amount", "5"});
    box.server().command({"INCR", "core:1"});
    const auto undone = box.rows({"undo", op});
    CHECK(undone.at(0).at("status") == "applied");
    CHECK(undone.at(0).at("before_used") == 16);
    CHECK(undone.at(0).at("after_used") == 11);
    CHECK(undone.at(0).at("amount") == 5);
    CHECK(box.rows({"undo", op}).at(0).at("reason") == "already-undone");
    CHECK(box.rows({"undo", op}, 0, box.elsewhere()).at(0).at("reason") == "already-undone");
    CHECK(box.used("core:1") == "11");
}

TEST_CASE("another machine gives an increment back and the first one knows") {
    RecordedBox box;
    box.set_window("core:1", "10", seconds_from_now(1000));
    const auto op = box.change({"increment", "core:1", "--amount", "5"});
    CHECK(box.rows({"undo", op}, 0, box.elsewhere()).at(0).at("after_used") == 10);
    CHECK(box.rows({"undo", op}).at(0).at("reason") == "already-undone");
    CHECK(box.rows({"undo", op + "/1"}).at(0).at("reason") == "already-undone");
    CHECK(box.used("core:1") == "10");
}

TEST_CASE("a refund is counted again in its window with what was really given back") {
    RecordedBox box;
    box.set_window("core:1", "10", seconds_from_now(1000));
    const auto op = box.change({"refund", "core:1", "--amount", "25", "--clamp"});
    CHECK(box.used("core:1") == "0");
    const auto before = box.halves_of("core:1");
    const auto undone = box.rows({"undo", op});
    CHECK(undone.at(0).at("status") == "applied");
    CHECK(undone.at(0).at("amount") == 10);
    CHECK(box.used("core:1") == "10");
    box.server().command({"DECRBY", "core:1", "10"});
    CHECK(box.halves_of("core:1") == before);  // the TTL was not touched
    CHECK(box.rows({"undo", op}).at(0).at("reason") == "already-undone");
}

TEST_CASE("requests are taken back in no other window than theirs") {
    RecordedBox box;
    const auto end = seconds_from_now(1000);
    for (const std::string key : {"core:1", "core:2"}) box.set_window(key, "10", end);
    const auto counted = box.change({"increment", "core:1"});
    const auto refunded = box.change({"refund", "core:2", "--amount", "4"});
    for (const std::string key : {"core:1", "core:2"}) box.set_window(key, "2", seconds_from_now(2000));
    for (const auto& op : {counted, refunded}) {
        const auto refused = box.rows({"undo", op}, 7);
        CHECK(refused.at(0).at("status") == "window-changed");
        CHECK(box.rows({"undo", op, "-n"}, 7).at(0).at("status") == "window-changed");
        // Which window it was could be read in history alone.
        for (const char* how : {"-n", "-y"}) {
            const auto told = box.run({"undo", op, how}).err;
            CHECK(contains(told, "hint: the window that was changed ends at " +
                                     ratectl::support::format_time(ratectl::support::from_epoch(end))));
        }
    }
    CHECK(box.used("core:1") == "2");
    CHECK(box.used("core:2") == "2");
}

TEST_CASE("an increment is not taken below zero") {
    RecordedBox box;
    box.set_window("core:1", "10", seconds_from_now(1000));
    const auto op = box.change({"increment", "core:1", "--amount", "20"});
    box.server().command({"DECRBY", "core:1", "25"});
    CHECK(box.rows({"undo", op, "-n"}, 7).at(0).at("reason") == "below-zero");
    CHECK(box.rows({"undo", op}, 7).at(0).at("reason") == "below-zero");
    CHECK(box.used("core:1") == "5");
    // --clamp was the hint, which undo does not have.
    for (const std::string dry : {"-n", "-y"})
        CHECK(contains(box.run({"undo", op, dry}).err, "hint: `ratectl refund KEY --amount N --clamp`"));
    CHECK(contains(box.run({"refund", "core:1", "--amount", "50"}).err, "hint: --clamp takes what is there"));
    box.server().command({"DEL", "core:1", "core:1:exp"});
    const auto gone = box.run({"undo", op});
    CHECK(gone.code == 7);
    CHECK(contains(gone.err, "there is no open window"));
    CHECK_FALSE(contains(gone.err, "guard"));
}

TEST_CASE("one key counted twice in one command is given back twice") {
    RecordedBox box;
    box.set_window("core:1", "10", seconds_from_now(1000));
    const auto result = box.run_with_input({"increment", "-", "-y", "--input", "ndjson"},
                                           "{\"key\":\"core:1\",\"amount\":5}\n{\"key\":\"core:1\",\"amount\":7}\n");
    REQUIRE(result.code == 0);
    CHECK(box.used("core:1") == "22");
    const auto op = box.newest();
    CHECK(box.rows({"undo", op + "/2"}).at(0).at("after_used") == 15);
    const auto rest = box.rows({"undo", op});
    CHECK(rest.at(0).at("after_used") == 10);
    CHECK(rest.at(1).at("reason") == "already-undone");
    CHECK(box.used("core:1") == "10");
}

// The undo of an increment that had opened a window left it open with nothing in it.
TEST_CASE("an increment that opened a window is undone by removing it where nothing else was counted") {
    RecordedBox box;
    const auto op = box.change({"increment", "core:1", "--amount", "5"});
    CHECK(box.halves() == "2");
    CHECK(box.rows({"undo", op, "-n"}).at(0).at("after_used").is_null());
    const auto undone = box.rows({"undo", op}).at(0);
    CHECK(undone.at("status") == "applied");
    CHECK(undone.at("before_used") == 5);
    CHECK(undone.at("after_used").is_null());
    CHECK(undone.at("after_reset_at").is_null());
    CHECK(box.halves() == "0");
    CHECK(box.rows({"undo", op}).at(0).at("reason") == "already-undone");
    CHECK(box.rows({"undo", op}, 0, box.elsewhere()).at(0).at("reason") == "already-undone");

    const auto empty = box.change({"increment", "core:2", "--amount", "0"});
    CHECK(box.change({"undo", empty}) == empty + "-undo");
    CHECK(box.halves() == "0");
}

// What was left of a window that was over passed for one that the increment had found open.
TEST_CASE("the undo of an increment that opened a window over what was left of another one leaves nothing behind") {
    for (const bool elsewhere : {false, true}) {
        RecordedBox box;
        for (const std::string key : {"core:1", "core:2", "core:3"}) box.set_half(key, "5", 0);
        box.set_half("core:1:exp", std::to_string(seconds_from_now(-100)), 0);
        box.set_half("core:2:exp", std::to_string(seconds_from_now(-100)), 0);
        const auto op = box.change({"increment", "core:1", "core:2", "core:3", "--amount", "2"});
        box.server().command({"INCR", "core:2"});
        const auto machine = elsewhere ? box.elsewhere() : RunOptions{};
        CHECK(box.rows({"undo", op, "-n"}, 0, machine).at(0).at("after_used").is_null());
        const auto rows = box.rows({"undo", op}, 0, machine);
        CHECK(rows.at(0).at("after_used").is_null());
        CHECK(rows.at(1).at("after_used") == 1);
        CHECK(rows.at(2).at("after_used").is_null());
        CHECK(box.halves() == "2");
        CHECK(box.used("core:2") == "1");
    }
}

TEST_CASE("a window that was counted into since it was opened keeps what the others counted") {
    RecordedBox box;
    const auto op = box.change({"increment", "core:1", "--amount", "5"});
    box.server().command({"INCR", "core:1"});
    const auto ttl = box.server().command({"PEXPIRETIME", "core:1"});
    CHECK(box.rows({"undo", op, "-n"}).at(0).at("after_used") == 1);
    CHECK(box.rows({"undo", op}, 0, box.elsewhere()).at(0).at("after_used") == 1);
    CHECK(box.used("core:1") == "1");
    CHECK(box.server().command({"PEXPIRETIME", "core:1"}) == ttl);
}

TEST_CASE("a window that one operation opened and counted into again goes with the last of its rows") {
    RecordedBox box;
    const auto result = box.run_with_input({"increment", "-", "-y", "--input", "ndjson"},
                                           "{\"key\":\"core:1\",\"amount\":5}\n{\"key\":\"core:1\",\"amount\":7}\n");
    REQUIRE(result.code == 0);
    const auto rows = box.rows({"undo", box.newest()});
    CHECK(rows.at(0).at("after_used") == 7);
    CHECK(rows.at(1).at("after_used").is_null());
    CHECK(box.halves() == "0");
}
