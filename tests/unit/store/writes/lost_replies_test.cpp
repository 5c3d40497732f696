// Writes whose replies are lost: what the operation key tells, what it cannot tell, and what is sent again.
#include "store/store.h"

#include "support/catch.h"
#include "support/contains.h"
#include "support/patience.h"
#include "unit/store/pretended_shards.h"

namespace ratectl::test {
namespace {

using store::WriteStatus;
using support::ExitCode;

TEST_CASE("A lost reply whose operation key is there was applied and nothing is sent again") {
    PretendedShards shards;
    shards.node().expect(kEvalsha, broken(true));
    shards.server().stored["ratectl:op:OP.1"] = stored_operation("count", "f1", {"k0", "k1"}, shards.server().now_ms());
    const auto results = shards.store().count(counts(2), ordered(2));
    for (const auto& result : results) {
        CHECK(result.status == WriteStatus::applied);
        CHECK(result.resolved);
        CHECK(result.attempts == 1);
        CHECK(result.before.used == "1");
        CHECK(result.after.used == "4");
        CHECK_FALSE(result.error.has_value());
    }
    CHECK(shards.asked("EVALSHA") == 1);
    CHECK(shards.node().opened() == 2);
}

TEST_CASE(
    "A lost call whose operation key is absent after the deadline is sent again under the same id with a later "
    "deadline") {
    PretendedShards shards;
    std::vector<Command> calls;
    shards.node().expect(kEvalsha, broken(true)).expect(kEvalsha, done());
    const auto before = shards.server().now_ms();
    const auto results = shards.store().count(counts(1), ordered());
    CHECK(results[0].status == WriteStatus::applied);
    CHECK(results[0].attempts == 2);
    CHECK_FALSE(results[0].resolved);
    for (const auto& command : shards.node().asked()) {
        if (command[0] == "EVALSHA") calls.push_back(command);
    }
    REQUIRE(calls.size() == 2);
    CHECK(calls[0][5] == "ratectl:op:OP.1");
    CHECK(calls[1][5] == "ratectl:op:OP.1");
    const auto first = std::stoll(deadline_of(calls[0]));
    const auto second = std::stoll(deadline_of(calls[1]));
    CHECK(first >= before + 110);
    CHECK(first <= before + 120 + 2000);
    CHECK(second > first + 120);
}

TEST_CASE("Three lost calls that were never carried out are a failure that wrote nothing") {
    PretendedShards shards;
    for (int i = 0; i < 3; ++i) shards.node().expect(kEvalsha, broken(true));
    const auto results = shards.store().count(counts(1), ordered());
    CHECK(results[0].status == WriteStatus::failed);
    CHECK(results[0].attempts == 3);
    CHECK(results[0].error->code == ExitCode::unavailable);
    CHECK(contains(results[0].error->message, "increment OP.1 was lost 3 times; nothing was written"));
}

TEST_CASE("Without an operation key a lost call is unknown and never sent again") {
    PretendedShards shards;
    shards.node().always(kEvalsha, [](const Command&) -> Answer { return broken(true); });
    auto order = ordered(150);
    order.operation.id.clear();
    const auto results = shards.store().count(counts(150), order);
    CHECK(results[0].status == WriteStatus::unknown);
    CHECK(results[0].error->code == ExitCode::unknown);
    CHECK(contains(results[0].error->message, "the outcome of increment is unknown: it may have been applied"));
    CHECK(shards.node().opened() == 1);
    CHECK(shards.asked("INFO") == 0);
}

TEST_CASE("An operation key of another write under the same id refuses instead of telling a tale") {
    PretendedShards shards;
    shards.node().expect(kEvalsha, broken(true));
    shards.server().stored["ratectl:op:OP.1"] = stored_operation("count", "another", {"k0"});
    const auto results = shards.store().count(counts(1), ordered());
    CHECK(results[0].status == WriteStatus::refused);
    CHECK(results[0].reason == "other-operation");
    CHECK(results[0].error->code == ExitCode::guard);
}

TEST_CASE("An operation key from before the first attempt means that the write was there already") {
    PretendedShards shards;
    shards.node().expect(kEvalsha, broken(true));
    shards.server().stored["ratectl:op:OP.1"] =
        stored_operation("count", "f1", {"k0"}, shards.server().now_ms() - 60'000);
    const auto results = shards.store().count(counts(2), ordered(2));
    CHECK(results[0].status == WriteStatus::already_applied);
    CHECK(results[0].resolved);
    // The stored call had no second window: that one was not written.
    CHECK(results[1].status == WriteStatus::refused);
    CHECK(results[1].reason == "other-operation");
}

TEST_CASE("A server that cannot vouch for an absent operation key leaves the outcome unknown and the rest alone") {
    using Change = std::function<void(PretendedShards&)>;
    struct Row {
        const char* what;
        Change before;  // the store's first question
        Change while_away;
        const char* message;
    };
    const Change nothing = [](PretendedShards&) {};
    const std::vector<Row> rows{
        {"another process", nothing, [](PretendedShards& s) { s.node().facts.run_id = "another"; }, "restarted"},
        {"a process that no longer says who it is", nothing, [](PretendedShards& s) { s.node().facts.run_id.reset(); },
         "run_id"},
        {"one that never said", [](PretendedShards& s) { s.node().facts.run_id.reset(); }, nothing, "run_id"},
        {"a replica now", nothing, [](PretendedShards& s) { s.node().facts.role = domain::Role::replica; }, "replica"},
        {"evictions", nothing, [](PretendedShards& s) { ++s.server().evicted_keys; }, "evicted"},
        {"FLUSHALL", nothing, [](PretendedShards& s) { ++s.server().calls["flushall"]; }, "removed"},
        {"FLUSHDB", nothing, [](PretendedShards& s) { ++s.server().calls["flushdb"]; }, "removed"},
        {"SWAPDB", nothing, [](PretendedShards& s) { ++s.server().calls["swapdb"]; }, "removed"},
        {"RESETSTAT", nothing, [](PretendedShards& s) { ++s.server().calls["config|resetstat"]; }, "removed"},
        {"counters that went back", [](PretendedShards& s) { s.server().calls["get"] = 500; },
         [](PretendedShards& s) { s.server().calls["get"] = 20; }, "removed"},
        {"DEL", nothing, [](PretendedShards& s) { ++s.server().calls["del"]; }, "DEL, UNLINK"},
        {"UNLINK", nothing, [](PretendedShards& s) { ++s.server().calls["unlink"]; }, "DEL, UNLINK"},
        {"a replica in between", nothing, [](PretendedShards& s) { ++s.server().calls["replicaof"]; }, "removed"},
        {"no statistics", [](PretendedShards& s) { s.server().tells_stats = false; }, nothing, "removed"},
        {"statistics gone", nothing, [](PretendedShards& s) { s.server().tells_stats = false; }, "removed"},
        {"no clock",
         [](PretendedShards& s) {
             s.server().tells_time = false;
             s.node().facts.clock.reset();
         },
         nothing, "time"},
    };
    for (const auto& row : rows) {
        INFO(row.what);
        PretendedShards shards;
        row.before(shards);
        shards.node().expect(kEvalsha, done()).always(kEvalsha, [&](const Command&) -> Answer {
            row.while_away(shards);
            return broken(true);
        });
        const auto results = shards.store().count(counts(18), ordered(18, 1));
        CHECK(results[0].status == WriteStatus::applied);
        CHECK(results[1].status == WriteStatus::unknown);
        REQUIRE(results[1].error);
        CHECK(results[1].error->code == ExitCode::unknown);
        CHECK(contains(results[1].error->message, row.message));
        CHECK(contains(results[1].error->message, "the outcome of increment OP.2 is unknown"));
        CHECK(contains(results[1].error->hint, "ratectl history OP"));
        // Two were on their way, as one had been answered, unless that took long; the others were never sent.
        const auto sent = shards.asked("EVALSHA");
        CHECK((sent == 3 || sent == 2));
        CHECK(results[2].status == (sent == 3 ? WriteStatus::unknown : WriteStatus::not_attempted));
        CHECK(results[3].status == WriteStatus::not_attempted);
        CHECK(results[17].status == WriteStatus::not_attempted);
    }
}

TEST_CASE("Another operation key of ours that is still there vouches for the lost one whatever was deleted") {
    for (const bool vouched : {true, false}) {
        PretendedShards shards;
        int calls = 0;
        shards.node().always(kEvalsha, [&](const Command&) -> Answer {
            if (++calls != 2) return done();
            ++shards.server().calls["del"];
            if (vouched) shards.server().stored["ratectl:op:OP.1"] = stored_operation("count", "f1", {"k0"});
            return broken(true);
        });
        const auto results = shards.store().count(counts(2), ordered(2, 1));
        CHECK(results[0].status == WriteStatus::applied);
        CHECK(results[1].status == (vouched ? WriteStatus::applied : WriteStatus::unknown));
        CHECK(calls == (vouched ? 3 : 2));
    }
}

TEST_CASE("A marker is left before the first write where keys are deleted anyway and its loss is the outcome's") {
    for (const bool still_there : {true, false}) {
        PretendedShards shards;
        auto& server = shards.server();
        server.calls["del"] = 3;
        shards.node().always(test::first_word_is("SET"), [&](const Command& c) -> Answer {
            CHECK(c == Command{"SET", "ratectl:op:OP.0", "", "PX", "600000"});
            CHECK(shards.asked("EVALSHA") == 0);
            if (still_there) server.stored[c[1]] = "";
            return text("OK");
        });
        if (still_there) server.at_get = [&] { server.calls["del"] = 9; };
        shards.node().expect(kEvalsha, broken(true));
        if (still_there) shards.node().expect(kEvalsha, done());
        const auto results = shards.store().count(counts(1), ordered());
        CHECK(results[0].status == (still_there ? WriteStatus::applied : WriteStatus::unknown));
    }
}

TEST_CASE("A marker that cannot be left keeps no write from being sent") {
    for (const Answer& answer :
         {Answer{broken(true)}, Answer{error("OOM command not allowed when used memory > 'maxmemory'.")}}) {
        PretendedShards shards;
        shards.server().calls["del"] = 3;
        shards.node().expect(test::first_word_is("SET"), answer);
        shards.node().expect(kEvalsha, done());
        CHECK(shards.store().count(counts(1), ordered())[0].status == WriteStatus::applied);
    }
}

TEST_CASE("An operation key that is there proves the write although the server has evicted others") {
    PretendedShards shards;
    shards.node().always(kEvalsha, [&](const Command&) -> Answer {
        ++shards.server().evicted_keys;
        shards.server().stored["ratectl:op:OP.1"] = stored_operation("count", "f1", {"k0"}, shards.server().now_ms());
        return broken(true);
    });
    CHECK(shards.store().count(counts(1), ordered())[0].status == WriteStatus::applied);
}

TEST_CASE("A server that stays away for another timeout leaves the outcome unknown within that time") {
    PretendedShards shards;
    shards.node().always(kEvalsha, [&](const Command&) -> Answer {
        shards.node().gone = broken(false, "connection refused");
        return broken(true);
    });
    const auto started = std::chrono::steady_clock::now();
    const auto results = shards.store().count(counts(1), ordered());
    const auto took = std::chrono::steady_clock::now() - started;
    CHECK(results[0].status == WriteStatus::unknown);
    CHECK(contains(results[0].error->message, "it has not answered since"));
    CHECK(took >= std::chrono::milliseconds(615));
    CHECK(took < std::chrono::milliseconds(620 + 2000) + kPatience);
}

TEST_CASE("A reply that no script of ours gives and an error of unknown meaning are looked into like lost ones") {
    for (const bool was_applied : {true, false}) {
        for (const auto& odd : {array({text("perhaps")}), integer(1), nil(), error("ERR something nobody has heard of"),
                                error("WHO knows")}) {
            PretendedShards shards;
            if (was_applied) {
                shards.server().stored["ratectl:op:OP.1"] =
                    stored_operation("count", "f1", {"k0"}, shards.server().now_ms());
            }
            shards.node().expect(kEvalsha, odd);
            if (!was_applied) shards.node().expect(kEvalsha, done());
            const auto results = shards.store().count(counts(1), ordered());
            CHECK(results[0].status == WriteStatus::applied);
            CHECK(results[0].resolved == was_applied);
            CHECK(results[0].attempts == (was_applied ? 1 : 2));
            CHECK(shards.node().opened() == 2);
        }
    }
}

TEST_CASE("An error from inside the script is judged by what the script writes first and last") {
    struct Row {
        bool reset;
        bool key_is_there;
        WriteStatus status;
        ExitCode code;
    };
    const std::vector<Row> rows{{false, true, WriteStatus::unknown, ExitCode::unknown},
                                {false, false, WriteStatus::failed, ExitCode::protocol},
                                {true, true, WriteStatus::applied, ExitCode::done},
                                {true, false, WriteStatus::unknown, ExitCode::unknown}};
    for (const auto& row : rows) {
        PretendedShards shards;
        shards.options.timeout = std::chrono::seconds(30);  // nothing has to be waited for
        shards.node().expect(kEvalsha, error("ERR bad thing script: 0123, on @user_script:1."));
        if (row.key_is_there) {
            shards.server().stored["ratectl:op:OP.1"] =
                stored_operation(row.reset ? "reset" : "count", "f1", {"k0"}, shards.server().now_ms());
        }
        const auto results = row.reset
                                 ? shards.store().reset(std::vector<store::ResetItem>{{{"k0", 0}, {}, {}}}, ordered())
                                 : shards.store().count(counts(1), ordered());
        CHECK(results[0].status == row.status);
        CHECK((results[0].error ? results[0].error->code : ExitCode::done) == row.code);
        CHECK(shards.asked("EVALSHA") == 1);
    }
}

TEST_CASE("Of several calls on their way each is found out for itself and the rest goes on") {
    PretendedShards shards;
    std::map<std::string, int> sent;
    shards.node().always(kEvalsha, [&](const Command& call) -> Answer {
        const auto key = key_of(call, 0);
        const int times = ++sent[key];
        if (key == "k1" && times == 1) return broken(true);
        if (key == "k2" && times == 1) {
            // Its reply was behind the one at which the connection broke.
            shards.server().stored["ratectl:op:OP.3"] =
                stored_operation("count", "f3", {"k2"}, shards.server().now_ms());
            return done();
        }
        if (key != "k1" || times > 1)
            shards.server().stored["ratectl:op:OP." + std::to_string(std::stoi(key.substr(1)) + 1)] = "written";
        return done();
    });
    const auto results = shards.store().count(counts(20), ordered(20, 1));
    for (const auto& result : results) CHECK(result.status == WriteStatus::applied);
    CHECK(sent["k0"] == 1);
    CHECK(sent["k1"] == 2);
    CHECK(sent["k2"] == 1);
    CHECK(results[2].resolved);
    CHECK(results[1].attempts == 2);
    CHECK(sent["k19"] == 1);
}

TEST_CASE("A connection that breaks while the operation key is asked for is opened again") {
    PretendedShards shards;
    shards.node().expect(kEvalsha, broken(true)).expect(first_word_is("TIME"), broken(true));
    shards.server().stored["ratectl:op:OP.1"] = stored_operation("count", "f1", {"k0"}, shards.server().now_ms());
    const auto results = shards.store().count(counts(1), ordered());
    CHECK(results[0].status == WriteStatus::applied);
    CHECK(results[0].resolved);
    CHECK(shards.node().opened() == 3);
}

}  // namespace
}  // namespace ratectl::test
