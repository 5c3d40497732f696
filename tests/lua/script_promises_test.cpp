// The promises and traps of the window scripts, one by one, on a real server and its replica.
#include "lua/window_fixture.h"
#include "schemes/book.h"
#include "schemes/window/window_scheme.h"
#include "support/window_look.h"

namespace ratectl::test {
namespace {

using domain::WriteStatus;
using schemes::WriteAnswer;
using support::from_epoch;

constexpr std::uint32_t kPromisesSeed = 1;

domain::CountItem count_item(const std::string& key, std::int64_t amount, std::int64_t next_reset, std::int64_t now) {
    return {{key, 0}, amount, from_epoch(next_reset), from_epoch(now)};
}

template <class... Item>
std::vector<WriteAnswer> count(WindowFixture& fixture, const Item&... items) {
    const std::vector<const domain::CountItem*> all{&items...};
    auto answers = fixture.answers(fixture.scheme().count_call(all, {}));
    REQUIRE(answers.has_value());
    return answers->windows;
}

WriteAnswer refund(WindowFixture& fixture, const domain::RefundItem& item) {
    const std::vector<const domain::RefundItem*> all{&item};
    auto answers = fixture.answers(fixture.scheme().refund_call(all, {}));
    REQUIRE(answers.has_value());
    return answers->windows.at(0);
}

WriteAnswer reset(WindowFixture& fixture, const std::string& key) {
    const domain::ResetItem item{{key, 0}, std::nullopt, std::nullopt};
    const std::vector<const domain::ResetItem*> all{&item};
    auto answers = fixture.answers(fixture.scheme().reset_call(all, {}));
    REQUIRE(answers.has_value());
    return answers->windows.at(0);
}

TEST_CASE("The hash of each embedded script is the one the server computes") {
    WindowFixture fixture(kPromisesSeed);
    for (const auto* script : {&schemes::window::kCheckScript, &schemes::window::kRateScript,
                               &schemes::window::kRefundScript, &schemes::window::kResetScript}) {
        CHECK(fixture.server().command({"SCRIPT", "LOAD", std::string(script->source)}) == script->sha1);
    }
}

TEST_CASE("RATE 0 on an absent window opens one") {
    WindowFixture fixture(kPromisesSeed);
    const auto now = fixture.server_seconds();
    CHECK(count(fixture, count_item("k", 0, now + 60, now))[0].status == WriteStatus::applied);
    CHECK(fixture.read("k").counter.value == "0");
    CHECK(fixture.read("k").expiry.expires_ms == (now + 61) * 1000);
}

TEST_CASE("RATE does not take an end before the epoch for a window that is over") {
    WindowFixture fixture(kPromisesSeed);
    const auto now = fixture.server_seconds();
    fixture.server().command({"SET", "k", "5"});
    fixture.server().command({"SET", "k:exp", "-1"});
    CHECK(count(fixture, count_item("k", 1, now + 60, now))[0].reason == "not-an-integer");
    CHECK(fixture.read("k").counter.value == "5");
}

TEST_CASE("RATE refuses a window that would be over on the clock of the server and leaks nothing") {
    WindowFixture fixture(kPromisesSeed);
    const auto now = fixture.server_seconds();
    CHECK(count(fixture, count_item("k", 1, now - 10, now - 60))[0].reason == "reset-in-past");
    CHECK(fixture.server().command({"DBSIZE"}) == "0");
}

TEST_CASE("RATE gives a counter that was gone the lifetime of its window") {
    WindowFixture fixture(kPromisesSeed);
    const auto now = fixture.server_seconds();
    count(fixture, count_item("k", 4, now + 60, now));
    fixture.server().command({"DEL", "k"});
    const auto answer = count(fixture, count_item("k", 7, now + 99, now))[0];
    CHECK(answer.after.used == "7");
    CHECK(answer.after.reset_at == std::to_string(now + 60));
    CHECK(fixture.read("k").counter.expires_ms == (now + 61) * 1000);
}

TEST_CASE("A refused window does not stop the others of its call") {
    WindowFixture fixture(kPromisesSeed);
    const auto now = fixture.server_seconds();
    fixture.server().command({"RPUSH", "b", "x"});
    const auto answers = count(fixture, count_item("a", 1, now + 60, now), count_item("b", 1, now + 60, now),
                               count_item("c", 1, now + 60, now));
    CHECK(answers[0].status == WriteStatus::applied);
    CHECK(answers[1].status == WriteStatus::refused);
    CHECK(answers[2].status == WriteStatus::applied);
    CHECK(fixture.read("c").counter.value == "1");
}

TEST_CASE("Amounts and counters up to 2 to the 53 less 1 stay exact through the scripts") {
    WindowFixture fixture(kPromisesSeed);
    const auto now = fixture.server_seconds();
    const auto most = support::kMaxExactInteger;
    CHECK(count(fixture, count_item("k", most - 1, now + 60, now))[0].after.used == std::to_string(most - 1));
    CHECK(count(fixture, count_item("k", 1, now + 60, now))[0].after.used == std::to_string(most));
    CHECK(count(fixture, count_item("k", 1, now + 60, now))[0].reason == "overflow");
    CHECK(fixture.read("k").counter.value == std::to_string(most));
    const auto back = refund(fixture, {{"k", 0}, most, from_epoch(now + 60), false, from_epoch(now)});
    CHECK(back.taken == most);
    CHECK(fixture.read("k").counter.value == "0");
}

TEST_CASE("A late refund does not open or touch a newer window") {
    WindowFixture fixture(kPromisesSeed);
    const auto now = fixture.server_seconds();
    count(fixture, count_item("k", 5, now + 90, now));
    const auto before = fixture.read("k");
    const auto answer = refund(fixture, {{"k", 0}, 1, from_epoch(now + 30), false, from_epoch(now)});
    CHECK(answer.status == WriteStatus::window_changed);
    CHECK(fixture.read("k") == before);
    CHECK(refund(fixture, {{"other", 0}, 1, from_epoch(now + 30), false, from_epoch(now)}).reason == "no-window");
    CHECK(fixture.server().command({"DBSIZE"}) == "2");
}

TEST_CASE("A refund of what opened a window removes both halves where nothing else is in it") {
    WindowFixture fixture(kPromisesSeed);
    const auto now = fixture.server_seconds();
    const auto take = [&](const std::string& key, std::int64_t amount) {
        return refund(fixture, {{key, 0}, amount, from_epoch(now + 90), false, from_epoch(now), true});
    };
    count(fixture, count_item("k", 5, now + 90, now), count_item("other", 5, now + 90, now));
    CHECK(take("k", 4).after.used == "1");
    CHECK(take("k", 0).status == WriteStatus::skipped);
    const auto last = take("k", 1);
    CHECK(last.status == WriteStatus::applied);
    CHECK(last.before.used == "1");
    CHECK(last.taken == 1);
    CHECK_FALSE(last.after.used);
    CHECK_FALSE(last.after.reset_at);
    CHECK(fixture.server().command({"DBSIZE"}) == "2");
    CHECK(take("k", 1).reason == "no-window");
    CHECK(take("other", 6).reason == "below-zero");
    CHECK(fixture.read("other").counter.value == "5");
}

TEST_CASE("RESET refuses a value over 64 KiB and takes one of exactly that size back as it was") {
    WindowFixture fixture(kPromisesSeed);
    fixture.server().command({"SET", "k", std::string(65537, '7')});
    CHECK(reset(fixture, "k").reason == "too-large");
    CHECK(fixture.server().command({"DBSIZE"}) == "1");
    fixture.server().command({"SET", "k", std::string(65536, '7')});
    CHECK(reset(fixture, "k").before.used == std::string(65536, '7'));
    CHECK(fixture.server().command({"DBSIZE"}) == "0");
}

TEST_CASE("Keys of any bytes pass through the scripts unharmed") {
    WindowFixture fixture(kPromisesSeed);
    const auto now = fixture.server_seconds();
    const std::string key("a\n\x1b[31m\xff\"'\0b", 13);
    CHECK(count(fixture, count_item(key, 3, now + 60, now))[0].status == WriteStatus::applied);
    CHECK(fixture.read(key).counter.value == "3");
    CHECK(reset(fixture, key).before.used == "3");
    CHECK(fixture.server().command({"DBSIZE"}) == "0");
}

TEST_CASE("A user who may not run one of the commands writes nothing at all") {
    RedisServer server;
    const schemes::Scheme* const scheme = &schemes::scheme_of({"window", ":exp"});
    const auto now = *support::parse_decimal(server.reply({"TIME"}).items.at(0).text);
    const std::vector<domain::CountItem> items{count_item("open", 1, now + 60, now),
                                               count_item("new", 1, now + 60, now)};
    server.command({"SET", "open", "5"});
    server.command({"SET", "open:exp", std::to_string(now + 60)});
    server.command({"ACL", "SETUSER", "half", "on", "nopass", "~*", "+@all", "-set"});
    auto endpoint = server.endpoint();
    test::PlainClient client(endpoint);
    REQUIRE(client.command({"AUTH", "half", "x"})->shown() == "OK");
    const auto call = scheme->count_call(std::vector<const domain::CountItem*>{&items[0], &items[1]}, {});
    std::vector<std::string> words{"EVAL", std::string(call.script->source), "4"};
    words.insert(words.end(), call.keys.begin(), call.keys.end());
    words.insert(words.end(), call.arguments.begin(), call.arguments.end());
    const auto reply = client.command(words);
    CHECK(reply->text == "NOPERM this user has no permissions to run the 'set' command");
    CHECK(server.command({"GET", "open"}) == "5");
    CHECK(server.command({"DBSIZE"}) == "2");
    server.command({"ACL", "SETUSER", "half", "+set", "-time"});
    CHECK(client.command(words)->text == "NOPERM this user has no permissions to run the 'time' command");
    CHECK(server.command({"DBSIZE"}) == "2");
}

TEST_CASE("CHECK shows the raw halves on a primary and on its replica and never writes") {
    RedisServer primary;
    RedisServer replica;
    replica.make_replica_of(primary);
    const schemes::Scheme* const scheme = &schemes::scheme_of({"window", ":exp"});
    primary.command({"SET", "a", "9007199254740993", "EX", "100"});
    primary.command({"SET", "a:exp", " 7"});
    primary.command({"RPUSH", "b", "x"});
    primary.command({"SET", "big", std::string(70000, '1')});
    replica.await_replication_of(primary);
    const std::vector<std::string> keys{"a", "b", "absent", "big"};
    const auto call = scheme->script_look_calls(keys).front();
    std::vector<std::string> words{"EVAL_RO", std::string(call.script->source), std::to_string(call.keys.size())};
    words.insert(words.end(), call.keys.begin(), call.keys.end());
    for (auto* server : {&primary, &replica}) {
        const auto reply = to_reply(server->reply(words));
        const auto looks = scheme->decode_script_looks(keys, std::span(&reply, 1));
        REQUIRE(looks.size() == 4);
        for (const auto& look : looks) REQUIRE(look.has_value());
        CHECK(counter_part(*looks[0]).value == "9007199254740993");
        CHECK(counter_part(*looks[0]).ttl_ms.value_or(0) > 90'000);
        CHECK(expiry_part(*looks[0]).value == " 7");
        CHECK(expiry_part(*looks[0]).ttl_ms == -1);
        CHECK(counter_part(*looks[1]).type == "list");
        CHECK_FALSE(counter_part(*looks[1]).value.has_value());
        CHECK(counter_part(*looks[2]).type == "none");
        CHECK(counter_part(*looks[2]).ttl_ms == -2);
        CHECK(counter_part(*looks[3]).value == std::string(65537, '1'));
    }
}

}  // namespace
}  // namespace ratectl::test
