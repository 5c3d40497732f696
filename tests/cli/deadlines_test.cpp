// Whatever a server or a name server does, a command ends by its deadline and says so.
#include <chrono>
#include <string>
#include <vector>

#include "support/built_programs.h"
#include "support/catch.h"
#include "support/fake_server.h"
#include "support/patience.h"
#include "support/redis_server.h"
#include "support/run_ratectl.h"

namespace {

using namespace std::chrono_literals;
using ratectl::test::FakeServer;
using ratectl::test::FullBacklog;
using ratectl::test::kPatience;
using ratectl::test::RedisServer;
using ratectl::test::run_ratectl;
using ratectl::test::RunOptions;
using ratectl::test::RunResult;
using ratectl::test::ServerScript;
using ratectl::test::ServerStep;

/// The process's own start and end are inside the 300 ms that the promise leaves.
constexpr auto kSlack = 300ms;

void check_ended_in_time(const RunResult& result, std::chrono::milliseconds deadline) {
    INFO("took " << result.wall_time.count() << " ms: " << result.err);
    CHECK(!result.timed_out);
    CHECK(result.wall_time <= deadline + kSlack + kPatience);
    CHECK(result.err.find("temporarily") == std::string::npos);
}

const ServerScript kSilent{{"", "", ServerStep::Then::silence, 0ms}};

}  // namespace

TEST_CASE("A silent server ends a check by its timeout") {
    FakeServer server({kSilent}, {.repeat_last = true});
    const auto result = run_ratectl({"-u", server.endpoint().url(), "check", "core:1", "--timeout", "600ms"});
    CHECK(result.code == 4);
    CHECK(result.err.find("no reply within ") != std::string::npos);
    check_ended_in_time(result, 600ms);
}

TEST_CASE("A dripping server ends a check by its timeout") {
    const ServerStep drip{"", "$1000\r\n" + std::string(400, 'x'), ServerStep::Then::silence, 50ms};
    FakeServer server({{drip}}, {.repeat_last = true});
    const auto result = run_ratectl({"-u", server.endpoint().url(), "check", "core:1", "--timeout", "600ms"});
    CHECK(result.code != 0);
    check_ended_in_time(result, 600ms);
}

TEST_CASE("The deadline of the command rules over the timeout of a server") {
    FakeServer server({kSilent}, {.repeat_last = true});
    const auto result =
        run_ratectl({"-u", server.endpoint().url(), "check", "core:1", "--timeout", "10s", "--deadline", "500ms"});
    CHECK(result.code == 4);
    check_ended_in_time(result, 500ms);
}

TEST_CASE("A TLS port that never answers ends the command by its timeout") {
    FakeServer server({kSilent}, {.repeat_last = true});
    const auto result = run_ratectl(
        {"-u", "rediss://127.0.0.1:" + std::to_string(server.port()), "check", "core:1", "--timeout", "600ms"});
    CHECK((result.code == 4 || result.code == 11));
    check_ended_in_time(result, 600ms);
}

TEST_CASE("A port that takes no more connections ends the command by its timeout") {
    FullBacklog full;
    const auto result = run_ratectl(
        {"-u", "redis://127.0.0.1:" + std::to_string(full.port()), "check", "core:1", "--timeout", "600ms"});
    CHECK(result.code == 4);
    check_ended_in_time(result, 600ms);
}

TEST_CASE("A name server that hangs ends the command by its timeout and literals never ask it") {
    RedisServer server;
    RunOptions options;
    options.environment = {{"LD_PRELOAD", ratectl::test::slow_getaddrinfo()},
                           {"RATECTL_TEST_DNS_DELAY_MS", "5000"},
                           {"ASAN_OPTIONS", "verify_asan_link_order=0"}};
    const std::string port = std::to_string(server.port());
    const auto named =
        run_ratectl({"-u", "redis://localhost:" + port, "check", "core:1", "--timeout", "600ms"}, options);
    CHECK(named.code == 4);
    CHECK(named.err.find("localhost") != std::string::npos);
    check_ended_in_time(named, 600ms);
    const auto literal =
        run_ratectl({"-u", "redis://127.0.0.1:" + port, "check", "core:1", "--timeout", "600ms"}, options);
    CHECK(literal.code == 0);
    check_ended_in_time(literal, 600ms);
}

TEST_CASE("A scan of a silent server ends by its deadline") {
    FakeServer server({kSilent}, {.repeat_last = true});
    const auto result =
        run_ratectl({"-u", server.endpoint().url(), "scan", "--timeout", "600ms", "--deadline", "700ms"});
    CHECK(result.code == 4);
    check_ended_in_time(result, 700ms);
}

TEST_CASE("A write that a server holds back is known not to be carried out and never is") {
    RedisServer server;
    // Long enough for the look at what became of it, however busy this machine is.
    REQUIRE(server.command({"CLIENT", "PAUSE", "60000", "WRITE"}) == "OK");
    const auto result = run_ratectl({"-u", server.endpoint().url(), "increment", "core:1", "--period", "1h",
                                     "--timeout", "1500ms", "-o", "ndjson"});
    INFO(result.out << result.err);
    CHECK(result.code == 4);
    CHECK(result.out.find("\"failed\"") != std::string::npos);
    check_ended_in_time(result, 3 * 1500ms);  // sent again, twice, under its operation id
    REQUIRE(server.command({"CLIENT", "UNPAUSE"}) == "OK");
    CHECK(server.command({"PING"}) == "PONG");
    CHECK(server.command({"GET", "core:1"}) == "(nil)");
}

TEST_CASE("a server is not blamed for the end of the command's own time") {
    FakeServer silent({kSilent}, {.repeat_last = true});
    const auto waited =
        run_ratectl({"-u", silent.endpoint().url(), "check", "core:1", "--timeout", "10s", "--deadline", "300ms"});
    INFO(waited.err);
    CHECK(waited.code == 4);
    CHECK(waited.err.find("no reply before the deadline of the command passed") != std::string::npos);
    CHECK(waited.err.find("within") == std::string::npos);
    const auto failed = run_ratectl(
        {"-u", silent.endpoint().url(), "increment", "core:1", "--period", "1h", "--timeout", "200ms", "-o", "ndjson"});
    INFO(failed.out << failed.err);
    CHECK(failed.out.find("\"why_not\":null") == std::string::npos);
}
