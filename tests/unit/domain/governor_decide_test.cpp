// One decision of a governor: what it adds, what bounds it, and when the breaker acts.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "domain/governor/decide.h"
#include "support/catch.h"

using namespace ratectl::domain::governor;
using namespace ratectl::support;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

constexpr WallTime kBegin{Milliseconds{1'767'225'600'000}};

WallTime after(double seconds) { return kBegin + Milliseconds{static_cast<std::int64_t>(seconds * 1000)}; }

/// A governor, its throttle, and a clock.
struct Governed {
    Tuning tuning = {};
    State state = {};
    double standing = 100;
    bool by_knobs = true;
    double second = 0;

    Decision decide(std::optional<double> load, double age = 0) {
        const auto now = after(second);
        const auto sample = load ? std::optional{Sample{*load, after(second - age)}} : std::nullopt;
        const auto decision =
            ratectl::domain::governor::decide(tuning, state, StandingRate{standing, by_knobs}, sample, now);
        state = decision.next;
        if (decision.why != Why::held) by_knobs = true;
        standing = rounded(decision.rps);
        if (decision.rps < 0) standing = -1;
        return decision;
    }
    Decision decide_later(double seconds, std::optional<double> load) {
        second += seconds;
        return decide(load);
    }
};

}  // namespace

TEST_CASE("the first decision only looks") {
    Governed governed;
    const auto first = governed.decide(2.0);
    CHECK(first.why == Why::began);
    CHECK(first.rps == 100);
    CHECK(first.next.last.value().load == 2.0);
}

TEST_CASE("a load above its set point lowers the rate and one below it raises it, by the same gain at every rate") {
    for (const double rate : {0.5, 40.0, 40'000.0}) {
        for (const double load : {0.8, 1.25}) {
            Governed governed;
            governed.tuning.min = 0.01;
            governed.tuning.max = 1e6;
            governed.standing = rate;
            governed.decide(load);
            const auto decision = governed.decide_later(15, load);
            INFO(rate << " " << load);
            const double error = std::copysign(std::abs(std::log(load)) - governed.tuning.deadband, -std::log(load));
            CHECK_THAT(decision.i, WithinRel(governed.tuning.ki * error * 15, 1e-9));
            CHECK_THAT(decision.p, WithinAbs(0, 1e-12));
            CHECK_THAT(decision.rps, WithinRel(rate * std::exp(decision.i), 1e-3));
        }
    }
}

TEST_CASE("within the deadband nothing is changed") {
    Governed governed;
    governed.decide(1.0);
    for (const double load : {1.02, 0.98, 1.01, 1.0}) {
        const auto decision = governed.decide_later(15, load);
        CHECK(decision.why == Why::settled);
        CHECK(decision.rps == 100);
    }
}

TEST_CASE("behind a limit nothing winds up") {
    Governed governed;
    governed.tuning.max = 120;
    governed.decide(0.5);
    for (int i = 0; i < 1000; ++i) governed.decide_later(15, 0.5);
    CHECK(governed.state.rps == 120);
    const auto decision = governed.decide_later(15, 1.5);
    CHECK(decision.rps < 115);
    CHECK(decision.bound == Bound::none);

    Governed low;
    low.tuning.min = 90;
    low.decide(2.0);
    for (int i = 0; i < 1000; ++i) low.decide_later(15, 2.0);
    CHECK(low.state.rps == 90);
    CHECK(low.decide_later(15, 0.5).rps > 94);
}

TEST_CASE("no noise takes a rate down while the load is below its set point, however slowly the rate may rise") {
    std::minstd_rand random(7);
    for (const double every : {1.0, 5.0, 15.0, 60.0}) {
        for (const bool by_turns : {true, false}) {
            Governed governed;
            governed.tuning.min = 0.001;
            double before = 100;
            for (int i = 0; i < 200; ++i) {
                const bool is_high = by_turns ? i % 2 == 1 : random() % 2 == 1;
                const auto decision = governed.decide_later(every, is_high ? 0.95 : 0.1);
                INFO("every " << every << " s, decision " << i);
                CHECK(decision.rps >= before);
                before = decision.rps;
            }
            CHECK(governed.state.rps > 110);
        }
    }
}

TEST_CASE("a load that is gone at once raises the rate at once, and one that jumps above its set point lowers it") {
    Governed governed;
    for (int i = 0; i < 4; ++i) governed.decide_later(1, 0.5);
    double before = governed.state.rps;
    for (int i = 0; i < 40; ++i) {
        const auto decision = governed.decide_later(1, 0.0);
        CHECK(decision.rps > before);
        before = decision.rps;
    }
    Governed high;
    high.decide(1.05);
    for (int i = 0; i < 200; ++i) {
        before = high.state.rps;
        const auto decision = high.decide_later(5, i % 2 == 0 ? 2.5 : 1.05);
        CHECK(decision.rps <= before);
        CHECK(decision.bound != Bound::rise);
    }
}

TEST_CASE("noise around the set point moves the rate up and down, and not away") {
    std::minstd_rand random(11);
    for (const double every : {1.0, 5.0, 15.0, 60.0}) {
        for (const double width : {0.1, 0.4, 0.9}) {
            for (const bool by_turns : {true, false}) {
                Governed governed;
                double sum = 0, seen = 0;
                constexpr int kDecisions = 400;
                for (int i = 0; i < kDecisions; ++i) {
                    // Each is followed by its reverse: the mean of the logarithms is that of the set point.
                    seen = i % 2 == 1 ? -seen : width * (by_turns ? 1 : static_cast<double>(random() % 1000) / 500 - 1);
                    sum += std::log(governed.decide_later(every, std::exp(seen)).rps / 100);
                }
                INFO("every " << every << " s, by " << width << (by_turns ? " by turns" : " at random"));
                // It began at the first load, of which it has P, D and half of what I adds in a decision.
                CHECK(std::abs(sum / kDecisions) < (0.3 + governed.tuning.ki * every / 2) * width + 0.05);
            }
        }
    }
}

TEST_CASE("a rate that may rise only slowly is not owed what it could not follow") {
    Governed governed;
    governed.tuning.rise = 0.002;
    governed.decide(1.0);
    for (int i = 0; i < 400; ++i) governed.decide_later(15, 0.3);
    for (int i = 0; i < 2; ++i) {
        const double before = governed.state.rps;
        CHECK(governed.decide_later(15, 1.2).rps <= before);
    }
    const double before = governed.state.rps;
    for (int i = 0; i < 20; ++i) governed.decide_later(15, 1.2);
    CHECK(governed.state.rps < before * 0.85);
}

TEST_CASE("D acts on the measurement: another set point does not kick it, a rising load brakes") {
    Governed governed;
    governed.decide(0.5);
    auto decision = governed.decide_later(15, 0.5);
    CHECK(decision.d == 0);
    decision = governed.decide_later(15, 0.7);
    CHECK(decision.d < 0);
    // The same sample again is no news.
    const auto again = decide(governed.tuning, governed.state, StandingRate{governed.standing}, governed.state.last,
                              after(governed.second + 5));
    CHECK(again.d == 0);
    CHECK(again.p == 0);
}

TEST_CASE("no rate changes faster than its slew, whatever the gains") {
    Governed governed;
    governed.tuning.kp = 0.9;
    governed.tuning.kd = 500;
    governed.decide(0.02);
    std::minstd_rand random(5);
    for (int i = 0; i < 2000; ++i) {
        const double before = governed.state.rps;
        const auto decision = governed.decide_later(5, 0.01 + 2.9 * static_cast<double>(random() % 1000) / 1000);
        CHECK(decision.rps <= before * std::pow(1 + governed.tuning.rise, 5) * 1.0001);
        CHECK(decision.rps >= std::max(governed.tuning.min, before * std::pow(1 + governed.tuning.fall, -5)) * 0.9999);
    }
}

TEST_CASE("the breaker opens at once, closes after calm samples, and the rate begins at its least") {
    Governed governed;
    governed.decide(1.0);
    auto decision = governed.decide_later(15, 3.0);
    CHECK(decision.why == Why::tripped);
    CHECK(decision.rps == 0);
    CHECK(governed.decide_later(15, 1.5).why == Why::open);
    CHECK(governed.decide_later(15, 0.9).why == Why::open);
    CHECK(governed.decide_later(15, 1.1).why == Why::open);  // not two behind one another
    CHECK(governed.decide_later(15, 0.9).why == Why::open);
    // The same sample a second time is not calm a second time.
    governed.second += 5;
    CHECK(governed.decide(0.9, 5).why == Why::open);
    decision = governed.decide_later(15, 0.8);
    CHECK(decision.why == Why::rearmed);
    CHECK(decision.rps == 1);
    decision = governed.decide_later(15, 0.2);
    CHECK(decision.bound == Bound::rise);
    CHECK_THAT(decision.rps, WithinRel(std::pow(1.02, 15), 1e-9));
}

TEST_CASE("without a fresh sample the rate is held, then the breaker opens") {
    Governed governed;
    governed.decide(1.0);
    for (double age = 15; age < 300; age += 15) {
        const auto decision = governed.decide_later(15, {});
        CHECK(decision.why == Why::held);
        CHECK(decision.rps == 100);
    }
    CHECK(governed.decide_later(15, {}).why == Why::blind);
    CHECK(governed.standing == 0.0);
    CHECK(governed.decide_later(15, {}).why == Why::open);
    CHECK(governed.decide_later(15, 0.5).why == Why::open);
    CHECK(governed.decide_later(15, 0.5).why == Why::rearmed);
}

TEST_CASE("an old sample, one of the future, and what is no load are none") {
    const double endless = std::numeric_limits<double>::infinity();
    for (const double load : {-1.0, endless, -endless, std::nan("")}) {
        Governed governed;
        governed.decide(1.0);
        CHECK(governed.decide_later(15, load).why == Why::held);
    }
    Governed governed;
    governed.decide(1.0);
    governed.second = 100;
    CHECK(governed.decide(9.0, 61).why == Why::held);
    CHECK(governed.decide(9.0, -61).why == Why::held);
    CHECK(governed.decide(9.0, 59).why == Why::tripped);
}

TEST_CASE("the worst input counts, and a missing one is no calm") {
    const Tuning tuning;
    const auto now = after(0);
    const Reading calm{1.0, 2, now};
    const Reading busy{30.0, 20, now};
    const Reading missing{std::nullopt, 5, now};
    const Reading old{1.0, 2, after(-120)};
    const Reading spike{9.0, 2, now};
    const auto load_of = [&](std::vector<Reading> readings) -> double {
        const auto sample = worst_of(readings, tuning, now);
        return sample ? sample->load : -1;
    };
    CHECK(load_of({calm, busy}) == 1.5);
    CHECK(load_of({calm, missing}) == -1);
    CHECK(load_of({busy, old}) == -1);
    CHECK(load_of({missing, spike}) == 4.5);
    CHECK(load_of({}) == -1);
}

TEST_CASE("what another writer has set is where the next decision begins, and its stop is left alone") {
    Governed governed;
    governed.decide(1.0);
    governed.standing = 40;
    auto decision = governed.decide_later(15, 1.0);
    CHECK(decision.turned);
    CHECK(decision.rps == 40);
    governed.standing = 0;
    decision = governed.decide_later(15, 0.1);
    CHECK(decision.why == Why::stopped);
    CHECK(decision.turned);
    decision = governed.decide_later(15, 0.1);
    CHECK(decision.why == Why::stopped);
    CHECK_FALSE(decision.turned);
    governed.standing = -1;
    CHECK(governed.decide_later(15, 9.0).why == Why::unlimited);
    CHECK_FALSE(governed.decide_later(15, 9.0).turned);
    governed.standing = 30;
    CHECK(governed.decide_later(15, 1.0).rps == 30);
    // An open breaker that another writer has turned on again is closed.
    CHECK(governed.decide_later(15, 5.0).why == Why::tripped);
    governed.standing = 20;
    CHECK(governed.decide_later(15, 1.0).rps == 20);
    CHECK_FALSE(governed.state.open);
}

TEST_CASE("a rate that another writer sets is held for as long as any, also where it was set while no load came") {
    Governed governed;
    governed.decide(1.0);
    CHECK(governed.decide_later(400, {}).why == Why::blind);
    governed.standing = 20;
    CHECK(governed.decide_later(15, {}).why == Why::held);
    CHECK(governed.decide_later(290, {}).rps == 20);
    CHECK(governed.decide_later(15, {}).why == Why::blind);
}

TEST_CASE("where knobs are gone it goes on from what stands without them, and no step is made without a load") {
    Governed governed;
    governed.decide(1.0);
    governed.standing = 2;
    governed.by_knobs = false;
    auto decision = governed.decide_later(15, {});
    CHECK(decision.why == Why::held);
    CHECK(decision.turned);
    CHECK(decision.rps == 2);
    decision = governed.decide_later(15, {});
    CHECK(decision.rps == 2);
    CHECK_FALSE(decision.turned);
    // Not raised above the set point, and below it no faster than any rate.
    decision = governed.decide_later(15, 1.4);
    CHECK(decision.rps <= 2);
    decision = governed.decide_later(15, 0.1);
    CHECK(decision.rps <= 2 * std::pow(1 + governed.tuning.rise, 15) * 1.0001);
    // No new time to hold it either.
    governed.standing = 1.5;
    governed.by_knobs = false;
    CHECK(governed.decide_later(290, {}).why == Why::held);
    CHECK(governed.decide_later(15, {}).why == Why::blind);
}

TEST_CASE("an open breaker whose knobs are gone is put back by the next load, or by none for too long") {
    for (const auto load : {std::optional<double>(2.0), std::optional<double>()}) {
        Governed governed;
        governed.decide(1.0);
        CHECK(governed.decide_later(15, 5.0).why == Why::tripped);
        governed.standing = 2;
        governed.by_knobs = false;
        CHECK(governed.decide_later(15, {}).rps == 2);
        const auto decision = governed.decide_later(load ? 15 : 300, load);
        CHECK(decision.why == (load ? Why::open : Why::blind));
        CHECK(decision.rps == 0);
    }
}

TEST_CASE("where nothing says what stands only the breaker acts") {
    const Tuning tuning;
    State state;
    state.decided_at = state.seen_at = kBegin;
    state.rps = 50;
    const auto at = [&](double second, std::optional<double> load) {
        const auto sample = load ? std::optional{Sample{*load, after(second)}} : std::nullopt;
        return decide(tuning, state, {}, sample, after(second));
    };
    CHECK(at(15, {}).why == Why::held);
    CHECK(at(15, 0.1).why == Why::held);
    CHECK(at(15, 0.1).next.seen_at == after(15));
    CHECK(at(15, 2.0).why == Why::held);
    CHECK(at(15, 5.0).why == Why::tripped);
    CHECK(at(300, {}).why == Why::blind);
    state.open = true;
    CHECK(at(15, {}).why == Why::open);
    CHECK(at(15, 2.0).rps == 0);
}

TEST_CASE("a rate is held until --hold-for after the last load, and an open breaker holds none") {
    Governed governed;
    CHECK_FALSE(held_until(governed.tuning, governed.state));
    governed.decide(1.0);
    governed.decide_later(15, 1.0);
    governed.decide_later(15, {});
    CHECK(held_until(governed.tuning, governed.state) == after(15) + governed.tuning.hold_for);
    governed.decide_later(15, 9.0);
    CHECK_FALSE(held_until(governed.tuning, governed.state));
}

TEST_CASE("a rate with more digits than a knob is given is as decided") {
    Governed governed;
    governed.standing = 100.0 / 3;
    governed.decide(1.0);
    governed.standing = 100.0 / 3;
    CHECK_FALSE(governed.decide_later(15, 1.0).turned);
}

TEST_CASE("a clock that goes back or leaps changes no rate by more than a minute's worth") {
    Governed governed;
    governed.decide(1.3);
    CHECK(governed.decide_later(-3600, 1.3).rps == 100);
    CHECK(governed.state.rps == 100);
    const auto decision = governed.decide_later(30 * 86'400, 1.3);
    CHECK_THAT(decision.i, WithinRel(-governed.tuning.ki * (std::log(1.3) - 0.03) * 60, 1e-9));
}

TEST_CASE("any state, rate, load and clock gives a rate that may be set") {
    std::mt19937_64 random(3);
    const auto any = [&]() -> double {
        const double odd[] = {0, -1, 1e300, -1e300, std::nan(""), std::numeric_limits<double>::infinity(), 1e-300, 7};
        return odd[random() % std::size(odd)];
    };
    for (int i = 0; i < 20'000; ++i) {
        Tuning tuning;
        State state;
        state.rps = any();
        state.error = any();
        state.slope = any();
        state.open = random() % 2 == 0;
        state.calm = static_cast<int>(random() % 5) - 1;
        if (random() % 2 == 0) state.decided_at = after(static_cast<double>(random() % 100'000) - 50'000);
        if (random() % 2 == 0) state.last = Sample{any(), after(static_cast<double>(random() % 200))};
        const auto sample = random() % 4 == 0 ? std::nullopt : std::optional{Sample{any(), after(100)}};
        const StandingRate any_rate{std::max(-1.0, std::fmin(any(), 1e9)), random() % 2 == 0};
        const auto standing = random() % 4 == 0 ? std::nullopt : std::optional{any_rate};
        const auto decision = decide(tuning, state, standing, sample, after(100));
        const bool is_left = decision.why == Why::stopped || decision.why == Why::unlimited;
        const bool is_off = decision.why == Why::tripped || decision.why == Why::blind || decision.why == Why::open;
        CHECK(std::isfinite(decision.rps));
        if (!is_left && !is_off && decision.why != Why::held) {
            CHECK(decision.rps >= tuning.min);
            CHECK(decision.rps <= tuning.max);
        }
        if (is_off) CHECK(decision.rps == 0);
    }
}

TEST_CASE("a rate is written with four digits that count, and never as nothing") {
    CHECK(rounded(12.34567) == 12.35);
    CHECK(rounded(0.00001) == 0.001);
    CHECK(rounded(0.12345) == 0.123);
    CHECK(rounded(123456.7) == 123457);
    CHECK(rounded(0) == 0);
}

TEST_CASE("a tuning under which nothing can be governed is refused") {
    const auto fault = [](auto change) {
        Tuning tuning;
        change(tuning);
        return !fault_in(tuning).empty();
    };
    CHECK_FALSE(fault([](Tuning&) {}));
    CHECK(fault([](Tuning& t) { t.min = 0; }));
    CHECK(fault([](Tuning& t) { t.max = 0.5; }));
    CHECK(fault([](Tuning& t) { t.trip = 1; }));
    CHECK(fault([](Tuning& t) { t.rearm = 3; }));
    CHECK(fault([](Tuning& t) { t.ki = 0.02; }));
    CHECK(fault([](Tuning& t) { t.open_rps = 5; }));
    CHECK(fault([](Tuning& t) { t.rearm_samples = 0; }));
}
