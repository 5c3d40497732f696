// A governor whose load is known to a Prometheus server: what is asked of it, and that whatever it answers else is a
// missing load and no more.
#include <ctime>
#include <fstream>
#include <sstream>

#include "cli/limiter_deployment.h"
#include "sandbox/folder.h"
#include "support/catch.h"
#include "support/fake_server.h"
#include "support/json.h"

using namespace ratectl;
using namespace ratectl::test;
using Catch::Contains;
using Catch::StartsWith;
using nlohmann::json;

namespace {

std::string http(const std::string& body, const std::string& status = "200 OK") {
    return "HTTP/1.1 " + status +
           "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string series(const std::string& at, const std::string& value) {
    return R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[)" + at + ",\"" +
           value + "\"]}]}}";
}

ServerScript answers(const std::string& reply, ServerStep::Then then = ServerStep::Then::keep) {
    return {{"\r\n\r\n", reply, then}};
}

class AskingDeployment : public LimiterDeployment {
public:
    AskingDeployment()
        : LimiterDeployment(
              "[[deployments.box.policies]]\nname = \"throttles\"\nkey = \"throttle:{client}\"\n"
              "scheme = \"limitlion\"\nlimit = 40\nperiod = \"8s\"\nburst = 80\n") {
        server().command({"HSET", "throttle:search:knobs", "rps", "4", "burst", "1", "window", "5"});
    }
    RunResult step(const FakeServer& prometheus, const std::vector<std::string>& more = {},
                   const std::string& path = "") {
        std::vector<std::string> words{"governor", "step", "search", "--set-point", "2", "--max", "200", "-o", "json"};
        words.insert(words.end(), {"--load-prometheus", "http://127.0.0.1:" + std::to_string(prometheus.port()) + path,
                                   "--query", "a+b"});
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    }
};

json stepped_row(const RunResult& result) {
    INFO(result.out << result.err);
    return parse_json(result.out).at("rows").at(0);
}

}  // namespace

TEST_CASE("A load of Prometheus is as old as the newest sample of its series") {
    AskingDeployment box;
    const sandbox::TemporaryFolder folder = sandbox::TemporaryFolder::make("/tmp", "ratectl-token").value();
    const std::string token = folder.path() + "/token";
    std::ofstream(token) << "t0k.en\n";
    // The series has ended: its last value is four minutes old.
    FakeServer prometheus(
        {answers(http(series("1764088642.5", "3"))), answers(http(series("1764088642.5", "1764088402")))});
    const auto result = box.step(prometheus, {"--load-token-file", token}, "/base/");
    const auto row = stepped_row(result);
    CHECK(row.at("load").is_null());  // a load that is too old is none
    CHECK(row.at("measured_at_ms") == 1'764'088'402'000);
    CHECK(contains(row.at("reason").get<std::string>(), "old, and --stale-after is 1m"));
    CHECK(row.at("why") == "held");
    const auto asked = prometheus.received();
    CHECK_THAT(asked, Contains("GET /base/api/v1/query?query=a%2Bb HTTP/1.1\r\n"));
    CHECK_THAT(asked, Contains("GET /base/api/v1/query?query=timestamp%28a%2Bb%29&time=1764088642.5 HTTP/1.1\r\n"));
    CHECK_THAT(asked, Contains("\r\nHost: 127.0.0.1:" + std::to_string(prometheus.port()) + "\r\n"));
    CHECK_THAT(asked, Contains("\r\nAuthorization: Bearer t0k.en\r\n"));
    CHECK_THAT(result.out + result.err, !Contains("t0k.en"));
}

TEST_CASE("A load that Prometheus knows is governed by, however its answer is cut") {
    AskingDeployment box;
    const auto now = std::to_string(std::time(nullptr));
    const auto body = series(now, "1.5");
    const auto chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n" + body.substr(0, 5) + "\r\n" +
                         [&] {
                             std::ostringstream size;
                             size << std::hex << body.size() - 5;
                             return size.str();
                         }() +
                         "\r\n" + body.substr(5) + "\r\n0\r\n\r\n";
    const auto until_closed = "HTTP/1.0 200 OK\r\n\r\n" + series(now, now);
    const auto scalar = http(R"({"status":"success","data":{"resultType":"scalar","result":[)" + now + R"(,"1.5"]}})");
    const std::vector<std::vector<ServerScript>> ways{
        {{{"\r\n\r\n", chunked, ServerStep::Then::keep, std::chrono::milliseconds(1)}},
         answers(until_closed, ServerStep::Then::close)},
        {answers(scalar)},
        // A server that does not know timestamp(): the moment is that of the query.
        {answers(http(body)), answers(http(R"({"status":"error","error":"no such function"})", "422 Unprocessable"))},
    };
    for (const auto& scripts : ways) {
        FakeServer prometheus(scripts);
        const auto result = box.step(prometheus);
        const auto row = stepped_row(result);
        CHECK(row.at("load") == 1.5);
        CHECK_THAT(result.err, !Contains("no load"));
    }
}

TEST_CASE("Whatever else Prometheus answers is a missing load and says why") {
    AskingDeployment box;
    const std::vector<std::pair<ServerScript, std::string>> rows{
        {answers(http(series("1", "NaN"))), "it is 'NaN', no number from 0 on"},
        {answers(http("", "401 Unauthorized")), "refuses the login (status 401)"},
        {answers(http("<h1>", "302 Found")), "answers with status 302"},
        {answers(http(R"({"status":"error","error":"parse \u001b[31m error"})", "400 Bad Request")),
         "says 'parse \\x1b[31m error'"},
        {answers(http("[]")), "is no answer of Prometheus"},
        {answers("-ERR unknown command 'GET'\r\n"), "it does not speak HTTP"},
        {answers(http(std::string((1 << 20) + 1, 'x'))), "its answer is longer than 1 MiB"},
        {answers(http(series("1", "1")).substr(0, 60), ServerStep::Then::close), "connection closed"},
        {answers("", ServerStep::Then::close), "connection closed before the reply"},
        {answers("", ServerStep::Then::silence), "no reply within"},
    };
    for (const auto& [script, why] : rows) {
        INFO(why);
        FakeServer prometheus({script});
        const auto result = box.step(prometheus, {"--load-timeout", "300ms", "--apply"});
        const auto row = stepped_row(result);
        CHECK(row.at("load").is_null());
        CHECK_THAT(result.err, Contains("warning: --query 'a+b': no load: "));
        CHECK_THAT(result.err, Contains(why));
        CHECK(result.err.find('\x1b') == std::string::npos);
        CHECK(box.server().command({"HGET", "throttle:search:knobs", "rps"}) == "4");
        box.server().command({"DEL", "ratectl:governor:throttle:search"});
    }
}

TEST_CASE("A Prometheus that cannot be asked as it is said is refused before anything is looked at") {
    AskingDeployment box;
    const sandbox::TemporaryFolder folder = sandbox::TemporaryFolder::make("/tmp", "ratectl-token").value();
    const std::string two_lines = folder.path() + "/two";
    std::ofstream(two_lines) << "t0ken\r\nX-Other: s3cret\r\n";
    const auto refused = [&](std::vector<std::string> more) {
        std::vector<std::string> words{"governor", "step", "search", "--set-point", "2", "--max", "200"};
        words.insert(words.end(), more.begin(), more.end());
        const auto result = box.run(words);
        CHECK(result.out.empty());
        CHECK_THAT(result.err, !Contains("s3cret"));
        return std::to_string(result.code) + " " + result.err;
    };
    CHECK_THAT(refused({"--load-prometheus", "http://h"}), StartsWith("2 ratectl: --load-prometheus URL and --query"));
    CHECK_THAT(refused({"--query", "up"}), StartsWith("2 ratectl: --load-prometheus URL and --query"));
    CHECK_THAT(refused({"--load-prometheus", "http://me:s3cret@h", "--query", "up"}),
               StartsWith("2 ratectl: --load-prometheus has a user or a password in it"));
    CHECK_THAT(refused({"--load-prometheus", "http://h", "--query", ""}),
               StartsWith("2 ratectl: --query: its value is empty"));
    CHECK_THAT(refused({"--load-prometheus", "http://h", "--query", "up", "--load-token-file", two_lines}),
               StartsWith("3 ratectl: --load-token-file "));
}
