// Servers of other versions and products than Debian has: a real server whose answers say that it is one, and which
// does not know what that one does not.
#include <algorithm>

#include "support/catch.h"
#include "support/contains.h"
#include "support/fault_proxy.h"
#include "support/redis_server.h"
#include "support/run_ratectl.h"

using namespace ratectl::test;

namespace {

/// A real server, and what it answers changed as another kind of server says it.
class Disguised {
public:
    /// `info` replaces the line of the version; these commands are none there.
    Disguised(std::string info, std::vector<std::string> unknown) : link_(server_.endpoint()) {
        link_.choose([info, unknown](const LinkRequest& request) -> LinkFault {
            if (std::find(unknown.begin(), unknown.end(), request.word) != unknown.end()) {
                const auto words = "-ERR unknown command `" + request.word + "`, with args beginning with: \r\n";
                return {.mode = FaultMode::answer, .rewrite = [words](const std::string&) { return words; }};
            }
            if (request.word != "INFO") return {};
            return {.rewrite = [info](const std::string& reply) { return told(reply, info); }};
        });
    }
    std::string url() const { return link_.endpoint().url(); }
    RedisServer& server() { return server_; }

private:
    static std::string told(const std::string& reply, const std::string& info) {
        if (!reply.starts_with('$')) return reply;  // queued, where it is tried alone
        auto text = reply.substr(reply.find('\n') + 1);
        text.resize(text.size() - 2);
        const auto at = text.find("redis_version:");
        if (at != std::string::npos) text.replace(at, text.find('\r', at) - at, info);
        return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
    }

    RedisServer server_;
    FaultProxy link_;
};

struct Kind {
    std::string info;
    std::string version;  // as nodes shows it
    std::vector<std::string> unknown;
};

const std::vector<std::string> kOf7{"EVAL_RO", "EVALSHA_RO", "PEXPIRETIME", "EXPIRETIME"};

}  // namespace

TEST_CASE("servers of other versions and products are looked at and changed as they are") {
    const auto kind = GENERATE(
        values<Kind>({{"redis_version:6.0.16", "6.0.16", kOf7},
                      {"redis_version:6.2.14", "6.2.14", kOf7},
                      {"redis_version:8.0.3", "8.0.3", {}},
                      {"redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.1", "valkey 8.1.1", {}},
                      {"redis_version:6.3.4\r\nmvcc_depth:0", "6.3.4", kOf7},
                      {"redis_version:7.4.0\r\ndragonfly_version:df-v1.30.0", "7.4.0", {"EVALSHA_RO", "EVAL_RO"}}}));
    Disguised box(kind.info, kind.unknown);
    const auto run = [&](std::vector<std::string> words) {
        for (const std::string word : {"--key", "core:{client}", "--limit", "10", "--period", "1h", "-u"})
            words.push_back(word);
        words.push_back(box.url());
        RunOptions options;
        options.environment["XDG_STATE_HOME"] = box.server().folder() + "/state";
        const auto result = run_ratectl(words, options);
        INFO(kind.info << " " << words[0] << "\n" << result.out << result.err);
        CHECK(result.code == 0);
        return result.out;
    };
    CHECK(contains(run({"nodes", "-o", "ndjson"}), "\"version\":\"" + kind.version + "\""));
    run({"increment", "core:1", "--amount", "3"});
    CHECK(contains(run({"check", "core:1", "-o", "ndjson"}), "\"used\":3"));
    CHECK(contains(run({"check", "core:1", "--as-script", "-o", "ndjson"}), "\"used\":3"));
    CHECK(contains(run({"scan", "--look", "full", "-o", "ndjson"}), "\"used\":3"));
    run({"refund", "core:1", "--amount", "1"});
    run({"doctor"});
    run({"reset", "core:1"});
    CHECK(box.server().command({"EXISTS", "core:1"}) == "0");
}

TEST_CASE("connections are named ratectl where that is allowed") {
    RedisServer server;
    FaultProxy link(server.endpoint());
    std::string names;
    link.choose([&](const LinkRequest& request) -> LinkFault {
        if (request.word != "EXEC") return {};
        return {.at_reply = [&] { names = server.command({"CLIENT", "LIST"}); }};
    });
    const auto result = run_ratectl({"check", "core:1", "--limit", "5", "-u", link.endpoint().url()});
    INFO(result.err);
    CHECK(result.code == 0);
    link.disconnect();
    CHECK(contains(names, " name=ratectl "));
}
