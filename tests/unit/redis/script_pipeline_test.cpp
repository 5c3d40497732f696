// Script calls several at once: the order of what is sent, NOSCRIPT, and the server's clock.
#include "redis/script_pipeline.h"

#include "redis/event_loop.h"
#include "support/catch.h"
#include "support/fake_channel.h"
#include "support/run_on.h"

namespace ratectl {
namespace {

using redis::ScriptPipeline;
using redis::ServerClock;
using test::Command;
using test::FakeChannel;
using test::FakeNode;
using test::kNoScript;
using test::text;
using Clock = std::chrono::steady_clock;

const redis::Script kScript{"it", "return 1", "sha"};

redis::ScriptCall call_with(const std::string& key) {
    redis::ScriptCall call;
    call.script = &kScript;
    call.keys = {key};
    return call;
}

struct Fixture {
    FakeNode node;
    redis::EventLoop loop;
    FakeChannel channel{node};

    void send(ScriptPipeline& pipeline, std::size_t tag, const std::string& key) {
        const auto sent = test::run_on(loop, pipeline.send(tag, call_with(key), support::Deadline::max()));
        REQUIRE(sent.has_value());
    }
    ScriptPipeline::Answer receive(ScriptPipeline& pipeline) {
        auto answer = test::run_on(loop, pipeline.receive());
        REQUIRE(answer.has_value());
        return *answer;
    }
};

redis::Reply time_reply(std::int64_t seconds, std::int64_t micros) {
    return test::array({text(std::to_string(seconds)), text(std::to_string(micros))});
}

TEST_CASE("answers of a pipeline come with the tags of their calls") {
    Fixture f;
    f.node.expect({"EVALSHA", "sha", "1", "a"}, text("A")).expect({"EVALSHA", "sha", "1", "b"}, test::error("ERR x"));
    ScriptPipeline pipeline(f.channel);
    f.send(pipeline, 7, "a");
    f.send(pipeline, 9, "b");
    auto answer = f.receive(pipeline);
    CHECK(answer.tag == 7);
    CHECK(answer.reply == text("A"));
    CHECK(pipeline.anything_on_its_way());
    answer = f.receive(pipeline);
    CHECK(answer.tag == 9);
    CHECK(answer.reply.is_error());
    CHECK_FALSE(pipeline.anything_on_its_way());
}

TEST_CASE("a call that got NOSCRIPT goes out as text once behind the others") {
    Fixture f;
    f.node.expect({"EVALSHA", "sha", "1", "a"}, kNoScript)
        .expect({"EVALSHA", "sha", "1", "b"}, text("B"))
        .expect({"EVAL", "return 1", "1", "a"}, text("A"));
    ScriptPipeline pipeline(f.channel);
    f.send(pipeline, 0, "a");
    f.send(pipeline, 1, "b");
    CHECK(f.receive(pipeline).tag == 1);
    CHECK(f.receive(pipeline).reply == text("A"));

    f.node.expect({"EVALSHA", "sha", "1", "c"}, kNoScript).expect({"EVAL", "return 1", "1", "c"}, kNoScript);
    f.send(pipeline, 2, "c");
    const auto answer = f.receive(pipeline);
    CHECK(answer.tag == 2);
    CHECK(redis::is_no_script(answer.reply));
}

TEST_CASE("the clock comes from the greeting or from what is newer") {
    Fixture f;
    const auto now = Clock::now();
    CHECK_FALSE(ScriptPipeline(f.channel).clock().has_value());
    f.node.facts.clock = ServerClock{support::WallTime(support::Milliseconds(1000)), now};
    CHECK(ScriptPipeline(f.channel).clock()->server.time_since_epoch().count() == 1000);
    const ServerClock newer{support::WallTime(support::Milliseconds(2000)), now + support::Milliseconds(1)};
    CHECK(ScriptPipeline(f.channel, newer).clock()->server.time_since_epoch().count() == 2000);
    const ServerClock older{support::WallTime(support::Milliseconds(3000)), now - support::Milliseconds(1)};
    CHECK(ScriptPipeline(f.channel, older).clock()->server.time_since_epoch().count() == 1000);
    CHECK(newer.at(newer.ours + support::Milliseconds(500)).time_since_epoch().count() == 2500);
}

TEST_CASE("TIME is asked along when the clock is old and only once until it has answered") {
    Fixture f;
    f.node.facts.clock =
        ServerClock{support::WallTime(support::Milliseconds(1000)), Clock::now() - std::chrono::seconds(11)};
    f.node.expect({"TIME"}, time_reply(1'790'000'000, 250'999))
        .expect({"EVALSHA", "sha", "1", "a"}, text("A"))
        .expect({"EVALSHA", "sha", "1", "b"}, text("B"));
    ScriptPipeline pipeline(f.channel);
    f.send(pipeline, 0, "a");
    f.send(pipeline, 1, "b");
    CHECK(f.receive(pipeline).tag == 0);
    CHECK(pipeline.clock()->server.time_since_epoch().count() == 1'790'000'000'250);
    CHECK(Clock::now() - pipeline.clock()->ours < std::chrono::seconds(1));
    CHECK(f.receive(pipeline).tag == 1);
}

TEST_CASE("a TIME that makes no sense leaves the clock as it was") {
    for (const auto& odd : {test::error("NOPERM no"), test::nil(), time_reply(1, 1'000'000),
                            test::array({text("x"), text("0")}), test::array({text("1")}), text("1")}) {
        CHECK_FALSE(redis::parse_time(odd).has_value());
        CHECK_FALSE(redis::read_clock(odd, Clock::now(), Clock::now()).has_value());
    }
    const auto asked = Clock::now();
    const auto clock = redis::read_clock(time_reply(5, 1000), asked, asked + support::Milliseconds(10));
    REQUIRE(clock.has_value());
    CHECK(clock->ours == asked + support::Milliseconds(5));
    CHECK(clock->server.time_since_epoch().count() == 5001);
}

}  // namespace
}  // namespace ratectl
