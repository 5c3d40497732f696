// The moments of GCRA without a server: what the libraries had stored when they said how many requests were left.
#include "domain/diagnosis/finding.h"
#include "schemes/book.h"
#include "support/catch.h"

namespace ratectl::test {
namespace {

using domain::WindowState;
using support::from_epoch;

const schemes::Scheme& scheme_of(const char* name, std::int64_t limit, std::int64_t seconds,
                                 std::optional<std::int64_t> burst) {
    std::vector<domain::Policy> policies(1);
    policies[0].name = "api";
    policies[0].key = support::value_or_throw(domain::KeyTemplate::parse("k"));
    policies[0].limit = limit;
    policies[0].period = support::Seconds{seconds};
    policies[0].burst = burst;
    return schemes::scheme_of(schemes::scheme_of({name, ""}, policies).of("k"));
}

domain::Window judged(const schemes::Scheme& scheme, const char* text, std::int64_t server_ms, std::int64_t limit) {
    auto look = scheme.look_at("k", {{}, {}, {}, text});
    look.server_ms = server_ms;
    // The application's clock does not count.
    return scheme.judge(look, from_epoch(server_ms / 1000 - 50), limit);
}

TEST_CASE("What is left by a moment is what its library said") {
    const auto& throttled = scheme_of("throttled", 20, 60, 5);
    auto window = judged(throttled, "1795246975747975000", 1'795'246'957'819, 20);
    CHECK(window.state == WindowState::exhausted);
    CHECK(window.limit == 6);
    CHECK(window.used == 6);
    CHECK(window.reset_at == from_epoch(1'795'246'976));
    CHECK(window.passes_at == from_epoch(1'795'246'961));
    window = judged(throttled, "1795246969747975000", 1'795'246'957'911, 20);  // two were given back
    CHECK(window.remaining == 2);
    CHECK_FALSE(window.passes_at);
    CHECK(judged(throttled, "1795246957930683000", 1'795'246'958'009, 20).state == WindowState::closed);

    const auto& second = scheme_of("redis-rate", 10, 1, {});
    CHECK(judged(second, "312018159.08614701", 1'795'246'958'187, 10).remaining == 1);  // 3, 3 and 3 taken
    // Three of ten were taken and one given back.
    CHECK(judged(scheme_of("redis-rate", 10, 60, {}), "312018170.45107597", 1'795'246'958'452, 10).remaining == 8);
    CHECK(judged(scheme_of("redis-rate", 5000, 3600, {}), "312018158.99413902", 1'795'246'958'274, 5000).remaining ==
          4998);
    CHECK(judged(scheme_of("redis-gcra", 10, 60, 20), "1795246970.5", 1'795'246'958'000, 10).remaining == 17);
}

TEST_CASE("What is no moment is corrupt") {
    const auto& nanoseconds = scheme_of("redis-cell", 20, 60, 5);
    const auto& seconds = scheme_of("redis-rate", 20, 60, 5);
    for (const char* text : {"", "soon", "1.5e9", "nan", "-", "12.", "1 "}) {
        INFO(text);
        CHECK(judged(nanoseconds, text, 1, 20).state == WindowState::corrupt);
        CHECK(judged(seconds, text, 1, 20).state == WindowState::corrupt);
    }
    CHECK(judged(nanoseconds, "1795246975.5", 1, 20).state == WindowState::corrupt);
    CHECK(judged(nanoseconds, "99999999999999999999", 1, 20).state == WindowState::corrupt);
    CHECK(judged(seconds, "1e300", 1, 20).state == WindowState::corrupt);
    CHECK(judged(seconds, "99999999999.5", 1, 20).state == WindowState::corrupt);
}

TEST_CASE("A moment without a limit or a period is open and its requests are unknown") {
    const auto& bare = schemes::scheme_of({"throttled", ""});
    const auto window = judged(bare, "1795246975747975000", 1'795'246'957'819, 20);
    CHECK(window.state == WindowState::open);
    CHECK_FALSE(window.used);
    CHECK_FALSE(window.limit);
    CHECK(window.reset_at == from_epoch(1'795'246'976));
    CHECK(bare.stored(bare.look_at("k", {{}, {}, {}, "1795246975747975000"}), domain::kWhenever).state ==
          "1795246975747975000");
    CHECK(judged(scheme_of("redis-rate", 0, 60, {}), "312018170.5", 1'795'246'958'451, 0).remaining == 0);
}

TEST_CASE("A dry run knows where requests move a moment") {
    const auto& scheme = scheme_of("redis-rate", 10, 60, {});
    auto look = scheme.look_at("k", {{}, {}, {}, "100"});  // since 2017
    look.server_ms = 1'483'228'890'000;
    const auto now = from_epoch(1'483'228'890);
    CHECK(scheme.foreseen(look, now, 3).reset_at == "1483228918");
    CHECK(scheme.foreseen(look, now, -1).reset_at == "1483228894");
    CHECK_FALSE(scheme.foreseen(look, now, -2).reset_at);
    CHECK(scheme.uncountable(look).empty());
    CHECK(scheme_of("redis-rate", 0, 60, {}).uncountable(look) == "no-rate");
    CHECK(scheme.next_end("k", from_epoch(100), {}) == from_epoch(106));
}

}  // namespace
}  // namespace ratectl::test
