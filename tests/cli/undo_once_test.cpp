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

TEST_CASE("what was taken back is not done again under its id and that is said") {
    RecordedBox box;
    box.set_window("core:1", "10", seconds_from_now(1000));
    const std::vector<std::string> reset{"reset", "core:1", "--op-id", "mine"};
    CHECK(box.rows(reset).at(0).at("status") == "applied");
    const auto again = box.run(reset);
    CHECK(again.code == 0);
    CHECK_FALSE(contains(again.err, "taken back"));
    CHECK(box.rows({"undo", "mine"}).at(0).at("status") == "applied");
    const auto too_late = box.run(reset);
    CHECK(too_late.code == 1);
    CHECK(contains(too_late.err,
                   "operation 'mine' was carried out before and taken back by 'mine-undo', and is not done again"));
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

// The id of an undo decided whether it had been done: under one of its own, from another machine, all came back twice.
TEST_CASE("what was taken back is not taken back again under another id from whatever machine") {
    for (const bool named_first : {true, false}) {
        RecordedBox box;
        box.set_window("core:1", "20", seconds_from_now(1000));
        const auto check_twice = [&](const std::string& op, std::vector<std::string> flags, const std::string& after) {
            auto first = std::vector<std::string>{"undo", op};
            first.insert(first.end(), flags.begin(), flags.end());
            auto second = first;
            auto& with_name = named_first ? first : second;
            with_name.insert(with_name.end(), {"--op-id", op + "-mine"});
            CHECK(box.rows(first).at(0).at("status") == "applied");
            CHECK(box.used("core:1") == after);
            for (const std::string more : {"-n", "-y", "--no-op-key"}) {
                auto again = second;
                again.push_back(more);
                const auto row = box.rows(again, 0, box.elsewhere()).at(0);
                CHECK(row.at("status") == "already-applied");
                CHECK(row.at("reason") == "already-undone");
                CHECK(row.at("after_used") == std::stoi(after));
                CHECK(box.used("core:1") == after);
            }
        };
        check_twice(box.change({"increment", "core:1", "--amount", "5"}), {}, "20");
        check_twice(box.change({"refund", "core:1", "--amount", "3"}), {}, "20");
        const auto reset = box.change({"reset", "core:1"});
        box.set_window("core:1", "4", seconds_from_now(1000));
        check_twice(reset, {"--merge"}, "24");
    }
}

TEST_CASE("rows that were taken back alone stay so when all of the operation is taken back elsewhere") {
    RecordedBox box;
    for (const std::string key : {"core:1", "core:2", "core:3"}) box.set_window(key, "20", seconds_from_now(1000));
    const auto op = box.change({"increment", "core:1", "core:2", "core:3", "--amount", "5"});
    CHECK(box.rows({"undo", op + "/2", "--op-id", "one"}).at(0).at("status") == "applied");
    const auto rest = box.rows({"undo", op, "--op-id", "two"}, 0, box.elsewhere());
    CHECK(rest.at(0).at("status") == "applied");
    CHECK(rest.at(1).at("reason") == "already-undone");
    CHECK(rest.at(2).at("status") == "applied");
    for (const auto& row : box.rows({"undo", op})) CHECK(row.at("reason") == "already-undone");
    for (const std::string key : {"core:1", "core:2", "core:3"}) CHECK(box.used(key) == "20");
}

namespace {

/// Two shards, and two machines with a journal each.
struct TwoShards : WrittenDeployment {
    TwoShards() : WrittenDeployment(kFree, 2) {}
    std::string key_on(std::size_t shard) {
        for (int i = 1;; ++i) {
            const auto key = "core:" + std::to_string(i);
            const auto where = run({"locate", key, "-o", "csv", "--columns", "shard", "--no-header"}).out;
            if (where == (shard == 0 ? "alpha\n" : "beta\n")) return key;
        }
    }
    RunOptions machine(const std::string& name) const {
        RunOptions options;
        options.environment["XDG_STATE_HOME"] = file(name);
        options.environment["USER"] = name;
        return options;
    }
};

}  // namespace

TEST_CASE("an operation id that stands on another shard for other keys is refused from every machine") {
    TwoShards box;
    const auto alphas = box.key_on(0);
    const auto betas = box.key_on(1);
    CHECK(box.run({"increment", betas, "--op-id", "fix"}, box.machine("one")).code == 0);
    const auto refused = box.run({"increment", alphas, "--op-id", "fix"}, box.machine("two"));
    CHECK(refused.code == 7);
    CHECK(contains(refused.err, "'fix' belongs to another operation, on shard 'beta'"));
    CHECK(box.stored(alphas) == "(nil)");
    CHECK(box.run({"increment", betas, "--op-id", "fix"}, box.machine("two")).code == 0);  // the same, repeated
    CHECK(box.server(1).command({"GET", betas}) == "1");
}

TEST_CASE("an undo elsewhere does not take back what another operation did under the same id") {
    TwoShards box;
    const auto alphas = box.key_on(0);
    const auto betas = box.key_on(1);
    CHECK(box.run({"increment", betas, "--op-id", "fix"}, box.machine("one")).code == 0);
    // As if that shard had not been there to be asked.
    const auto record = box.server(1).command({"GET", "ratectl:op:fix.1"});
    box.server(1).command({"DEL", "ratectl:op:fix.1"});
    CHECK(box.run({"increment", alphas, "--op-id", "fix"}, box.machine("two")).code == 0);
    box.server(1).command({"SET", "ratectl:op:fix.1", record});
    for (const std::string operation : {"fix", "fix/1"}) {
        const auto refused = box.run({"undo", operation, "-y"}, box.machine("three"));
        CHECK(refused.code == 7);
        CHECK(contains(refused.err, "several operations under the id 'fix' (increment by "));
        CHECK(contains(refused.err, "on shard 'alpha'"));
        CHECK(contains(refused.err, "on shard 'beta'"));
    }
    CHECK(box.run({"undo", "fix"}, box.machine("two")).code == 0);
    CHECK(box.stored(alphas) == "(nil)");
    CHECK(box.server(1).command({"GET", betas}) == "1");
    CHECK(box.run({"undo", "fix"}, box.machine("one")).code == 0);
    CHECK(box.server(1).command({"GET", betas}) == "(nil)");
}

// The servers' rows were counted shard by shard: `undo ID/1` elsewhere took back another window than it named.
TEST_CASE("a row is not taken back by a machine that knows the operation from the servers alone") {
    RecordedBox box("writes = \"allow\"", 2);
    std::vector<std::string> keys;
    for (int i = 0; i < 10; ++i) keys.push_back(RecordedBox::spread_key(i));
    const auto all = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
        words.insert(words.end(), keys.begin(), keys.end());
        words.insert(words.end(), more.begin(), more.end());
        return words;
    };
    box.change(all({"increment"}, {"--op-id", "counted"}));
    REQUIRE(box.run(all({"increment"}, {"--op-id", "planned", "--plan", box.file("a.plan")})).code == 0);
    box.change({"apply", box.file("a.plan")});
    box.change(all({"reset"}, {"--op-id", "removed"}));
    for (const std::string id : {"counted", "planned", "removed"}) {
        const auto refused = box.run({"undo", id + "/1", "-y"}, box.elsewhere());
        CHECK(refused.code == 7);
        CHECK(contains(refused.err, "which windows its rows are is unknown; nothing was written"));
        CHECK(box.run({"undo", id + "/11"}, box.elsewhere()).code == 7);
        for (const auto& row : box.rows({"history", "--on-servers", "--op", id}, 0, box.elsewhere()))
            CHECK(row.at("op") == id);
    }
    CHECK(box.halves(0) == "0");
    CHECK(box.halves(1) == "0");
    CHECK(box.rows({"undo", "removed/1"}).at(0).at("key") == keys.front());
    const auto rest = box.rows({"undo", "removed", "-y"}, 0, box.elsewhere());
    CHECK(rest.size() == 10);
    for (const auto& row : rest) CHECK(row.at("op_id") == "removed-undo");
}

// One record of one window may be all that is left of many calls.
TEST_CASE("the only window that servers have on record is no row of a known number") {
    TwoShards box;
    const auto alphas = box.key_on(0);
    const auto betas = box.key_on(1);
    REQUIRE(box.run({"increment", betas, alphas, "--op-id", "two"}, box.machine("one")).code == 0);
    box.server(1).command({"DEL", "ratectl:op:two.2"});
    CHECK(box.run({"undo", "two/1"}, box.machine("two")).code == 7);
    CHECK(box.stored(alphas) == "1");
    CHECK(box.run({"undo", "two/1"}, box.machine("one")).code == 0);
    CHECK(box.stored(alphas) == "1");
    CHECK(box.server(1).command({"GET", betas}) == "(nil)");
}

// `1 applied`, exit code 0.
TEST_CASE("an undo elsewhere says that calls of the operation are missing") {
    RecordedBox box;
    std::vector<std::string> increment{"increment", "--op-id", "gap"};
    for (int i = 1; i <= 301; ++i) increment.push_back("core:" + std::to_string(i));
    box.change(increment);
    const auto check_gap = [&](const std::string& calls, int applied) {
        const auto undone = box.run({"undo", "gap", "-n"}, box.elsewhere());
        INFO(undone.err);
        CHECK(undone.code == (calls.empty() ? 0 : 9));
        CHECK(contains(undone.err, std::to_string(applied) + " planned"));
        CHECK(contains(undone.err, "the servers have no record of calls") == !calls.empty());
        CHECK(contains(undone.err, "before its last one (" + calls + ")") == !calls.empty());
    };
    check_gap("", 301);
    box.server().command({"DEL", "ratectl:op:gap.3"});
    check_gap("3", 201);
    box.server().command({"DEL", "ratectl:op:gap.1"});
    check_gap("1, 3", 101);
    CHECK(box.run({"undo", "gap", "-y"}, box.elsewhere()).code == 9);
    CHECK(box.used("core:150") == "(nil)");
    CHECK(box.used("core:50") == "1");
    CHECK(box.run({"undo", "gap", "-y"}).code == 0);  // the journal has them all
    CHECK(box.used("core:50") == "(nil)");
}

namespace {

/// Two calls of the operation `both` from one machine, the third from this one.
struct SharedOperation : RecordedBox {
    SharedOperation() {
        RunOptions began = elsewhere();
        RunOptions went_on;
        for (int i = 0; i < 300; ++i) {
            if (i == 200) began.input = went_on.input;
            went_on.input += "core:" + std::to_string(i) + "\n";
        }
        const std::vector<std::string> command{"increment", "-", "--op-id", "both"};
        REQUIRE(contains(run(command, began).err, "200 applied"));
        REQUIRE(contains(run(command, went_on).err, "100 applied, 200 already-applied"));
    }
};

}  // namespace

// The journal had a part of the operation alone, and the undo of all of it took only that back, in silence.
TEST_CASE("an undo takes back what another machine has done of the operation") {
    for (const bool here : {true, false}) {
        SharedOperation box;
        const auto machine = here ? RunOptions{} : box.elsewhere();
        CHECK(box.rows({"undo", "both", "-n"}, 0, machine).size() == 300);
        const auto undone = box.run({"undo", "both"}, machine);
        INFO(undone.err);
        CHECK(undone.code == 0);
        CHECK(contains(undone.err, "300 applied"));
        CHECK(contains(undone.err, here ? "on record of that is taken back, too (200 windows)"
                                        : "on record of that is taken back, too (100 windows)"));
        CHECK(box.halves() == "0");
        for (const auto& again : {RunOptions{}, box.elsewhere()}) {
            const auto rows = box.rows({"undo", "both"}, 0, again);
            CHECK(rows.size() == 300);
            for (const auto& row : rows) CHECK(row.at("reason") == "already-undone");
        }
    }
}

// It ended with 9, as if a part of what this machine had done were left out.
TEST_CASE("an undo of an operation with a chosen id says which servers could not be asked for the rest of it") {
    TwoShards box;
    const auto alphas = box.key_on(0);
    CHECK(box.run({"increment", alphas, "--op-id", "half"}).code == 0);
    const auto made = box.run({"increment", alphas, "-o", "json"});
    const std::string op = parse_json(made.out).at("rows").at(0).at("op_id");
    CHECK(box.run({"increment", alphas, box.key_on(1), "-y", "--op-id", "both"}).code == 0);
    box.server(1).kill();
    CHECK(box.run({"undo", "both"}).code == 9);
    CHECK(box.run({"undo", op.substr(0, op.find('/'))}).code == 0);  // no other machine can have had that id
    const auto undone = box.run({"undo", "half"});
    INFO(undone.out << undone.err);
    CHECK(undone.code == 0);
    CHECK(contains(undone.err, "shard 'beta'"));
    CHECK(contains(undone.err, "what another machine may have done there under the same id stays as it is"));
    CHECK(contains(undone.err, "1 applied"));
    CHECK(box.stored(alphas) == "(nil)");
}

// Only the shard that was written to was asked.
TEST_CASE("an undo does not take an id that stands on another shard or in the journal for something else") {
    TwoShards box;
    const auto alphas = box.key_on(0);
    const auto betas = box.key_on(1);
    CHECK(box.run({"increment", betas, "--op-id", "taken"}, box.machine("one")).code == 0);
    CHECK(box.run({"increment", betas, "--op-id", "silent", "--no-op-key"}, box.machine("two")).code == 0);
    CHECK(box.run({"increment", alphas, "--op-id", "mine"}, box.machine("two")).code == 0);
    for (const std::string id : {"taken", "silent", "mine"}) {
        for (const std::string dry : {"-n", "-y"}) {
            const auto refused = box.run({"undo", "mine", "--op-id", id, dry}, box.machine("two"));
            CHECK(refused.code == 7);
            CHECK(contains(refused.err, "operation id '" + id + "' belongs to another operation"));
        }
    }
    CHECK(box.stored(alphas) == "1");
    CHECK(box.run({"undo", "mine", "--op-id", "free"}, box.machine("two")).code == 0);
    CHECK(contains(box.run({"undo", "mine", "--op-id", "free"}, box.machine("two")).out, "already-applied"));
    CHECK(box.stored(alphas) == "(nil)");
}

TEST_CASE("an undo is not named to those who look for what can be taken back") {
    RecordedBox box;
    box.change({"increment", "core:1", "--op-id", "foo1"});
    box.set_window("core:1", "1", seconds_from_now(9000));
    CHECK(box.run({"undo", "foo1"}, box.elsewhere()).code == 7);
    box.server().command({"DEL", "ratectl:op:foo1.1"});
    REQUIRE(box.rows({"history", "--op", "foo1-undo"}, 0, box.elsewhere()).size() == 1);
    const auto lost = box.run({"undo", "foo1"}, box.elsewhere());
    CHECK(lost.code == 1);
    CHECK_FALSE(contains(lost.err, "did you mean"));
    CHECK(contains(box.run({"history", "--op", "foo"}, box.elsewhere()).err, "did you mean foo1-undo?"));
    CHECK(contains(box.run({"undo", "foo"}).err, "did you mean foo1?"));
}
