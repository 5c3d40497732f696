// Governors of simulated stores: the promised recovery from a step of cost, troughs, and a hundred random stores.
#include <algorithm>
#include <cmath>
#include <random>

#include "domain/governor/plant.h"
#include "support/catch.h"

using namespace ratectl::domain::governor;
using namespace ratectl::support;

namespace {

struct Run {
    Tuning tuning = {};
    PlantShape shape = {};
    double set_point = 2;
    double rate = 100;  // to begin with
    int every = 15;
    double length = 5400;
    double wobble = 0;      // logarithm by which a measurement is too high, or too low, from one to the next
    bool by_turns = false;  // else at random
};

struct Course {
    std::vector<Recovery> recoveries;
    std::vector<double> rates;  // a second
    std::vector<double> loads;  // of the set point
};

std::vector<double> times_of(const PlantShape& shape) {
    std::vector<double> times;
    for (const auto& step : shape.cost) times.push_back(step.at);
    return times;
}

Course course_of(const Run& run) {
    Plant plant(run.shape);
    plant.settle(run.rate);
    RecoveryWatch recovery(times_of(run.shape));
    State state;
    double rate = run.rate;
    Course course;
    std::minstd_rand random(17);
    bool is_high = false;
    for (int second = 0; second < run.length; ++second) {
        recovery.see(second, plant.load() / run.set_point);
        if (second % run.every == 0) {
            const WallTime now{Milliseconds{1'767'225'600'000 + second * 1000LL}};
            is_high = run.by_turns ? !is_high : random() % 2 == 0;
            const Sample sample{plant.measured() / run.set_point * std::exp(is_high ? run.wobble : -run.wobble),
                                now - Milliseconds{static_cast<std::int64_t>(run.shape.delay * 1000)}};
            const auto decision = decide(run.tuning, state, StandingRate{rounded(rate)}, sample, now);
            recovery.decided(second, decision.why);
            state = decision.next;
            rate = decision.rps;
        }
        plant.step(rounded(rate));
        course.rates.push_back(rounded(rate));
        course.loads.push_back(plant.load() / run.set_point);
    }
    course.recoveries = recovery.recoveries();
    return course;
}

/// How far a rate goes up and down in a part of the course, as a logarithm.
double swing_of(const Course& course, double from, double to) {
    const auto size = static_cast<double>(course.rates.size());
    const auto begin = course.rates.begin() + static_cast<std::ptrdiff_t>(size * from);
    const auto end = course.rates.begin() + static_cast<std::ptrdiff_t>(size * to);
    const auto [least, most] = std::minmax_element(begin, end);
    return std::log(std::max(*most, 1e-3) / std::max(*least, 1e-3));
}

}  // namespace

TEST_CASE("a step of five times the cost is answered within ten minutes, and without twice the set point again") {
    for (const int every : {5, 15, 30, 60}) {
        Run run;
        run.tuning.max = 200;
        run.shape.cost = {{1800, 5}};
        run.every = every;
        const auto recovery = course_of(run).recoveries.at(0);
        INFO("every " << every << " s: back after " << recovery.back_after.value_or(-1) << " s, up to "
                      << recovery.highest_rearmed);
        CHECK(recovery.tripped_at.has_value());
        CHECK(recovery.rearmed_at.has_value());
        CHECK(recovery.back_after.value_or(9999) < 600);
        CHECK(recovery.highest_rearmed < 2);
    }
}

TEST_CASE("the cost's way back is found as well") {
    Run run;
    run.tuning.max = 200;
    run.shape.cost = {{1800, 5}, {3600, 1}};
    const auto course = course_of(run);
    REQUIRE(course.recoveries.size() == 2);
    CHECK(course.recoveries[1].back_after.value_or(9999) < 600);
    CHECK(course.recoveries[1].highest < 1.5);
}

TEST_CASE("in the trough of an evening the rate rides up to its maximum, and the morning is met") {
    Run run;
    run.tuning.max = 200;
    run.shape.offered = 100;
    run.shape.swing = 0.5;
    run.length = 2 * 86'400;
    const auto course = course_of(run);
    // Twelve hours after the peak callers make half of what the store can take.
    CHECK(course.rates.at(43'200) == 200);
    const auto highest = *std::max_element(course.loads.begin() + 43'200, course.loads.end());
    CHECK(highest < 1.2);
    CHECK(course.rates.at(86'400) < 110);
    CHECK(swing_of(course, 0.95, 1) < 0.1);
}

TEST_CASE("on a hundred random stores no oscillation grows") {
    std::mt19937 random(20'261'125);
    const auto between = [&](double least, double most) {
        return least + (most - least) * static_cast<double>(random()) / 4294967296.0;
    };
    const auto over_decades = [&](double least, double most) {
        return std::exp(between(std::log(least), std::log(most)));
    };
    double slowest = 0;
    for (int i = 0; i < 100; ++i) {
        Run run;
        run.shape.capacity = over_decades(0.5, 50'000);
        run.shape.lag = between(0, 90);
        run.shape.delay = between(0, 45);
        run.set_point = over_decades(0.5, 20);
        run.shape.background = run.set_point * between(0, 0.6);
        run.rate = (run.set_point - run.shape.background) * run.shape.capacity;
        run.shape.offered = 50 * run.rate;
        run.shape.cost = {{3600, over_decades(0.2, 8)}};
        run.tuning.min = std::max(0.001, run.rate / 200);
        run.tuning.max = run.rate * 20;
        const int steps[] = {5, 15, 30, 60};
        run.every = steps[random() % 4];
        run.length = 14'400;
        const auto course = course_of(run);
        INFO("store " << i << ": capacity " << run.shape.capacity << ", lag " << run.shape.lag << ", delay "
                      << run.shape.delay << ", cost " << run.shape.cost[0].factor << ", every " << run.every);
        // The step is in the first half of what comes behind the first quarter; whatever it began has died down.
        const double early = swing_of(course, 0.25, 0.5), late = swing_of(course, 0.6, 0.8),
                     last = swing_of(course, 0.8, 1);
        CHECK(late <= early + 0.02);
        CHECK(last <= late + 0.02);
        CHECK(last < 0.05);
        REQUIRE(course.recoveries.size() == 1);
        CHECK(course.recoveries[0].highest_rearmed < 2);
        CHECK(course.recoveries[0].back_after.has_value());
        slowest = std::max(slowest, course.recoveries[0].back_after.value_or(0));
    }
    INFO("the slowest was back after " << slowest << " s");
    CHECK(slowest < 1200);
}

TEST_CASE("noise of callers is not made larger") {
    Run run;
    run.tuning.max = 200;
    run.shape.noise = 0.5;
    run.shape.offered = 120;
    run.length = 7200;
    const auto course = course_of(run);
    CHECK(swing_of(course, 0.5, 1) < 0.6);
    CHECK(*std::max_element(course.loads.begin() + 1800, course.loads.end()) < 1.3);
}

TEST_CASE("noise of the measurement neither sinks the rate nor lets the load run away") {
    for (const int every : {1, 5, 15, 30}) {
        for (const bool by_turns : {true, false}) {
            for (const double wobble : {0.1, 0.4, 0.6}) {
                Run run;
                run.tuning.max = 1000;
                run.shape.offered = 2000;
                run.every = every;
                run.wobble = wobble;
                run.by_turns = by_turns;
                run.length = 7200;
                const auto course = course_of(run);
                double rates = 0;
                for (std::size_t i = 1800; i < course.rates.size(); ++i) rates += course.rates[i];
                const double mean = rates / static_cast<double>(course.rates.size() - 1800);
                INFO("every " << every << " s, by " << wobble << (by_turns ? " by turns" : " at random") << ": "
                              << mean);
                CHECK(mean > 85);
                CHECK(mean < 115);
                CHECK(*std::max_element(course.loads.begin() + 1800, course.loads.end()) < 2);
            }
        }
    }
}

TEST_CASE("a jumping load that stays below its set point lets the rate ride up to its maximum") {
    for (const int every : {5, 15}) {
        Run run;
        run.tuning.max = 200;
        run.shape.offered = 30;
        run.every = every;
        run.wobble = 0.5;
        run.by_turns = every == 5;
        const auto course = course_of(run);
        CHECK(*std::min_element(course.rates.begin(), course.rates.end()) >= 100);
        CHECK(course.rates.back() == 200);
    }
}
