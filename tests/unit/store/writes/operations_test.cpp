// Operation keys read back, replicas waited for, slices cut and marks of loss read: what stands around the writes.
#include "store/store.h"

#include <set>

#include "store/found_operations.h"
#include "store/writes/eviction_marks.h"
#include "store/writes/slices.h"
#include "support/catch.h"
#include "support/contains.h"
#include "unit/store/pretended_shards.h"

namespace ratectl::test {
namespace {

using store::WriteStatus;
using support::ExitCode;

TEST_CASE("Recall gives the stored calls in order and null for those that are not there") {
    PretendedShards shards;
    shards.server().stored["ratectl:op:OP.2"] = stored_operation("reset", "f2", {"a", "b"});
    const std::vector<domain::SliceId> slices{{"OP", 1}, {"OP", 2}};
    const auto records = shards.store().recall(0, slices);
    REQUIRE(records.has_value());
    REQUIRE(records->size() == 2);
    CHECK_FALSE((*records)[0].has_value());
    REQUIRE((*records)[1].has_value());
    CHECK((*records)[1]->kind == domain::WriteKind::reset);
    CHECK((*records)[1]->actor == "root");
    REQUIRE((*records)[1]->windows.size() == 2);
    CHECK((*records)[1]->windows[1].key == "b");
    CHECK((*records)[1]->windows[1].before.used == "1");
}

TEST_CASE("Recall says what is wrong with an operation key and with a server") {
    PretendedShards shards;
    shards.server().stored["ratectl:op:OP.1"] = "nonsense";
    const std::vector<domain::SliceId> slices{{"OP", 1}};
    auto records = shards.store().recall(0, slices);
    REQUIRE_FALSE(records.has_value());
    CHECK(contains(records.error().message, "OP.1"));
    CHECK(contains(records.error().message, "shard 'alpha'"));
    PretendedShards gone;
    gone.node().gone = broken(false, "connection refused");
    CHECK(gone.store().recall(0, slices).error().code == ExitCode::unavailable);
}

TEST_CASE("Operation keys are found on every primary in order and what cannot be read is listed") {
    PretendedShards shards(2);
    shards.server().stored["ratectl:op:OP.10"] = stored_operation("count", "f", {"a"});
    shards.server().stored["ratectl:op:OP.2"] = stored_operation("count", "f", {"b"});
    shards.server().stored["ratectl:op:XX.1"] = "nonsense";
    shards.node(0)
        .expect(
            {"SCAN", "0", "MATCH", "ratectl:op:*", "COUNT", "1000"},
            array({text("7"), array({text("ratectl:op:OP.10"), text("ratectl:op:no-slice"), text("ratectl:op:OP.9")})}))
        .expect(
            {"SCAN", "7", "MATCH", "ratectl:op:*", "COUNT", "1000"},
            array({text("0"), array({text("ratectl:op:OP.10"), text("ratectl:op:OP.2"), text("ratectl:op:XX.1")})}));
    shards.node(0).always(first_word_is("PTTL"), [](const Command&) -> Answer { return integer(600'000); });
    shards.node(1).gone = broken(false, "connection refused");
    const auto operations = shards.store().find_operations();
    REQUIRE(operations.found.size() == 2);
    CHECK(operations.found[0].record.id == domain::SliceId{"OP", 2});
    CHECK(operations.found[1].record.id == domain::SliceId{"OP", 10});
    CHECK(operations.found[0].expires_in == std::chrono::minutes(10));
    CHECK(operations.found[0].node.shard == "alpha");
    REQUIRE(operations.failures.size() == 2);
    CHECK(contains(operations.failures[0].error.message, "XX.1"));
    CHECK(operations.failures[1].node.shard == "beta");
}

TEST_CASE("A sweep for one operation starts anew when another process answers") {
    PretendedShards shards;
    shards.server().stored["ratectl:op:OP.1"] = stored_operation("count", "f", {"a"});
    shards.node().always(first_word_is("PTTL"), [](const Command&) -> Answer { return integer(-1); });
    const auto scan = [](const char* cursor) {
        return Command{"SCAN", cursor, "MATCH", "ratectl:op:OP.*", "COUNT", "1000"};
    };
    shards.node().expect(scan("0"), array({text("7"), array({text("ratectl:op:OP.1"), text("ratectl:op:OTHER.1")})}));
    shards.node().expect(
        [&](const Command& c) {
            shards.node().facts.run_id = "another";
            return c == scan("7");
        },
        array({text("9"), array({})}));
    shards.node().expect(scan("0"), array({text("0"), array({text("ratectl:op:OP.1")})}));
    const auto operations = shards.store().find_operations("OP");
    REQUIRE(operations.found.size() == 1);
    CHECK_FALSE(operations.found[0].expires_in.has_value());
    CHECK(operations.failures.empty());
}

TEST_CASE("A sweep for operations ends with an error when the cursors go round in a circle") {
    PretendedShards shards;
    std::size_t asked = 0;
    shards.node().always(first_word_is("SCAN"), [&](const Command&) -> Answer {
        return array({text(std::to_string(1 + ++asked % 3)), array({})});
    });
    const auto operations = shards.store().find_operations();
    REQUIRE(operations.failures.size() == 1);
    CHECK(operations.failures[0].error.code == ExitCode::protocol);
    CHECK(contains(operations.failures[0].error.message, "shard 'alpha'"));
    CHECK(contains(operations.failures[0].error.message, "the same cursors come again and again"));
    CHECK(asked < 20);
}

TEST_CASE("Replicas are waited for once a shard after its last call and every write tells how many came along") {
    PretendedShards shards;
    shards.node().always(kEvalsha, [](const Command& call) -> Answer {
        return done(1, key_of(call, 0) == "k1" ? "below-zero" : "applied");
    });
    shards.node().expect({"WAIT", "2", "70"}, integer(1));
    auto order = ordered(6, 1);
    order.wait_replicas = 2;
    order.wait_timeout = std::chrono::milliseconds(70);
    const auto results = shards.store().count(counts(6), order);
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(results[i].acknowledged == (i == 1 ? std::optional<int>() : std::optional<int>(1)));
    }
    CHECK(shards.node().asked().back().front() == "WAIT");
}

TEST_CASE("A WAIT that fails leaves the writes applied and says that nobody knows") {
    for (const Answer& answer : {Answer(error("NOPERM this user has no permissions to run the 'wait' command")),
                                 Answer(error("UNBLOCKED force unblock")), Answer(text("1")), Answer(broken(true))}) {
        PretendedShards shards;
        shards.node().expect(kEvalsha, done()).expect(first_word_is("WAIT"), answer);
        auto order = ordered();
        order.wait_replicas = 1;
        const auto results = shards.store().count(counts(1), order);
        CHECK(results[0].status == WriteStatus::applied);
        CHECK_FALSE(results[0].acknowledged.has_value());
        REQUIRE(shards.notices.size() == 1);
        CHECK(contains(shards.notices[0], "not known how many replicas"));
    }
}

TEST_CASE("Replicas of what was written long ago are waited for behind a write of our own, where WAIT asks for that") {
    const auto key = std::vector<store::KeyAt>{{"k0", 0}};
    auto order = ordered();
    order.wait_replicas = 2;
    order.wait_timeout = std::chrono::milliseconds(70);
    const auto set = [](const Command& c) { return c[0] == "SET" && c[1] == "ratectl:op:OP.0" && c[3] == "PX"; };
    SECTION("until 7.0 it tells of all that was written before") {
        PretendedShards shards;
        shards.node().expect({"WAIT", "2", "70"}, integer(1));
        CHECK(shards.store().await_replicas(key, order) == std::vector<std::optional<int>>{1});
        CHECK(shards.asked("SET") == 0);
    }
    SECTION("later of what the connection has written") {
        PretendedShards shards;
        shards.node().facts.version = domain::ServerVersion{7, 2, 0, false};
        shards.node().expect(set, text("OK")).expect({"WAIT", "2", "70"}, integer(2));
        CHECK(shards.store().await_replicas(key, order) == std::vector<std::optional<int>>{2});
    }
    SECTION("a key that is refused leaves it unknown") {
        PretendedShards shards;
        shards.node().facts.version = domain::ServerVersion{7, 2, 0, false};
        shards.node().expect(set, error("OOM command not allowed when used memory > 'maxmemory'."));
        CHECK(shards.store().await_replicas(key, order) == std::vector<std::optional<int>>{std::nullopt});
        REQUIRE(shards.notices.size() == 1);
        CHECK(contains(shards.notices[0], "not known how many replicas"));
    }
    SECTION("and so does the wish to leave none") {
        PretendedShards shards;
        shards.node().facts.version = domain::ServerVersion{7, 2, 0, false};
        order.operation.id.clear();
        CHECK(shards.store().await_replicas(key, order) == std::vector<std::optional<int>>{std::nullopt});
        CHECK(shards.asked("SET") + shards.asked("WAIT") == 0);
    }
}

TEST_CASE("Where nothing was written no replica is waited for") {
    PretendedShards shards;
    shards.node().expect(kEvalsha, done(1, "absent"));
    auto order = ordered();
    order.wait_replicas = 1;
    CHECK(shards.store().count(counts(1), order)[0].status == WriteStatus::skipped);
    CHECK(shards.asked("WAIT") == 0);
}

TEST_CASE("The same list is cut into the same numbered slices of one shard each") {
    std::vector<store::KeyAt> keys;
    for (std::size_t i = 0; i < 250; ++i) keys.push_back({"k" + std::to_string(i % 120), i % 2});
    const auto at = [&](std::size_t i) -> const store::KeyAt& { return keys[i]; };
    const auto slices = store::cut_slices(keys.size(), at, store::limiter_of({}), 5, 40);
    store::check_slices(slices, keys.size(), at, store::limiter_of({}));
    std::uint64_t number = 5;
    for (const auto& slice : slices) {
        CHECK(slice.number == number++);
        CHECK(slice.items.size() <= 40);
    }
    const auto again = store::cut_slices(keys.size(), at, store::limiter_of({}), 5, 40);
    REQUIRE(again.size() == slices.size());
    for (std::size_t i = 0; i < slices.size(); ++i) CHECK(again[i].items == slices[i].items);
}

TEST_CASE("Fingerprints tell lists apart however their parts run together") {
    const auto print = [](const std::vector<std::string_view>& parts) {
        store::CallFingerprint fingerprint;
        for (const auto part : parts) fingerprint.add(part);
        return fingerprint.text();
    };
    CHECK(print({"a", "b"}) == print({"a", "b"}));
    CHECK(print({"a", "b"}).size() == 32);
    std::set<std::string> all{print({}),         print({""}),    print({"", ""}),     print({"ab"}),  print({"a", "b"}),
                              print({"b", "a"}), print({"1:a"}), print({"a", "1:b"}), print({"a1:b"})};
    CHECK(all.size() == 9);
}

TEST_CASE("Marks of loss come from INFO and what is odd or missing counts as unknown") {
    PretendedServer server;
    server.evicted_keys = 7;
    server.history = {"abc", 12, "def", 9};
    server.calls = {{"info", 3}, {"flushall", 2}, {"swapdb", 1}, {"get", 100}, {"replicaof", 4}};
    const auto marks = [&] {
        const std::vector<redis::Reply> replies{server.info("stats"), server.info("commandstats"),
                                                server.info("replication")};
        return store::read_eviction_marks(replies);
    };
    const auto first = marks();
    REQUIRE(first.has_value());
    CHECK(first->evicted_keys == 7);
    CHECK(first->removals == 7);
    CHECK(first->history == server.history);
    ++server.calls["get"];
    CHECK_FALSE(store::may_have_lost_keys(first, marks()));
    ++server.calls["flushdb"];
    CHECK(store::may_have_lost_keys(first, marks()));
    CHECK(store::may_have_lost_keys(std::nullopt, first));
    CHECK(store::may_have_lost_keys(first, std::nullopt));
    server.calls.clear();
    CHECK_FALSE(marks().has_value());
    const std::vector<redis::Reply> odd{text("evicted_keys:x\\r\\n"), text("cmdstat_info:calls=1\\r\\n"), nil()};
    CHECK_FALSE(store::read_eviction_marks(odd).has_value());
    CHECK_FALSE(store::read_eviction_marks(std::vector<redis::Reply>{nil(), nil(), nil()}).has_value());
    CHECK_FALSE(store::read_eviction_marks({}).has_value());
}

}  // namespace
}  // namespace ratectl::test
