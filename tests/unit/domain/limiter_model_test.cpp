// The limiter's arithmetic.
#include "domain/limiter_model.h"

#include <optional>

#include "support/catch.h"
#include "support/number_text.h"
#include "unit/random_source.h"

using namespace ratectl;
using namespace ratectl::domain;
using support::from_epoch;
using support::kMaxExactInteger;

namespace {
using Stored = std::optional<ModelWindow>;
const support::Instant kModelNow = from_epoch(1000);
const support::Instant kModelReset = from_epoch(1500);
}  // namespace

TEST_CASE("the first counted request opens a window that ends at the next reset") {
    Stored w;
    const auto answer = rate(w, 1, kModelReset, kModelNow);
    CHECK(answer.refusal == ModelRefusal::none);
    CHECK_FALSE(answer.before);
    CHECK(answer.after == ModelWindow{1, kModelReset});
    CHECK(w == ModelWindow{1, kModelReset});
    rate(w, 4, from_epoch(9999), from_epoch(1500));
    CHECK(w == ModelWindow{5, kModelReset});
}

TEST_CASE("a request after the reset starts anew") {
    Stored w = ModelWindow{50, from_epoch(999)};
    rate(w, 1, kModelReset, kModelNow);
    CHECK(w == ModelWindow{1, kModelReset});
}

TEST_CASE("counting nothing opens a window all the same") {
    Stored w;
    rate(w, 0, kModelReset, kModelNow);
    CHECK(w == ModelWindow{0, kModelReset});
}

TEST_CASE("a count beyond exact integers is refused and changes nothing") {
    Stored w = ModelWindow{kMaxExactInteger, kModelReset};
    CHECK(rate(w, 1, kModelReset, kModelNow).refusal == ModelRefusal::overflow);
    CHECK(w == ModelWindow{kMaxExactInteger, kModelReset});
    CHECK(rate(w, INT64_MAX, kModelReset, kModelNow).refusal == ModelRefusal::overflow);
    CHECK(rate(w, -kMaxExactInteger, kModelReset, kModelNow).refusal == ModelRefusal::none);
    CHECK(w->used == 0);
    CHECK(rate(w, -kMaxExactInteger, kModelReset, kModelNow).refusal == ModelRefusal::none);
    CHECK(rate(w, -1, kModelReset, kModelNow).refusal == ModelRefusal::overflow);
    Stored absent;
    CHECK(rate(absent, kMaxExactInteger + 1, kModelReset, kModelNow).refusal == ModelRefusal::overflow);
    CHECK_FALSE(absent);
}

TEST_CASE("a refund is given only inside the window that was looked at") {
    Stored w = ModelWindow{5, kModelReset};
    CHECK(refund(w, 1, from_epoch(1499), false, kModelNow).refusal == ModelRefusal::window_changed);
    CHECK(refund(w, 1, kModelReset, false, from_epoch(1501)).refusal == ModelRefusal::no_window);
    CHECK(w == ModelWindow{5, kModelReset});
    const auto answer = refund(w, 2, kModelReset, false, kModelReset);
    CHECK(answer.taken == 2);
    CHECK(answer.before == ModelWindow{5, kModelReset});
    CHECK(w == ModelWindow{3, kModelReset});
    Stored absent;
    CHECK(refund(absent, 1, kModelReset, false, kModelNow).refusal == ModelRefusal::no_window);
    CHECK_FALSE(absent);
}

TEST_CASE("a refund never goes below zero") {
    Stored w = ModelWindow{5, kModelReset};
    CHECK(refund(w, 6, kModelReset, false, kModelNow).refusal == ModelRefusal::below_zero);
    CHECK(w->used == 5);
    CHECK(refund(w, 6, kModelReset, true, kModelNow).taken == 5);
    CHECK(w->used == 0);
    Stored negative = ModelWindow{-3, kModelReset};
    CHECK(refund(negative, 1, kModelReset, true, kModelNow).taken == 0);
    CHECK(negative->used == -3);
    CHECK(refund(w, -1, kModelReset, false, kModelNow).refusal == ModelRefusal::overflow);
}

TEST_CASE("a reset removes the window that its guards describe") {
    Stored w = ModelWindow{5, kModelReset};
    CHECK(reset(w, from_epoch(1), {}).refusal == ModelRefusal::window_changed);
    CHECK(reset(w, {}, 6).refusal == ModelRefusal::used_too_low);
    CHECK(w);
    const auto answer = reset(w, kModelReset, 5);
    CHECK(answer.refusal == ModelRefusal::none);
    CHECK(answer.before == ModelWindow{5, kModelReset});
    CHECK_FALSE(w);
    CHECK(reset(w, {}, {}).refusal == ModelRefusal::no_window);
}

TEST_CASE("over random histories the model keeps its promises") {
    test::RandomSource random;
    SHOW_SEED(random);
    for (int run = 0; run < 200; ++run) {
        Stored w;
        auto now = kModelNow;
        for (int step = 0; step < 100; ++step) {
            now += support::Seconds{random.number(-3, 10)};
            const Stored before = w;
            const Stored open = check(w, now);
            CHECK(w == before);
            const auto amount = random.number(0, 5);
            if (random.one_in(2)) {
                const auto next = now + support::Seconds{20};
                REQUIRE(rate(w, amount, next, now).refusal == ModelRefusal::none);
                CHECK(w == ModelWindow{(open ? open->used : 0) + amount, open ? open->reset_at : next});
                CHECK(check(w, now) == w);
            } else {
                const auto if_reset = now + support::Seconds{random.number(0, 20)};
                const bool clamp = random.one_in(2);
                const auto answer = refund(w, amount, if_reset, clamp, now);
                const bool allowed = open && open->reset_at == if_reset && (clamp || open->used >= amount);
                CHECK((answer.refusal == ModelRefusal::none) == allowed);
                CHECK(answer.taken <= amount);
                CHECK((w ? w->used : 0) == (before ? before->used : 0) - answer.taken);
                if (w) CHECK((w->used >= 0 && w->reset_at == before->reset_at));
                CHECK(w.has_value() == before.has_value());
            }
        }
    }
}
