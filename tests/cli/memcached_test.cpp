// The Memcached predecessor's windows on a real memcached: looked at, listed, diagnosed, changed and taken back.
#include <map>
#include <regex>
#include <set>

#include "cli/memcached_box.h"
#include "support/contains.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

std::string operation_of(const std::string& kind, MemcachedBox& box) {
    for (const auto& row : box.rows({"history"})) {
        const std::string op = row.at("op");
        if (row.at("kind") == kind) return op.substr(0, op.find('/'));
    }
    return "";
}

}  // namespace

TEST_CASE("a window of the predecessor is looked at with both of its keys and lets one more through") {
    MemcachedBox box;
    const auto reset = now_s() + 3000;
    box.server.open("core:a", 10, reset);
    auto row = box.row({"check", "core:a", "--limit", "10"});
    CHECK(row.at("used") == 10);
    CHECK(row.at("remaining") == 0);
    CHECK(row.at("reset_at") == reset);
    CHECK(row.at("state") == "open");
    box.server.ask("incr core:a 1");
    CHECK(box.row({"check", "core:a", "--limit", "10"}).at("state") == "exhausted");
    CHECK(box.row({"check", "core:nope"}).at("state") == "absent");
    box.server.open("core:b", 3, now_s() - 5);
    CHECK(box.row({"check", "core:b"}).at("state") == "absent");
}

TEST_CASE("the blank that decr leaves behind a number is not a part of it") {
    MemcachedBox box;
    box.server.open("core:a", 10, now_s() + 3000);
    CHECK(box.server.ask("decr core:a 1") == "9");
    REQUIRE(box.server.get("core:a") == "9 ");
    CHECK(box.row({"check", "core:a"}).at("used") == 9);
    CHECK(box.row({"increment", "core:a"}).at("after_used") == 10);
    CHECK(box.server.get("core:a") == "10");
}

TEST_CASE("every window is listed although all of them were used just now") {
    MemcachedBox box;
    std::set<std::string> expected;
    for (int i = 0; i < 450; ++i) {
        const auto key = "core:client%" + std::to_string(i);
        box.server.open(key, i, now_s() + 3000);
        expected.insert(key);
    }
    for (int round = 0; round < 4; ++round) {
        for (const auto& key : expected) box.server.get(key + ":reset_at");
        std::set<std::string> seen;
        for (const auto& row : box.rows({"scan"})) CHECK(seen.insert(row.at("key")).second);
        CHECK(seen == expected);
    }
    CHECK(box.rows({"scan", "core:client%44?"}).size() == 10);
    CHECK(box.run({"scan", "--count"}).out == "450\n");
}

TEST_CASE("the two-key race is reproduced and doctor names it") {
    MemcachedBox box;
    const auto now = now_s();
    for (int i = 0; i < 3; ++i) box.server.count("core:a", now, now + 60);
    box.server.ask("delete core:a:reset_at");  // as an eviction does it
    auto found = box.rows({"doctor", "--key", "core:{client}"});
    REQUIRE(found.size() == 1);
    CHECK(found[0].at("class") == "orphan-counter");
    CHECK(found[0].at("detail").get<std::string>().starts_with("3 used, and no :reset_at beside it"));
    const auto told = box.run({"explain", "core:a", "--limit", "5"});
    CHECK(told.out.find("two-key race") != std::string::npos);
    // The client keeps its count, with a new and later end.
    CHECK(box.server.count("core:a", now + 30, now + 90) == 4);
    const auto row = box.row({"check", "core:a"});
    CHECK(row.at("used") == 4);
    CHECK(row.at("reset_at") == now + 90);
}

TEST_CASE("of a counter that has lost its end what is left goes by its count everywhere") {
    MemcachedBox box;
    box.server.set("core:a", "101");
    CHECK(box.row({"check", "core:a", "--limit", "10"}).at("remaining") == 0);
    CHECK(box.row({"check", "core:a", "--limit", "200"}).at("remaining") == 99);
    const auto client = box.run({"client", "a", "--key", "core:{client}", "--limit", "10", "-o", "json"});
    INFO(client.out << client.err);
    CHECK(parse_json(client.out).at("rows").at(0).at("remaining") == 0);
    const auto headers = box.run({"headers", "core:a", "--limit", "10", "--period", "1h"});
    CHECK(headers.out.find("Remaining: 0") != std::string::npos);
    CHECK(headers.out.find("Used: 101") != std::string::npos);
    const auto told = box.run({"explain", "core:a", "--limit", "10", "--period", "1h"});
    INFO(told.out << told.err);
    CHECK(told.out.find("10 left") == std::string::npos);
    CHECK(told.out.find("differently") == std::string::npos);
    CHECK(told.out.find("'core:a' is allowed: 101 of 10") == 0);
    // The one more that is let through into an open window is no difference of servers either.
    box.server.open("core:full", 10, now_s() + 3000);
    const auto full = box.run({"explain", "core:full", "--limit", "10", "--period", "1h"});
    CHECK(full.out.find("'core:full' is allowed: 10 of 10") == 0);
    const auto chain = box.run({"limit", "trace", "a", "--key", "core:{client}", "--limit", "10", "--period", "1h"});
    INFO(chain.out << chain.err);
    CHECK(chain.out.find("10 requests left") == std::string::npos);
}

TEST_CASE("expiries that will bring the race about are found before it comes") {
    MemcachedBox box;
    const auto now = now_s();
    box.server.set("core:long", "5", 4000);
    box.server.set("core:long:reset_at", std::to_string(now + 50), 60);
    box.server.set("core:short", "5", 4000);
    box.server.set("core:short:reset_at", std::to_string(now + 3000), 60);
    box.server.set("core:odd", "abc", 4000);
    box.server.set("core:odd:reset_at", std::to_string(now + 3000), 4000);
    box.server.open("core:well", 5, now + 3000);
    std::map<std::string, std::string> classes;
    for (const auto& row : box.rows({"doctor", "--key", "core:{client}"})) {
        classes[row.at("key")] = row.at("class");
        CHECK(row.at("fixable") == "no");
    }
    CHECK(classes == std::map<std::string, std::string>{
                         {"core:long", "ttl-long"}, {"core:short", "ttl-short"}, {"core:odd", "corrupt"}});
}

TEST_CASE("what is evicted is told of the server") {
    MemcachedBox box({"-m", "8"});
    const std::string large(200'000, 'x');
    for (int i = 0; i < 200; ++i) box.server.ask("set fill:" + std::to_string(i) + " 0 0 200000", large);
    const auto found = box.rows({"doctor"});
    REQUIRE(found.size() == 1);
    CHECK(found[0].at("class") == "can-evict");
}

TEST_CASE("keys that no memcached takes are refused and never sent") {
    MemcachedBox box;
    const auto before = box.server.ask("stats").size();
    for (const std::string& key : {std::string("core a"), std::string("core\na"), std::string(251, 'k'),
                                   std::string(245, 'k'), std::string("flush_all\r\nflush_all")}) {
        INFO(key);
        box.server.open("core:kept", 1, now_s() + 100);
        for (const std::string command : {"check", "reset", "increment"}) {
            auto asked = std::vector<std::string>{command, key};
            if (command == "increment") asked.insert(asked.end(), {"--period", "1h"});
            const auto result = box.run(asked);
            INFO(result.err);
            CHECK(result.code == 2);
        }
        CHECK(box.row({"check", "core:kept"}).at("used") == 1);
    }
    CHECK(before > 0);
    const std::string longest(241, 'k');
    box.server.open(longest, 5, now_s() + 100);
    CHECK(box.row({"check", longest}).at("used") == 5);
}

// Each of them was told as a fault of its server, of which one was told, and as no-look, server-error or unreachable.
TEST_CASE("keys that no memcached takes are called bad-key by every command and blame no server") {
    MemcachedBox box;
    box.server.open("core:ok", 3, now_s() + 3000);
    const std::string longest = "core:" + std::string(300, 'x');
    const std::string table = std::string("core:a b") + '\0' + "core:ok" + '\0' + "core:c\r\nd" + '\0' + longest + '\0';
    const auto with_input = [&](std::vector<std::string> arguments) {
        RunOptions options;
        options.input = table;
        arguments.insert(arguments.end(), {"-", "-0", "--key", "core:{client}", "--limit", "10", "--period", "1h"});
        const auto result = box.run(std::move(arguments), options);
        INFO(result.out << result.err);
        CHECK(std::regex_search(result.err, std::regex("^[\\x20-\\x7e\\n]*$")));
        for (const auto* key : {"'core:a b'", "'core:c\\r\\nd'", "'core:xxx"})
            CHECK(contains(result.err, std::string("key ") + key));
        CHECK_FALSE(contains(result.err, "(127.0.0.1"));
        CHECK(result.code == 9);
        return result;
    };
    const auto looked = parse_json(with_input({"check", "-o", "json"}).out);
    CHECK(looked.at("rows").size() == 1);
    REQUIRE(looked.at("left_out").size() == 3);
    for (const auto& left_out : looked.at("left_out")) CHECK(left_out.at("by") == "bad-key");
    for (const auto& failure : looked.at("failures")) CHECK(failure.at("node").is_null());
    for (const std::vector<std::string>& change :
         {std::vector<std::string>{"increment"}, {"refund", "--amount", "1"}, {"reset", "-n"}, {"reset"}}) {
        auto arguments = change;
        arguments.insert(arguments.end(), {"-y", "-o", "json"});
        std::map<std::string, json> rows;
        const auto document = parse_json(with_input(arguments).out);
        for (const auto& row : document.at("rows")) rows[row.at("key")] = row;
        REQUIRE(rows.size() == 4);
        REQUIRE(document.at("failures").size() == 3);
        for (const auto& failure : document.at("failures")) CHECK(failure.at("node").is_null());
        for (const auto& [key, row] : rows) {
            INFO(change.front() << key);
            CHECK(row.at("reason") == (key == "core:ok" ? json() : json("bad-key")));
            if (key != "core:ok") CHECK(row.at("status") == "refused");
            if (key != "core:ok") CHECK(row.at("node").is_null());
        }
    }
    for (const auto* command : {"explain", "compare"}) {
        const auto failures = parse_json(with_input({command, "-o", "json"}).out).at("failures");
        INFO(command << failures.dump());
        CHECK(failures.size() == 3);
        for (const auto& failure : failures) CHECK(failure.at("node").is_null());
    }
    const auto explained = box.run({"explain", "core:a b", "--limit", "10"});
    CHECK(contains(explained.out,
                   "unknown whether 'core:a b' is limited: key 'core:a b': no memcached has such a key: it holds a "
                   "blank"));
    CHECK_FALSE(contains(box.run({"explain", "core:a\x1b b", "--limit", "10"}).out, "\x1b"));
    CHECK_FALSE(contains(explained.out, "could not be asked"));
    const auto compared = box.row({"compare", "core:a b"});
    CHECK(compared.at("node").is_null());
    CHECK(compared.at("cause") == "bad-key");
    CHECK(contains(compared.at("detail").get<std::string>(), "it holds a blank"));
    CHECK(contains(box.run({"compare", "core:a b", std::string(251, 'k')}).err, "2 keys are none of a window here"));
    const auto located = box.run({"locate", "core:a b", "core:ok", "-o", "json"});
    CHECK(located.code == 9);
    CHECK(parse_json(located.out).at("rows").at(0).at("node").is_null());
    CHECK(parse_json(located.out).at("rows").at(1).at("node") == box.server.address());
    CHECK(contains(located.err, "it holds a blank"));
    CHECK(box.run({"locate", std::string(251, 'k')}).code == 2);
    const auto watched = box.run({"watch", "core:a b", "-o", "json", "--limit", "10"});
    CHECK(watched.code == 2);
    CHECK(contains(watched.err, "key 'core:a b': no memcached has such a key"));
    CHECK(parse_json(watched.out).at("rows").at(0).at("key") == "core:a b");
}

TEST_CASE("a key with control characters is one of memcached's and shown printably") {
    MemcachedBox box;
    const std::string key = "core:\x1b\tx";
    box.server.open(key, 3, now_s() + 1000);
    CHECK(box.row({"check", key}).at("used") == 3);
    const auto scan = box.run({"scan", "core:*x"});
    INFO(scan.err);
    CHECK(scan.code == 0);
    CHECK(scan.out.find("core:\\x1b\\tx") != std::string::npos);
    CHECK(scan.out.find('\x1b') == std::string::npos);
    CHECK(box.row({"increment", key, "--period", "1h"}).at("after_used") == 4);
    CHECK(box.row({"reset", key}).at("status") == "applied");
    CHECK(!box.server.has(key));
}

TEST_CASE("a counter that is too large to be a count is called so and no text") {
    MemcachedBox box;
    box.server.open("core:a", 1, now_s() + 1000);
    box.server.set("core:a", "18446744073709551615");
    const auto found = box.rows({"doctor", "--key", "core:{client}"});
    REQUIRE(found.size() == 1);
    CHECK(found[0].at("class") == "corrupt");
    CHECK(found[0].at("detail") == "the counter holds 18446744073709551615, which is larger than a count can be here");
    const auto counted = box.run({"increment", "core:a", "--period", "1h"});
    INFO(counted.err);
    CHECK(counted.code == 7);
    CHECK(counted.err.find("not a number") == std::string::npos);
}

TEST_CASE("an operation with an id of its own is taken back by that id as a change prints it") {
    MemcachedBox box;
    const auto counted = box.run({"increment", "core:a", "--amount", "5", "--period", "1h", "--op-id", "nu1"});
    CHECK(counted.code == 0);
    const auto undone = box.run({"undo", "nu1"});
    INFO(undone.out << undone.err);
    CHECK(undone.code == 0);
    CHECK(!box.server.has("core:a"));
}

// It was 2, as a flag that has no meaning there.
TEST_CASE("an operation that is not known is answered as on Redis, without asking the servers for it") {
    MemcachedBox box;
    const auto unknown = box.run({"undo", "nu1"});
    INFO(unknown.out << unknown.err);
    CHECK(unknown.code == 1);
    CHECK(unknown.err.find("there is no operation 'nu1'") != std::string::npos);
    CHECK(unknown.err.find("a memcached keeps no record of one") != std::string::npos);
    CHECK(unknown.err.find("--on-servers") == std::string::npos);
}

TEST_CASE("each of a window's two keys is said to live where its own name says") {
    MemcachedBox box;
    const auto result = box.run({"locate", "core:bob:reset_at"});
    INFO(result.out << result.err);
    CHECK(result.err.find("each of its two keys lives where its own name says") != std::string::npos);
    CHECK(result.err.find("both") == std::string::npos);
    CHECK(contains(box.run({"locate", "--columns", "help"}).out, "on memcached it is hashed by itself"));
}

TEST_CASE("counts are changed and windows removed and everything is taken back once") {
    MemcachedBox box;
    auto row = box.row({"increment", "core:a", "--amount", "5", "--period", "1h"});
    CHECK(row.at("status") == "applied");
    CHECK(row.at("after_used") == 5);
    CHECK(box.server.get("core:a") == "5");
    const auto reset = box.server.get("core:a:reset_at");
    CHECK(std::stoll(reset) - now_s() > 3590);
    CHECK(box.row({"refund", "core:a", "--amount", "2"}).at("after_used") == 3);
    CHECK(box.run({"refund", "core:a", "--amount", "4"}).code == 7);
    CHECK(box.row({"reset", "core:a"}).at("status") == "applied");
    CHECK(!box.server.has("core:a"));
    CHECK(!box.server.has("core:a:reset_at"));

    const auto undo = operation_of("reset", box);
    CHECK(box.row({"undo", undo}).at("status") == "applied");
    CHECK(box.server.get("core:a") == "3");
    CHECK(box.server.get("core:a:reset_at") == reset);
    CHECK(box.row({"undo", undo}).at("status") == "already-applied");
    CHECK(box.row({"undo", operation_of("refund", box)}).at("after_used") == 5);
    CHECK(box.row({"undo", operation_of("increment", box)}).at("status") == "applied");
    CHECK(!box.server.has("core:a"));
}

TEST_CASE("a change is repeated under its id as it was answered although no operation key is left") {
    MemcachedBox box;
    const std::vector<std::string> refund{"refund", "core:a", "--amount", "1", "--op-id", "given"};
    const std::vector<std::string> reset{"reset", "core:a", "--op-id", "removed"};
    for (const auto& words : {refund, reset}) CHECK(box.run(words).code == 1);
    REQUIRE(box.run({"increment", "core:a", "--amount", "5", "--period", "1h", "--op-id", "counted"}).code == 0);
    for (const auto& words : {refund, reset}) {
        const auto again = box.run(words);
        INFO(again.out << again.err);
        CHECK(again.code == 1);
        CHECK(contains(again.out, "absent"));
        CHECK(box.server.get("core:a") == "5");
    }
    CHECK(contains(box.run({"history", "given"}).out, "skipped"));
    const auto other = box.run({"increment", "core:a", "--amount", "50", "--period", "1h", "--op-id", "counted"});
    INFO(other.err);
    CHECK(other.code == 7);
    CHECK(contains(other.err, "belongs to another operation, in the journal: of its row 1 the amount was 5"));
    CHECK(box.row({"increment", "core:a", "--amount", "5", "--period", "1h", "--op-id", "counted"}).at("status") ==
          "already-applied");
}

TEST_CASE("guards are kept on memcached as everywhere") {
    MemcachedBox box;
    const auto reset = now_s() + 1000;
    box.server.open("core:a", 5, reset);
    CHECK(box.run({"reset", "core:a", "--if-window", std::to_string(reset - 1)}).code == 7);
    CHECK(box.run({"reset", "core:a", "--if-used-at-least", "6"}).code == 7);
    CHECK(box.server.get("core:a") == "5");
    box.server.set("core:odd", "x", 0);
    box.server.set("core:odd:reset_at", std::to_string(reset), 0);
    CHECK(box.run({"increment", "core:odd", "--state", "corrupt", "--period", "1h"}).code == 7);
    CHECK(box.row({"increment", "core:a", "-n", "--period", "1h"}).at("status") == "planned");
    CHECK(box.run({"reset", "core:a", "--read-only"}).code == 7);
    CHECK(box.server.get("core:a") == "5");
    CHECK(box.run({"reset", "core:a", "--wait-replicas", "1"}).code == 2);
    CHECK(box.server.get("core:a") == "5");
}

TEST_CASE("what only Redis has is refused in a sentence") {
    MemcachedBox box;
    box.server.open("core:a", 5, now_s() + 100);
    for (const auto& asked : std::vector<std::vector<std::string>>{
             {"identify", "core:a"}, {"history", "--on-servers"}, {"check", "core:a", "--from", "replica"}}) {
        INFO(asked.front());
        const auto result = box.run(asked);
        INFO(result.err);
        CHECK(result.code == 2);
        CHECK(result.err.find("memcached") != std::string::npos);
    }
    const auto scheme = box.run({"check", "core:a", "--scheme", "window"});
    CHECK(scheme.code == 2);
    CHECK(scheme.err.find("scheme 'window' is of Redis servers") != std::string::npos);
}
