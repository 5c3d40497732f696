// From log lines to requests.
#include "commands/replay/request_source.h"

#include <string>
#include <vector>

#include "commands/replay/log_file.h"
#include "support/catch.h"
#include "unit/random_source.h"

using namespace ratectl;
using namespace ratectl::commands::replay;
using support::from_epoch;

namespace {

constexpr std::int64_t kLogged = 1'431'857'103;  // 17/May/2015:10:05:03 +0000

std::string line(const std::string& client, const std::string& clock, const std::string& request, int status) {
    return client + " - - [17/May/2015:" + clock + " +0000] \"" + request + "\" " + std::to_string(status) + " 5\n";
}

LogRules rules_for(std::string_view key) {
    LogRules rules;
    rules.key = support::value_or_throw(domain::KeyTemplate::parse(key));
    rules.limiter = &store::limiter_of({});
    rules.now = from_epoch(5000);
    return rules;
}

struct Read {
    std::vector<Request> requests;
    std::vector<std::uint64_t> malformed;
    std::uint64_t skipped = 0;
};

Read read(const std::string& text, const LogRules& rules) {
    input::StringSource source(text);
    Read result;
    RequestSource requests(
        source, rules, [&](std::uint64_t n, std::string_view, const std::string&) { result.malformed.push_back(n); });
    while (auto request = requests.next()) result.requests.push_back(std::move(*request));
    CHECK(requests.malformed() == result.malformed.size());
    CHECK(requests.lines() == result.requests.size() + result.malformed.size() + requests.skipped());
    result.skipped = requests.skipped();
    return result;
}

}  // namespace

TEST_CASE("A template takes its holes from the line") {
    const auto got =
        read(line("10.0.0.1", "10:05:03", "POST /a?b=1 HTTP/1.1", 201), rules_for("{status}:{method}:{path}:{client}"));
    REQUIRE(got.requests.size() == 1);
    CHECK(got.requests[0].key == "201:POST:/a:10.0.0.1");
    CHECK(got.requests[0].line == 1);
    CHECK(got.requests[0].logged_at == from_epoch(kLogged));
}

TEST_CASE("A request cannot name the expiry half of another window") {
    auto rules = rules_for("path:{path}");
    const auto log =
        line("a", "10:05:03", "GET /a:exp HTTP/1.1", 200) + line("a", "10:05:04", "GET /a:exp.js HTTP/1.1", 200);
    const auto got = read(log, rules);
    CHECK(got.malformed == std::vector<std::uint64_t>{1});
    REQUIRE(got.requests.size() == 1);
    CHECK(got.requests[0].key == "path:/a:exp.js");
    rules.limiter = &store::limiter_of({"window", ":until"});
    CHECK(read(log, rules).requests.size() == 2);
}

TEST_CASE("A hole that no log fills is refused by name") {
    CHECK_NOTHROW(check_holes(rules_for("{client}{path}").key));
    try {
        check_holes(rules_for("{client}:{region}").key);
        FAIL("it was accepted");
    } catch (const support::Failure& failure) {
        CHECK(failure.error().code == support::ExitCode::usage);
        CHECK(failure.error().message.find("'region'") != std::string::npos);
    }
}

TEST_CASE("The clock of the log is moved so that the first request is now and may step back") {
    const std::string log = line("a", "10:05:03", "GET / HTTP/1.1", 200) +
                            line("b", "11:05:04", "GET / HTTP/1.1", 200) + line("a", "10:05:00", "GET / HTTP/1.1", 200);
    auto rules = rules_for("{client}");
    const auto moved = read(log, rules);
    REQUIRE(moved.requests.size() == 3);
    CHECK(moved.requests[0].now == from_epoch(5000));
    CHECK(moved.requests[1].now == from_epoch(5000 + 3601));
    CHECK(moved.requests[2].now == from_epoch(4997));
    rules.log_clock = false;
    for (const auto& request : read(log, rules).requests) CHECK(request.now == from_epoch(5000));
}

TEST_CASE("Since includes its second and until does not") {
    const std::string log = line("a", "10:05:02", "GET / HTTP/1.1", 200) +
                            line("b", "10:05:03", "GET / HTTP/1.1", 200) +
                            line("c", "10:05:04", "GET / HTTP/1.1", 200) + line("d", "10:05:05", "GET / HTTP/1.1", 200);
    auto rules = rules_for("{client}");
    rules.since = from_epoch(kLogged);
    rules.until = from_epoch(kLogged + 2);
    const auto got = read(log, rules);
    REQUIRE(got.requests.size() == 2);
    CHECK(got.skipped == 2);
    CHECK(got.requests[0].key == "b");
    CHECK(got.requests[0].now == from_epoch(5000));
    CHECK(got.requests[1].key == "c");
}

TEST_CASE("Lines that cannot be counted are told with their number") {
    const std::string log =
        "nonsense\n" + line("a", "10:05:03", "-", 408) + line("b", "10:05:03", "GET /x HTTP/1.1", 200) + "\n";
    CHECK(read(log, rules_for("{client}")).malformed == std::vector<std::uint64_t>{1, 4});
    CHECK(read(log, rules_for("{path}")).malformed == std::vector<std::uint64_t>{1, 2, 4});
}

TEST_CASE("Statuses to refund are marked") {
    auto rules = rules_for("{client}");
    rules.refund_status = {304, 500};
    const auto got = read(line("a", "10:05:03", "GET / HTTP/1.1", 304) + line("a", "10:05:03", "GET / HTTP/1.1", 200) +
                              line("a", "10:05:03", "GET / HTTP/1.1", 500),
                          rules);
    REQUIRE(got.requests.size() == 3);
    CHECK(got.requests[0].refundable);
    CHECK_FALSE(got.requests[1].refundable);
    CHECK(got.requests[2].refundable);
}

TEST_CASE("A log from a pipe is played whole after any look ahead") {
    test::RandomSource random;
    SHOW_SEED(random);
    const auto read_some = [](input::ByteSource& source, std::size_t most) {
        std::string bytes(most, '\0');
        std::size_t have = 0;
        while (have < most) {
            const std::size_t n = source.read(std::span(bytes).subspan(have));
            if (n == 0) break;
            have += n;
        }
        bytes.resize(have);
        return bytes;
    };
    const support::StopSignal stop;
    for (int i = 0; i < 100; ++i) {
        const std::string text = random.bytes("ab\n", 0, 20'000);
        input::StringSource pipe(text);
        LogFile log("-", pipe, support::Patience(stop), "/tmp");
        const auto ahead = static_cast<std::size_t>(random.number(0, 25'000));
        if (random.one_in(4)) {
            CHECK(read_some(log.play(), 30'000) == text);
            continue;
        }
        CHECK(read_some(log.preview(), ahead) == text.substr(0, ahead));
        CHECK(read_some(log.play(), 30'000) == text);
    }
}
