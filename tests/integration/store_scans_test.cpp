// Sweeps through the store on real shards: every window once, whatever happens to the nodes.
#include <csignal>
#include <map>
#include <set>

#include <unistd.h>

#include "integration/store_fixture.h"
#include "support/window_look.h"

namespace ratectl::test {
namespace {

using domain::LookDepth;
using domain::ReadFrom;
using store::ScanQuestion;

struct Swept {
    std::map<std::string, int> times;
    std::map<std::string, domain::WindowLook> looks;
    std::set<std::string> nodes;
    bool stale = false;
    std::vector<store::NodeFailure> failures;
    std::vector<store::ShardProgress> progress;
};

Swept sweep(StoreFixture& shards, ScanQuestion question = {}) {
    Swept swept;
    const auto stream = shards.store().scan(std::move(question));
    while (const auto* page = stream->next()) {
        swept.nodes.insert(page->node.name());
        swept.stale = swept.stale || page->stale;
        for (const auto& look : page->looks) {
            ++swept.times[look.key];
            swept.looks[look.key] = look;
        }
    }
    swept.failures = stream->failures();
    swept.progress = stream->progress();
    return swept;
}

ScanQuestion from_primary() {
    ScanQuestion question;
    question.from = {ReadFrom::Which::primary, {}};
    return question;
}

TEST_CASE("A sweep shows every window of every shard once with both halves") {
    StoreFixture shards(2);
    fill(*shards.primaries[0], "a", 5000);
    fill(*shards.primaries[1], "b", 300);
    const auto swept = sweep(shards, from_primary());
    CHECK(swept.times.size() == 5300);
    for (const auto& [key, times] : swept.times) {
        CHECK(times == 1);
        CHECK(counter_part(swept.looks.at(key)).value == key.substr(1));
        CHECK(expiry_part(swept.looks.at(key)).value == "2000000000");
    }
    CHECK(swept.failures.empty());
    REQUIRE(swept.progress.size() == 2);
    CHECK(swept.progress[0].complete);
    CHECK(swept.progress[0].windows == 5000);
    CHECK(swept.progress[1].windows == 300);
}

TEST_CASE("An empty server and one without windows end a sweep without a window") {
    StoreFixture shards(2);
    shards.primaries[1]->command({"EVAL", "for i = 1, 5000 do redis.call('SET', 'x' .. i, i) end", "0"});
    const auto swept = sweep(shards, from_primary());
    CHECK(swept.times.empty());
    CHECK(swept.progress[0].complete);
    CHECK(swept.progress[1].complete);
}

TEST_CASE("A glob is about the key and not about its expiry half") {
    StoreFixture shards;
    shards.put(0, "core:1", "1", "2000000000");
    shards.put(0, "core:12", "1", "2000000000");
    shards.put(0, "cors:1", "1", "2000000000");
    shards.put(0, "core:[1]", "1", "2000000000");
    auto question = from_primary();
    question.glob = "core:?";
    CHECK(sweep(shards, question).times == std::map<std::string, int>{{"core:1", 1}});
    question.glob = "core:\\[1\\]";
    CHECK(sweep(shards, question).times == std::map<std::string, int>{{"core:[1]", 1}});
    question.glob = "*1*";
    CHECK(sweep(shards, question).times.size() == 4);
}

TEST_CASE("Orphan counters are shown only when asked for and only those that are wanted") {
    StoreFixture shards;
    auto& server = *shards.primaries[0];
    shards.put(0, "core:whole", "1", "2000000000");
    server.command({"SET", "core:orphan", "5"});
    server.command({"SET", "other:orphan", "5"});
    server.command({"SET", "core:half:exp", "2000000000"});
    server.command({"SET", "ratectl:op:01J", "x"});
    CHECK(sweep(shards, from_primary()).times == std::map<std::string, int>{{"core:whole", 1}, {"core:half", 1}});
    auto question = from_primary();
    question.orphan_counters = [](std::string_view key) { return key.starts_with("core:"); };
    CHECK(sweep(shards, question).times ==
          std::map<std::string, int>{{"core:whole", 1}, {"core:half", 1}, {"core:orphan", 1}});
    question.glob = "core:?r*";
    CHECK(sweep(shards, question).times == std::map<std::string, int>{{"core:orphan", 1}});
}

TEST_CASE("A full sweep sees wrong types and missing lifetimes") {
    StoreFixture shards;
    auto& server = *shards.primaries[0];
    shards.put(0, "good", "1", "2000000000");
    server.command({"SET", "leaked", "1"});
    server.command({"SET", "leaked:exp", "2000000000"});
    server.command({"RPUSH", "list:exp", "x"});
    CHECK(sweep(shards, from_primary()).times.count("list") == 0);
    auto question = from_primary();
    question.depth = LookDepth::full;
    const auto swept = sweep(shards, question);
    REQUIRE(swept.times.size() == 3);
    CHECK(expiry_part(swept.looks.at("list")).type == "list");
    CHECK(counter_part(swept.looks.at("leaked")).ttl_ms == -1);
    CHECK(counter_part(swept.looks.at("good")).expires_at_ms.has_value());
}

TEST_CASE("Any bytes in a key come out of a sweep as they are") {
    StoreFixture shards;
    const std::string key("a\n\x1b[31m\xff\"'\0b", 13);
    shards.put(0, key, "3", "2000000000");
    const auto swept = sweep(shards, from_primary());
    REQUIRE(swept.times.count(key) == 1);
    CHECK(counter_part(swept.looks.at(key)).value == "3");
}

TEST_CASE("A sweep reads healthy replicas by default") {
    StoreFixture shards(2, 1);
    for (std::size_t s = 0; s < 2; ++s) {
        fill(*shards.primaries[s], "k" + std::to_string(s) + ":", 100);
        shards.replicas_of[s][0]->await_replication_of(*shards.primaries[s]);
    }
    const auto swept = sweep(shards);
    CHECK(swept.times.size() == 200);
    CHECK(swept.nodes == std::set<std::string>{shards.replicas_of[0][0]->endpoint().address(),
                                               shards.replicas_of[1][0]->endpoint().address()});
    CHECK_FALSE(swept.stale);
    CHECK(shards.notices.empty());
}

TEST_CASE("With a primary dead its replica is swept as stale and the dead node is named") {
    StoreFixture shards(2, 1);
    for (std::size_t s = 0; s < 2; ++s) {
        fill(*shards.primaries[s], "k" + std::to_string(s) + ":", 100);
        shards.replicas_of[s][0]->await_replication_of(*shards.primaries[s]);
    }
    shards.primaries[0]->kill();
    while (shards.replicas_of[0][0]->command({"INFO", "replication"}).find("master_link_status:down") ==
           std::string::npos) {
    }
    const auto swept = sweep(shards);
    CHECK(swept.times.size() == 200);
    REQUIRE(swept.failures.size() == 1);
    CHECK(swept.failures[0].node.name() == shards.primaries[0]->endpoint().address());
    CHECK(swept.progress[0].stale);
    CHECK_FALSE(swept.progress[1].stale);
}

TEST_CASE("A shard whose every node is dead is a failure and the others are swept") {
    StoreFixture shards(2);
    fill(*shards.primaries[1], "k", 100);
    shards.primaries[0]->kill();
    const auto swept = sweep(shards);
    CHECK(swept.times.size() == 100);
    REQUIRE(swept.failures.size() == 1);
    CHECK(swept.failures[0].node.shard == "alpha");
    CHECK_FALSE(swept.progress[0].complete);
    CHECK(swept.progress[1].complete);
}

TEST_CASE("A node that is replaced in mid-sweep is swept again from the start") {
    StoreFixture shards;
    fill(*shards.primaries[0], "old", 20000);
    const auto stream = shards.store().scan(from_primary());
    REQUIRE(stream->next() != nullptr);
    shards.primaries[0]->kill();
    shards.primaries[0]->start_again();
    fill(*shards.primaries[0], "new", 500);
    std::set<std::string> found;
    while (const auto* page = stream->next()) {
        for (const auto& look : page->looks) found.insert(look.key);
    }
    CHECK(stream->failures().empty());
    CHECK(stream->progress()[0].restarts == 1);
    CHECK(stream->progress()[0].complete);
    CHECK(found.count("new1") == 1);
    CHECK(found.count("new500") == 1);
}

TEST_CASE("A node lost in mid-sweep is a failure and the rest goes on") {
    StoreFixture shards(2);
    fill(*shards.primaries[0], "a", 20000);
    fill(*shards.primaries[1], "b", 20000);
    const auto stream = shards.store().scan(from_primary());
    std::set<std::string> of_second;
    const auto take = [&](const store::ScanPage* page) {
        for (const auto& look : page->looks) {
            if (page->shard == 1) of_second.insert(look.key);
        }
    };
    const auto* first = stream->next();
    REQUIRE(first != nullptr);
    take(first);
    shards.primaries[0]->kill();
    while (const auto* page = stream->next()) take(page);
    CHECK(of_second.size() == 20000);
    REQUIRE(stream->failures().size() == 1);
    CHECK_FALSE(stream->progress()[0].complete);
    CHECK(stream->progress()[1].complete);
}

TEST_CASE("A reader who pauses longer than the timeout loses nothing") {
    StoreFixture shards;
    shards.options.timeout = support::Milliseconds(200);
    fill(*shards.primaries[0], "k", 5000);
    const auto stream = shards.store().scan(from_primary());
    std::map<std::string, int> times;
    int pages = 0;
    while (const auto* page = stream->next()) {
        for (const auto& look : page->looks) ++times[look.key];
        if (++pages % 10 == 0) usleep(450'000);
    }
    CHECK(stream->failures().empty());
    CHECK(times.size() == 5000);
    for (const auto& [key, seen] : times) CHECK(seen == 1);
}

TEST_CASE("A sweep that is dropped or stopped half-way leaves a store that still answers") {
    StoreFixture shards;
    support::StopSignal stop;
    shards.options.stop = &stop;
    fill(*shards.primaries[0], "k", 20000);
    {
        const auto stream = shards.store().scan(from_primary());
        REQUIRE(stream->next() != nullptr);
    }
    const std::vector<store::KeyAt> keys{{"k1", 0}};
    CHECK(counter_part(*shards.store().look({keys, {}, LookDepth::light, false})[0].look).value == "1");
    const auto stream = shards.store().scan(from_primary());
    REQUIRE(stream->next() != nullptr);
    stop.set(SIGINT);
    CHECK(stream->next() == nullptr);
    CHECK_FALSE(stream->progress()[0].complete);
}

TEST_CASE("A table that shrinks and grows under a sweep repeats no window that stood all the time") {
    StoreFixture shards;
    fill(*shards.primaries[0], "stays", 3000);
    fill(*shards.primaries[0], "goes", 60000);
    auto question = from_primary();
    question.max_latency = std::chrono::microseconds(0);
    const auto stream = shards.store().scan(question);
    std::map<std::string, int> times;
    int pages = 0;
    while (const auto* page = stream->next()) {
        for (const auto& look : page->looks) ++times[look.key];
        if (++pages == 100) {
            shards.primaries[0]->command(
                {"EVAL", "for i = 1, 60000 do redis.call('DEL', 'goes' .. i, 'goes' .. i .. ':exp') end", "0"});
        }
    }
    int stayed = 0;
    for (const auto& [key, seen] : times) {
        if (!key.starts_with("stays")) continue;
        ++stayed;
        CHECK(seen == 1);
    }
    CHECK(stayed == 3000);
}

}  // namespace
}  // namespace ratectl::test
