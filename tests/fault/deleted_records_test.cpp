// Somebody else takes the operation key away while the reply is lost: nothing tells any more, so nothing is sent again.
#include "fault/linked_deployment.h"

namespace ratectl::test {
namespace {

/// One increment, applied, its reply lost, and this done to the server before ratectl can ask.
RunResult increment_with(LinkedDeployment& link, const std::vector<std::vector<std::string>>& commands) {
    LinkFault lost{FaultMode::drop_reply};
    lost.at_reply = [&link, commands] {
        for (const auto& command : commands) link.server.command(command);
    };
    link.at_next_write({}, lost);
    return link.run({"increment", "core:1", "--amount", "2", "-o", "ndjson", "--op-id", "once"});
}

TEST_CASE("an operation key that is deleted while its reply is lost leaves the outcome unknown and counts once") {
    for (const std::string word : {"DEL", "UNLINK"}) {
        LinkedDeployment link;
        link.set_window("core:1", "5");
        const auto result = increment_with(link, {{word, "ratectl:op:once.1"}});
        INFO(result.err);
        CHECK(result.code == 8);
        CHECK(contains(result.err, "keys were deleted there since"));
        CHECK(link.stored("core:1") == "7");
    }
}

TEST_CASE("counters that are reset behind a flush do not make a lost write happen twice") {
    LinkedDeployment link;
    link.set_window("core:1", "5");
    const auto result = increment_with(link, {{"FLUSHALL"}, {"CONFIG", "RESETSTAT"}});
    INFO(result.err);
    CHECK(result.code == 8);
    CHECK(link.stored("core:1") == "(nil)");
}

const std::vector<std::string> kDeleteAllRecords{
    "EVAL", "return redis.call('DEL', unpack(redis.call('KEYS', 'ratectl:op:*')))", "0"};

// Where applications delete, every lost reply of a command's first write was an unknown outcome.
TEST_CASE("an application that deletes keys of its own does not make a lost request an unknown outcome") {
    LinkedDeployment link;
    link.set_window("core:1", "5");
    link.server.command({"DEL", "something"});
    link.at_next_write([&] { link.server.command({"DEL", "else"}); }, {FaultMode::drop_request});
    const auto result = link.run({"increment", "core:1", "--amount", "2", "-o", "ndjson", "--op-id", "once"});
    INFO(result.err);
    CHECK(result.code == 0);
    CHECK(parse_json(result.out).at("status") == "applied");
    CHECK(parse_json(result.out).at("attempts") == 2);
    CHECK(link.stored("core:1") == "7");
    CHECK(std::stoi(link.server.command({"TTL", "ratectl:op:once.0"})) > 590);
}

TEST_CASE("whoever deletes all records of operations leaves the outcome unknown where keys are deleted anyway") {
    LinkedDeployment link;
    link.set_window("core:1", "5");
    link.server.command({"DEL", "something"});
    const auto result = increment_with(link, {kDeleteAllRecords});
    INFO(result.err);
    CHECK(result.code == 8);
    CHECK(link.stored("core:1") == "7");
}

// Every counter stood again where it had been before, and the increment was sent a second time.
TEST_CASE("counters that have come back to where they stood do not hide that all keys were removed") {
    LinkedDeployment link;
    link.server.command({"CONFIG", "RESETSTAT"});
    link.server.command({"DEL", "something"});
    link.set_window("core:1", "5");
    const std::vector<std::string> much{"EVAL", "for i = 1, 1000 do redis.call('INCR', 'other') end", "0"};
    const auto result = increment_with(link, {{"FLUSHALL"}, {"CONFIG", "RESETSTAT"}, {"DEL", "something"}, much});
    INFO(result.err);
    CHECK(result.code == 8);
    CHECK(link.stored("core:1") == "(nil)");
}

// The counters stood as after the first reset, and the increment was sent a second time; the refund of what was flushed
// ended with 7 and `nothing was written to it`.
TEST_CASE("counters that have been reset before show that they are reset once more") {
    LinkedDeployment link;
    link.server.command({"CONFIG", "RESETSTAT"});
    link.set_window("core:1", "5");
    const auto increment = increment_with(link, {kDeleteAllRecords, {"CONFIG", "RESETSTAT"}});
    INFO(increment.err);
    CHECK(increment.code == 8);
    CHECK(link.stored("core:1") == "7");

    LinkFault lost{FaultMode::drop_reply};
    lost.at_reply = [&link] {
        link.server.command({"FLUSHALL"});
        link.server.command({"CONFIG", "RESETSTAT"});
    };
    link.at_next_write({}, lost);
    const auto refund = link.run({"refund", "core:1", "--amount", "2", "-o", "ndjson"});
    INFO(refund.err);
    CHECK(refund.code == 8);
    CHECK_FALSE(contains(refund.err, "nothing was written"));
}

TEST_CASE("a lost reply is looked up as ever where nobody deletes") {
    LinkedDeployment link;
    link.set_window("core:1", "5");
    CHECK(increment_with(link, {{"INCR", "other"}}).code == 0);
    CHECK(link.stored("core:1") == "7");
}

}  // namespace
}  // namespace ratectl::test
