// Whether headers can be true: every verdict, and what tips it.
#include "domain/header_claim.h"

#include "support/catch.h"

namespace ratectl::domain {
namespace {

using support::from_epoch;
using support::Instant;
using support::Seconds;

const Instant kClaimedEnd = from_epoch(1'767'225'600);
const Instant kClaimedAt = kClaimedEnd - Seconds(600);
constexpr Seconds kPeriod{3600};

/// Primary: 4,750 of 5,000 used; replica: 3 used of a window that the primary no longer has.
ClaimSurroundings surroundings() {
    ClaimSurroundings all;
    all.now = kClaimedAt;
    all.limits = {5000, 15'000};
    all.period = kPeriod;
    all.truth = {"primary", 4750, kClaimedEnd};
    all.others = {{"replica", 4980, kClaimedEnd - Seconds(60)}};
    return all;
}

HeaderClaim claim(std::int64_t used, Instant reset, Instant date = kClaimedAt) {
    HeaderClaim made;
    made.limit = 5000;
    made.used = used;
    made.remaining = std::max<std::int64_t>(5000 - used, 0);
    made.reset_at = reset;
    made.date = date;
    return made;
}

ClaimVerdict verdict(const HeaderClaim& made, const ClaimSurroundings& all = surroundings()) {
    const auto judgement = judge_claim(made, all);
    CHECK(judgement.detail.size() > 10);
    return judgement.verdict;
}

TEST_CASE("Headers of this moment and of earlier in the window can be true") {
    CHECK(verdict(claim(4750, kClaimedEnd)) == ClaimVerdict::now);
    CHECK(verdict(claim(4000, kClaimedEnd, kClaimedAt - Seconds(300))) == ClaimVerdict::earlier);
}

TEST_CASE("What another client is told is a contradiction") {
    auto all = surroundings();
    all.resources = {"core"};
    auto made = claim(4000, kClaimedEnd, kClaimedAt - Seconds(300));
    made.resource = "core";
    CHECK(verdict(made, all) == ClaimVerdict::earlier);
    made.resource = "search";
    CHECK(verdict(made, all) == ClaimVerdict::never);
    CHECK(judge_claim(made, all).detail == "they are about 'search', and what they are compared with is about 'core'");
    made.resource.reset();
    made.limit = 12'500;
    made.remaining = 8500;
    CHECK(verdict(made, all) == ClaimVerdict::never);
    CHECK(judge_claim(made, all).detail == "this client cannot have a limit of 12500, only of 5000 or 15000");
    all.limits.clear();
    CHECK(verdict(made, all) == ClaimVerdict::earlier);
    all.exempt = true;
    CHECK(verdict(made, all) == ClaimVerdict::never);
}

TEST_CASE("Without a used header what is left tells it and none left means the limit or more") {
    auto made = claim(4750, kClaimedEnd);
    made.used = std::nullopt;
    CHECK(verdict(made) == ClaimVerdict::now);
    made.remaining = 0;
    CHECK(verdict(made) == ClaimVerdict::if_changed);
    auto full = surroundings();
    full.truth.used = 5003;
    CHECK(verdict(made, full) == ClaimVerdict::now);
}

TEST_CASE("More used than the window holds is true only if some of it was given back") {
    CHECK(verdict(claim(4800, kClaimedEnd)) == ClaimVerdict::if_changed);
}

TEST_CASE("What a replica says and the primary does not is stale") {
    const auto judgement = judge_claim(claim(4980, kClaimedEnd - Seconds(60)), surroundings());
    CHECK(judgement.verdict == ClaimVerdict::stale_replica);
    CHECK(judgement.node == "replica");
    CHECK(judgement.detail.find("4980") != std::string::npos);
    auto no_window = surroundings();
    no_window.others = {{"replica", std::nullopt, std::nullopt}};
    CHECK(verdict(claim(0, kClaimedAt + kPeriod), no_window) == ClaimVerdict::stale_replica);
}

TEST_CASE("Headers that contradict themselves are never true") {
    auto made = claim(4750, kClaimedEnd);
    made.remaining = 251;
    CHECK(verdict(made) == ClaimVerdict::never);
    made = claim(5100, kClaimedEnd);
    made.remaining = -100;
    CHECK(verdict(made) == ClaimVerdict::never);
    made = claim(0, kClaimedEnd);
    made.remaining = 5001;
    CHECK(verdict(made) == ClaimVerdict::never);
    made = claim(10, kClaimedEnd);
    made.limit = 60;
    made.remaining = 50;
    CHECK(verdict(made) == ClaimVerdict::never);
}

TEST_CASE("A refusal that leaves requests over is never true") {
    // `rejected, remaining 5000`: two looks, of which the second saw another window.
    auto made = claim(5003, kClaimedEnd);
    made.remaining = 5000;
    CHECK(verdict(made) == ClaimVerdict::never);
}

TEST_CASE("Resets must lie between the date and a period after it") {
    CHECK(verdict(claim(10, kClaimedAt - Seconds(30))) == ClaimVerdict::never);
    CHECK(verdict(claim(10, kClaimedAt + kPeriod + Seconds(30))) == ClaimVerdict::never);
    CHECK(verdict(claim(4750, kClaimedEnd, kClaimedAt + Seconds(60))) == ClaimVerdict::never);
}

TEST_CASE("Windows before the open one are told from those that would overlap it") {
    const Instant before = kClaimedEnd - kPeriod - Seconds(5);
    CHECK(verdict(claim(4999, before, before - Seconds(100))) == ClaimVerdict::earlier_window);
    CHECK(verdict(claim(10, kClaimedEnd - Seconds(300), kClaimedAt - Seconds(500))) == ClaimVerdict::if_changed);
    CHECK(verdict(claim(10, kClaimedEnd + Seconds(300))) == ClaimVerdict::never);
}

TEST_CASE("Where there is no window a full allowance is what applications say") {
    auto none = surroundings();
    none.truth = {"primary", std::nullopt, std::nullopt};
    none.others.clear();
    CHECK(verdict(claim(0, kClaimedAt + kPeriod), none) == ClaimVerdict::now);
    CHECK(verdict(claim(10, kClaimedAt + Seconds(30)), none) == ClaimVerdict::if_changed);
    CHECK(verdict(claim(10, kClaimedAt - Seconds(30), kClaimedAt - Seconds(60)), none) == ClaimVerdict::earlier_window);
    CHECK(verdict(claim(0, kClaimedEnd - Seconds(1), kClaimedEnd - kPeriod - Seconds(1))) == ClaimVerdict::earlier);
}

TEST_CASE("A window that is over but still stored is an earlier one") {
    auto over = surroundings();
    over.truth = {"primary", 4999, kClaimedAt - Seconds(1)};
    over.others.clear();
    CHECK(verdict(claim(4999, kClaimedAt - Seconds(1), kClaimedAt - Seconds(10)), over) ==
          ClaimVerdict::earlier_window);
}

TEST_CASE("A reset said in seconds is precise to a second") {
    HeaderClaim made;
    made.limit = 5000;
    made.remaining = 250;
    made.reset_in = Seconds(599);
    made.date = kClaimedAt;
    CHECK(verdict(made) == ClaimVerdict::now);
    made.reset_in = Seconds(597);
    CHECK(verdict(made) != ClaimVerdict::now);
    HeaderClaim refusal;
    refusal.limit = 5000;
    refusal.retry_after = Seconds(600);
    auto full = surroundings();
    full.truth.used = 5000;
    CHECK(verdict(refusal, full) == ClaimVerdict::now);
}

TEST_CASE("Seconds to a reset without a Date were said some time ago and never condemn") {
    HeaderClaim made;
    made.limit = 5000;
    made.remaining = 400;
    made.reset_in = Seconds(900);  // five minutes ago it was so far
    CHECK(verdict(made) == ClaimVerdict::earlier);
    made.remaining = 250;
    CHECK(verdict(made) == ClaimVerdict::now);
    made.reset_in = Seconds(300);
    CHECK(verdict(made) == ClaimVerdict::earlier_window);
    HeaderClaim refusal;
    refusal.limit = 5000;
    refusal.retry_after = Seconds(900);
    auto none = surroundings();
    none.truth = {"primary", std::nullopt, std::nullopt};
    CHECK(verdict(refusal, none) == ClaimVerdict::earlier_window);
}

TEST_CASE("Headers that were said before the window was opened are of another one") {
    HeaderClaim made;
    made.limit = 5000;
    made.remaining = 0;
    made.date = kClaimedEnd - kPeriod - Seconds(60);
    CHECK(verdict(made) == ClaimVerdict::earlier_window);
    made.remaining = 4999;
    CHECK(verdict(made) == ClaimVerdict::earlier_window);
}

TEST_CASE("A corrupt window leaves headers unjudged unless they contradict themselves") {
    auto corrupt = surroundings();
    corrupt.truth.used = std::nullopt;
    corrupt.truth.corrupt = true;
    CHECK(verdict(claim(4750, kClaimedEnd), corrupt) == ClaimVerdict::too_little);
    auto odd = claim(4750, kClaimedEnd);
    odd.remaining = 7;
    CHECK(verdict(odd, corrupt) == ClaimVerdict::never);
}

TEST_CASE("Headers without a count and a reset say too little") {
    HeaderClaim made;
    made.limit = 5000;
    CHECK(verdict(made) == ClaimVerdict::too_little);
    CHECK_FALSE(is_sound(ClaimVerdict::too_little));
    CHECK(is_sound(ClaimVerdict::earlier_window));
    CHECK(name_of(ClaimVerdict::too_little) == "too-little");
}

}  // namespace
}  // namespace ratectl::domain
