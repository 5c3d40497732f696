// The window scheme without a server: what it asks, how it names keys, and decoding that is total over any reply.
#include <random>

#include "schemes/book.h"
#include "schemes/packed.h"
#include "support/catch.h"
#include "support/fake_channel.h"
#include "support/window_look.h"

namespace ratectl::test {
namespace {

using domain::LookDepth;
using redis::Reply;
using schemes::packed;
using schemes::Scheme;

constexpr std::nullopt_t kNil = std::nullopt;
const std::vector<std::string_view> kKeys{"a", "b", "c", "d"};

const std::string kStoredHead = packed({"3", "fingerprint", "count", "actor", "host", "", "1000", "1"});
Reply done_with(const std::string& answers) { return array({text("done"), text("1000"), text(kStoredHead + answers)}); }

std::vector<Command> asked(const Scheme& scheme, const std::vector<std::string>& keys, LookDepth depth, int major) {
    redis::ServerFacts facts;
    facts.version = domain::ServerVersion{major, 0, 0, false};
    redis::Request request;
    scheme.ask_looks(request, keys, depth, facts);
    CHECK(scheme.look_replies(keys, depth, facts) == request.commands());
    return commands_of(request);
}

TEST_CASE("A light look at several keys is one MGET of both halves of each") {
    const schemes::Scheme* const scheme = &schemes::scheme_of({"window", ":exp"});
    CHECK(asked(*scheme, {"a", "b"}, LookDepth::light, 7) ==
          std::vector<Command>{{"MGET", "a", "a:exp", "b", "b:exp"}});
}

TEST_CASE("A full look asks for PEXPIRETIME only where the server has it") {
    const schemes::Scheme* const scheme = &schemes::scheme_of({"window", "~ttl"});
    const auto seven = asked(*scheme, {"a"}, LookDepth::full, 7);
    CHECK(seven.front() == Command{"MULTI"});
    CHECK(seven.back() == Command{"EXEC"});
    CHECK(std::count(seven.begin(), seven.end(), Command{"PEXPIRETIME", "a~ttl"}) == 1);
    const auto six = asked(*scheme, {"a", "b"}, LookDepth::full, 6);
    CHECK(six.size() == 16);
    for (const auto& command : six) CHECK(command.front() != "PEXPIRETIME");
}

TEST_CASE("Sweeps start from the expiry half and leave operation keys alone") {
    const schemes::Scheme* const scheme = &schemes::scheme_of({"window", ":e[x]p"});
    CHECK(scheme->scan_pattern("core:*", false) == "core:*:e\\[x\\]p");
    CHECK(scheme->scan_pattern("core:*", true) == "core:*");
    CHECK(scheme->scan_pattern("core:?", true) == "core:?*");
    CHECK(scheme->scanned_as("core:1:e[x]p").value().window == "core:1");
    CHECK(scheme->scanned_as("core:1:e[x]p").value().is_scan_key);
    CHECK(scheme->scanned_as("core:1").value().window == "core:1");
    CHECK_FALSE(scheme->scanned_as("core:1").value().is_scan_key);
    CHECK_FALSE(scheme->scanned_as("ratectl:op:01J.1").has_value());
    // Half of no window, which would have no name, for sweeps as for part_of().
    CHECK(scheme->scanned_as(":e[x]p").value().window == ":e[x]p");
    CHECK_FALSE(scheme->scanned_as(":e[x]p").value().is_scan_key);
    CHECK_FALSE(scheme->part_of(":e[x]p").has_value());
}

TEST_CASE("Light looks are the same taken value by value and only whole pairs of values are complete") {
    const schemes::Scheme* const scheme = &schemes::scheme_of({"window", ":exp"});
    const std::vector<std::string> keys{"a", "b"};
    auto stale = test::window_look();
    counter_part(stale) = {"old", "string", 1, 2};
    std::vector<domain::WindowLook> looks(2, stale);
    for (std::size_t i = 0; i < 2; ++i) looks[i].key = keys[i];
    const auto values = scheme->receive_light_looks(looks);
    for (const auto value : {"5", "1000"}) {
        CHECK_FALSE(values->complete());
        values->text(value);
    }
    values->nil();
    values->text("");
    CHECK(values->complete());
    const std::vector<redis::Reply> replies{array({text("5"), text("1000"), nil(), text("")})};
    const auto decoded = scheme->decode_looks(keys, replies, LookDepth::light);
    CHECK(looks[0] == decoded[0].value());
    CHECK(looks[1] == decoded[1].value());
    values->text("one too many");
    CHECK_FALSE(values->complete());

    const auto with_another = scheme->receive_light_looks(looks);
    for (int i = 0; i < 4; ++i) with_another->nil();
    with_another->other();
    CHECK_FALSE(with_another->complete());
}

TEST_CASE("Light replies decode to both halves and odd ones to an error a key") {
    const schemes::Scheme* const scheme = &schemes::scheme_of({"window", ":exp"});
    const std::vector<std::string> keys{"a", "b"};
    std::vector<Reply> replies{array({text("5"), text("9"), nil(), integer(3)})};
    const auto looks = scheme->decode_looks(keys, replies, LookDepth::light);
    REQUIRE(looks.size() == 2);
    REQUIRE(looks[0].has_value());
    CHECK(counter_part(*looks[0]).value == "5");
    CHECK(expiry_part(*looks[0]).value == "9");
    CHECK_FALSE(counter_part(*looks[0]).type.has_value());
    CHECK(looks[1].error().code == support::ExitCode::protocol);
    std::vector<Reply> short_one{array({text("5"), text("9")})};
    for (const auto& look : scheme->decode_looks(keys, short_one, LookDepth::light)) CHECK_FALSE(look.has_value());
}

TEST_CASE("A full reply tells an empty string from an absent key and a wrong type from both") {
    const schemes::Scheme* const scheme = &schemes::scheme_of({"window", ":exp"});
    const std::vector<std::string> keys{"a"};
    const auto queued = status("QUEUED");
    std::vector<Reply> replies(7, queued);
    replies.push_back(array({status("string"), text(""), integer(-1), status("none"), text(""), integer(-2)}));
    auto looks = scheme->decode_looks(keys, replies, LookDepth::full);
    REQUIRE(looks[0].has_value());
    CHECK(counter_part(*looks[0]).value == "");
    CHECK(counter_part(*looks[0]).ttl_ms == -1);
    CHECK_FALSE(expiry_part(*looks[0]).value.has_value());
    CHECK(expiry_part(*looks[0]).type == "none");
    replies.assign(9, queued);
    replies.push_back(array({status("list"), error("WRONGTYPE x"), integer(5), integer(77), status("none"), text(""),
                             integer(-2), integer(-2)}));
    looks = scheme->decode_looks(keys, replies, LookDepth::full);
    REQUIRE(looks[0].has_value());
    CHECK(counter_part(*looks[0]).type == "list");
    CHECK(counter_part(*looks[0]).expires_at_ms == 77);
    CHECK_FALSE(expiry_part(*looks[0]).expires_at_ms.has_value());
}

TEST_CASE("A write answer carriesits word and the stored strings") {
    const auto reply =
        done_with(packed({"a", "applied", "5", "9", "2", "9", "3", kNil, kNil, kNil, kNil}) +
                  packed({"b", "below-zero", "1", "9", kNil, kNil, kNil, kNil, kNil, kNil, kNil}) +
                  packed({"c", "absent", kNil, kNil, kNil, kNil, kNil, kNil, kNil, kNil, kNil}) +
                  packed({"d", "applied", std::string("x\0", 2), kNil, kNil, kNil, kNil, "77", kNil, kNil, kNil}));
    const auto answers = schemes::decode_writes(kKeys, reply);
    REQUIRE(answers.has_value());
    CHECK(answers->server_time_ms == 1000);
    const auto& windows = answers->windows;
    CHECK(windows[0].status == domain::WriteStatus::applied);
    CHECK(windows[0].reason.empty());
    CHECK(windows[0].after.used == "2");
    CHECK(windows[0].taken == 3);
    CHECK(windows[1].status == domain::WriteStatus::refused);
    CHECK(windows[1].reason == "below-zero");
    CHECK(windows[1].error->code == support::ExitCode::guard);
    CHECK(windows[2].status == domain::WriteStatus::skipped);
    CHECK_FALSE(windows[2].error.has_value());
    CHECK(windows[3].before.used == std::string("x\0", 2));
    CHECK(windows[3].before.expires[0] == 77);
    CHECK_FALSE(windows[3].before.reset_at.has_value());
}

TEST_CASE("An answer in short words says what the counter is then and keeps the reset") {
    const auto answer = [](std::string_view word, std::string_view used, std::string_view taken) {
        const auto reply = done_with(packed({"a", word, used, "9", kNil, kNil, taken, kNil, kNil, kNil, kNil}));
        const auto answers = schemes::decode_writes(std::span(kKeys).first(1), reply);
        return answers ? std::optional(answers->windows.at(0)) : std::nullopt;
    };
    const auto counted = answer("counted", "5", "-7");
    REQUIRE(counted.has_value());
    CHECK(counted->status == domain::WriteStatus::applied);
    CHECK(counted->reason.empty());
    CHECK(counted->before == domain::StoredWindow{"5", "9", {}});
    CHECK(counted->after == domain::StoredWindow{"-2", "9", {}});
    CHECK(counted->taken == 0);
    const auto given_back = answer("given-back", "5", "2");
    REQUIRE(given_back.has_value());
    CHECK(given_back->status == domain::WriteStatus::applied);
    CHECK(given_back->after.used == "3");
    CHECK(given_back->taken == 2);
    const auto removed = answer("removed", "abc", "0");
    REQUIRE(removed.has_value());
    CHECK(removed->status == domain::WriteStatus::applied);
    CHECK(removed->before == domain::StoredWindow{"abc", "9", 10'000, 10'000});
    CHECK(removed->after == domain::StoredWindow{});
    for (const auto* used : {"", "x", "9223372036854775807"}) CHECK_FALSE(answer("counted", used, "1").has_value());
    CHECK_FALSE(answer("given-back", "-9223372036854775808", "1").has_value());
    CHECK_FALSE(answer("counted", "1", "much").has_value());
}

TEST_CASE("Replies that are none of the scripts own are errors and never values") {
    const auto good = packed({"a", "applied", "1", "2", "3", "4", kNil, kNil, kNil, kNil, kNil});
    const std::vector<Reply> odd{nil(),
                                 text("applied"),
                                 array({}),
                                 array({text("done"), text("1000")}),
                                 array({text("done"), text("soon"), text(good)}),
                                 array({text("done"), integer(1000), text(good)}),
                                 array({text("done"), text("1000"), array({text(good)})}),
                                 array({text("done"), text("1000"), text(good), text("")}),
                                 array({text("done"), text("1000"), text(good)}),
                                 array({text("done"), text("1000"), text("1:2" + kStoredHead.substr(3) + good)}),
                                 done_with(""),
                                 done_with("x"),
                                 done_with(good.substr(0, good.size() - 1)),
                                 done_with(good + "-"),
                                 done_with(good + good),
                                 done_with(packed({"a", "perhaps", "1", "2", "3", "4", kNil, kNil, kNil, kNil, kNil})),
                                 done_with(packed({kNil, "applied", "1", "2", "3", "4", kNil, kNil, kNil, kNil, kNil})),
                                 done_with(packed({"a", kNil, "1", "2", "3", "4", kNil, kNil, kNil, kNil, kNil})),
                                 done_with(packed({"a", "applied", "1", "2", "3", "4", "x", kNil, kNil, kNil, kNil}))};
    const auto one = std::span(kKeys).first(1);
    for (const auto& reply : odd) CHECK_FALSE(schemes::decode_writes(one, reply).has_value());
    CHECK(schemes::decode_writes(one, done_with(good)).has_value());
}

Reply random_reply(std::mt19937& random, int depth) {
    static const char* const texts[] = {"applied", "1000", "5", "", "string", "absent"};
    static const char* const statuses[] = {"string", "none", "QUEUED", "OK", "list"};
    const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    switch (pick(depth > 0 ? 8 : 5)) {
        case 0: return nil();
        case 1: return integer(pick(3) - 2);
        case 2: return text(texts[random() % 6]);
        case 3: return status(statuses[random() % 5]);
        case 4: return error("ERR odd");
        default: break;
    }
    std::vector<Reply> elements;
    const int count = pick(9);
    elements.reserve(static_cast<std::size_t>(count));
    for (int n = count; n > 0; --n) elements.push_back(random_reply(random, depth - 1));
    return array(std::move(elements));
}

TEST_CASE("Decoding is total over random replies") {
    const schemes::Scheme* const scheme = &schemes::scheme_of({"window", ":exp"});
    std::mt19937 random(7);
    std::size_t decoded = 0;
    for (int n = 0; n < 50'000; ++n) {
        const std::vector<std::string> keys(random() % 3, "k");
        std::vector<Reply> replies;
        for (auto count = random() % 20; count > 0; --count) replies.push_back(random_reply(random, 3));
        const auto depth = random() % 2 == 0 ? LookDepth::light : LookDepth::full;
        if (random() % 2 == 0) {
            // Of the right shape, so that it is the parts that are odd.
            const std::size_t parts = depth == LookDepth::light ? 2 * keys.size() : 6;
            std::vector<Reply> leaves;
            while (leaves.size() < parts) leaves.push_back(random_reply(random, 0));
            replies.assign(depth == LookDepth::light ? 1 : keys.size(), array(leaves));
        }
        const auto looks = scheme->decode_looks(keys, replies, depth);
        REQUIRE(looks.size() == keys.size());
        for (const auto& look : looks) decoded += look ? 1 : 0;
        const auto told = random_reply(random, 3);
        REQUIRE(scheme->decode_script_looks(keys, std::span(&told, 1)).size() == keys.size());
        const auto asked = std::span(kKeys).first(random() % 3);
        const auto answers = schemes::decode_writes(asked, random_reply(random, 3));
        if (answers) REQUIRE(answers->windows.size() == asked.size());
    }
    CHECK(decoded > 1000);
}

}  // namespace
}  // namespace ratectl::test
