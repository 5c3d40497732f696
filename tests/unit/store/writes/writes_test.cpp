// Writes over pretended servers: what is sent, in which order, with what around it, and how refusals are told.
#include <algorithm>
#include <csignal>
#include <stdexcept>

#include "store/store.h"
#include "support/catch.h"
#include "support/contains.h"
#include "unit/store/pretended_shards.h"

namespace ratectl::test {
namespace {

using store::WriteStatus;
using support::ExitCode;

const auto kEval = first_word_is("EVAL");

struct Observer : store::WriteObserver {
    explicit Observer(std::function<void()> at_before = {}) : at_before_(std::move(at_before)) {}
    void before(std::span<const store::SliceAt> slices) override {
        ++befores;
        for (const auto& at : slices)
            announced.push_back(at.node.shard + "/" + std::to_string(at.slice->number) + "/" + at.run_id);
        if (at_before_) at_before_();
    }
    void after(std::span<const store::SliceAt> slices, std::span<const store::WriteResult> results) override {
        ++afters;
        finished = slices.size();
        for (const auto& result : results) statuses.push_back(result.status);
    }
    int befores = 0;
    int afters = 0;
    std::size_t finished = 0;
    std::vector<std::string> announced;
    std::vector<WriteStatus> statuses;

private:
    std::function<void()> at_before_;
};

TEST_CASE("A call carries the operation key its fingerprint and who asks for it") {
    PretendedShards shards;
    shards.node().expect(kEvalsha, done());
    const auto results = shards.store().count(counts(1), ordered());
    CHECK(results[0].status == WriteStatus::applied);
    CHECK(results[0].attempts == 1);
    CHECK_FALSE(results[0].resolved);
    const auto& call = shards.node().asked().back();
    REQUIRE(call.size() > 11);
    CHECK(call[2] == "3");
    CHECK(call[5] == "ratectl:op:OP.1");
    CHECK(Command(call.begin() + 7, call.begin() + 11) == Command{"f1", "root", "host", "why"});
}

TEST_CASE("The observer is told once before and once after of the slices of all shards") {
    PretendedShards shards(2);
    auto items = counts(3, 0);
    for (const auto& item : counts(2, 1)) items.push_back(item);
    Observer observer;
    observer = Observer([&] {
        CHECK(shards.asked("EVALSHA", 0) == 0);
        CHECK(shards.asked("EVALSHA", 1) == 0);
        CHECK(shards.node(0).opened() == 1);
        CHECK(shards.node(1).opened() == 1);
    });
    for (std::size_t shard = 0; shard < 2; ++shard) {
        shards.node(shard).always(kEvalsha, [](const Command& call) -> Answer { return done(windows_of(call)); });
    }
    auto order = ordered(3, 2);
    order.slices.push_back({3, "f3", {3, 4}});
    order.observer = &observer;
    const auto results = shards.store().count(items, order);
    CHECK(observer.befores == 1);
    CHECK(observer.afters == 1);
    CHECK(observer.announced == std::vector<std::string>{"alpha/1/first", "alpha/2/first", "beta/3/second"});
    CHECK(observer.finished == 3);
    CHECK(observer.statuses == std::vector<WriteStatus>(5, WriteStatus::applied));
    CHECK(results.size() == 5);
}

TEST_CASE("An observer that throws before the call keeps everything from being sent") {
    PretendedShards shards(2);
    Observer observer([] { throw std::runtime_error("the journal is full"); });
    auto items = counts(1, 0);
    items.push_back(counts(1, 1)[0]);
    auto order = ordered();
    order.slices.push_back({2, "f2", {1}});
    order.observer = &observer;
    CHECK_THROWS_AS(shards.store().count(items, order), std::runtime_error);
    CHECK(shards.asked("EVALSHA", 0) + shards.asked("EVALSHA", 1) == 0);
    CHECK(observer.afters == 0);
}

TEST_CASE("A shard that cannot be written to is not announced and does not keep the other one back") {
    PretendedShards shards(2);
    shards.node(0).gone = broken(false, "connection refused");
    shards.node(1).expect(kEvalsha, done());
    Observer observer;
    auto items = counts(1, 0);
    items.push_back(counts(1, 1)[0]);
    auto order = ordered();
    order.slices.push_back({2, "f2", {1}});
    order.observer = &observer;
    const auto results = shards.store().count(items, order);
    CHECK(results[0].status == WriteStatus::failed);
    CHECK(contains(results[0].error->message, "nothing was written"));
    CHECK(results[1].status == WriteStatus::applied);
    CHECK(observer.announced == std::vector<std::string>{"beta/2/second"});
    CHECK(observer.statuses == std::vector<WriteStatus>{WriteStatus::failed, WriteStatus::applied});
}

TEST_CASE("Two shards that are one server are both refused and both named") {
    PretendedShards shards(2);
    shards.node(1).facts.run_id = "first";
    auto items = counts(1, 0);
    items.push_back(counts(1, 1)[0]);
    const auto results = shards.store().count(items);
    for (const auto& result : results) {
        CHECK(result.status == WriteStatus::refused);
        CHECK(result.reason == "same-server");
        CHECK(result.error->code == ExitCode::configuration);
        CHECK(contains(result.error->message, "shard 'alpha'"));
        CHECK(contains(result.error->message, "shard 'beta'"));
    }
    CHECK(shards.asked("EVALSHA", 0) + shards.asked("EVALSHA", 1) == 0);
}

TEST_CASE("Two shards in two dbs of one server are two shards") {
    PretendedShards shards(2);
    shards.node(1).facts.run_id = "first";
    shards.topology.shards[1].primary.db = 1;
    for (std::size_t shard = 0; shard < 2; ++shard) shards.node(shard).expect(kEvalsha, done());
    auto items = counts(1, 0);
    items.push_back(counts(1, 1)[0]);
    for (const auto& result : shards.store().count(items)) CHECK(result.status == WriteStatus::applied);
}

TEST_CASE("A replica or a server before 6.0 is not written to and one of unknown version is") {
    PretendedShards shards;
    shards.node().facts.version = domain::ServerVersion{5, 0, 14, false};
    auto results = shards.store().count(counts(1), ordered());
    CHECK(results[0].status == WriteStatus::refused);
    CHECK(results[0].reason == "old-server");
    CHECK(results[0].error->code == ExitCode::write_refused);
    shards.node().facts.version.reset();
    shards.node().facts.role = domain::Role::replica;
    shards.node().expect({"ROLE"},
                         array({text("slave"), text("10.0.0.8"), integer(6379), text("connected"), integer(1)}));
    results = shards.store().count(counts(1), ordered());
    CHECK(results[0].reason == "replica");
    CHECK(contains(results[0].error->message, "a replica of 10.0.0.8:6379"));
    CHECK(shards.asked("EVALSHA") == 0);
    shards.node().facts.role = domain::Role::primary;
    shards.node().expect(kEvalsha, done());
    CHECK(shards.store().count(counts(1), ordered())[0].status == WriteStatus::applied);
}

TEST_CASE("A script that the server does not know is sent once as text behind what is on its way") {
    PretendedShards shards;
    // The second slice has a key of the first, so it waits for it; the third does not.
    auto items = counts(3);
    items[1].at.key = "k0";
    shards.node().expect(kEvalsha, kNoScript).expect(kEval, done()).expect(kEvalsha, done()).expect(kEvalsha, done());
    const auto results = shards.store().count(items, ordered(3, 1));
    for (const auto& result : results) {
        CHECK(result.status == WriteStatus::applied);
        CHECK(result.attempts == 1);
    }
    std::vector<std::string> keys;
    for (const auto& command : shards.node().asked()) {
        if (command[0].starts_with("EVAL")) keys.push_back(command[0] + " " + key_of(command, 0));
    }
    CHECK(keys == std::vector<std::string>{"EVALSHA k0", "EVAL k0", "EVALSHA k0", "EVALSHA k2"});
}

TEST_CASE("One call alone finds out whether the server knows the script") {
    PretendedShards shards;
    shards.node().expect(kEvalsha, kNoScript).expect(kEval, done()).always(kEvalsha, [](const Command&) -> Answer {
        return done();
    });
    for (const auto& result : shards.store().count(counts(20), ordered(20, 1)))
        CHECK(result.status == WriteStatus::applied);
    std::vector<std::string> words;
    for (const auto& command : shards.node().asked()) {
        if (command[0].starts_with("EVAL")) words.push_back(command[0]);
    }
    REQUIRE(words.size() == 21);
    CHECK(words[0] == "EVALSHA");
    CHECK(words[1] == "EVAL");
    CHECK(std::ranges::count(words, "EVAL") == 1);
}

TEST_CASE("After an unknown outcome a shard gets nothing more of the same stream") {
    PretendedShards shards(2);
    shards.node(0).expect(kEvalsha, broken(true));
    shards.node(1).always(kEvalsha, [](const Command&) -> Answer { return done(); });
    auto items = counts(1, 0);
    items.push_back(counts(1, 1)[0]);
    auto order = ordered();
    order.operation.id.clear();
    order.slices.clear();
    Observer observer;
    order.observer = &observer;
    const auto stream = shards.store().write_stream();
    for (int batch = 0; batch < 2; ++batch) stream->submit(items, order);
    const auto first = stream->take();
    CHECK(first[0].status == WriteStatus::unknown);
    CHECK(first[1].status == WriteStatus::applied);
    CHECK(stream->take()[0].status == WriteStatus::not_attempted);
    stream->submit(items, order);
    const auto last = stream->take();
    CHECK(last[0].status == WriteStatus::not_attempted);
    CHECK(last[0].reason == "after-unknown");
    CHECK(last[1].status == WriteStatus::applied);
    CHECK(last[1].reason.empty());
    CHECK(observer.announced.size() == 5);  // the third time only of the shard that goes on
    CHECK(shards.asked("EVALSHA", 0) == 1);
    CHECK(shards.asked("EVALSHA", 1) == 3);
}

TEST_CASE("A second NOSCRIPT wrote nothing and is no loop") {
    PretendedShards shards;
    shards.node().expect(kEvalsha, kNoScript).expect(kEval, kNoScript);
    const auto results = shards.store().count(counts(1), ordered());
    CHECK(results[0].status == WriteStatus::failed);
    CHECK(results[0].error->code == ExitCode::protocol);
    CHECK(contains(results[0].error->message, "nothing was written"));
}

TEST_CASE("A call that came too late is sent again with the clock that the server showed") {
    PretendedShards shards;
    std::vector<Command> calls;
    const auto ahead = shards.server().now_ms() + 3'600'000;
    shards.node().expect(kEvalsha, call_status("late", ahead)).expect(kEvalsha, done());
    const auto results = shards.store().count(counts(1), ordered());
    CHECK(results[0].status == WriteStatus::applied);
    CHECK(results[0].attempts == 2);
    CHECK(std::stoll(deadline_of(shards.node().asked().back())) >= ahead + 110);
}

TEST_CASE("A call that is always too late fails after three attempts and wrote nothing") {
    PretendedShards shards;
    for (int i = 0; i < 3; ++i) shards.node().expect(kEvalsha, call_status("late"));
    const auto results = shards.store().count(counts(1), ordered());
    CHECK(results[0].status == WriteStatus::failed);
    CHECK(results[0].reason == "late");
    CHECK(results[0].error->code == ExitCode::unavailable);
    CHECK(contains(results[0].error->message, "nothing was written"));
}

TEST_CASE("What the server has seen already is told as already applied and what it knows otherwise is refused") {
    PretendedShards shards;
    auto already = call_status("already");
    already.elements.push_back(text(schemes::packed({"3", "f1", "count", "root", "host", "why", "1790000000000", "2"}) +
                                    window_answer("k0") + window_answer("k1", "below-zero")));
    shards.node().expect(kEvalsha, already).expect(kEvalsha, call_status("other-operation"));
    const auto results = shards.store().count(counts(3), ordered(3, 2));
    CHECK(results[0].status == WriteStatus::already_applied);
    CHECK(results[1].status == WriteStatus::refused);
    CHECK(results[1].reason == "below-zero");
    CHECK(results[2].status == WriteStatus::refused);
    CHECK(results[2].reason == "other-operation");
    CHECK(results[2].error->code == ExitCode::guard);
    CHECK(contains(results[2].error->message, "increment OP.2"));
}

TEST_CASE("A failure behind a write on the same shard says that nothing more was written there") {
    PretendedShards shards;
    shards.node().expect(kEvalsha, done()).always(kEvalsha, [](const Command&) -> Answer { return error("OOM x"); });
    const auto results = shards.store().count(counts(18), ordered(18, 1));
    CHECK(results[0].status == WriteStatus::applied);
    REQUIRE(results[1].error);
    CHECK(results[1].error->message.ends_with("; nothing more was written there"));
}

TEST_CASE("Error replies that prove that nothing was written refuse or fail and stop the shard") {
    struct Row {
        const char* reply;
        WriteStatus status;
        ExitCode code;
    };
    const std::vector<Row> rows{
        {"READONLY You can't write against a read only replica.", WriteStatus::refused, ExitCode::write_refused},
        {"OOM command not allowed when used memory > 'maxmemory'.", WriteStatus::refused, ExitCode::write_refused},
        {"MISCONF Redis is configured to save RDB snapshots, but", WriteStatus::refused, ExitCode::write_refused},
        {"NOREPLICAS Not enough good replicas to write.", WriteStatus::refused, ExitCode::write_refused},
        {"NOPERM this user has no permissions to run the 'set' command", WriteStatus::refused, ExitCode::access},
        {"ERR unknown command 'incrby', which the script needs", WriteStatus::failed, ExitCode::protocol},
        {"MOVED 12182 127.0.0.1:23003", WriteStatus::failed, ExitCode::protocol},
        {"ERR Error running script (call to f_x): @user_script:1: -READONLY You can't write against a read only "
         "replica.",
         WriteStatus::refused, ExitCode::write_refused},
    };
    for (const auto& row : rows) {
        INFO(row.reply);
        PretendedShards shards;
        shards.node().always(kEvalsha, [&](const Command&) -> Answer { return error(row.reply); });
        const auto results = shards.store().count(counts(18), ordered(18, 1));
        CHECK(results[0].status == row.status);
        CHECK(results[0].error->code == row.code);
        CHECK(results[0].error->message.ends_with("; nothing was written there"));
        CHECK(results[17].status == WriteStatus::not_attempted);
    }
}

TEST_CASE("A server that is loading or busy for a moment is asked again and for too long is a failure") {
    for (const bool passes : {true, false}) {
        PretendedShards shards;
        int asked = 0;
        shards.node().always(kEvalsha, [&](const Command&) -> Answer {
            if (passes && ++asked > 2) return done();
            return error("BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.");
        });
        shards.options.timeout = std::chrono::milliseconds(600);
        const auto started = std::chrono::steady_clock::now();
        const auto results = shards.store().count(counts(2), ordered(2, 1));
        CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(5));
        for (const auto& result : results) {
            CHECK(result.status == (passes ? WriteStatus::applied : WriteStatus::failed));
            CHECK(result.attempts == 1);
            if (!passes) CHECK(contains(result.error->message, "busy running a script; nothing was written"));
        }
    }
}

TEST_CASE("An idle connection that the server has closed is opened again and is no failure") {
    PretendedShards shards;
    shards.node().expect(kEvalsha, done()).expect(kEvalsha, done());
    shards.store().count(counts(1), ordered());
    shards.node().fail_next_send(broken(false, "the server has closed the connection"));
    const auto results = shards.store().count(counts(1), ordered());
    CHECK(results[0].status == WriteStatus::applied);
    CHECK(results[0].attempts == 1);
    CHECK(shards.node().opened() == 2);
}

TEST_CASE("A server that was replaced before anything was sent is not written to") {
    PretendedShards shards;
    Observer observer([&] {
        shards.node().facts.run_id = "another";
        shards.node().fail_next_send(broken(false, "the server has closed the connection"));
    });
    auto order = ordered(6, 1);
    order.observer = &observer;
    const auto results = shards.store().count(counts(6), order);
    for (const auto& result : results) {
        CHECK(result.status == WriteStatus::failed);
        CHECK(result.error->code == ExitCode::unavailable);
        CHECK(contains(result.error->message, "nothing was written"));
    }
    CHECK(shards.asked("EVALSHA") == 0);
}

TEST_CASE("What is thrown inside one shard costs the other shard nothing") {
    PretendedShards shards(2);
    shards.node(0).expect(kEvalsha, done()).always(kEvalsha, [](const Command&) -> Answer {
        throw std::runtime_error("out of ideas");
    });
    shards.node(1).always(kEvalsha, [](const Command&) -> Answer { return done(); });
    auto items = counts(3, 0);
    for (const auto& item : counts(2, 1)) items.push_back(item);
    auto order = ordered(5, 1);
    Observer observer;
    order.observer = &observer;
    const auto results = shards.store().count(items, order);
    CHECK(results[0].status == WriteStatus::applied);  // answered before the next one was sent
    CHECK(results[1].status == WriteStatus::unknown);
    REQUIRE(results[1].error);
    CHECK(contains(results[1].error->message, "out of ideas"));
    CHECK(results[2].status == WriteStatus::not_attempted);
    CHECK(results[3].status == WriteStatus::applied);
    CHECK(results[4].status == WriteStatus::applied);
    CHECK(observer.afters == 1);
    CHECK(observer.statuses.size() == 5);
}

TEST_CASE("A first stop signal lets what is on its way finish and starts nothing new") {
    PretendedShards shards;
    support::StopSignal stop;
    shards.options.stop = &stop;
    Observer observer;
    shards.node().always(kEvalsha, [&](const Command&) -> Answer {
        if (!stop) stop.set(SIGINT);
        return done();
    });
    auto order = ordered(6, 1);
    order.observer = &observer;
    const auto results = shards.store().count(counts(6), order);
    CHECK(results[0].status == WriteStatus::applied);
    for (std::size_t i = 1; i < 6; ++i) CHECK(results[i].status == WriteStatus::not_attempted);
    CHECK(observer.afters == 1);
}

TEST_CASE("After a stop signal a lost call is looked for and not sent again") {
    PretendedShards shards;
    support::StopSignal stop;
    shards.options.stop = &stop;
    shards.node().always(kEvalsha, [&](const Command&) -> Answer {
        stop.set(SIGTERM);
        return broken(true);
    });
    const auto results = shards.store().count(counts(1), ordered());
    CHECK(results[0].status == WriteStatus::failed);
    CHECK(results[0].error->code == ExitCode::terminated);
    CHECK(contains(results[0].error->message, "nothing was written"));
    CHECK(shards.asked("EVALSHA") == 1);
    CHECK(shards.asked("GET") >= 1);
}

TEST_CASE("A second stop signal leaves at once with what is on its way unknown") {
    for (const bool while_it_is_looked_for : {false, true}) {
        PretendedShards shards;
        support::StopSignal stop;
        shards.options.stop = &stop;
        shards.options.timeout = std::chrono::seconds(30);
        shards.node().always(kEvalsha, [&](const Command&) -> Answer {
            stop.set(SIGINT);
            if (!while_it_is_looked_for) stop.set(SIGINT);
            return broken(true);
        });
        shards.server().at_get = [&] { stop.set(SIGINT); };
        const auto started = std::chrono::steady_clock::now();
        const auto results = shards.store().count(counts(1), ordered());
        CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(5));
        CHECK(results[0].status == WriteStatus::unknown);
        CHECK(shards.asked("GET") == (while_it_is_looked_for ? 1 : 0));
    }
}

TEST_CASE("A command whose time is over sends nothing more") {
    PretendedShards shards;
    shards.options.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(60);
    Observer observer([&] {
        while (std::chrono::steady_clock::now() < *shards.options.deadline) {
        }
    });
    auto order = ordered(2, 1);
    order.observer = &observer;
    const auto results = shards.store().count(counts(2), order);
    for (const auto& result : results) {
        CHECK(result.status == WriteStatus::failed);
        CHECK(contains(result.error->message, "no time is left for this command; nothing was written"));
    }
    CHECK(shards.asked("EVALSHA") == 0);
}

TEST_CASE("The clock is asked again with a call when it is older than ten seconds") {
    PretendedShards shards;
    auto& clock = shards.node().facts.clock;
    clock = redis::ServerClock{clock->server - std::chrono::hours(1), clock->ours - std::chrono::seconds(11)};
    shards.node()
        .expect(first_word_is("TIME"), shards.server().time())
        .expect(kEvalsha, done())
        .expect(kEvalsha, done());
    auto order = ordered(2, 1);
    auto items = counts(2);
    items[1].at.key = "k0";
    const auto now = shards.server().now_ms();
    shards.store().count(items, order);
    CHECK(std::stoll(deadline_of(shards.node().asked().back())) > now);
    CHECK(shards.asked("TIME") == 1);
}

TEST_CASE("Slices that leave out an item or have a key twice are a bug of the caller and nothing is sent") {
    PretendedShards shards(2);
    auto items = counts(2, 0);
    items.push_back(counts(1, 1)[0]);
    items.push_back(items[0]);
    const std::vector<std::vector<store::Slice>> wrong{{{1, "f", {0, 1}}, {2, "f", {2}}},
                                                       {{1, "f", {0, 1, 2}}, {2, "f", {3}}},
                                                       {{1, "f", {0, 1, 3}}, {2, "f", {2}}},
                                                       {{1, "f", {0, 1}}, {2, "f", {1}}, {3, "f", {2}}, {4, "f", {3}}},
                                                       {{1, "f", {0, 1}}, {2, "f", {2}}, {3, "f", {3, 4}}}};
    for (const auto& slices : wrong) {
        auto order = ordered();
        order.slices = slices;
        CHECK_THROWS_AS(shards.store().count(items, order), support::Failure);
    }
    CHECK(shards.node(0).opened() == 0);
}

}  // namespace
}  // namespace ratectl::test
