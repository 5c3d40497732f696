// Somebody else takes the operation key away while the reply is lost: nothing tells any more, so nothing is sent again.
#include "fault/linked_deployment.h"

namespace ratectl::test {
namespace {

/// One increment, applied, its reply lost, and this done to the server before anybody can ask.
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

TEST_CASE("a lost reply is looked up as ever where nobody deletes") {
    LinkedDeployment link;
    link.set_window("core:1", "5");
    CHECK(increment_with(link, {{"INCR", "other"}}).code == 0);
    CHECK(link.stored("core:1") == "7");
}

}  // namespace
}  // namespace ratectl::test
