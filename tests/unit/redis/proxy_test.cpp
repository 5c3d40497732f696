// What is sent through a proxy and what is not, and how its errors are read.
#include "redis/proxy.h"

#include "redis/reply_class.h"
#include "support/catch.h"
#include "support/contains.h"

using namespace ratectl;
using redis::BehindProxy;

TEST_CASE("scripts go through a proxy and every other command is refused by its name before it is sent") {
    redis::Request scripts;
    scripts.add({"EVALSHA", "0123", "2", "core:1", "core:1:exp"});
    scripts.add({"EVAL", "return 1", "1", std::string_view("a\r\n$5\r\0", 8)});
    CHECK_FALSE(redis::not_through_proxy(scripts, "here").has_value());
    for (const std::string name : {"SCAN", "GET", "MGET", "TIME", "INFO", "WAIT", "MULTI", "EVALSHA_RO"}) {
        redis::Request request = scripts;
        request.add({name, "0"});
        const auto fault = redis::not_through_proxy(request, "shard 'alpha' (10.0.0.7:22121)");
        INFO(name);
        REQUIRE(fault.has_value());
        CHECK(fault->error.code == support::ExitCode::protocol);
        CHECK_FALSE(fault->maybe_executed);
        CHECK(test::contains(fault->error.message, "is a proxy, and " + name + " cannot be asked through one"));
    }
}

TEST_CASE("a proxy that has not reached a server says whether the command was handed over") {
    CHECK(redis::unreached_behind("ERR Connection refused") == BehindProxy::surely);
    CHECK(redis::unreached_behind("no upstream host") == BehindProxy::surely);
    CHECK(redis::unreached_behind("ERR Connection timed out") == BehindProxy::perhaps);
    CHECK(redis::unreached_behind("upstream failure") == BehindProxy::perhaps);
    CHECK(redis::unreached_behind("ERR unknown command 'EVAL'") == BehindProxy::no);
    const auto refused = redis::fault_from_reply("ERR Connection refused", "here", "EVAL");
    CHECK(refused.error.code == support::ExitCode::unavailable);
    CHECK_FALSE(refused.maybe_executed);
    CHECK(test::contains(refused.error.message, "the proxy has not reached the server of the key"));
    CHECK(test::contains(refused.error.message, "nothing was written"));
    const auto lost = redis::fault_from_reply("upstream failure", "here", "EVAL");
    CHECK(lost.maybe_executed);
    CHECK_FALSE(test::contains(lost.error.message, "nothing was written"));
}

TEST_CASE("the words of Envoy for a command that it does not know are those of an unknown command") {
    CHECK(redis::is_word_of_proxy("unsupported command 'SCAN'"));
    CHECK_FALSE(redis::is_word_of_proxy("ERR unknown command 'SCAN'"));
    CHECK(redis::classify_error("unsupported command 'SCAN'") == redis::ReplyClass::unknown_command);
}
