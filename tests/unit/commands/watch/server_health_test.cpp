// What a watch says of servers: each change once, however many rounds it lasts.
#include "commands/watch/server_health.h"

#include "support/catch.h"

using namespace ratectl;
using namespace ratectl::commands::watch;

namespace {

domain::Node node(const std::string& shard, const std::string& host) {
    domain::Node made;
    made.shard = shard;
    made.endpoint.host = host;
    return made;
}

const domain::Node kAlphaNode = node("alpha", "10.0.0.1");
const domain::Node kBetaNode = node("beta", "10.0.0.2");
const support::Error kNoReply{support::ExitCode::unavailable, "no reply", ""};

std::string change_words(const std::vector<ServerHealth::Change>& changes) {
    std::string text;
    for (const auto& change : changes)
        text += (text.empty() ? "" : ", ") + change.node.shard + " " + std::string(name_of(change.event));
    return text;
}

/// One round in which alpha answers, or not.
std::string round(ServerHealth& health, bool answers, bool stale = false) {
    health.begin_round();
    if (answers) {
        health.note_answer(kAlphaNode, stale);
    } else {
        health.note_failure(kAlphaNode, kNoReply);
    }
    return change_words(health.end_round());
}

}  // namespace

TEST_CASE("servers that are well from the beginning are not news", "[watch]") {
    ServerHealth health;
    CHECK(round(health, true).empty());
    CHECK(round(health, true).empty());
    CHECK(health.failing().empty());
    CHECK(health.anyone_answers());
}

TEST_CASE("a server that fails for many rounds is news twice", "[watch]") {
    ServerHealth health;
    CHECK(round(health, false) == "alpha failed");
    CHECK(round(health, false).empty());
    REQUIRE(health.failing().size() == 1);
    CHECK(health.failing().front().error.message == "no reply");
    CHECK_FALSE(health.anyone_answers());
    CHECK(round(health, true) == "alpha back");
    CHECK(health.failing().empty());
}

TEST_CASE("a replica that goes stale and silent and is well again is news each time", "[watch]") {
    ServerHealth health;
    CHECK(round(health, true).empty());
    CHECK(round(health, true, true) == "alpha stale");
    CHECK(round(health, true, true).empty());
    CHECK(round(health, false) == "alpha failed");
    CHECK(round(health, true, true) == "alpha stale");
    CHECK(round(health, true) == "alpha back");
}

TEST_CASE("a server that answers one key and not another has not failed", "[watch]") {
    ServerHealth health;
    health.begin_round();
    health.note_failure(kAlphaNode, kNoReply);
    health.note_answer(kAlphaNode, false);
    health.note_failure(kBetaNode, kNoReply);
    CHECK(health.has_answered(kAlphaNode));
    CHECK_FALSE(health.has_answered(kBetaNode));
    CHECK(change_words(health.end_round()) == "beta failed");
}

TEST_CASE("a server that nobody heard of stays what it was", "[watch]") {
    ServerHealth health;
    CHECK(round(health, false) == "alpha failed");
    health.begin_round();
    CHECK(health.end_round().empty());
    CHECK(health.failing().empty());  // it was not asked
    CHECK(round(health, true) == "alpha back");
}
