// Operation ids: what is repeated under one happens once, and every row can be found again.
#include <thread>

#include "cli/printed_rows.h"
#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

TEST_CASE("a change that is repeated under its operation id happens once") {
    WrittenDeployment box(kFree);
    box.set_window("core:1", "50", seconds_from_now(1000));
    const auto check_twice = [&](std::vector<std::string> arguments, const std::string& after) {
        arguments.push_back("--json");
        const auto once = box.run(arguments);
        INFO(once.err);
        CHECK(once.code == 0);
        CHECK(only_row(once).at("status") == "applied");
        CHECK(box.stored("core:1") == after);
        const auto twice = box.run(arguments);
        INFO(twice.err);
        CHECK(twice.code == 0);
        CHECK(only_row(twice).at("status") == "already-applied");
        CHECK(only_row(twice).at("before_used") == only_row(once).at("before_used"));
        CHECK(only_row(twice).at("after_used") == only_row(once).at("after_used"));
        CHECK(box.stored("core:1") == after);
    };
    check_twice({"increment", "core:1", "--amount", "5", "--op-id", "first"}, "55");
    check_twice({"refund", "core:1", "--amount", "15", "--op-id", "second"}, "40");
    check_twice({"reset", "core:1", "--op-id", "third"}, "(nil)");
}

TEST_CASE("an operation id that belongs to another operation is refused") {
    WrittenDeployment box(kFree);
    box.set_window("core:1", "50", seconds_from_now(1000));
    REQUIRE(box.run({"increment", "core:1", "--op-id", "mine"}).code == 0);
    for (const std::vector<std::string>& other : {std::vector<std::string>{"increment", "core:1", "--amount", "2"},
                                                  {"increment", "core:2"},
                                                  {"increment", "core:1", "core:2"},
                                                  {"refund", "core:1", "--amount", "1"},
                                                  {"reset", "core:1"}}) {
        auto arguments = other;
        arguments.insert(arguments.end(), {"--op-id", "mine"});
        const auto here = box.run(arguments);
        INFO(here.err);
        CHECK(here.code == 7);
        CHECK(contains(here.err, "another operation"));
        RunOptions elsewhere;
        elsewhere.environment["XDG_STATE_HOME"] = box.file("another");
        CHECK(box.run(arguments, elsewhere).code == 7);
    }
    CHECK(box.stored("core:1") == "51");
    CHECK(box.stored("core:2") == "(nil)");
}

// It was refused as somebody else's: its rows had come in another order.
TEST_CASE("a sweep that is repeated under its operation id is refused for what it is") {
    WrittenDeployment box(kFree, 3);
    std::string keys;
    for (int i = 0; i < 60; ++i) keys += "core:" + std::to_string(i) + "\n";
    REQUIRE(box.run_with_input({"increment", "-", "-o", "name"}, keys).code == 0);
    RunOptions elsewhere;
    elsewhere.environment["XDG_STATE_HOME"] = box.file("another");
    const std::vector<std::string> sweep{"increment", "--policy", "core", "--op-id", "sw", "-o", "json"};
    REQUIRE(box.run(sweep).code == 0);
    const auto used = [&box] { return box.run({"scan", "-o", "csv", "--columns", "used", "--no-header"}).out; };
    const auto before = used();
    for (const auto& machine : {RunOptions{}, elsewhere}) {
        for (const auto* only : {"-y", "-n"}) {
            auto again = sweep;
            again.emplace_back(only);
            const auto refused = box.run(again, machine);
            INFO(refused.err);
            CHECK(refused.code == 7);
            CHECK(contains(refused.err, "cannot be resumed under its id"));
            CHECK_FALSE(contains(refused.err, "another operation"));
            CHECK(contains(refused.err, "`ratectl undo sw` takes it back"));
            CHECK(contains(refused.err, "`--plan FILE`, then `ratectl apply FILE`"));
            const bool here = machine.environment.empty();
            CHECK(contains(refused.err, here ? "`ratectl history sw`" : "`ratectl history --on-servers sw`"));
            CHECK(parse_json(refused.out).at("complete") == false);
        }
        const auto other = box.run({"reset", "--policy", "core", "-y", "--op-id", "sw"}, machine);
        CHECK(other.code == 7);
        CHECK(contains(other.err, "belongs to another operation"));
    }
    CHECK(used() == before);
    // Once nothing is left to be found the id is taken all the same.
    REQUIRE(box.run({"reset", "--policy", "core", "-y", "--op-id", "all"}).code == 0);
    CHECK(box.run({"reset", "--policy", "core", "-y", "--op-id", "all"}).code == 7);
    CHECK(box.run({"reset", "--policy", "core", "-y", "--op-id", "fresh"}).code == 1);
}

TEST_CASE("rows that come in another order under their operation id are told that this may be why they are refused") {
    WrittenDeployment box(kFree);
    RunOptions elsewhere;
    elsewhere.environment["XDG_STATE_HOME"] = box.file("another");
    const std::vector<std::string> piped{"increment", "-", "--op-id", "piped", "-o", "json", "--messages", "json"};
    REQUIRE(box.run_with_input(piped, "core:1\ncore:2\n").code == 0);
    CHECK(box.run_with_input(piped, "core:1\ncore:2\n").code == 0);
    for (auto machine : {RunOptions{}, elsewhere}) {
        machine.input = "core:2\ncore:1\n";
        const auto refused = box.run(piped, machine);
        INFO(refused.out << refused.err);
        CHECK(refused.code == 7);
        CHECK(contains(refused.err, "its rows come in another order than before"));
        CHECK(summary_of(refused).at("not_attempted") == 2);
        CHECK(parse_json(refused.out).at("not_attempted") == 2);  // it had no such count
    }
    CHECK(box.stored("core:1") == "1");
}

// It was said that its rows came in another order.
TEST_CASE("another amount under the id of a plan is told as what it is") {
    WrittenDeployment box(kFree);
    box.set_window("core:2", "50", seconds_from_now(1000));
    RunOptions elsewhere;
    elsewhere.environment["XDG_STATE_HOME"] = box.file("another");
    for (const std::string kind : {"increment", "refund"}) {
        const auto done = box.file(kind + ".plan");
        const auto other = box.file(kind + "-other.plan");
        for (const auto& [plan, amount] : {std::pair{done, "5"}, std::pair{other, "6"}})
            REQUIRE(box.run({kind, "core:2", "--amount", amount, "--op-id", kind, "--plan", plan}).code == 0);
        REQUIRE(box.run({"apply", done}).code == 0);
        CHECK(box.run({"apply", done}, elsewhere).code == 0);
        for (const auto& machine : {RunOptions{}, elsewhere}) {
            const auto refused = box.run({"apply", other}, machine);
            INFO(refused.out << refused.err);
            CHECK(refused.code == 7);
            CHECK(contains(refused.err, (kind == "refund" ? "gave back" : "counted") +
                                            std::string(" 5 in 'core:2', and 6 are asked for now")));
            CHECK_FALSE(contains(refused.err, "another order"));
        }
    }
    CHECK(box.stored("core:2") == "50");
    // What differs otherwise is no matter of order, either.
    REQUIRE(box.run({"increment", "core:3", "--op-id", "plain"}).code == 0);
    const auto guarded = box.run({"increment", "core:3", "--op-id", "plain", "--if-used-at-least", "1"}, elsewhere);
    INFO(guarded.err);
    CHECK(guarded.code == 7);
    CHECK(contains(guarded.err, "of the same windows: what was asked of them"));
}

// It said that the same command again would do the rest.
TEST_CASE("what an interrupted sweep is told to do next is true") {
    WrittenDeployment box(kFree);
    std::string keys;
    for (int i = 0; i < 12'000; ++i) keys += "core:" + std::to_string(i) + "\n";
    REQUIRE(box.run_with_input({"increment", "-", "-q"}, keys).code == 0);
    RunOptions options;
    options.environment = {{"RATECTL_CONFIG", box.config_file()}, {"XDG_STATE_HOME", box.file("state")}};
    options.folder = box.file("");
    const auto interrupted = run_program(
        "/bin/bash",
        {"-c", "exec 3> >(while [ ! -e told ]; do sleep 0.05; done; cat >/dev/null); '" + ratectl_binary() +
                   "' reset --policy core -y --op-id swept -o ndjson >&3 & p=$!; exec 3>&-; sleep 2; kill -TERM $p; "
                   "touch told; wait $p; code=$?; wait; exit $code"},
        options);
    INFO(interrupted.err);
    REQUIRE(interrupted.code == 143);
    REQUIRE(contains(interrupted.err, "stopped before the end"));
    CHECK_FALSE(contains(interrupted.err, "the same command again"));
    CHECK(contains(interrupted.err, "`ratectl history swept` tells what was changed"));
    CHECK(contains(interrupted.err, "`ratectl undo swept` takes it back"));
    CHECK(contains(interrupted.err, "`--plan FILE`, then `ratectl apply FILE`"));
    REQUIRE(box.halves() != "0");
    CHECK(box.run({"undo", "swept", "-y", "-q"}).code == 0);
    CHECK(box.halves() == "24000");
}

// It said `planned`, whatever stood under the id.
TEST_CASE("a dry run under an operation id says what the real one would") {
    WrittenDeployment box(kFree);
    box.set_window("core:1", "8", seconds_from_now(1000));
    RunOptions elsewhere;
    elsewhere.environment["XDG_STATE_HOME"] = box.file("another");
    const std::vector<std::string> same{"increment", "core:1", "--op-id", "dn1", "-n", "--json"};
    CHECK(only_row(box.run(same)).at("status") == "planned");
    REQUIRE(box.run({"increment", "core:1", "--op-id", "dn1"}).code == 0);
    for (const auto& machine : {RunOptions{}, elsewhere}) {
        const auto row = only_row(box.run(same, machine));
        CHECK(row.at("status") == "already-applied");
        CHECK(row.at("after_used") == 9);
        CHECK(box.run({"increment", "core:1", "--amount", "2", "--op-id", "dn1", "-n"}, machine).code == 7);
        CHECK(box.run({"reset", "core:2", "--op-id", "dn1", "-n"}, machine).code == 7);
    }
    CHECK(box.server().command({"DEL", "ratectl:op:dn1.1"}) == "1");
    CHECK(only_row(box.run(same)).at("status") == "already-applied");  // the journal knows
    CHECK(only_row(box.run(same, elsewhere)).at("status") == "planned");
    CHECK(box.stored("core:1") == "9");
}

// The first one came before the error.
TEST_CASE("messages as json have one summary and it is the last line whatever ended the change") {
    WrittenDeployment box(kFree);
    REQUIRE(box.run({"increment", "core:1", "--op-id", "mine"}).code == 0);
    const auto refused = box.run({"increment", "core:2", "--op-id", "mine", "--messages", "json"});
    CHECK(refused.code == 7);
    CHECK(summary_of(refused).at("not_attempted") == 1);
    CHECK(rows_of(refused.err).size() == 2);
    CHECK(rows_of(refused.err).at(0).at("kind") == "error");
}

// The journal answered, whatever had become of the server: a write that a failover had lost was said to be there.
TEST_CASE("what a failover has lost is not said to be applied when it is repeated") {
    WrittenDeployment box(kFree);
    RedisServer replica;
    replica.make_replica_of(box.server());
    const auto promoted = box.write_alone("promoted.toml", replica.endpoint());
    for (const auto* key : {"core:1", "core:2", "core:3"}) box.set_window(key, "50", seconds_from_now(1000));
    const std::vector<std::vector<std::string>> changes{{"increment", "core:1", "--amount", "5", "--op-id", "count"},
                                                        {"refund", "core:2", "--amount", "5", "--op-id", "give"},
                                                        {"reset", "core:3", "--op-id", "remove"}};
    const std::vector<std::string> kept{"increment", "core:1", "--op-id", "kept"};
    const std::vector<std::string> over{"increment", "core:over", "--op-id", "over"};
    REQUIRE(box.run(kept).code == 0);
    replica.await_replication_of(box.server());
    replica.command({"REPLICAOF", "NO", "ONE"});
    for (const auto& change : changes) REQUIRE(box.run(change).code == 0);
    box.set_window("core:over", "5", seconds_from_now(5));
    REQUIRE(box.run(over).code == 0);
    REQUIRE(box.stored("core:over") == "6");  // in that window, and not in one of an hour
    const auto before = replica.command({"DBSIZE"});
    const auto repeat = [&](std::vector<std::string> change) {
        change.insert(change.end(), {"-c", promoted, "--period", "1h", "-o", "json"});
        return box.run(change);
    };
    for (const auto& change : changes) {
        const auto again = repeat(change);
        INFO(again.err);
        CHECK(again.code == 8);
        CHECK(only_row(again).at("status") == "unknown");
        CHECK(only_row(again).at("reason") == "other-server");
        CHECK(contains(again.err, box.server().endpoint().address() + ", and shard 'alpha' is now"));
        CHECK(contains(again.err, "may be lost"));
        const auto entry = first_row(box.run({"history", change.back(), "-c", promoted, "-o", "ndjson"}).out);
        CHECK(entry.at("status") == "unknown");  // it said applied
        CHECK(entry.at("why_not") == "other-server");
    }
    CHECK(first_row(box.run({"history", "kept", "-c", promoted, "-o", "ndjson"}).out).at("status") == "applied");
    CHECK(first_row(box.run({"history", "count", "-o", "ndjson"}).out).at("status") == "applied");  // by its own server
    CHECK(replica.command({"DBSIZE"}) == before);
    CHECK(replica.command({"GET", "core:1"}) == "51");
    CHECK(only_row(repeat(kept)).at("status") == "already-applied");
    // Where the server is the same process again, or the window is over, there is nothing to lose.
    while (box.stored("core:over") != "(nil)") std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(only_row(repeat(over)).at("status") == "already-applied");
    CHECK(only_row(box.run({"reset", "core:3", "--op-id", "remove", "--json"})).at("status") == "already-applied");
}

TEST_CASE("every row names its place in the operation and the summary says how to take it back") {
    WrittenDeployment box(kFree, 3);
    std::string keys;
    for (int i = 0; i < 300; ++i) keys += "core:" + std::to_string(i) + "\n";
    const auto result =
        box.run_with_input({"increment", "-", "--op-id", "many", "-o", "ndjson", "--messages", "json"}, keys);
    REQUIRE(result.code == 0);
    int row = 0;
    for (const auto& one : parse_json_lines(result.out)) {
        if (!one.contains("key")) continue;
        CHECK(one.at("op_id") == "many/" + std::to_string(++row));
        CHECK(one.at("attempts") == 1);
        CHECK(one.at("resolved") == false);
    }
    CHECK(row == 300);
    CHECK(summary_of(result).at("operation") == "many");
    CHECK(contains(box.run({"increment", "core:1"}).err, "to take it back: ratectl undo 01"));
    CHECK_FALSE(contains(box.run({"increment", "core:1", "-n"}).err, "undo"));
}

TEST_CASE("the same stream under the same operation id is cut the same way however it arrives") {
    WrittenDeployment box(kFree, 3);
    std::string keys;
    for (int i = 0; i < 7000; ++i) keys += "core:" + std::to_string(i) + "\n";
    const auto run = [&](const std::string& command) {
        RunOptions options;
        options.input = keys;
        options.environment = {{"RATECTL_CONFIG", box.config_file()}, {"XDG_STATE_HOME", box.file("state")}};
        return run_program(
            "/bin/sh", {"-c", command + " '" + ratectl_binary() + "' increment - --op-id slow -o name --messages json"},
            options);
    };
    const auto slow = run("(head -c 30000; sleep 0.3; cat) |");
    INFO(slow.err);
    REQUIRE(slow.code == 0);
    CHECK(summary_of(slow).at("applied") == 7000);
    const auto fast = run("cat |");
    INFO(fast.err);
    CHECK(fast.code == 0);
    CHECK(summary_of(fast).at("already_applied") == 7000);
    CHECK(box.stored("core:1") != "2");
}

TEST_CASE("a repeat after the window changed still says what was done then") {
    WrittenDeployment box(kFree);
    const auto reset_at = seconds_from_now(1000);
    box.set_window("core:1", "50", reset_at);
    REQUIRE(box.run({"reset", "core:1", "core:2", "--op-id", "x"}).code == 0);
    box.set_window("core:1", "3", reset_at + 100);
    box.set_window("core:2", "4", reset_at + 100);
    const auto again =
        box.run({"reset", "core:1", "core:2", "--op-id", "x", "-o", "csv", "--columns", "status,reason,key"});
    INFO(again.err);
    CHECK(again.code == 0);
    CHECK(contains(again.out, "already-applied,,core:1"));
    CHECK(contains(again.out, "skipped,absent,core:2"));
    CHECK(box.stored("core:1") == "3");
    CHECK(box.stored("core:2") == "4");
}

TEST_CASE("no operation key is left where none is wanted") {
    WrittenDeployment box(kFree);
    REQUIRE(box.run({"increment", "core:1", "--no-op-key", "--op-id", "bare"}).code == 0);
    CHECK(box.halves() == "2");
    // The journal of this machine still knows.
    const auto again = box.run({"increment", "core:1", "--no-op-key", "--op-id", "bare"});
    CHECK(again.code == 0);
    CHECK(contains(again.out, "already-applied"));
    CHECK(box.stored("core:1") == "1");
    REQUIRE(box.run({"increment", "core:1", "--op-id", "kept"}).code == 0);
    CHECK(box.server().command({"EXISTS", "ratectl:op:kept.1"}) == "1");
}

TEST_CASE("nothing is sent where the journal cannot be kept") {
    WrittenDeployment box(kFree);
    const auto result = box.run({"increment", "core:1", "--journal", "/dev/null/journal.db"});
    CHECK(result.code == 10);
    CHECK(contains(result.err, "/dev/null/journal.db"));
    RunOptions options;
    options.environment["RATECTL_JOURNAL"] = "/dev/null/other.db";
    CHECK(contains(box.run({"increment", "core:1"}, options).err, "/dev/null/other.db"));
    CHECK(box.halves() == "0");
    CHECK(box.run({"increment", "core:1", "--audit", "paper"}).code == 2);
    CHECK(box.halves() == "0");
    CHECK(box.run({"increment", "core:1", "--journal", "/dev/null/journal.db", "-n"}).code == 0);
}

TEST_CASE("after a write the rows of every node can be shown below") {
    WrittenDeployment box(kFree);
    const auto result = box.run({"increment", "core:1", "--amount", "7", "--show-replicas"});
    INFO(result.out << result.err);
    CHECK(result.code == 0);
    CHECK(contains(result.out, "none -> 7"));
    const auto second = result.out.find("\n\n");
    REQUIRE(second != std::string::npos);
    CHECK(contains(result.out.substr(second), "NODE"));
    CHECK(contains(result.out.substr(second), "core:1"));
}
