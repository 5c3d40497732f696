// Looks and writes where slots move and primaries change: asked again at the right place, and sent again only where
// nothing was written.
#include <algorithm>

#include "domain/cluster/slot_faults.h"
#include "store/store.h"
#include "support/catch.h"
#include "support/contains.h"
#include "support/moving_directory.h"
#include "support/window_look.h"
#include "unit/store/pretended_shards.h"

namespace ratectl::test {
namespace {

using redis::Redirect;
using store::Place;
using store::WriteStatus;
using support::ExitCode;

const redis::Reply kMoved7 = error("MOVED 7 10.0.0.9:6379");
const redis::Reply kReadOnly = error("READONLY You can't write against a read only replica.");
constexpr const char* kPromoted = "10.0.0.8";

domain::Endpoint at(const char* host) {
    domain::Endpoint endpoint;
    endpoint.host = host;
    return endpoint;
}

/// Places alpha and beta behind a directory that moves.
struct MovingShards : PretendedShards {
    MovingShards() : PretendedShards(2) {
        topology.directory = directory;
        spare.answer_for(promoted());
        promoted().facts.run_id = "third";
    }
    FakeNode& promoted() { return connector->at(kReplica); }
    /// Slot 7 goes to beta as soon as anyone is told so.
    void learn_of_slot_7() {
        directory->learns = [this](const Redirect& redirect) {
            if (redirect.kind != Redirect::Kind::moved) return false;
            directory->move_slot(redirect.slot.value(), 1);
            return true;
        };
    }
    /// Alpha has got another primary as soon as anyone asks.
    void learn_of_failover() {
        directory->learns = [this](const Redirect&) {
            directory->promote(0, at(kPromoted));
            return true;
        };
    }
    std::size_t asked_promoted(const std::string& word) {
        std::size_t count = 0;
        for (const auto& command : promoted().asked()) count += command.front() == word ? 1 : 0;
        return count;
    }

    PretendedServer spare;
    std::shared_ptr<MovingDirectory> directory = std::make_shared<MovingDirectory>(
        std::vector<std::pair<std::string, domain::Endpoint>>{{"alpha", at("10.0.0.7")}, {"beta", at("10.0.0.9")}});
};

std::vector<store::CountItem> placed_counts(const MovingDirectory& directory, const std::vector<std::string>& keys) {
    auto items = counts(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) items[i].at = {keys[i], *directory.place_of(keys[i])};
    return items;
}

Answer values_of(const Command& command) {
    std::vector<redis::Reply> values(command.size() - 1, nil());
    for (std::size_t i = 0; i + 1 < command.size(); i += 2) values[i] = text("5");
    return array(std::move(values));
}

TEST_CASE("A look is asked again where the directory has learned that the slot went") {
    MovingShards shards;
    shards.learn_of_slot_7();
    shards.node(0).always(first_word_is("MGET"), [](const Command& command) -> Answer {
        return command.at(1).ends_with('7') ? Answer{kMoved7} : values_of(command);
    });
    shards.node(1).always(first_word_is("MGET"), values_of);
    std::vector<store::KeyAt> keys;
    for (const auto* key : {"a1", "a7", "b7", "c2", "d7"}) keys.push_back({key, *shards.directory->place_of(key)});

    const auto answers = shards.store().look({keys, {}, domain::LookDepth::light, false});

    REQUIRE(answers.size() == keys.size());
    for (const auto& answer : answers) {
        REQUIRE(answer.look);
        CHECK(answer.look->key == keys[answer.key].key);
        CHECK(counter_part(*answer.look).value == "5");
        CHECK(answer.node.shard == (keys[answer.key].key.ends_with('7') ? "beta" : "alpha"));
    }
    REQUIRE(shards.directory->told.size() == 1);
    CHECK(shards.directory->told[0].place == Place{0, 7});
    CHECK(shards.directory->told[0].redirect.address == "10.0.0.9:6379");
}

TEST_CASE("A node that is asked by its name says where the slot went, and who asks again asks there") {
    MovingShards shards;
    shards.learn_of_slot_7();
    shards.node(0).always(first_word_is("MGET"), [](const Command&) -> Answer { return kMoved7; });
    const std::vector<store::KeyAt> keys{{"a7", {0, 7}}};
    const domain::ReadFrom alone{domain::ReadFrom::Which::node, shards.directory->primary(0).name()};
    const auto answers = shards.store().look({keys, alone, domain::LookDepth::light, false});
    REQUIRE(answers.size() == 1);
    REQUIRE_FALSE(answers[0].look);
    CHECK(answers[0].look.error().reason == domain::kSlotElsewhere);
    CHECK(answers[0].node.shard == "alpha");
    CHECK(shards.directory->place_of("a7") == Place{1, 7});
}

TEST_CASE("A look that is sent round in a circle ends") {
    MovingShards shards;
    shards.directory->learns = [](const Redirect&) { return true; };
    shards.node(0).always(first_word_is("MGET"), [](const Command&) -> Answer { return kMoved7; });
    const std::vector<store::KeyAt> keys{{"a7", {0, 7}}};
    const auto answers = shards.store().look({keys, {}, domain::LookDepth::light, false});
    REQUIRE(answers.size() == 1);
    REQUIRE_FALSE(answers[0].look);
    CHECK(answers[0].look.error().code == ExitCode::protocol);
    CHECK(shards.directory->told.size() < 10);
}

TEST_CASE("What a directory makes nothing of is what the server said") {
    MovingShards shards;
    shards.node(0).always(first_word_is("MGET"), [](const Command&) -> Answer { return kMoved7; });
    const std::vector<store::KeyAt> keys{{"a7", {0, 7}}};
    CHECK_FALSE(shards.store().look({keys, {}, domain::LookDepth::light, false})[0].look);
    CHECK(shards.directory->told.size() == 1);

    shards.node(0).expect(kEvalsha, kReadOnly);
    const auto results = shards.store().count(placed_counts(*shards.directory, {"a1"}), ordered());
    CHECK(results[0].status == WriteStatus::refused);
    CHECK(results[0].reason == "server-refuses");
    CHECK(contains(results[0].error->message, "nothing was written"));
}

TEST_CASE("A write that a moved slot refused is sent once to its new place") {
    MovingShards shards;
    shards.learn_of_slot_7();
    std::vector<std::string> written;
    shards.node(0).always(kEvalsha, [&](const Command& call) -> Answer {
        if (key_of(call, 0).ends_with('7')) return kMoved7;
        written.push_back("alpha " + key_of(call, 0));
        return done();
    });
    shards.node(1).always(kEvalsha, [&](const Command& call) -> Answer {
        written.push_back("beta " + key_of(call, 0));
        return done();
    });
    const auto items = placed_counts(*shards.directory, {"a1", "a7", "b2", "b7", "c3"});
    const auto results = shards.store().count(items, ordered(5, 1));
    std::sort(written.begin(), written.end());
    CHECK(written == std::vector<std::string>{"alpha a1", "alpha b2", "alpha c3", "beta a7", "beta b7"});
    for (std::size_t i = 0; i < results.size(); ++i) {
        INFO(items[i].at.key);
        CHECK(results[i].status == WriteStatus::applied);
        CHECK(results[i].attempts == 1);
    }
    CHECK(results[3].node.shard == "beta");
}

TEST_CASE("After a failover the rest is written to the new primary") {
    MovingShards shards;
    shards.learn_of_failover();
    shards.node(0).expect(kEvalsha, done()).always(kEvalsha, [](const Command&) -> Answer { return kReadOnly; });
    shards.promoted().always(kEvalsha, [](const Command&) -> Answer { return done(); });
    const auto items = placed_counts(*shards.directory, {"a1", "a2", "a3"});
    const auto results = shards.store().count(items, ordered(3, 1));
    for (const auto& result : results) CHECK(result.status == WriteStatus::applied);
    CHECK(results[0].node.endpoint.host == "10.0.0.7");
    CHECK(results[2].node.endpoint.host == kPromoted);
    CHECK(shards.asked_promoted("EVALSHA") == 2);
}

TEST_CASE("A primary that has become a replica before anything was sent is passed over") {
    MovingShards shards;
    shards.learn_of_failover();
    shards.node(0).facts.role = domain::Role::replica;
    shards.node(0).always(first_word_is("ROLE"), [](const Command&) -> Answer {
        return array({text("slave"), text("10.0.0.8"), integer(6379), text("connected"), integer(1)});
    });
    shards.promoted().expect(kEvalsha, done());
    const auto results = shards.store().count(placed_counts(*shards.directory, {"a1"}), ordered());
    CHECK(results[0].status == WriteStatus::applied);
    CHECK(shards.asked("EVALSHA") == 0);
}

TEST_CASE("A lost reply is asked for at the new primary and never sent there blindly") {
    for (const bool is_there : {true, false}) {
        INFO("the operation key has been replicated: " << is_there);
        MovingShards shards;
        shards.learn_of_failover();
        shards.node(0).expect(kEvalsha, done()).always(kEvalsha, [&](const Command&) -> Answer {
            shards.node(0).facts.role = domain::Role::replica;
            shards.node(0).facts.run_id = "restarted";
            if (is_there) {
                shards.spare.stored["ratectl:op:OP.2"] = stored_operation("count", "f2", {"a2"}, shards.spare.now_ms());
            }
            return broken(true);
        });
        const auto items = placed_counts(*shards.directory, {"a1", "a2"});
        const auto results = shards.store().count(items, ordered(2, 1));
        CHECK(results[0].status == WriteStatus::applied);
        CHECK(results[1].status == (is_there ? WriteStatus::applied : WriteStatus::unknown));
        CHECK(results[1].resolved == is_there);
        CHECK(shards.asked_promoted("EVALSHA") == 0);
        CHECK(shards.asked("EVALSHA") == 2);
    }
}

TEST_CASE("Writing goes on where the history of the server goes on and nowhere else") {
    struct Row {
        const char* what;
        domain::History history;
        bool goes_on;
    };
    const std::vector<Row> rows{
        {"a promoted replica that had all", {"new", 120, "old", 101}, true},
        {"a promoted replica that lacked some", {"new", 120, "old", 100}, false},
        {"another history", {"other", 500, "0000", -1}, false},
        {"nothing is said", {}, false},
    };
    for (const auto& row : rows) {
        INFO(row.what);
        PretendedShards shards;
        shards.server().history = {"old", 100, "0000", -1};
        shards.node().expect(kEvalsha, done());
        shards.store().count(counts(1), ordered());
        struct Failover : store::WriteObserver {
            explicit Failover(std::function<void()> at_before) : at_before_(std::move(at_before)) {}
            void before(std::span<const store::SliceAt>) override { at_before_(); }
            void after(std::span<const store::SliceAt>, std::span<const store::WriteResult>) override {}
            std::function<void()> at_before_;
        } failover([&] {
            shards.server().history = row.history;
            shards.node().facts.run_id = "promoted";
            shards.node().fail_next_send(broken(false, "the server has closed the connection"));
        });
        if (row.goes_on) shards.node().expect(kEvalsha, done());
        auto order = ordered();
        order.observer = &failover;
        const auto results = shards.store().count(counts(1), order);
        CHECK(results[0].status == (row.goes_on ? WriteStatus::applied : WriteStatus::failed));
        if (!row.goes_on) CHECK(contains(results[0].error->message, "restarted"));
    }
}

}  // namespace
}  // namespace ratectl::test
