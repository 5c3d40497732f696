// What is taken back once stays so: from every machine, and under whatever id.
#include "cli/recorded_box.h"

using namespace ratectl::test;

TEST_CASE("an operation with the longest of ids is taken back once from whatever machine") {
    RecordedBox box;
    box.set_window("core:1", "10", seconds_from_now(1000));
    const std::string op(64, 'a');
    CHECK(box.change({"increment", "core:1", "--amount", "2", "--op-id", op}) == op);
    RunOptions third = box.elsewhere();
    third.environment["XDG_STATE_HOME"] = box.file("third");
    CHECK(box.rows({"undo", op}, 0, box.elsewhere()).at(0).at("status") == "applied");
    CHECK(box.rows({"undo", op}, 0, third).at(0).at("reason") == "already-undone");
    CHECK(box.rows({"undo", op}).at(0).at("reason") == "already-undone");
    CHECK(box.used("core:1") == "10");
}

TEST_CASE("the id of one undo is not taken for another one") {
    RecordedBox box;
    box.set_window("core:1", "7", seconds_from_now(1000));
    box.set_window("core:2", "8", seconds_from_now(1000));
    const auto one = box.change({"reset", "core:1"});
    const auto other = box.change({"reset", "core:2"});
    CHECK(box.rows({"undo", one, "--op-id", "mine"}).at(0).at("status") == "applied");
    CHECK(box.run({"undo", other, "--op-id", "mine"}).code == 7);
    CHECK(box.run({"undo", other, "--op-id", "mine"}, box.elsewhere()).code == 7);
    CHECK(box.used("core:2") != "8");
    CHECK(box.rows({"undo", other}).at(0).at("status") == "applied");
    CHECK(box.used("core:2") == "8");
    CHECK(box.rows({"history", "mine"}).at(0).at("undoes") == one);
}
