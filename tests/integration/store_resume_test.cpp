// Sweeps that go on where an earlier one stopped, gentle ones, and those that look at counters first, on real shards.
#include <algorithm>
#include <map>
#include <set>

#include "integration/store_fixture.h"

namespace ratectl::test {
namespace {

using domain::ReadFrom;
using store::ScanCursor;
using store::ScanQuestion;

ScanQuestion question_to(ReadFrom::Which which, std::vector<ScanCursor> resume = {}) {
    ScanQuestion question;
    question.from = {which, {}};
    question.resume = std::move(resume);
    return question;
}

std::vector<ScanCursor> cursors_of(const StoreFixture& shards, const store::ScanStream& stream) {
    std::vector<ScanCursor> cursors;
    for (const auto& each : stream.progress()) {
        cursors.push_back({shards.topology.shards[each.shard].name, each.node ? each.node->name() : "", each.run_id,
                           each.cursor, each.complete, each.windows});
    }
    return cursors;
}

/// Windows of the pages that the caller has finished with.
using Shown = std::map<std::string, int>;

/// Takes so many pages (0: all) and says where the sweep stands.
std::vector<ScanCursor> take(StoreFixture& shards, ScanQuestion question, std::size_t pages, Shown& shown) {
    auto stream = shards.store().scan(std::move(question));
    std::size_t taken = 0;
    while (const auto* page = stream->next()) {
        if (pages > 0 && taken++ == pages) break;  // this one is not finished with
        for (const auto& look : page->looks) ++shown[look.key];
    }
    CHECK(stream->failures().empty());
    auto cursors = cursors_of(shards, *stream);
    stream.reset();  // before its store
    shards.new_store();
    return cursors;
}

bool each_once(const Shown& shown) {
    return std::all_of(shown.begin(), shown.end(), [](const auto& each) { return each.second == 1; });
}

TEST_CASE("A sweep that is stopped anywhere goes on there and shows every window once") {
    StoreFixture shards(2);
    fill(*shards.primaries[0], "a", 6000);
    fill(*shards.primaries[1], "b", 900);
    for (const std::size_t pages : {1u, 2u, 7u, 20u}) {
        Shown shown;
        auto cursors = take(shards, question_to(ReadFrom::Which::primary), pages, shown);
        const auto first = shown.size();
        CHECK(first < 6900);
        CHECK(cursors[0].windows + cursors[1].windows == first);
        // Once more in the middle, then to the end.
        cursors = take(shards, question_to(ReadFrom::Which::primary, cursors), 2, shown);
        CHECK(shown.size() > first);
        cursors = take(shards, question_to(ReadFrom::Which::primary, cursors), 0, shown);
        INFO(pages << " pages at first");
        CHECK(shown.size() == 6900);
        CHECK(each_once(shown));
        CHECK(cursors[0].complete);
        CHECK(cursors[0].windows == 6000);
        CHECK(cursors[1].windows == 900);
    }
}

TEST_CASE("A shard that another process answers for is resumed from its beginning") {
    StoreFixture shards(2);
    fill(*shards.primaries[0], "a", 6000);
    fill(*shards.primaries[1], "b", 6000);
    Shown shown;
    auto cursors = take(shards, question_to(ReadFrom::Which::primary), 12, shown);
    // A busy machine may have left one of them behind.
    const auto is_at_rest = [](const auto& cursor) { return cursor.cursor == "0"; };
    for (int i = 0; i < 20 && std::ranges::any_of(cursors, is_at_rest); ++i) {
        shown.clear();
        cursors = take(shards, question_to(ReadFrom::Which::primary), 12, shown);
    }
    REQUIRE(cursors[0].cursor != "0");
    REQUIRE(cursors[1].cursor != "0");
    shards.primaries[0]->kill();
    shards.primaries[0]->start_again();
    fill(*shards.primaries[0], "new", 2000);
    const auto stream = shards.store().scan(question_to(ReadFrom::Which::primary, cursors));
    Shown later;
    while (const auto* page = stream->next()) {
        for (const auto& look : page->looks) ++later[look.key];
    }
    CHECK(stream->progress()[0].restarts == 1);
    CHECK(stream->progress()[0].windows == 2000);
    CHECK(stream->progress()[1].restarts == 0);
    CHECK(stream->progress()[1].windows == 6000);
    CHECK(each_once(later));
    CHECK(std::count_if(later.begin(), later.end(), [](const auto& each) { return each.first[0] == 'n'; }) == 2000);
    for (int i = 1; i <= 6000; ++i) {
        const auto key = "b" + std::to_string(i);
        REQUIRE(shown.count(key) + later.count(key) == 1);
    }
}

TEST_CASE("A shard that is complete is not asked again") {
    StoreFixture shards(2);
    fill(*shards.primaries[0], "a", 100);
    fill(*shards.primaries[1], "b", 9000);
    Shown shown;
    auto cursors = take(shards, question_to(ReadFrom::Which::primary), 10, shown);
    REQUIRE(cursors[0].complete);
    REQUIRE_FALSE(cursors[1].complete);
    shards.primaries[0]->kill();
    cursors = take(shards, question_to(ReadFrom::Which::primary, cursors), 0, shown);
    CHECK(shown.size() == 9100);
    CHECK(each_once(shown));
    CHECK(cursors[0].complete);
    CHECK(cursors[0].windows == 100);
}

TEST_CASE("A resumed sweep reads the replica whose cursor it has") {
    StoreFixture shards(1, 2);
    fill(*shards.primaries[0], "k", 8000);
    for (auto& replica : shards.replicas_of[0]) replica->await_replication_of(*shards.primaries[0]);
    ScanQuestion question = question_to(ReadFrom::Which::replica);
    question.from = {ReadFrom::Which::node, shards.replicas_of[0][1]->endpoint().address()};
    Shown shown;
    auto cursors = take(shards, question, 5, shown);
    REQUIRE(cursors.at(0).node == shards.replicas_of[0][1]->endpoint().address());
    cursors = take(shards, question_to(ReadFrom::Which::replica, cursors), 0, shown);
    CHECK(cursors.at(0).node == shards.replicas_of[0][1]->endpoint().address());
    CHECK(shown.size() == 8000);
    CHECK(each_once(shown));
}

TEST_CASE("A sweep that waits longer between its commands than a server may take loses nothing") {
    StoreFixture shards;
    shards.options.timeout = support::Milliseconds(150);
    fill(*shards.primaries[0], "k", 300);
    auto question = question_to(ReadFrom::Which::primary);
    question.ops = 10;
    const auto started = std::chrono::steady_clock::now();
    Shown shown;
    take(shards, question, 0, shown);
    CHECK(shown.size() == 300);
    CHECK(each_once(shown));
    CHECK(std::chrono::steady_clock::now() - started >= std::chrono::milliseconds(300));
}

TEST_CASE("On a real server the clock makes pages grow where there is time for it") {
    StoreFixture shards;
    fill(*shards.primaries[0], "k", 60'000);
    auto question = question_to(ReadFrom::Which::primary);
    question.max_latency = std::chrono::milliseconds(50);
    const auto stream = shards.store().scan(question);
    std::size_t largest = 0;
    Shown shown;
    while (const auto* page = stream->next()) {
        largest = std::max(largest, page->looks.size());
        for (const auto& look : page->looks) ++shown[look.key];
    }
    CHECK(shown.size() == 60'000);
    CHECK(each_once(shown));
    CHECK(largest > 600);
}

TEST_CASE("A sweep for the few shows exactly the windows that are worth it") {
    StoreFixture shards(2);
    fill(*shards.primaries[0], "a", 5000);
    fill(*shards.primaries[1], "b", 5000);
    shards.primaries[0]->command({"RPUSH", "list", "5000"});
    shards.primaries[0]->command({"SET", "list:exp", "2000000000"});
    auto question = question_to(ReadFrom::Which::primary);
    std::size_t asked = 0;
    question.worth_a_look = [&](std::string_view, std::string_view counter) {
        ++asked;
        return counter.size() == 4 && counter >= "4951";
    };
    Shown shown;
    take(shards, question, 0, shown);
    CHECK(asked == 10'001);
    CHECK(shown.size() == 100);
    CHECK(each_once(shown));
    CHECK(shown.count("a4951") == 1);
    CHECK(shown.count("b5000") == 1);
}

}  // namespace
}  // namespace ratectl::test
