// Through proxies: named keys are looked at and changed by scripts, and everything else says why it cannot be. What
// answers here is a real server behind a link that has the words of Envoy, or hangs up as twemproxy does.
#include <fstream>
#include <map>

#include "sandbox/folder.h"
#include "support/catch.h"
#include "support/contains.h"
#include "support/fault_proxy.h"
#include "support/json.h"
#include "support/redis_server.h"
#include "support/run_ratectl.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// Envoy answers for itself to some, and refuses what it does not know.
LinkFault envoy(const LinkRequest& request) {
    const auto say = [](const std::string& words) {
        return LinkFault{.mode = FaultMode::answer, .rewrite = [words](const std::string&) { return words; }};
    };
    if (request.word == "EVAL" || request.word == "EVALSHA") return {};
    if (request.word == "PING") return say("+PONG\r\n");
    if (request.word == "TIME") return say("*2\r\n$10\r\n1700000000\r\n$1\r\n5\r\n");
    if (request.word == "ROLE" || request.word == "DBSIZE") return say("-invalid request\r\n");
    return say("-unsupported command '" + request.word + "'\r\n");
}

LinkFault twemproxy(const LinkRequest& request) {
    if (request.word == "EVAL" || request.word == "EVALSHA" || request.word == "PING") return {};
    return {.mode = FaultMode::drop_request};
}

class Proxied {
public:
    explicit Proxied(FaultProxy::Chooser kind = envoy)
        : folder_(ratectl::sandbox::TemporaryFolder::make("/tmp", "ratectl-test").value()), link_(server_.endpoint()) {
        link_.choose(std::move(kind));
    }
    std::string url() const { return link_.endpoint().url() + "?proxy=true"; }
    RunResult run_at(const std::string& url, std::vector<std::string> words, const std::string& input = {}) const {
        for (const std::string word : {"-u", "", "--key", "core:{client}", "--limit", "10", "--period", "1h"})
            words.push_back(word.empty() ? url : word);
        RunOptions options;
        options.input = input;
        options.environment["XDG_STATE_HOME"] = folder_.path() + "/state";
        return run_ratectl(words, options);
    }
    RunResult run(const std::vector<std::string>& words, const std::string& input = {}) const {
        return run_at(url(), words, input);
    }
    RedisServer& server() { return server_; }
    FaultProxy& link() { return link_; }

private:
    ratectl::sandbox::TemporaryFolder folder_;
    RedisServer server_;
    FaultProxy link_;
};

}  // namespace

TEST_CASE("named keys are looked at and changed through a proxy") {
    Proxied box(GENERATE(as<FaultProxy::Chooser>{}, envoy, twemproxy));
    const auto done = [&](const std::vector<std::string>& words, const std::string& said, const std::string& in = {}) {
        const auto result = box.run(words, in);
        INFO(words[0] << "\n" << result.out << result.err);
        CHECK(result.code == 0);
        CHECK(contains(result.out, said));
        CHECK_FALSE(contains(result.err, "warning"));
    };
    done({"increment", "core:1", "--amount", "4"}, "applied");
    CHECK(box.server().command({"GET", "core:1"}) == "4");
    done({"increment", "-", "-y"}, "core:3", "core:2\ncore:3\n");
    done({"refund", "core:1", "--amount", "1"}, "3");
    done({"check", "core:1", "-o", "ndjson"}, "\"used\":3");
    done({"check", "-", "-o", "ndjson"}, "core:none", "core:1\ncore:none\n");
    done({"client", "1"}, "core");
    done({"explain", "core:1"}, "core:1");
    done({"headers", "core:1"}, "X-RateLimit-Remaining: 7");
    done({"increment", "core:1", "--op-id", "01JD0W3V5M7Q9R2T4X6Z8B1C3D"}, "applied");
    done({"undo", "01JD0W3V5M7Q9R2T4X6Z8B1C3D"}, "4 -> 3");
    done({"undo", "01JD0W3V5M7Q9R2T4X6Z8B1C3D"}, "already-applied");
    done({"increment", "core:1", "--op-id", "chosen"}, "applied");
    done({"undo", "chosen"}, "4 -> 3");
    done({"reset", "core:1"}, "applied");
    CHECK(box.server().command({"EXISTS", "core:1", "core:1:exp"}) == "0");
    CHECK(box.server().command({"GET", "core:2"}) == "1");
}

TEST_CASE("a sweep and a replica's word and a record on the servers are refused through a proxy with one clear error") {
    Proxied box;
    REQUIRE(box.run({"increment", "core:1", "--op-id", "01JD0W3V5M7Q9R2T4X6Z8B1C3D"}).code == 0);
    for (const std::vector<std::string>& words : {std::vector<std::string>{"scan"},
                                                  {"top"},
                                                  {"stats"},
                                                  {"doctor"},
                                                  {"history", "--on-servers"},
                                                  {"identify", "core:1"}}) {
        const auto result = box.run(words);
        INFO(words[0] << "\n" << result.out << result.err);
        CHECK(result.code != 0);
        CHECK(contains(result.err, "is a proxy, and "));
        CHECK(contains(result.err, "cannot be asked through one"));
    }
    CHECK(contains(box.run({"scan"}).err, "SCAN cannot be asked through one"));
    CHECK(box.run({"scan"}).code == 11);
    CHECK(box.server().command({"GET", "core:1"}) == "1");
    const auto waited = box.run({"increment", "core:1", "--wait-replicas", "1"});
    INFO(waited.out << waited.err);
    CHECK(waited.code != 0);
    CHECK(contains(waited.err, "WAIT"));
    CHECK(contains(waited.err, "not known whether 1 replica has them: 1 of 1"));
    CHECK_FALSE(contains(waited.err, "acknowledge"));
    CHECK(box.server().command({"GET", "core:1"}) == "2");
}

TEST_CASE("a proxy that no URL names as one is told from a server and nothing is asked of it") {
    for (const FaultProxy::Chooser& kind : {FaultProxy::Chooser(envoy), FaultProxy::Chooser(twemproxy)}) {
        Proxied box(kind);
        for (const std::vector<std::string>& words :
             {std::vector<std::string>{"check", "core:1"}, {"increment", "core:1"}}) {
            const auto result = box.run_at(box.link().endpoint().url(), words);
            INFO(result.out << result.err);
            CHECK((result.code == 11 || result.code == 4));
            CHECK(contains(result.err, "?proxy=true"));
        }
        CHECK(box.server().command({"EXISTS", "core:1"}) == "0");
    }
}

TEST_CASE("a change whose answer is lost behind a proxy is unknown and is sent once") {
    Proxied box;
    REQUIRE(box.run({"increment", "core:1"}).code == 0);
    box.link().choose([](const LinkRequest& request) {
        if (request.write) return LinkFault{.mode = FaultMode::drop_reply};
        return envoy(request);
    });
    const auto result = box.run({"increment", "core:1", "--timeout", "2s"});
    INFO(result.out << result.err);
    CHECK(result.code == 8);
    CHECK(contains(result.out + result.err, "through a proxy it cannot be found out"));
    CHECK_FALSE(contains(result.err, "asks the server"));
    CHECK(contains(result.err, "the whole change again, under --op-id "));
    CHECK(box.server().command({"GET", "core:1"}) == "2");
}

TEST_CASE("a server that a proxy does not reach fails its own keys and no others") {
    Proxied box;
    REQUIRE(box.run({"increment", "core:1"}).code == 0);
    box.link().choose([](const LinkRequest& request) {
        const bool other = request.bytes.find("core:2") != std::string_view::npos;
        if (!other) return envoy(request);
        return LinkFault{.mode = FaultMode::answer,
                         .rewrite = [](const std::string&) { return "-no upstream host\r\n"; }};
    });
    const auto look = box.run({"check", "core:1", "core:2", "-o", "ndjson"});
    INFO(look.out << look.err);
    CHECK(look.code == 9);
    CHECK(contains(look.out, "\"used\":1"));
    CHECK(contains(look.err, "the proxy has not reached the server of the key: no upstream host"));
    const auto change = box.run({"increment", "core:2"});
    INFO(change.out << change.err);
    CHECK(change.code == 4);
    CHECK(contains(change.err, "nothing was written"));
}

TEST_CASE("nodes shows a proxy as one and what goes through it") {
    Proxied box;
    const auto nodes = box.run({"nodes", "-o", "ndjson"});
    INFO(nodes.out << nodes.err);
    CHECK(nodes.code == 0);
    CHECK(contains(nodes.err, "a proxy, which tells nothing of the servers behind it"));
    const auto result = box.run({"nodes", "--capabilities", "-o", "ndjson"});
    INFO(result.out << result.err);
    CHECK(result.code == 0);
    std::map<std::string, std::string> outcomes;
    for (const auto& row : parse_json_lines(result.out)) {
        CHECK(row.at("server") == "proxy");
        outcomes[row.at("command")] = row.at("outcome");
    }
    CHECK(outcomes.at("EVAL") == "allowed");
    CHECK(outcomes.at("EVALSHA") == "allowed");
    CHECK(outcomes.at("SCAN") == "not-sent");
    CHECK(outcomes.at("TIME") == "not-sent");
}

TEST_CASE("proxies stand where shards do and nowhere else in a configuration") {
    const auto folder = ratectl::sandbox::TemporaryFolder::make("/tmp", "ratectl-test").value();
    const auto checked = [&](const std::string& deployment) {
        const auto file = folder.path() + "/c.toml";
        std::ofstream(file) << "[deployments.d]\n" << deployment;
        return run_ratectl({"config", "check", "--config", file});
    };
    const std::string shard = "[[deployments.d.shards]]\nname = \"pool\"\n";
    const std::string proxy = "primary = \"redis://127.0.0.1:1?proxy=true\"\n";
    CHECK(checked(shard + proxy).code == 0);
    CHECK(contains(checked(shard + proxy + "replicas = \"auto\"\n").err, "a proxy has no replicas"));
    CHECK(contains(
        checked(shard + "primary = \"redis://127.0.0.1:1\"\nreplicas = [\"redis://127.0.0.1:2?proxy=true\"]\n").err,
        "a proxy is no replica"));
    CHECK(contains(checked("kind = \"cluster\"\nnodes = [\"redis://127.0.0.1:1?proxy=true\"]\n").err,
                   "a proxy tells nothing of other servers"));
}
