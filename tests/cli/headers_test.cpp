// headers on real servers: what is printed can be pasted, and what was pasted is judged by every node of the shard.
#include <string>

#include "cli/printed_rows.h"
#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;

namespace {

/// Verdict and exit code of one pasted response.
struct Judged {
    std::string verdict;
    nlohmann::json row;
    int code = 0;
};
Judged judge(WrittenDeployment& box, const std::string& pasted) {
    const auto result = box.run_with_input({"headers", "core:alice", "--verify", "-", "-o", "ndjson"}, pasted);
    INFO(result.err << result.out);
    REQUIRE(!result.out.empty());
    const auto row = first_row(result.out);
    return {row.at("verdict"), row, result.code};
}

}  // namespace

TEST_CASE("headers prints what an API tells the client in the dialect that was asked for") {
    WrittenDeployment box("writes = \"allow\"");
    const auto end = seconds_from_now(600);
    box.set_window("core:alice", "104", end);
    const auto github = box.run({"headers", "core:alice"});
    INFO(github.err);
    CHECK(github.code == 0);
    CHECK(github.out == "X-RateLimit-Limit: 100\nX-RateLimit-Remaining: 0\nX-RateLimit-Reset: " + std::to_string(end) +
                            "\nX-RateLimit-Used: 104\nX-RateLimit-Resource: core\n");
    const auto now = std::to_string(end - 90);
    const auto draft =
        box.run({"headers", "--client", "alice", "--policy", "core", "--dialect", "draft-8", "--now", now});
    CHECK(draft.out == "RateLimit-Policy: \"core\";q=100;w=3600\nRateLimit: \"core\";r=0;t=90\nRetry-After: 90\n");
    const auto rows = box.run({"headers", "core:alice", "--dialect", "retry-after", "--now", now, "-o", "ndjson"});
    const auto row = first_row(rows.out);
    CHECK(row.at("name") == "Retry-After");
    CHECK(row.at("value") == "90");
    CHECK(row.at("node") == box.server().endpoint().address());
}

TEST_CASE("headers of several windows names each above its own") {
    WrittenDeployment box("writes = \"allow\"");
    const auto result = box.run({"headers", "core:alice", "core:b\nob", "--now", "1767225600"});
    CHECK(result.code == 0);
    CHECK(
        contains(result.out,
                 "# core:alice\nX-RateLimit-Limit: 100\nX-RateLimit-Remaining: 100\nX-RateLimit-Reset: 1767229200\n"));
    CHECK(contains(result.out, "\n\n# core:b\\nob\n"));
}

TEST_CASE("headers needs a limit a known dialect and one node") {
    WrittenDeployment box("writes = \"allow\"");
    const auto limitless = box.run({"headers", "other:alice"});
    CHECK(limitless.code == 3);
    CHECK(contains(limitless.err, "other:alice"));
    CHECK(box.run({"headers", "other:alice", "--limit", "7"}).code == 0);
    const auto some = box.run({"headers", "core:alice", "other:alice", "core:bob", "-o", "json"});
    CHECK(some.code == 9);
    const auto document = parse_json(some.out);
    CHECK(document.at("rows").size() == 10);
    CHECK(document.at("failures").size() == 1);
    box.set_window("core:odd", "abc", seconds_from_now(600));
    const auto corrupt = box.run({"headers", "core:odd"});
    CHECK(corrupt.code == 1);
    CHECK(corrupt.out.empty());
    CHECK(contains(corrupt.err, "core:odd"));
    const auto dialect = box.run({"headers", "core:alice", "--dialect", "draft-6"});
    CHECK(dialect.code == 2);
    CHECK(contains(dialect.err, "draft-7"));
    CHECK(box.run({"headers", "core:alice", "--from", "all"}).code == 2);
    CHECK(box.run({"headers"}).code == 2);
}

TEST_CASE("Headers as they are printed can be true now and those of a rejected client with requests left never") {
    WrittenDeployment box("writes = \"allow\"");
    box.set_window("core:alice", "104", seconds_from_now(600));
    for (const std::string dialect : {"github", "legacy", "draft-7", "draft-8"}) {
        const auto printed = box.run({"headers", "core:alice", "--dialect", dialect}).out;
        const auto judged = judge(box, printed);
        INFO(printed << judged.row.dump());
        CHECK(judged.verdict == "now");
        CHECK(judged.code == 0);
    }
    const auto odd = judge(box, "X-RateLimit-Limit: 100\nX-RateLimit-Remaining: 100\nX-RateLimit-Used: 104\n");
    CHECK(odd.verdict == "never");
    CHECK(odd.code == 1);
}

TEST_CASE("Headers with a limit or a resource that this client cannot have are a contradiction") {
    WrittenDeployment box("writes = \"allow\"");
    std::ofstream(box.config_file(), std::ios::app)
        << "org_key = \"org:{org}:core\"\norg_limit = 300\nclasses = { big = 500, huge = 900 }\nclass_file = "
           "\"classes.csv\"\n[[deployments.box.policies]]\nname = \"search\"\nkey = \"search:{client}\"\nlimit = 30\n"
           "period = \"1m\"\n";
    std::ofstream(box.file("classes.csv")) << "bigcorp,big\n";
    box.set_window("core:alice", "40", seconds_from_now(600));
    box.set_window("org:acme:core", "250", seconds_from_now(600));
    const auto told = [&](std::vector<std::string> arguments, const std::string& pasted, int code) {
        arguments.insert(arguments.begin(), {"headers", "--verify", "-", "-o", "ndjson"});
        const auto result = box.run_with_input(arguments, pasted);
        INFO(result.err << result.out);
        CHECK(result.code == code);
        return result.out.empty() ? nlohmann::json() : first_row(result.out);
    };
    // Of another class: it was called earlier, and the limits of every class were listed.
    const auto big = told({"core:alice"}, "X-RateLimit-Limit: 500\nX-RateLimit-Remaining: 480\n", 1);
    CHECK(big.at("verdict") == "never");
    CHECK(big.at("detail") == "this client cannot have a limit of 500, only of 100");
    CHECK(told({"core:bigcorp"}, "X-RateLimit-Limit: 100\nX-RateLimit-Remaining: 100\n", 1).at("detail") ==
          "this client cannot have a limit of 100, only of 500");
    const auto search =
        told({"core:alice"}, "X-RateLimit-Limit: 100\nX-RateLimit-Remaining: 80\nX-RateLimit-Resource: search\n", 1);
    CHECK(search.at("verdict") == "never");
    CHECK(contains(search.at("detail").get<std::string>(), "about 'search'"));
    // Of all windows of the client.
    const std::vector<std::string> alice{"--client", "alice", "--org", "acme"};
    CHECK(told(alice, "X-RateLimit-Limit: 300\nX-RateLimit-Remaining: 50\n", 0).at("key") == "org:acme:core");
    CHECK(told(alice, "X-RateLimit-Limit: 100\nX-RateLimit-Remaining: 60\nX-RateLimit-Resource: core\n", 0).at("key") ==
          "core:alice");
    const auto code_search = told(alice, "X-RateLimit-Limit: 10\nX-RateLimit-Resource: code_search\n", 1);
    CHECK(code_search.at("verdict") == "never");
    CHECK(code_search.at("key").is_null());
    CHECK(told(alice, "X-RateLimit-Limit: 900\nX-RateLimit-Remaining: 900\nX-RateLimit-Resource: core\n", 1)
              .at("detail") == "this client cannot have a limit of 900, only of 100 or 300");
    CHECK(told({"core:alice", "--key", "core:{client}", "--limit", "100"},
               "X-RateLimit-Limit: 100\nX-RateLimit-Remaining: 80\nX-RateLimit-Resource: api\n", 0)
              .at("verdict") == "earlier");
}

TEST_CASE("Headers that only a replica can have said name the replica") {
    WrittenDeployment box("writes = \"allow\"\ntimeout = \"1s\"");
    RedisServer replica;
    replica.make_replica_of(box.server());
    box.add_replica(0, replica.endpoint());
    box.set_window("core:alice", "104", seconds_from_now(600));
    replica.await_replication_of(box.server());
    const auto printed = box.run({"headers", "core:alice"}).out;
    replica.command({"REPLICAOF", "127.0.0.1", "1"});
    box.server().command({"DEL", "core:alice", "core:alice:exp"});
    const auto judged = judge(box, printed);
    CHECK(judged.verdict == "stale-replica");
    CHECK(judged.row.at("node") == replica.endpoint().address());
    CHECK(judged.code == 1);
}

TEST_CASE("Where the primary is silent headers are not judged by a replica") {
    WrittenDeployment box("writes = \"allow\"\ntimeout = \"2s\"");
    RedisServer replica;
    replica.make_replica_of(box.server());
    box.add_replica(0, replica.endpoint());
    box.set_window("core:alice", "104", seconds_from_now(600));
    replica.await_replication_of(box.server());
    const auto printed = box.run({"headers", "core:alice"}).out;
    box.server().kill();
    const auto result = box.run_with_input({"headers", "core:alice", "--verify", "-", "-o", "ndjson"}, printed);
    CHECK(result.code == 4);
    CHECK(result.out.empty());
    CHECK(contains(result.err, box.server().endpoint().address()));
    CHECK(contains(result.err, "1 of 1 responses not judged"));
}

// They were not looked at, and said nothing of that.
TEST_CASE("Headers are compared with named windows and no filter of states chooses among them") {
    WrittenDeployment box("writes = \"allow\"");
    box.set_window("core:alice", "7", seconds_from_now(600));
    const std::string pasted = "X-RateLimit-Limit: 100\nX-RateLimit-Remaining: 93\n";
    const std::vector<std::string> asked{"headers", "core:alice", "--verify", "-"};
    CHECK(box.run_with_input(asked, pasted).code == 0);
    for (const std::vector<std::string>& filter : std::vector<std::vector<std::string>>{
             {"--state", "exhausted"}, {"--min-used", "50%"}, {"--resets-within", "1m"}}) {
        auto words = asked;
        words.insert(words.end(), filter.begin(), filter.end());
        const auto refused = box.run_with_input(words, pasted);
        INFO(filter.front() << refused.out << refused.err);
        CHECK(refused.code == 2);
        CHECK(contains(refused.err, filter.front()));
    }
}

TEST_CASE("Pasted text without headers and headers that say nonsense are refused with their line") {
    WrittenDeployment box("writes = \"allow\"");
    const auto nothing = box.run_with_input({"headers", "core:alice", "--verify", "-"}, "hello\n");
    CHECK(nothing.code == 10);
    CHECK(contains(nothing.err, "standard input has no rate-limit headers"));
    const auto nonsense = box.run_with_input({"headers", "core:alice", "--verify", "-"}, "\nX-RateLimit-Limit: many\n");
    CHECK(nonsense.code == 10);
    CHECK(contains(nonsense.err, "line 2"));
    CHECK(box.run_with_input({"headers", "-", "--verify", "-"}, "x\n").code == 2);
}

TEST_CASE("headers offers no sweep, as it makes none") {
    WrittenDeployment box("writes = \"allow\"");
    CHECK_FALSE(contains(box.run({"help", "headers"}).out, "--match"));
    CHECK(contains(box.run({"help", "check"}).out, "--match"));
    const auto refused = box.run({"headers", "--match", "core:*"});
    CHECK(refused.code == 2);
    CHECK(contains(refused.err, "'--match' is a flag of check"));
}
