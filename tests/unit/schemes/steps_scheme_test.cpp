// Buckets filled in steps without a server: what Upstash's library had stored when it said how many tokens were left.
#include "schemes/book.h"
#include "schemes/packed.h"
#include "support/catch.h"

namespace ratectl::test {
namespace {

using domain::WindowState;
using support::from_epoch;

/// tokenBucket(5, "10 s", 20)
const schemes::Scheme& upstash_bucket() {
    std::vector<domain::Policy> policies(1);
    policies[0].name = "api";
    policies[0].key = support::value_or_throw(domain::KeyTemplate::parse("k"));
    policies[0].limit = 5;
    policies[0].burst = 20;
    policies[0].period = support::Seconds{10};
    return schemes::scheme_of(schemes::scheme_of({"upstash-token", ""}, policies).of("k"));
}

/// The server's clock is another one.
domain::Window judged_steps(const char* at, const char* tokens, std::int64_t now_ms) {
    std::string state;
    schemes::append_packed(state, at);
    schemes::append_packed(state, tokens);
    const auto& scheme = upstash_bucket();
    auto look = scheme.look_at("k", {{}, {}, {}, std::move(state)});
    look.server_ms = now_ms - 1234;
    return scheme.judge(look, support::WallTime{support::Milliseconds{now_ms}}, 5);
}

TEST_CASE("A bucket filled in steps has left what its library said") {
    const auto window = judged_steps("1795247018780", "17", 1'795'247'018'842);
    CHECK(window.state == WindowState::open);
    CHECK(window.used == 3);
    CHECK(window.remaining == 17);
    CHECK(window.reset_at == from_epoch(1'795'247'029));

    const auto empty = judged_steps("1795247018780", "0", 1'795'247'018'842);
    CHECK(empty.state == WindowState::exhausted);
    CHECK(empty.passes_at == from_epoch(1'795'247'029));
    CHECK(empty.reset_at == from_epoch(1'795'247'059));
    // Nothing comes back before a whole period is over, and then all of a step.
    CHECK(judged_steps("1795247018780", "0", 1'795'247'028'779).remaining == 0);
    CHECK(judged_steps("1795247018780", "0", 1'795'247'028'780).remaining == 5);
    CHECK(judged_steps("1795247018780", "0", 1'795'247'058'780).state == WindowState::closed);
}

TEST_CASE("What is no bucket filled in steps is corrupt") {
    for (const char* odd : {"", "soon", "1e9", "5.", "nan", "inf", "99999999999999999999", "7 "}) {
        INFO(odd);
        CHECK(judged_steps("1000", odd, 1000).state == WindowState::corrupt);
        CHECK(judged_steps(odd, "5", 1000).state == WindowState::corrupt);
    }
}

}  // namespace
}  // namespace ratectl::test
