// Looks at named keys through the store, on real primaries and replicas.
#include "integration/store_fixture.h"
#include "support/patience.h"
#include "support/window_look.h"

namespace ratectl::test {
namespace {

using domain::LookDepth;
using domain::ReadFrom;
using store::KeyAt;
using store::LookAnswer;
using store::LookQuestion;

LookQuestion question(std::span<const KeyAt> keys, ReadFrom::Which from = ReadFrom::Which::primary,
                      LookDepth depth = LookDepth::light) {
    return {keys, ReadFrom{from, {}}, depth, false};
}

TEST_CASE("A thousand keys over two shards are answered in the order they were asked") {
    StoreFixture shards(2);
    std::vector<KeyAt> keys;
    for (std::size_t i = 0; i < 1000; ++i) {
        keys.push_back({"k" + std::to_string(i), i % 2});
        if (i % 3 != 0) shards.put(i % 2, keys.back().key, std::to_string(i), "2000000000");
    }
    const auto answers = shards.store().look(question(keys));
    REQUIRE(answers.size() == 1000);
    for (std::size_t i = 0; i < 1000; ++i) {
        REQUIRE(answers[i].look.has_value());
        CHECK(answers[i].key == i);
        CHECK(answers[i].look->key == keys[i].key);
        CHECK(answers[i].node.shard == (i % 2 == 0 ? "alpha" : "beta"));
        const auto expected = i % 3 == 0 ? std::nullopt : std::optional(std::to_string(i));
        CHECK(counter_part(*answers[i].look).value == expected);
        CHECK(expiry_part(*answers[i].look).value.has_value() == expected.has_value());
    }
    CHECK(answers[0].read_at.time_since_epoch().count() > 0);
}

TEST_CASE("A full look works on a server that is out of memory") {
    StoreFixture shards;
    shards.put(0, "a", "5", "4102444799");
    shards.primaries[0]->command({"CONFIG", "SET", "maxmemory", "1"});
    const std::vector<KeyAt> keys{{"a", 0}, {"b", 0}};
    const auto answers = shards.store().look(question(keys, ReadFrom::Which::primary, LookDepth::full));
    for (const auto& answer : answers) REQUIRE(answer.look.has_value());
    CHECK(answers[0].look->depth == LookDepth::full);
    CHECK(counter_part(*answers[0].look).value == "5");
    CHECK(counter_part(*answers[0].look).type == "string");
    CHECK(expiry_part(*answers[0].look).value == "4102444799");
    CHECK_FALSE(counter_part(*answers[1].look).value.has_value());
}

TEST_CASE("A full look names types and lifetimes and survives a wrong type") {
    StoreFixture shards;
    auto& server = *shards.primaries[0];
    server.command({"SET", "a", "5", "PXAT", "4102444800123"});
    server.command({"SET", "a:exp", "4102444799"});
    server.command({"RPUSH", "b", "x"});
    server.command({"SET", "c:exp", ""});
    const std::vector<KeyAt> keys{{"a", 0}, {"b", 0}, {"c", 0}};
    const auto answers = shards.store().look(question(keys, ReadFrom::Which::primary, LookDepth::full));
    for (const auto& answer : answers) REQUIRE(answer.look.has_value());
    const auto& a = *answers[0].look;
    CHECK(a.depth == LookDepth::full);
    CHECK(counter_part(a).type == "string");
    CHECK(counter_part(a).expires_at_ms == 4102444800123);
    CHECK(expiry_part(a).ttl_ms == -1);
    CHECK_FALSE(expiry_part(a).expires_at_ms.has_value());
    CHECK(counter_part(*answers[1].look).type == "list");
    CHECK_FALSE(counter_part(*answers[1].look).value.has_value());
    CHECK(counter_part(*answers[2].look).ttl_ms == -2);
    CHECK(expiry_part(*answers[2].look).value == "");
}

TEST_CASE("A look through Lua shows the same window on a primary and a replica") {
    StoreFixture shards(1, 1);
    shards.put(0, "k", "7", "2000000000");
    shards.replicas_of[0][0]->await_replication_of(*shards.primaries[0]);
    const std::vector<KeyAt> keys{{"k", 0}};
    auto asked = question(keys, ReadFrom::Which::all, LookDepth::full);
    asked.as_script = true;
    const auto answers = shards.store().look(asked);
    REQUIRE(answers.size() == 2);
    for (const auto& answer : answers) {
        REQUIRE(answer.look.has_value());
        CHECK(counter_part(*answer.look).value == "7");
        CHECK(expiry_part(*answer.look).value == "2000000000");
        CHECK(counter_part(*answer.look).type == "string");
    }
    CHECK(answers[0].node.role == domain::Role::primary);
    CHECK(answers[1].node.role == domain::Role::replica);
}

TEST_CASE("A dead shard fails its own keys and no others") {
    StoreFixture shards(2);
    shards.put(1, "b", "3", "2000000000");
    shards.primaries[0]->kill();
    const std::vector<KeyAt> keys{{"a", 0}, {"b", 1}, {"c", 0}};
    const auto answers = shards.store().look(question(keys));
    REQUIRE(answers.size() == 3);
    CHECK(answers[0].look.error().code == support::ExitCode::unavailable);
    CHECK(answers[0].look.error().message.find("alpha") != std::string::npos);
    CHECK(answers[2].look.error().code == support::ExitCode::unavailable);
    REQUIRE(answers[1].look.has_value());
    CHECK(counter_part(*answers[1].look).value == "3");
}

TEST_CASE("A silent server ends a look within its timeout") {
    StoreFixture shards(2);
    shards.primaries[0]->pause();
    const std::vector<KeyAt> keys{{"a", 0}, {"b", 1}};
    const auto start = std::chrono::steady_clock::now();
    const auto answers = shards.store().look(question(keys));
    const auto took = std::chrono::steady_clock::now() - start;
    shards.primaries[0]->resume();
    CHECK(answers[0].look.error().code == support::ExitCode::unavailable);
    CHECK(answers[1].look.has_value());
    CHECK(took < std::chrono::milliseconds(1800) + kPatience);
    CHECK(took > std::chrono::milliseconds(1300));
}

TEST_CASE("A server that came back between two looks is read on a new connection") {
    StoreFixture shards;
    shards.put(0, "k", "1", "2000000000");
    const std::vector<KeyAt> keys{{"k", 0}};
    CHECK(counter_part(*shards.store().look(question(keys))[0].look).value == "1");
    shards.primaries[0]->kill();
    shards.primaries[0]->start_again();
    shards.put(0, "k", "2", "2000000000");
    const auto answers = shards.store().look(question(keys));
    REQUIRE(answers[0].look.has_value());
    CHECK(counter_part(*answers[0].look).value == "2");
}

TEST_CASE("Looks from a replica pick one whose link is up") {
    StoreFixture shards(1, 2);
    shards.put(0, "k", "7", "2000000000");
    for (auto& replica : shards.replicas_of[0]) replica->await_replication_of(*shards.primaries[0]);
    shards.replicas_of[0][0]->kill();
    const std::vector<KeyAt> keys{{"k", 0}};
    const auto answers = shards.store().look(question(keys, ReadFrom::Which::replica));
    REQUIRE(answers.size() == 1);
    REQUIRE(answers[0].look.has_value());
    CHECK(answers[0].node.name() == shards.replicas_of[0][1]->endpoint().address());
    CHECK_FALSE(answers[0].stale);
    CHECK(shards.store().look_failures().empty());
}

TEST_CASE("With no healthy replica the primary is read and a notice says so") {
    StoreFixture shards(1, 1);
    shards.put(0, "k", "7", "2000000000");
    shards.replicas_of[0][0]->kill();
    const std::vector<KeyAt> keys{{"k", 0}};
    const auto answers = shards.store().look(question(keys, ReadFrom::Which::replica));
    REQUIRE(answers[0].look.has_value());
    CHECK(answers[0].node.role == domain::Role::primary);
    REQUIRE(shards.notices.size() == 1);
    CHECK(shards.notices[0].find("no healthy replica") != std::string::npos);
}

TEST_CASE("With the primary dead a cut off replica is read as stale and the primary is a failure") {
    StoreFixture shards(1, 1);
    shards.put(0, "k", "7", "2000000000");
    shards.replicas_of[0][0]->await_replication_of(*shards.primaries[0]);
    shards.primaries[0]->kill();
    while (shards.replicas_of[0][0]->command({"INFO", "replication"}).find("master_link_status:down") ==
           std::string::npos) {
    }
    const std::vector<KeyAt> keys{{"k", 0}};
    const auto answers = shards.store().look(question(keys, ReadFrom::Which::replica));
    REQUIRE(answers[0].look.has_value());
    CHECK(counter_part(*answers[0].look).value == "7");
    CHECK(answers[0].stale);
    REQUIRE(shards.store().look_failures().size() == 1);
    CHECK(shards.store().look_failures()[0].node.role == domain::Role::primary);
    // The default does not fall back: a dead primary is an error.
    CHECK(shards.store().look(question(keys))[0].look.error().code == support::ExitCode::unavailable);
}

TEST_CASE("Of all nodes a failed one keeps its answer unless every node failed") {
    StoreFixture shards(1, 1);
    shards.put(0, "k", "7", "2000000000");
    shards.replicas_of[0][0]->kill();
    const std::vector<KeyAt> keys{{"k", 0}, {"l", 0}};
    auto answers = shards.store().look(question(keys, ReadFrom::Which::all));
    REQUIRE(answers.size() == 4);
    CHECK(answers[0].look.has_value());
    CHECK_FALSE(answers[1].look.has_value());
    CHECK(answers[2].key == 1);
    shards.primaries[0]->kill();
    shards.new_store();
    answers = shards.store().look(question(keys, ReadFrom::Which::all));
    REQUIRE(answers.size() == 2);
    CHECK(answers[0].node.role == domain::Role::primary);
    CHECK_FALSE(answers[0].look.has_value());
}

TEST_CASE("A node can be asked by its address and an unknown one is a usage error") {
    StoreFixture shards(1, 1);
    shards.put(0, "k", "7", "2000000000");
    shards.replicas_of[0][0]->await_replication_of(*shards.primaries[0]);
    const std::vector<KeyAt> keys{{"k", 0}};
    auto asked = question(keys);
    asked.from = {ReadFrom::Which::node, shards.replicas_of[0][0]->endpoint().address()};
    CHECK(shards.store().look(asked)[0].node.role == domain::Role::replica);
    asked.from.node = "127.0.0.1:1";
    CHECK(shards.store().look(asked)[0].look.error().code == support::ExitCode::usage);
}

TEST_CASE("Replicas are discovered by asking the primary") {
    StoreFixture shards(1, 1);
    const auto replica = shards.replicas_of[0][0]->endpoint().address();
    shards.topology.shards[0].replicas.clear();
    shards.topology.shards[0].discover_replicas = true;
    const auto& nodes = shards.store().nodes(0);
    REQUIRE(nodes.size() == 2);
    CHECK(nodes[1].name() == replica);
    CHECK(nodes[1].role == domain::Role::replica);
    shards.primaries[0]->kill();
    shards.new_store();
    CHECK(shards.store().nodes(0).size() == 1);
    CHECK(shards.notices.size() == 1);
}

TEST_CASE("Node reports say what each server is and a dead one is a report with its error") {
    StoreFixture shards(2, 1);
    shards.put(0, "k", "7", "2000000000");
    shards.replicas_of[0][0]->await_replication_of(*shards.primaries[0]);
    shards.primaries[1]->kill();
    const auto reports = shards.store().node_reports();
    REQUIRE(reports.size() == 4);
    REQUIRE(reports[0].facts.has_value());
    const auto& primary = *reports[0].facts;
    CHECK(primary.role == domain::Role::primary);
    CHECK(primary.connected_replicas == 1);
    CHECK(primary.keys == 2);
    CHECK(primary.version->major >= 6);
    CHECK(primary.eviction_policy == "noeviction");
    CHECK(primary.clock_skew.has_value());
    CHECK(std::abs(primary.clock_skew->count()) < 500);
    REQUIRE(reports[1].facts.has_value());
    CHECK(reports[1].facts->role == domain::Role::replica);
    CHECK(reports[1].facts->link_up == true);
    CHECK(reports[1].facts->lag_bytes.has_value());
    CHECK(reports[1].facts->primary_address == shards.primaries[0]->endpoint().address());
    CHECK(reports[2].facts.error().code == support::ExitCode::unavailable);
    CHECK(reports[3].facts.has_value());
}

}  // namespace
}  // namespace ratectl::test
