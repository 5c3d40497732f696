// Leases without a server: what Stripe's concurrent limiter had stored when it said how many were in use.
#include "schemes/book.h"
#include "schemes/packed.h"
#include "support/catch.h"

namespace ratectl::test {
namespace {

using domain::WindowState;
using support::from_epoch;

constexpr std::int64_t kLeaseNow = 1'795'247'156;

const schemes::Scheme& leases_of(const char* name, std::optional<std::int64_t> seconds = {}) {
    std::vector<domain::Policy> policies(1);
    policies[0].name = "api";
    policies[0].key = support::value_or_throw(domain::KeyTemplate::parse("k"));
    policies[0].limit = 4;
    if (seconds) policies[0].period = support::Seconds{*seconds};
    return schemes::scheme_of(schemes::scheme_of({name, ""}, policies).of("k"));
}

std::string packed_leases(std::initializer_list<const char*> scores_and_members) {
    std::string all;
    for (const char* one : scores_and_members) schemes::append_packed(all, one);
    return all;
}

domain::Window judged_leases(const schemes::Scheme& scheme, std::string state, std::int64_t now, std::int64_t limit) {
    auto look = scheme.look_at("k", {{}, {}, {}, std::move(state)});
    look.server_ms = now * 1000;
    return scheme.judge(look, from_epoch(now), limit);
}

TEST_CASE("In use are the leases that still run, and those of lost requests are over") {
    const auto set = packed_leases({"1795246854", "lost", "1795247154", "R\x1f\xd1\xab", "1795247155",
                                    "\xa6\x9e\x1d\xd2", "1795247156", "P\x95\x0eM"});
    for (const char* name : {"stripe-concurrent", "stripe-fleet"}) {
        INFO(name);
        const auto& scheme = leases_of(name);
        const auto window = judged_leases(scheme, set, kLeaseNow, 4);
        CHECK(window.state == WindowState::open);
        CHECK(window.used == 3);
        CHECK(window.remaining == 1);
        CHECK(window.reset_at == from_epoch(kLeaseNow + 60));
        const auto full = judged_leases(scheme, set, kLeaseNow, 3);
        CHECK(full.state == WindowState::exhausted);
        CHECK(full.passes_at == from_epoch(1'795'247'214));
        CHECK(judged_leases(scheme, set, 1'795'247'213, 3).used == 3);
        CHECK(judged_leases(scheme, set, 1'795'247'214, 3).used == 2);
        CHECK(judged_leases(scheme, set, kLeaseNow + 60, 3).state == WindowState::closed);
    }
    // A policy's period is how long one lasts.
    CHECK(judged_leases(leases_of("stripe-concurrent", 600), set, kLeaseNow, 4).state == WindowState::exhausted);
}

TEST_CASE("What is no set of leases is corrupt") {
    const auto& scheme = leases_of("stripe-concurrent");
    for (const char* score : {"", "soon", "1e9", "5.", "nan", "inf", "-inf", "99999999999999999999"}) {
        INFO(score);
        CHECK(judged_leases(scheme, packed_leases({score, "m"}), 1000, 4).state == WindowState::corrupt);
    }
    CHECK(judged_leases(scheme, packed_leases({"1000"}), 1000, 4).state == WindowState::corrupt);
    CHECK(judged_leases(scheme, "", 1000, 4).state == WindowState::corrupt);
    CHECK(judged_leases(scheme, "no packed text", 1000, 4).state == WindowState::corrupt);
}

}  // namespace
}  // namespace ratectl::test
