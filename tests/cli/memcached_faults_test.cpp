// Memcached servers that are dead, slow or something else: each is told in one printable sentence, and nothing is
// written that is not said.
#include <regex>
#include <tuple>

#include "cli/rollout_box.h"
#include "support/catch.h"
#include "support/contains.h"
#include "support/fake_server.h"
#include "support/memcached_proxy.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

ServerStep says_version() { return {"version\r\n", "VERSION 1.6.18\r\n"}; }

struct Told {
    RunResult check;
    RunResult increment;
};

/// What is said of a server that answers so once it has said its version.
Told told_of(const std::string& answer, ServerStep::Then then = ServerStep::Then::keep) {
    const MemcachedBox box;
    const auto run = [&](std::vector<std::string> words) {
        const FakeServer server({{says_version(), {"t\r\n", answer, then}}}, {.repeat_last = true});
        words.insert(words.end(),
                     {"core:alice", "-u", "memcached://127.0.0.1:" + std::to_string(server.port()), "--timeout",
                      then == ServerStep::Then::silence ? "2s" : "60s", "--journal", box.folder() + "/j.db"});
        return run_ratectl(words);
    };
    return {run({"check"}), run({"increment", "--period", "1h"})};
}

void check_told(const Told& told, int code, const std::string& words) {
    for (const auto* result : {&told.check, &told.increment}) {
        INFO(result->out << result->err);
        CHECK(result->code == code);
        CHECK(result->err.find(words) != std::string::npos);
        CHECK(std::regex_search(result->err, std::regex("^[\\x20-\\x7e\\n]*$")));
    }
    CHECK(told.increment.err.find("nothing was written") != std::string::npos);
}

/// Two servers among which the predecessor's program shares out each key by itself, and a window that it keeps on both.
class ApartBox {
    MemcachedBox box_;  // before all that is made with it

public:
    ApartBox() : key(key_with_end_at(other)), together(key_with_end_at(home)) {
        home.set(key, "7", ends + 1);
        other.set(key + ":reset_at", std::to_string(ends), ends + 1);
    }
    RunResult run(std::vector<std::string> words) {
        words.insert(words.end(), {"-u", home.url(), "-u", other.url(), "--sharding", "modulo"});
        return box_.run_bare(words);
    }
    json document(std::vector<std::string> words) {
        words.insert(words.end(), {"-o", "json"});
        const auto result = run(std::move(words));
        INFO(result.out << result.err);
        return parse_json(result.out);
    }

    MemcachedServer home;
    MemcachedServer other;
    const std::int64_t ends = now_s() + 3000;
    const std::string key;
    const std::string together;  // of a window that would be on the first one alone

private:
    std::string key_with_end_at(const MemcachedServer& server) {
        const auto place_of = [&](const std::string& name) {
            return document({"locate", name}).at("rows").at(0).at("node").get<std::string>();
        };
        for (int i = 0;; ++i) {
            auto name = "core:" + std::to_string(i);
            if (place_of(name) == home.address() && place_of(name + ":reset_at") == server.address()) return name;
        }
    }
};

}  // namespace

TEST_CASE("answers that are none of memcached's are told as such at once") {
    check_told(told_of("\x01\x1b[31mHELLO\xff junk\r\n"), 11, "not an answer to gets");
    check_told(told_of("VALUE core:alice 0 99999999999 17\r\n41\r\nEND\r\n"), 11, "without saying how long it is");
    check_told(told_of("VALUE core:alice 0 -5 17\r\n41\r\nEND\r\n"), 11, "without saying how long it is");
    check_told(told_of("VALUE core:alice 0 1 17\r\n4123\r\nEND\r\n"), 11, "longer than it said");
    check_told(told_of("VALUE evil\x1b[2J 0 2 17\r\n41\r\nEND\r\n"), 11, "not an answer to gets");
    check_told(told_of("VALUE core:alice 0 2\r\n41\r\nEND\r\n"), 11, "not an answer to gets");
    check_told(told_of(std::string(100'000, 'x')), 11, "its line has no end");
    check_told(told_of("-ERR unknown command 'gets'\r\n"), 11, "not an answer to gets");
}

TEST_CASE("a memcached that fails or hangs up or falls silent is told as it is") {
    check_told(told_of("SERVER_ERROR out of \x1b[31mluck\r\n"), 4, "has failed at gets");
    check_told(told_of("ERROR\r\n"), 6, "does not know the command gets");
    check_told(told_of("VALUE core:alice 0 2 17\r\n4", ServerStep::Then::close), 4, "in the middle of the reply");
    check_told(told_of("", ServerStep::Then::close), 4, "connection closed before the reply");
    check_told(told_of("", ServerStep::Then::silence), 4, "no reply within 2s");
    check_told(told_of("VALUE core:alice 0 2 17\r\n4", ServerStep::Then::silence), 4, "no whole reply within 2s");
}

TEST_CASE("a server that has no room for a connection is no other program") {
    const FakeServer server({{{"version\r\n", "ERROR Too many open connections\r\n", ServerStep::Then::close}}},
                            {.repeat_last = true});
    const auto result =
        run_ratectl({"check", "core:alice", "-u", "memcached://127.0.0.1:" + std::to_string(server.port())});
    CHECK(result.code == 4);
    CHECK(result.err.find("has as many connections as it may have") != std::string::npos);
}

TEST_CASE("values that no limiter has stored are shown as such and changed by no count") {
    MemcachedBox box;
    const std::vector<std::string> values{std::string(900'000, '9'), "12\r\nEND", "\x1b[31m5", "-5", "0x10",
                                          "99999999999999999999999", " "};
    for (const auto& value : values) {
        box.server.set("core:alice", value);
        box.server.set("core:alice:reset_at", std::to_string(now_s() + 500));
        const auto shown = box.run({"check", "core:alice", "-o", "json"});
        INFO(shown.out.substr(0, 400) << shown.err);
        CHECK(shown.code == 0);
        CHECK(parse_json(shown.out).at("rows").at(0).at("state") == (value == "-5" ? "negative" : "corrupt"));
        const auto counted = box.run({"increment", "core:alice", "--period", "1h"});
        INFO(counted.err);
        CHECK(counted.code == 7);
        CHECK(std::regex_search(counted.err, std::regex("^[\\x20-\\x7e\\n]*$")));
    }
}

TEST_CASE("a memcached that stands still in the midst of a copy leaves what was copied and is told") {
    RolloutBox box;
    const auto end = now_s() + 1000;
    for (int i = 0; i < 50; ++i) box.old.open("core:" + std::to_string(i), i, end);
    box.old.pause();
    const auto result = box.copy({"core:1", "core:2", "--timeout", "2s"});
    box.old.resume();
    CHECK(result.code == 4);
    CHECK(result.err.find("no reply within 2s; nothing was written") != std::string::npos);
    CHECK(box.redis.command({"DBSIZE"}) == "0");
    CHECK(box.copy({"--all", "-q"}).code == 0);
    CHECK(box.used("core:49") == "49");
}

// Another server's part of a window was taken for a whole window there, and called misplaced.
TEST_CASE("a window whose two keys lie on two memcached servers is at home and the server that is dead is blamed") {
    ApartBox box;
    const auto explained = box.run({"explain", box.key, "--limit", "10"});
    INFO(explained.out << explained.err);
    CHECK(explained.code == 0);
    CHECK(explained.out.find("misplaced") == std::string::npos);
    CHECK(explained.out.find(box.other.address()) == std::string::npos);
    // A counter that lies where its program does not look for it is still found.
    box.other.set(box.key, "3");
    CHECK(box.run({"explain", box.key, "--limit", "10"}).out.find(box.other.address()) != std::string::npos);
    CHECK(box.other.ask("delete " + box.key) == "DELETED");

    box.other.kill();
    const auto document = box.document({"check", box.key});
    INFO(document.dump());
    REQUIRE(document.at("failures").size() == 1);
    CHECK(document.at("failures").at(0).at("node") == box.other.address());
    CHECK(box.home.get(box.key) == "7");
}

// The one that was to have the counter was named, while the message named the other one.
TEST_CASE("whatever is asked of a window whose second key's memcached is dead names that server") {
    ApartBox box;
    box.other.kill();
    const std::vector<std::vector<std::string>> asked{
        {"compare", box.key},
        {"explain", box.key, "--limit", "10"},
        {"increment", box.key, "--period", "1h"},
        {"increment", box.key, "--period", "1h", "--dry-run"},
        {"reset", box.key, "--state", "open"},
    };
    for (const auto& words : asked) {
        const auto document = box.document(words);
        INFO(words.front() << ": " << document.dump());
        for (const auto& row : document.at("rows"))
            if (words.front() != "explain") CHECK(row.at("node") == box.other.address());
        for (const auto& failure : document.value("failures", json::array()))
            CHECK(failure.at("node") == box.other.address());
        CHECK(document.dump().find(box.other.address()) != std::string::npos);
    }
    CHECK(box.run({"compare", box.key}).out.find(box.home.address()) == std::string::npos);
    const auto explained = box.run({"explain", box.key, "--limit", "10"});
    INFO(explained.out);
    CHECK(
        contains(explained.out, "no server of shard '" + box.other.address() + "', which has its other key, answers"));
    CHECK(box.home.get(box.key) == "7");
}

// The server that is dead was taken away from those that had answered: "1 window is the same on 0 nodes".
TEST_CASE("compare counts the memcached that answered beside one that is dead") {
    ApartBox box;
    box.home.set(box.together, "7", box.ends + 1);
    box.home.set(box.together + ":reset_at", std::to_string(box.ends), box.ends + 1);
    box.other.kill();
    const auto compared = box.run({"compare", "--all"});
    INFO(compared.out << compared.err);
    CHECK(compared.code == 9);
    CHECK(contains(compared.err, "1 window is the same on 1 node; 1 gave no answer"));
}

// Of each window that the dead server has a half of its home was blamed for the same.
TEST_CASE("doctor and sweeps of two memcached servers tell of a dead one once and blame it alone") {
    ApartBox box;
    box.other.kill();
    for (const auto* command : {"doctor", "scan"}) {
        const auto result = box.run({command});
        INFO(result.out << result.err);
        const auto first = result.err.find(box.other.address());
        REQUIRE(first != std::string::npos);
        CHECK(result.err.find("connection refused", result.err.find("connection refused") + 1) == std::string::npos);
        const auto document = box.document({command});
        REQUIRE(document.at("failures").size() == 1);
        CHECK(document.at("failures").at(0).at("node") == box.other.address());
    }
    // What names a window of the one may be on the other.
    const auto stats = box.run({"stats", "--shard", box.home.address()});
    INFO(stats.out << stats.err);
    CHECK(stats.code != 0);
    CHECK(contains(stats.out, "INCOMPLETE"));
}

// A proxy says so of a server that has not answered in time: it was told that nothing was written.
TEST_CASE("a write that a proxy calls failed is unknown where its words do not prove that nothing was written") {
    struct Case {
        MemcachedProxy::Answers answers;
        int code;
        std::string status;
        std::string used;
    };
    const std::string timeout = "SERVER_ERROR timeout";
    const std::vector<Case> cases{
        {{timeout, true}, 8, "unknown", "15"},
        {{timeout, true, true}, 8, "unknown", "15"},
        {{timeout, false, true}, 8, "unknown", "10"},
        // The server tells that it has not been done, and the same write can never be done any more.
        {{timeout, false}, 4, "failed", "10"},
        {{"SERVER_ERROR out of memory storing object", false, true}, 6, "refused", "10"},
        {{"SERVER_ERROR out of memory", false, true}, 6, "refused", "10"},
        {{"SERVER_ERROR object too large for cache", false, true}, 4, "failed", "10"},
        {{"SERVER_ERROR out of memory preparing response", true}, 8, "unknown", "15"},
    };
    for (const auto& [answers, code, status, used] : cases) {
        MemcachedBox box;
        box.server.open("core:alice", 10, now_s() + 1000);
        const MemcachedProxy proxy(box.server.port(), answers);
        const auto result = box.run_bare(
            {"increment", "core:alice", "--amount", "5", "--period", "1h", "-u", proxy.url(), "-o", "json"});
        INFO(answers.line << ": " << result.out << result.err);
        CHECK(result.code == code);
        CHECK(json::parse(result.out).at("rows").at(0).at("status") == status);
        CHECK(box.server.get("core:alice") == used);
        CHECK(contains(result.err, "nothing was written") == (status != "unknown"));
    }
}

TEST_CASE("a removal and an opening that a proxy calls failed are cleared up or unknown") {
    for (const bool passes : {true, false}) {
        MemcachedBox box;
        box.server.open("core:alice", 10, now_s() + 1000);
        const MemcachedProxy removing(box.server.port(), {"SERVER_ERROR timeout", passes, false, "md"});
        const auto removed = box.run_bare({"reset", "core:alice", "-u", removing.url()});
        INFO(removed.out << removed.err);
        CHECK(removed.code == (passes ? 0 : 4));
        CHECK(box.server.has("core:alice") == !passes);
        const MemcachedProxy opening(box.server.port(), {"SERVER_ERROR timeout", passes, false, "ms"});
        const auto opened = box.run_bare({"increment", "core:bob", "--period", "1h", "-u", opening.url()});
        INFO(opened.out << opened.err);
        CHECK(opened.code == 0);
        CHECK(box.server.get("core:bob") == "1");
    }
}

// The row had the count before of one look, and the count after of another.
TEST_CASE("a change that another program comes before tells what it has itself changed") {
    for (const auto& [command, from, until] : {std::tuple("increment", 102, 105), std::tuple("refund", 102, 99)}) {
        MemcachedBox box;
        box.server.open("core:alice", 100, now_s() + 1000);
        MemcachedProxy::Answers answers;
        answers.meanwhile = [&box] { box.server.ask("incr core:alice 2"); };
        const MemcachedProxy proxy(box.server.port(), answers);
        const auto result = box.run_bare({command, "core:alice", "--amount", "3", "-u", proxy.url(), "-o", "json"});
        INFO(result.out << result.err);
        CHECK(result.code == 0);
        const auto row = parse_json(result.out).at("rows").at(0);
        CHECK(row.at("before_used") == from);
        CHECK(row.at("after_used") == until);
        CHECK(std::stoi(box.server.get("core:alice")) == until);  // what is left of the longer number are spaces
    }
}
