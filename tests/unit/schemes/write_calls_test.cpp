// What a write call carries, and what its reply means: without a server.
#include "schemes/book.h"
#include "schemes/packed.h"
#include "support/catch.h"
#include "support/fake_channel.h"

namespace ratectl::test {
namespace {

using domain::WriteStatus;
using schemes::CallHead;
using schemes::CallStatus;
using support::from_epoch;
using Words = std::vector<std::string>;

const CallHead kHead{domain::SliceId{"OP", 2}, 1'000, "print", "ann", "here", "why"};
const Words kHeadWords{"1000", "print", "ann", "here", "why", "o"};

Words behind_head(Words words) {
    words.insert(words.begin(), kHeadWords.begin(), kHeadWords.end());
    return words;
}

TEST_CASE("A call names both halves of each window and then its operation key") {
    const schemes::Scheme* const scheme = &schemes::scheme_of({"window", ":exp"});
    const domain::ResetItem first{{"a", 0}, std::nullopt, std::nullopt};
    const domain::ResetItem second{{"b", 0}, std::nullopt, std::nullopt};
    const std::vector items{&first, &second};
    CHECK(scheme->reset_call(items, kHead).keys == Words{"a", "a:exp", "b", "b:exp", "ratectl:op:OP.2"});
    CHECK(scheme->reset_call(items, {}).keys == Words{"a", "a:exp", "b", "b:exp"});
    CHECK(scheme->reset_call(items, {}).arguments == Words{"", "", "", "", "", "", "111", "", "", ""});
    CHECK_FALSE(scheme->reset_call(items, kHead).read_only);
}

TEST_CASE("A call carries amounts, guards and removed halves as texts") {
    const schemes::Scheme* const scheme = &schemes::scheme_of({"window", ":exp"});
    const auto now = from_epoch(100);
    const domain::CountItem count{{"a", 0}, -3, from_epoch(160), now, from_epoch(150), domain::StoredWindow{}};
    CHECK(scheme->count_call(std::vector{&count}, kHead).arguments ==
          behind_head({"1111111", "-3", "160", "100", "150", "--", "", ""}));
    const domain::CountItem free{{"a", 0}, 1, from_epoch(160), now, {}, {}, 7};
    CHECK(scheme->count_call(std::vector{&free}, kHead).arguments ==
          behind_head({"1111111", "1", "160", "100", "", "", "7", ""}));
    // A limiter that counts on in a counter without a window does so below the limit, where that is known.
    const domain::CountItem limited{{"a", 0}, 1, from_epoch(160), now, {}, {}, {}, 30};
    const domain::CountItem limitless{{"a", 0}, 1, from_epoch(160), now};
    CHECK(schemes::scheme_of({"laravel", ""}).count_call(std::vector{&limited}, kHead).arguments ==
          behind_head({"1111111", "1", "160", "100", "", "", "", "30"}));
    CHECK(schemes::scheme_of({"laravel", ""}).count_call(std::vector{&limitless}, kHead).arguments ==
          behind_head({"1111111", "1", "160", "100", "", "", "", "9007199254740991"}));
    const domain::RefundItem refund{{"a", 0}, 4, from_epoch(150), true, now};
    CHECK(scheme->refund_call(std::vector{&refund}, kHead).arguments ==
          behind_head({"1111111", "4", "150", "1", "100", "0", "", "0"}));
    const domain::ResetItem reset{{"a", 0}, from_epoch(150), 7, domain::StoredWindow{"", std::nullopt, {}}};
    CHECK(scheme->reset_call(std::vector{&reset}, kHead).arguments == behind_head({"111", "150", "7", "0:-"}));
    const domain::RestoreItem restore{{"a", 0}, {"12", "150", std::nullopt, 151'000}, true, now};
    CHECK(scheme->restore_call(std::vector{&restore}, kHead).arguments ==
          behind_head({"11111", "2:123:150", "", "151000", "1", "100"}));
}

TEST_CASE("What all windows of a call have in common is sent once and the rest window by window") {
    const schemes::Scheme* const scheme = &schemes::scheme_of({"window", ":exp"});
    const auto now = from_epoch(100);
    const std::vector<domain::RefundItem> refunds{{{"a", 0}, 4, from_epoch(150), true, now},
                                                  {{"b", 0}, 4, from_epoch(151), true, now},
                                                  {{"c", 0}, 4, from_epoch(150), true, now}};
    const std::vector items{&refunds[0], &refunds[1], &refunds[2]};
    CHECK(scheme->refund_call(items, kHead).arguments ==
          behind_head({"1n11111", "4", "150", "151", "150", "1", "100", "0", "", "0"}));
}

TEST_CASE("A repeated call's windows were applied already and its refusals stay refusals") {
    const std::vector<std::string_view> keys{"new", "b", "a"};
    const auto record = schemes::packed({"3", "print", "refund", "ann", "here", "why", "1000", "2"}) +
                        schemes::packed({"a", "applied", "5", "9", "4", "9", "1", std::nullopt, std::nullopt,
                                         std::nullopt, std::nullopt}) +
                        schemes::packed({"b", "below-zero", "1", "9", std::nullopt, std::nullopt, std::nullopt,
                                         std::nullopt, std::nullopt, std::nullopt, std::nullopt});
    const auto answers = schemes::decode_writes(keys, array({text("already"), text("1000"), text(record)}));
    REQUIRE(answers.has_value());
    CHECK(answers->status == CallStatus::already);
    CHECK(answers->windows[0].reason == "other-operation");
    CHECK(answers->windows[0].error->code == support::ExitCode::guard);
    CHECK(answers->windows[1].status == WriteStatus::refused);
    CHECK(answers->windows[1].reason == "below-zero");
    CHECK(answers->windows[2].status == WriteStatus::already_applied);
    CHECK(answers->windows[2].after.used == "4");
    const auto cut = array({text("already"), text("1000"), text(record.substr(0, record.size() - 1))});
    CHECK(schemes::decode_writes(keys, cut)->status == CallStatus::other_operation);
}

TEST_CASE("What a script said is explained with flags that every command has") {
    for (const auto* word :
         {"absent", "nothing-to-take", "nothing-to-repair", "no-window", "window-changed", "window-there", "closed",
          "used-too-low", "below-zero", "wrong-type", "too-large", "not-an-integer", "overflow", "reset-in-past",
          "other-operation", "bad-argument", "already-undone"}) {
        const auto answer = schemes::answer_for_word(word);
        REQUIRE(answer.has_value());
        if (!answer->error) continue;
        auto hint = answer->error->hint;
        for (const std::string common : {"--now", "--period"})
            if (const auto at = hint.find(common); at != std::string::npos) hint.erase(at, common.size());
        INFO(word);
        CHECK(hint.find("--") == std::string::npos);
    }
}

TEST_CASE("A late call and a foreign operation have no windows") {
    const std::vector<std::string_view> keys{"a"};
    const auto late = schemes::decode_writes(keys, array({text("late"), text("1000")}));
    REQUIRE(late.has_value());
    CHECK(late->status == CallStatus::late);
    CHECK(late->server_time_ms == 1000);
    CHECK(late->windows.empty());
    const auto other = schemes::decode_writes(keys, array({text("other-operation"), text("1000")}));
    REQUIRE(other.has_value());
    CHECK(other->status == CallStatus::other_operation);
    CHECK_FALSE(schemes::decode_writes(keys, array({text("late"), text("1000"), text("")})).has_value());
    CHECK_FALSE(schemes::decode_writes(keys, array({text("done"), text("1000")})).has_value());
    CHECK_FALSE(schemes::decode_writes({}, array({text("perhaps"), text("1000")})).has_value());
    CHECK_FALSE(schemes::decode_writes({}, array({status("done"), text("1000")})).has_value());
}

}  // namespace
}  // namespace ratectl::test
