// Scripts by hash, and once by text.
#include "redis/script.h"

#include "redis/event_loop.h"
#include "support/catch.h"
#include "support/fake_channel.h"
#include "support/run_on.h"

namespace ratectl {
namespace {

using redis::ScriptCall;
using test::Command;
using test::FakeChannel;
using test::FakeNode;
using test::kNoScript;
using test::text;

const redis::Script kFirst{"first", "return 1", "sha-of-first"};
const redis::Script kSecond{"second", "return 2", "sha-of-second"};

auto call(FakeNode& node, const std::vector<ScriptCall>& calls) {
    redis::EventLoop loop;
    FakeChannel channel(node);
    return test::run_on(loop, redis::call_scripts(channel, calls, support::Deadline::max()));
}

TEST_CASE("known scripts are called by hash in one round trip") {
    FakeNode node;
    node.expect({"EVALSHA", "sha-of-first", "2", "k", "k:exp", "5"}, text("a"));
    node.expect({"EVALSHA", "sha-of-second", "1", "other"}, text("b"));
    const auto replies = call(node, {{&kFirst, {"k", "k:exp"}, {"5"}}, {&kSecond, {"other"}, {}}});
    REQUIRE(replies.has_value());
    CHECK(*replies == std::vector<redis::Reply>{text("a"), text("b")});
}

TEST_CASE("an unknown script is sent once as text and the others are not repeated") {
    FakeNode node;
    node.expect({"EVALSHA", "sha-of-first", "1", "k"}, text("a"));
    node.expect({"EVALSHA", "sha-of-second", "1", "other"}, kNoScript);
    node.expect({"EVAL", "return 2", "1", "other"}, text("b"));
    const auto replies = call(node, {{&kFirst, {"k"}, {}}, {&kSecond, {"other"}, {}}});
    REQUIRE(replies.has_value());
    CHECK(*replies == std::vector<redis::Reply>{text("a"), text("b")});
}

TEST_CASE("a second NOSCRIPT is a protocol fault and never a loop") {
    FakeNode node;
    node.expect({"EVALSHA", "sha-of-first", "1", "k"}, kNoScript);
    node.expect({"EVAL", "return 1", "1", "k"}, kNoScript);
    const auto replies = call(node, {{&kFirst, {"k"}, {}}});
    REQUIRE_FALSE(replies.has_value());
    CHECK(replies.error().error.code == support::ExitCode::protocol);
    CHECK_FALSE(replies.error().maybe_executed);
}

TEST_CASE("a second exchange that breaks remembers that other calls had run") {
    FakeNode node;
    node.expect({"EVALSHA", "sha-of-first", "1", "k"}, text("a"));
    node.expect({"EVALSHA", "sha-of-second", "1", "other"}, kNoScript);
    redis::EventLoop loop;
    FakeChannel channel(node);
    node.expect({"EVAL", "return 2", "1", "other"}, test::broken(false));
    const std::vector<ScriptCall> calls{{&kFirst, {"k"}, {}}, {&kSecond, {"other"}, {}}};
    const auto replies = test::run_on(loop, redis::call_scripts(channel, calls, support::Deadline::max()));
    REQUIRE_FALSE(replies.has_value());
    CHECK(replies.error().maybe_executed);
}

TEST_CASE("read-only scripts use the read-only commands from 7 on") {
    const std::vector<ScriptCall> calls{{&kFirst, {"k"}, {}, true}};
    FakeNode old;
    old.facts.version = domain::ServerVersion{6, 2, 14, false};
    old.expect({"EVALSHA", "sha-of-first", "1", "k"}, kNoScript).expect({"EVAL", "return 1", "1", "k"}, text("a"));
    CHECK(call(old, calls).has_value());
    FakeNode unknown;
    unknown.expect({"EVALSHA", "sha-of-first", "1", "k"}, text("a"));
    CHECK(call(unknown, calls).has_value());
    FakeNode current;
    current.facts.version = domain::ServerVersion{7, 0, 15, false};
    current.expect({"EVALSHA_RO", "sha-of-first", "1", "k"}, kNoScript);
    current.expect({"EVAL_RO", "return 1", "1", "k"}, text("a"));
    CHECK(call(current, calls).has_value());
}

TEST_CASE("no calls need no round trip") {
    FakeNode node;
    const auto replies = call(node, {});
    REQUIRE(replies.has_value());
    CHECK(replies->empty());
    CHECK(node.asked().empty());
}

TEST_CASE("an exchange that breaks after some replies is a fault as a whole") {
    FakeNode node;
    node.expect({"GET", "a"}, text("1")).expect({"GET", "b"}, test::broken(true));
    redis::EventLoop loop;
    FakeChannel channel(node);
    redis::Request request;
    request.add({"GET", "a"});
    request.add({"GET", "b"});
    const auto replies = test::run_on(loop, channel.exchange(request, support::Deadline::max()));
    REQUIRE_FALSE(replies.has_value());
    CHECK(replies.error().maybe_executed);
    CHECK_FALSE(channel.is_open());
}

}  // namespace
}  // namespace ratectl
