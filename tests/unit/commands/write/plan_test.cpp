// Slices, keys that were seen, and plans that are made and rehearsed without writing anything.
#include <filesystem>
#include <set>

#include "commands/all_commands.h"
#include "commands/change/changes.h"
#include "commands/sweep/seen_keys.h"
#include "commands/write/planned_slices.h"
#include "input/plan_file.h"
#include "sharding/cluster_slots.h"
#include "support/catch.h"
#include "support/contains.h"
#include "unit/commands/fake_context.h"

using namespace ratectl;
using namespace ratectl::commands;
using ratectl::test::FakeContext;
using test::contains;

namespace {

std::vector<PlannedKey> keys_on(std::size_t shards, std::size_t count) {
    std::vector<PlannedKey> keys(count);
    for (std::size_t i = 0; i < count; ++i) {
        keys[i].key = "core:" + std::to_string(i);
        keys[i].shard = i % shards;
    }
    return keys;
}

struct PlanFolder {
    sandbox::TemporaryFolder folder = support::value_or_throw(sandbox::TemporaryFolder::make("/tmp", "ratectl-test"));
    std::string plan() const { return folder.path() + "/a.plan"; }
};

std::vector<input::PlanRow> rows_of(const std::string& path) {
    input::PlanReader reader(path);
    std::vector<input::PlanRow> rows;
    while (auto row = reader.next()) rows.push_back(*row);
    return rows;
}

}  // namespace

TEST_CASE("The first chunks of a change are small and no chunk is larger than its plan says") {
    std::vector<std::size_t> usual;
    std::vector<std::size_t> small;
    for (const std::size_t number : {0, 1, 2, 3, 4, 1000}) {
        usual.push_back(chunk_size(number, kChunk));
        small.push_back(chunk_size(number, 300));
    }
    CHECK(usual == std::vector<std::size_t>{1000, 2000, 4000, 5000, 5000, 5000});
    CHECK(small == std::vector<std::size_t>(6, 300));
}

TEST_CASE("slices hold each key once and are cut the same way every time") {
    const auto keys = keys_on(3, 1000);
    Slicer once("reset", store::limiter_of({}));
    Slicer again("reset", store::limiter_of({}));
    const auto slices = once.cut(keys);
    const auto same = again.cut(keys);
    REQUIRE(slices.size() == same.size());
    CHECK(slices.size() == 12);
    std::set<std::size_t> seen;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        CHECK(slices[i].number == i + 1);
        CHECK(slices[i].fingerprint == same[i].fingerprint);
        CHECK(slices[i].keys == same[i].keys);
        CHECK(slices[i].keys.size() <= 100);
        for (const auto key : slices[i].keys) {
            CHECK(keys[key].shard == slices[i].shard);
            CHECK(seen.insert(key).second);
        }
    }
    CHECK(seen.size() == 1000);
    CHECK(once.cut(keys).front().number == 13);
}

TEST_CASE("slices of a Redis Cluster are of one slot each, which their number says, wherever the slots are") {
    std::vector<PlannedKey> keys(300);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i].key = "{core:" + std::to_string(i / 3) + "}:" + std::to_string(i % 3);
        keys[i].home = Home::known;
        keys[i].shard = i % 2;
    }
    const auto slices = Slicer("reset", store::limiter_of({}), true).cut(keys);
    for (auto& key : keys) key.shard = 1 - key.shard;
    const auto moved = Slicer("reset", store::limiter_of({}), true).cut(keys);
    REQUIRE(slices.size() == moved.size());
    std::size_t seen = 0;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        CHECK(slices[i].number == moved[i].number);
        CHECK(slices[i].fingerprint == moved[i].fingerprint);
        CHECK(slices[i].number / 16384 == i + 1);
        for (const auto key : slices[i].keys)
            CHECK(sharding::cluster_slot(keys[key].key) == domain::slot_of_number(slices[i].number));
        seen += slices[i].keys.size();
    }
    CHECK(seen == keys.size());
    CHECK(first_calls("OP", false, 3).size() == 3);
    CHECK(first_calls("OP", true, 3).size() == 2 * sharding::kClusterSlots);
}

TEST_CASE("a key that comes twice goes into two slices") {
    auto keys = keys_on(1, 3);
    keys[2].key = keys[0].key;
    const auto slices = Slicer("increment 1", store::limiter_of({})).cut(keys);
    REQUIRE(slices.size() == 2);
    CHECK(slices[0].keys == std::vector<std::size_t>{0, 1});
    CHECK(slices[1].keys == std::vector<std::size_t>{2});
}

TEST_CASE("the fingerprint of a slice tells other keys and amounts and questions apart") {
    const auto keys = keys_on(1, 2);
    const auto print = [](const std::string& asked, const std::vector<PlannedKey>& of) {
        return Slicer(asked, store::limiter_of({})).cut(of).front().fingerprint;
    };
    std::set<std::string> prints{print("refund 5", keys), print("refund 5 clamp", keys)};
    auto other = keys;
    other[1].amount = 7;
    prints.insert(print("refund 5", other));
    other = keys;
    std::swap(other[0], other[1]);
    prints.insert(print("refund 5", other));
    other = keys;
    other[0].key = "core:0c";
    other[1].key = "ore:1";
    prints.insert(print("refund 5", other));
    CHECK(prints.size() == 5);
    other = keys;
    other[0].if_reset = support::from_epoch(5);  // what a look showed
    CHECK(print("refund 5", other) == print("refund 5", keys));
}

TEST_CASE("keys are seen once a shard however many there are") {
    SeenKeys seen("secret");
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 100'000; ++i) {
            if (seen.add(static_cast<std::size_t>(i % 2), "core:" + std::to_string(i)) != (round == 0))
                FAIL("round " << round << ", key " << i);
        }
    }
    CHECK(seen.add(1, "core:0"));
    CHECK(seen.add(0, ""));
    CHECK_FALSE(seen.add(0, ""));
    CHECK(seen.size() == 100'002);
}

TEST_CASE("a plan of a reset holds what is there and nothing is written") {
    FakeContext context(3);
    for (int i = 0; i < 9; ++i) context.put("core:" + std::to_string(i), std::to_string(i + 1), "1600");
    context.put("core:over", "5", "900");
    const PlanFolder folder;
    CHECK(context.run(reset_command(), {"--match", "core:*", "--plan", folder.plan()}) == ExitCode::done);
    CHECK(contains(context.errors(), "10 planned: ratectl apply " + folder.plan()));
    const auto rows = rows_of(folder.plan());
    REQUIRE(rows.size() == 10);
    std::set<std::string> shards;
    for (const auto& row : rows) {
        shards.insert(row.shard);
        CHECK(row.key.starts_with("core:"));
        CHECK(row.state == (row.key == "core:over" ? "closed" : "open"));
        CHECK(row.reset_at == (row.key == "core:over" ? "900" : "1600"));
        CHECK_FALSE(row.amount);
    }
    CHECK(shards.size() > 1);
    CHECK(input::PlanReader(folder.plan()).head().deployment == "test");
}

TEST_CASE("a plan of increments says how long windows last that have to be opened") {
    FakeContext context;
    context.put("core:open", "5", "1600");
    context.put("core:over", "5", "900");
    const PlanFolder folder;
    CHECK(context.run(increment_command(), {"core:open", "core:over", "core:absent", "--amount", "4", "--plan",
                                            folder.plan()}) == ExitCode::done);
    const auto rows = rows_of(folder.plan());
    REQUIRE(rows.size() == 3);
    CHECK_FALSE(rows[0].period_s);
    CHECK(rows[1].period_s == 3600);
    CHECK(rows[2].period_s == 3600);
    CHECK(rows[2].amount == 4);
}

TEST_CASE("a plan of refunds holds requests for shares and leaves out what is refused") {
    FakeContext context;
    context.put("core:1", "50", "1600");
    context.put("core:2", "50", "900");
    const PlanFolder folder;
    CHECK(context.run(refund_command(), {"core:1", "core:2", "--amount", "50%", "--clamp", "--plan", folder.plan()}) ==
          ExitCode::done);
    const auto rows = rows_of(folder.plan());
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].amount == 25);
    CHECK(input::PlanReader(folder.plan()).head().clamp);
}

TEST_CASE("a plan that nothing comes of is no file") {
    FakeContext context;
    const PlanFolder folder;
    CHECK(context.run(reset_command(), {"core:1", "--plan", folder.plan()}) == ExitCode::attention);
    CHECK_FALSE(std::filesystem::exists(folder.plan()));
    CHECK(std::filesystem::is_empty(folder.folder.path()));
}

TEST_CASE("a read-only run may plan and may not apply") {
    FakeContext context;
    context.configured.read_only = true;
    context.put("core:1", "5", "1600");
    const PlanFolder folder;
    CHECK(context.run(reset_command(), {"core:1", "--plan", folder.plan()}) == ExitCode::done);
    CHECK(context.run(apply_command(), {folder.plan()}) == ExitCode::guard);
}

TEST_CASE("a rehearsal of a plan shows what changed since it was made") {
    FakeContext context;
    for (const std::string key : {"core:same", "core:newer", "core:gone"}) context.put(key, "5", "1600");
    const PlanFolder folder;
    CHECK(context.run(reset_command(), {"--match", "core:*", "--plan", folder.plan()}) == ExitCode::done);
    FakeContext later;
    later.put("core:same", "6", "1600");
    later.put("core:newer", "1", "2000");
    later.given.dry_run = true;
    later.given.output = "csv";
    later.given.columns = "status,reason,key";
    CHECK(later.run(apply_command(), {folder.plan()}) == ExitCode::partial);
    CHECK(contains(later.output(), "planned,,core:same"));
    CHECK(contains(later.output(), "window-changed,window-changed,core:newer"));
    CHECK(contains(later.output(), "skipped,absent,core:gone"));
    FakeContext strict;
    strict.put("core:same", "6", "1600");
    strict.given.dry_run = true;
    strict.given.output = "csv";
    strict.given.columns = "status,key";
    CHECK(strict.run(apply_command(), {folder.plan(), "--strict"}) == ExitCode::partial);
    CHECK(contains(strict.output(), "window-changed,core:same"));
}

TEST_CASE("a plan for another deployment or of unknown shards is refused") {
    FakeContext context(3);
    for (int i = 0; i < 9; ++i) context.put("core:" + std::to_string(i), "1", "1600");
    const PlanFolder folder;
    REQUIRE(context.run(reset_command(), {"--match", "core:*", "--plan", folder.plan()}) == ExitCode::done);
    FakeContext other(3);
    other.configured.deployment = "elsewhere";
    CHECK(other.run(apply_command(), {folder.plan()}) == ExitCode::guard);
    CHECK(contains(other.errors(), "is for deployment 'test'"));
    FakeContext smaller(1);
    CHECK(smaller.run(apply_command(), {folder.plan()}) == ExitCode::guard);
    CHECK(contains(smaller.errors(), "names shard"));
}

TEST_CASE("bad flags of an order are refused before anything is asked") {
    FakeContext context;
    CHECK(context.run(reset_command(), {"core:1", "--op-id", "no spaces"}) == ExitCode::usage);
    CHECK(context.run(reset_command(), {"core:1", "--wait-replicas", "0"}) == ExitCode::usage);
    CHECK(context.run(reset_command(), {"core:1", "--wait-replicas", "1", "--wait-timeout", "5"}) == ExitCode::usage);
    CHECK(context.run(reset_command(), {"core:1", "--wait-timeout", "5s"}) == ExitCode::usage);
    context.given.output = "json";
    CHECK(context.run(reset_command(), {"core:1", "--show-replicas"}) == ExitCode::usage);
}

TEST_CASE("keys that are no windows are refused unseen") {
    FakeContext context;
    context.given.dry_run = true;
    context.given.output = "csv";
    context.given.columns = "status,reason,key";
    context.configured.protect = {"internal:*"};
    CHECK(context.run(reset_command(), {"core:1:exp", "ratectl:op:01ABC.1", "internal:1"}) == ExitCode::guard);
    CHECK(contains(context.output(), "refused,expiry-key,core:1:exp"));
    CHECK(contains(context.output(), "refused,reserved,ratectl:op:01ABC.1"));
    CHECK(contains(context.output(), "refused,protected,internal:1"));
}
