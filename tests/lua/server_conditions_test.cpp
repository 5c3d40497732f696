// The write scripts under servers that object: users with few rights, memory that has run out; and what a call costs.
#include <map>
#include <span>

#include "lua/window_fixture.h"
#include "schemes/operation_key.h"

namespace ratectl::test {
namespace {

using support::from_epoch;

constexpr std::uint32_t kConditionsSeed = 4;

/// One call of each script about the window `k` of a fixture.
struct Calls {
    redis::ScriptCall count;
    redis::ScriptCall refund;
    redis::ScriptCall reset;
    redis::ScriptCall restore;

    std::vector<redis::ScriptCall> in_order() const { return {count, refund, reset, restore}; }
};

Calls calls_at(const schemes::Scheme& scheme, std::int64_t now) {
    const auto head = [](const char* id) {
        return schemes::CallHead{domain::SliceId{id, 1}, {}, "print", "ann", "here", ""};
    };
    const domain::KeyAt at{"k", 0};
    const auto reset = from_epoch(now + 600);
    const auto text = std::to_string(now + 600);
    const auto expires_ms = (now + 601) * 1000;
    const domain::CountItem count{at, 5, reset, from_epoch(now)};
    const domain::RefundItem refund{at, 1, reset, false, from_epoch(now)};
    const domain::ResetItem remove{at, std::nullopt, std::nullopt};
    const domain::RestoreItem restore{at, {"4", text, expires_ms, expires_ms}, false, from_epoch(now)};
    return {scheme.count_call(std::vector{&count}, head("COUNT")),
            scheme.refund_call(std::vector{&refund}, head("REFUND")),
            scheme.reset_call(std::vector{&remove}, head("RESET")),
            scheme.restore_call(std::vector{&restore}, head("RESTORE"))};
}

bool is_done(const test::PlainReply& reply) {
    const auto is_applied = [](const std::string& answer) {
        return answer.find("7:applied") != std::string::npos || answer.find("7:counted") != std::string::npos ||
               answer.find("10:given-back") != std::string::npos || answer.find("7:removed") != std::string::npos;
    };
    return !reply.items.empty() && reply.items.at(0).text == "done" && is_applied(reply.items.at(2).text);
}

/// Leaves the server as the call wants it: with a window, unless it is about to make one.
void prepare_for(RedisServer& server, const Calls& calls, const redis::ScriptCall& call) {
    server.command({"FLUSHALL"});
    if (call.script == calls.count.script || call.script == calls.restore.script) return;
    REQUIRE(is_done(server.reply(words_of(calls.count))));
    server.command({"DEL", "ratectl:op:COUNT.1"});
}

test::PlainReply as_user_of(RedisServer& server, std::span<const std::string> keys, const redis::ScriptCall& call) {
    std::vector<std::string> rule{"ACL", "SETUSER", "few", "reset", "on", "nopass", "+@all"};
    for (const auto& key : keys) rule.push_back("~" + key);
    REQUIRE(server.command(rule) == "OK");
    test::PlainClient client(server.endpoint());
    REQUIRE(client.command({"AUTH", "few", "x"})->shown() == "OK");
    return *client.command(words_of(call));
}

TEST_CASE("A user who may touch only the keys that a call declares can make it") {
    WindowFixture fixture(kConditionsSeed);
    const auto calls = calls_at(fixture.scheme(), fixture.server_seconds());
    for (const auto& call : calls.in_order()) {
        const std::span<const std::string> keys(call.keys);
        prepare_for(fixture.server(), calls, call);
        const auto before = fixture.snapshot();
        for (std::size_t without = 0; without < keys.size(); ++without) {
            std::vector<std::string> fewer(keys.begin(), keys.end());
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(without));
            CHECK(as_user_of(fixture.server(), fewer, call).is_error());
        }
        CHECK(fixture.snapshot() == before);
        CHECK(is_done(as_user_of(fixture.server(), keys, call)));
    }
}

TEST_CASE("A write that one of the keys forbids keeps all of them as they were") {
    WindowFixture fixture(kConditionsSeed);
    auto& server = fixture.server();
    const auto now = fixture.server_seconds();
    const domain::CountItem first{{"a", 0}, 1, from_epoch(now + 60), from_epoch(now)};
    const domain::CountItem second{{"b", 0}, 1, from_epoch(now + 60), from_epoch(now)};
    const auto call = fixture.scheme().count_call(std::vector{&first, &second}, {});
    server.command({"SET", "b", "7"});
    server.command({"SET", "b:exp", std::to_string(now + 60)});
    REQUIRE(server.command(
                {"ACL", "SETUSER", "some", "on", "nopass", "~*", "+@all", "-incrby", "-set", "(+set ~a*)"}) == "OK");
    const auto before = fixture.snapshot();
    test::PlainClient client(server.endpoint());
    REQUIRE(client.command({"AUTH", "some", "x"})->shown() == "OK");
    CHECK(client.command(words_of(call))->text == "NOPERM this user has no permissions to run the 'incrby' command");
    CHECK(fixture.snapshot() == before);
}

TEST_CASE("A key that its user may only read keeps the whole call from writing") {
    WindowFixture fixture(kConditionsSeed);
    auto& server = fixture.server();
    const auto now = fixture.server_seconds();
    const domain::CountItem first{{"a", 0}, 1, from_epoch(now + 60), from_epoch(now)};
    const domain::CountItem second{{"b", 0}, 1, from_epoch(now + 60), from_epoch(now)};
    const auto call = fixture.scheme().count_call(std::vector{&first, &second}, {});
    const domain::ResetItem no_more{{"a", 0}, std::nullopt, std::nullopt};
    const domain::ResetItem nor_this{{"b", 0}, std::nullopt, std::nullopt};
    const auto removal = fixture.scheme().reset_call(std::vector{&no_more, &nor_this}, {});
    server.reply(words_of(call));
    const auto before = fixture.snapshot();
    for (const auto& rules : std::vector<std::vector<std::string>>{{"~a*", "%R~b*"},
                                                                   {"~a*", "%R~b*", "(%W~b* +@all)"},
                                                                   {"%R~*", "(~a* +@all)"},
                                                                   {"~*", "-incrby", "-del", "(+incrby +del ~a*)"}}) {
        std::vector<std::string> user{"ACL", "SETUSER", "reader", "reset", "on", "nopass", "+@all"};
        user.insert(user.end(), rules.begin(), rules.end());
        REQUIRE(server.command(user) == "OK");
        test::PlainClient client(server.endpoint());
        REQUIRE(client.command({"AUTH", "reader", "x"})->shown() == "OK");
        INFO(rules.back());
        CHECK(client.command(words_of(call))->text.starts_with("NOPERM"));
        CHECK(client.command(words_of(removal))->text.starts_with("NOPERM"));
        CHECK(fixture.snapshot() == before);
    }
}

TEST_CASE("A server that is out of memory refuses every write but a reset, which leaves its operation key") {
    WindowFixture fixture(kConditionsSeed);
    auto& server = fixture.server();
    const auto calls = calls_at(fixture.scheme(), fixture.server_seconds());
    REQUIRE(is_done(server.reply(words_of(calls.count))));
    server.command({"DEL", "ratectl:op:COUNT.1"});
    REQUIRE(server.command({"CONFIG", "SET", "maxmemory", "1"}) == "OK");
    REQUIRE(server.command({"SET", "x", "1"}).starts_with("(error) OOM"));
    const auto before = fixture.snapshot();
    CHECK(server.reply(words_of(calls.count)).text.starts_with("OOM"));
    CHECK(server.reply(words_of(calls.refund)).text.starts_with("OOM"));
    CHECK(fixture.snapshot() == before);

    CHECK(is_done(server.reply(words_of(calls.reset))));
    CHECK(server.command({"KEYS", "*"}) == "ratectl:op:RESET.1");
    CHECK(server.reply(words_of(calls.reset)).items.at(0).text == "already");
    const auto removed = fixture.snapshot();
    CHECK(server.reply(words_of(calls.restore)).text.starts_with("OOM"));
    CHECK(fixture.snapshot() == removed);
}

/// Calls per command since the last CONFIG RESETSTAT, our own asking left out.
std::map<std::string, int> commands_used(RedisServer& server) {
    std::map<std::string, int> used;
    const auto stats = server.command({"INFO", "commandstats"});
    for (std::size_t at = stats.find("cmdstat_"); at != std::string::npos; at = stats.find("cmdstat_", at + 1)) {
        const auto colon = stats.find(":calls=", at);
        const auto name = stats.substr(at + 8, colon - at - 8);
        const auto calls = stats.substr(colon + 7, stats.find(',', colon) - colon - 7);
        if (name != "eval" && name != "info" && !name.starts_with("config")) {
            used[name] = static_cast<int>(*support::parse_decimal(calls));
        }
    }
    return used;
}

TEST_CASE("Each script costs the commands that its header names") {
    WindowFixture fixture(kConditionsSeed);
    auto& server = fixture.server();
    const auto calls = calls_at(fixture.scheme(), fixture.server_seconds());
    const auto cost = [&](const redis::ScriptCall& call) {
        server.command({"CONFIG", "RESETSTAT"});
        server.reply(words_of(call));
        return commands_used(server);
    };
    using Cost = std::map<std::string, int>;
    CHECK(cost(calls.count) == Cost{{"time", 1}, {"type", 3}, {"mget", 1}, {"set", 3}});
    CHECK(cost(calls.count) == Cost{{"time", 1}, {"type", 1}, {"get", 1}});
    server.command({"DEL", "ratectl:op:COUNT.1"});
    CHECK(cost(calls.count) == Cost{{"time", 1}, {"type", 1}, {"mget", 1}, {"set", 1}, {"incrby", 1}});
    CHECK(cost(calls.refund) == Cost{{"time", 1}, {"type", 1}, {"mget", 1}, {"set", 1}, {"decrby", 1}});
    CHECK(cost(calls.reset) == Cost{{"time", 1}, {"type", 1}, {"mget", 1}, {"set", 1}, {"del", 1}, {"pexpiretime", 2}});
    CHECK(cost(calls.restore) == Cost{{"time", 1}, {"type", 3}, {"mget", 1}, {"set", 3}});
}

}  // namespace
}  // namespace ratectl::test
