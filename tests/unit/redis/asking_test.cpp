// Requests to a node that a slot comes to: what stands before each command, and which replies are whose.
#include "redis/asking.h"

#include <vector>

#include "support/catch.h"
#include "support/fake_channel.h"

namespace ratectl {
namespace {

TEST_CASE("each command has an ASKING before it and a transaction one for all of it") {
    redis::Request request;
    request.add({"MGET", "a\r\n*1", ""});
    request.add({"TIME"});
    request.add({"MULTI"});
    request.add({"TYPE", "a"});
    request.add({"EXEC"});
    request.add({"PTTL", "a"});
    const auto asking = redis::with_asking(request);
    CHECK(test::commands_of(asking.request) == std::vector<test::Command>{{"ASKING"},
                                                                          {"MGET", "a\r\n*1", ""},
                                                                          {"ASKING"},
                                                                          {"TIME"},
                                                                          {"ASKING"},
                                                                          {"MULTI"},
                                                                          {"TYPE", "a"},
                                                                          {"EXEC"},
                                                                          {"ASKING"},
                                                                          {"PTTL", "a"}});
    CHECK(asking.is_asking == std::vector<bool>{true, false, true, false, true, false, false, false, true, false});
}

}  // namespace
}  // namespace ratectl
