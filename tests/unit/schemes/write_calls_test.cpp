// What a write call carries, and what its reply means: without a server.
#include "schemes/scheme.h"
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
const Words kHeadWords{"1000", "print", "ann", "here", "why"};

Words behind_head(Words words) {
    words.insert(words.begin(), kHeadWords.begin(), kHeadWords.end());
    return words;
}

TEST_CASE("A call names both halves of each window and then its operation key") {
    const auto scheme = schemes::make_window_scheme(":exp");
    const domain::ResetItem first{{"a", 0}, std::nullopt, std::nullopt};
    const domain::ResetItem second{{"b", 0}, std::nullopt, std::nullopt};
    const std::vector items{&first, &second};
    CHECK(scheme->reset_call(items, kHead).keys == Words{"a", "a:exp", "b", "b:exp", "ratectl:op:OP.2"});
    CHECK(scheme->reset_call(items, {}).keys == Words{"a", "a:exp", "b", "b:exp"});
    CHECK(scheme->reset_call(items, {}).arguments == Words{"", "", "", "", "", "", "", "", "", "", ""});
    CHECK_FALSE(scheme->reset_call(items, kHead).read_only);
}

TEST_CASE("A call carries amounts, guards and removed halves as texts") {
    const auto scheme = schemes::make_window_scheme(":exp");
    const auto now = from_epoch(100);
    const domain::CountItem count{{"a", 0}, -3, from_epoch(160), now, from_epoch(150), true};
    CHECK(scheme->count_call(std::vector{&count}, kHead).arguments == behind_head({"-3", "160", "100", "150", "1"}));
    const domain::CountItem free{{"a", 0}, 1, from_epoch(160), now};
    CHECK(scheme->count_call(std::vector{&free}, kHead).arguments == behind_head({"1", "160", "100", "", "0"}));
    const domain::RefundItem refund{{"a", 0}, 4, from_epoch(150), true, now};
    CHECK(scheme->refund_call(std::vector{&refund}, kHead).arguments == behind_head({"4", "150", "1", "100"}));
    const domain::ResetItem reset{
        {"a", 0}, from_epoch(150), 7, domain::StoredWindow{"", std::nullopt, std::nullopt, std::nullopt}};
    CHECK(scheme->reset_call(std::vector{&reset}, kHead).arguments == behind_head({"150", "7", "0:-"}));
    const domain::RestoreItem restore{{"a", 0}, {"12", "150", std::nullopt, 151'000}, true, now};
    CHECK(scheme->restore_call(std::vector{&restore}, kHead).arguments ==
          behind_head({"2:123:150", "", "151000", "1", "100"}));
}

TEST_CASE("A repeated call's windows were applied already and its refusals stay refusals") {
    const auto scheme = schemes::make_window_scheme(":exp");
    const auto reply =
        array({text("already"), text("1000"), array({text("applied"), text("5"), text("9"), text("6"), text("9")}),
               array({text("below-zero"), text("1"), text("9")}), array({text("other-operation")})});
    const auto answers = scheme->decode_writes(3, reply);
    REQUIRE(answers.has_value());
    CHECK(answers->status == CallStatus::already);
    CHECK(answers->windows[0].status == WriteStatus::already_applied);
    CHECK(answers->windows[0].after.used == "6");
    CHECK(answers->windows[1].status == WriteStatus::refused);
    CHECK(answers->windows[2].reason == "other-operation");
    CHECK(answers->windows[2].error->code == support::ExitCode::guard);
}

TEST_CASE("A late call and a foreign operation have no windows") {
    const auto scheme = schemes::make_window_scheme(":exp");
    const auto late = scheme->decode_writes(2, array({text("late"), text("1000")}));
    REQUIRE(late.has_value());
    CHECK(late->status == CallStatus::late);
    CHECK(late->server_time_ms == 1000);
    CHECK(late->windows.empty());
    const auto other = scheme->decode_writes(2, array({text("other-operation"), text("1000")}));
    REQUIRE(other.has_value());
    CHECK(other->status == CallStatus::other_operation);
    CHECK_FALSE(scheme->decode_writes(1, array({text("late"), text("1000"), array({text("absent")})})).has_value());
    CHECK_FALSE(scheme->decode_writes(1, array({text("done"), text("1000")})).has_value());
    CHECK_FALSE(scheme->decode_writes(0, array({text("perhaps"), text("1000")})).has_value());
    CHECK_FALSE(scheme->decode_writes(0, array({status("done"), text("1000")})).has_value());
}

}  // namespace
}  // namespace ratectl::test
