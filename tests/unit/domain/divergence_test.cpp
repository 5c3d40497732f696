// Why nodes answer differently: each cause, which of several is told, and what is no difference.
#include "domain/diagnosis/divergence.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/contains.h"
#include "support/window_look.h"
#include "unit/domain/sound_halves.h"

using namespace ratectl;
using namespace ratectl::domain;
using support::from_epoch;
using support::Milliseconds;
using support::Seconds;
using test::contains;
using test::kEndsAt;
using test::kExpiresAt;
using test::kLookedAt;
using test::no_half;
using test::text_half;

namespace {

const support::WallTime kReadAt{Seconds{kLookedAt}};

WindowLook window(std::int64_t used, std::int64_t end = kEndsAt) {
    return test::window_look("core:42", LookDepth::full, text_half(std::to_string(used), (end + 1) * 1000),
                             text_half(std::to_string(end), (end + 1) * 1000));
}

WindowLook absent() { return test::window_look("core:42", LookDepth::full, no_half(), no_half()); }

void take_ttl(StoredKey& half) {
    half.ttl_ms = -1;
    half.expires_at_ms.reset();
}

/// As Redis 6 tells it.
WindowLook without_expiretime(WindowLook look) {
    for (StoredKey* half : {&counter_part(look), &expiry_part(look)}) half->expires_at_ms.reset();
    return look;
}

NodeView view_of(Role role, std::uint16_t port, WindowLook look) {
    NodeView view;
    view.node.shard = "alpha";
    view.node.role = role;
    view.node.endpoint.host = "10.0.0.7";
    view.node.endpoint.port = port;
    view.look = std::move(look);
    view.read_at = kReadAt;
    NodeFacts facts;
    facts.role = role;
    facts.offset = 1000;
    facts.replication_id = "aaaa";
    facts.clock_skew = Milliseconds{0};
    facts.round_trip = Milliseconds{1};
    if (role == Role::replica) {
        facts.link_up = true;
        facts.primary_address = "10.0.0.7:7001";
    }
    view.facts = facts;
    return view;
}

NodeView primary(WindowLook look) { return view_of(Role::primary, 7001, std::move(look)); }
NodeView replica(WindowLook look, std::uint16_t port = 7002) { return view_of(Role::replica, port, std::move(look)); }

NodeView silent(NodeView view, const std::string& why = "connection refused") {
    view.look = support::failure(support::ExitCode::unavailable, why);
    view.facts.reset();
    return view;
}

NodeView cut_off(NodeView view, Seconds since) {
    view.facts->link_up = false;
    view.facts->link_down_for = since;
    return view;
}

Comparison comparison_at(std::int64_t now = kLookedAt) {
    Comparison made;
    made.now = from_epoch(now);
    made.limit = 20;
    return made;
}

Divergence compare(const std::vector<NodeView>& views, const Comparison& comparison = comparison_at()) {
    return compare_views(views, comparison);
}

/// A look some time ago at what a node showed and how far it was.
void showed(NodeView& view, WindowLook look, std::int64_t offset, Milliseconds ago) {
    view.earlier.push_back({std::move(look), kReadAt - ago, offset});
}

}  // namespace

// Servers that others tell of cannot be named there.
TEST_CASE("what is said of a primary that is none tells of those whom no configuration names") {
    CHECK(advice_for(Cause::wrong_role, Standing::configured_primary).find("the nodes of a Redis Cluster tell of it") !=
          std::string_view::npos);
    CHECK(advice_for(Cause::lag, Standing::best_replica).find("where that names servers") != std::string_view::npos);
}

TEST_CASE("every cause has a stable word a meaning and but for two an advice") {
    std::set<std::string_view> names;
    for (const auto& kind : cause_kinds()) {
        INFO(kind.name);
        CHECK(names.insert(kind.name).second);
        CHECK_FALSE(kind.meaning.empty());
        CHECK(kind.advice.empty() == (kind.what == Cause::none || kind.what == Cause::changing));
        CHECK(&kind_of(kind.what) == &kind);
    }
    CHECK(names == std::set<std::string_view>{"none", "lag", "cut-off", "clock", "missing-ttl", "masked-expiry",
                                              "two-primaries", "wrong-role", "changing", "unreachable", "moving",
                                              "ownerless-slot", "bad-key", "misplaced", "unknown"});
}

TEST_CASE("nodes that show the same do not differ and give one answer") {
    const auto found = compare({primary(window(7)), replica(window(7)), replica(window(7), 7003)});
    CHECK_FALSE(found.differ);
    CHECK_FALSE(found.silent);
    CHECK(found.reference == 0U);
    CHECK(found.standing == Standing::configured_primary);
    for (const auto& view : found.views) {
        CHECK(view.cause == Cause::none);
        CHECK(view.differs == false);
        CHECK(view.detail.empty());
    }
    CHECK(found.views[1].used_delta == 0);
    CHECK_FALSE(found.views[0].used_delta.has_value());
    REQUIRE(found.answers.size() == 1);
    CHECK(found.answers[0].from == std::vector<std::size_t>{0, 1, 2});
    CHECK(found.answers[0].words() == "7 of 20 used, 13 left, resets at 2027-01-15T08:10:00Z");
}

TEST_CASE("a replica whose link is down serves an old window that the primary has reset") {
    auto old = cut_off(replica(window(7)), Seconds{12});
    auto found = compare({primary(absent()), old});
    CHECK(found.differ);
    CHECK(found.views[1].cause == Cause::cut_off);
    CHECK(found.views[1].differs == true);
    CHECK(found.views[1].used_delta == 7);
    CHECK(found.views[1].detail ==
          "7 used until 2027-01-15T08:10:00Z where 10.0.0.7:7001 has no window: its link to 10.0.0.7:7001 has been "
          "down for "
          "12s, so it answers with what it had");
    REQUIRE(found.answers.size() == 2);
    CHECK(found.answers[0].words() == "no window, all 20 left");
    CHECK(found.answers[0].from == std::vector<std::size_t>{0});
    CHECK(found.answers[1].from == std::vector<std::size_t>{1});
    CHECK(found.answers[1].used == 7);

    found = compare({primary(window(1, kEndsAt + 300)), old});
    CHECK(found.views[1].cause == Cause::cut_off);
    CHECK(found.views[1].used_delta == 6);
}

TEST_CASE("a replica that is cut off and still shows the same is no difference but is told") {
    const auto found = compare({primary(window(7)), cut_off(replica(window(7)), Seconds{70})});
    CHECK_FALSE(found.differ);
    CHECK(found.views[1].cause == Cause::cut_off);
    CHECK(found.views[1].differs == false);
    CHECK(found.views[1].detail == "the same for now, but its link to 10.0.0.7:7001 has been down for 1m10s");
}

TEST_CASE("a replica that refuses to answer without its primary gave no answer") {
    auto refusing = cut_off(replica(window(7)), Seconds{5});
    refusing.look = support::failure(support::ExitCode::unavailable, "MASTERDOWN Link with MASTER is down");
    const auto found = compare({primary(window(7)), refusing});
    CHECK_FALSE(found.differ);
    CHECK(found.silent);
    CHECK(found.views[1].cause == Cause::cut_off);
    CHECK_FALSE(found.views[1].differs.has_value());
    CHECK(contains(found.views[1].detail, "MASTERDOWN"));
}

TEST_CASE("a replica behind a link that is up lags by so many bytes") {
    auto behind = replica(window(3));
    behind.facts->offset = 787;
    auto found = compare({primary(window(10)), behind});
    CHECK(found.differ);
    CHECK(found.views[1].cause == Cause::lag);
    CHECK(found.views[1].used_delta == -7);
    CHECK(found.views[1].lag_bytes == 213);
    CHECK(found.views[1].detail == "3 used where 10.0.0.7:7001 has 10: the link is up, but it is 213 bytes behind");

    auto from = primary(window(10));
    showed(from, window(10), 1000, Milliseconds{1000});
    showed(behind, window(3), 787, Milliseconds{1000});
    found = compare({from, behind});
    CHECK(found.views[1].cause == Cause::lag);
    CHECK(contains(found.views[1].detail, "213 bytes behind, still after 1s"));
}

TEST_CASE("a lag that has passed is no difference any more and says how long it took") {
    auto from = primary(window(10));
    auto late = replica(window(10));
    showed(from, window(10), 1000, Milliseconds{700});
    showed(late, window(3), 787, Milliseconds{700});
    showed(from, window(10), 1000, Milliseconds{600});
    showed(late, window(3), 787, Milliseconds{600});
    showed(from, window(10), 1000, Milliseconds{200});
    showed(late, window(3), 1000, Milliseconds{200});
    const auto found = compare({from, late});
    CHECK_FALSE(found.differ);
    CHECK(found.views[1].cause == Cause::lag);
    CHECK(found.views[1].differs == false);
    CHECK(contains(found.views[1].detail, "within 700ms of the first look, when it had 3 used until"));
}

TEST_CASE("a window that is counted while it is looked at does not differ") {
    auto from = primary(window(130));
    auto follower = replica(window(131));  // a moment later
    showed(from, window(100), 1000, Milliseconds{100});
    showed(follower, window(98), 990, Milliseconds{100});
    showed(from, window(115), 1200, Milliseconds{50});
    showed(follower, window(114), 1190, Milliseconds{50});
    from.facts->offset = 1500;
    follower.facts->offset = 1490;
    auto found = compare({from, follower});
    CHECK_FALSE(found.differ);
    CHECK(found.views[1].cause == Cause::changing);
    CHECK(found.views[1].used_delta == 1);

    SECTION("but when all that was written has arrived and the figures never met it does") {
        follower.look = window(60);
        follower.earlier[0].look = window(30);
        follower.earlier[1].look = window(45);
        follower.earlier[1].offset = follower.earlier[0].offset = 1400;
        found = compare({from, follower});
        CHECK(found.differ);
        CHECK(found.views[1].cause == Cause::unknown);
        CHECK(contains(found.views[1].detail, "all that was written has arrived"));
    }
    SECTION("but when it is a quarter of a second behind at every look it lags") {
        from.earlier[0].read_at = follower.earlier[0].read_at = kReadAt - Milliseconds{900};
        follower.look = window(120);
        found = compare({from, follower});
        CHECK(found.differ);
        CHECK(found.views[1].cause == Cause::lag);
        CHECK(contains(found.views[1].detail, "it is about 900ms behind"));
    }
}

TEST_CASE("a difference that lasts is not taken for counting although the figures move") {
    const auto views_with = [](std::int64_t delta, std::int64_t last) {
        auto from = primary(window(140));
        auto follower = replica(window(140 + last));
        for (int i = 0; i < 4; ++i) {
            const Milliseconds ago{200 - i * 50};
            showed(from, window(100 + 10 * i), 1000 + 100 * i, ago);
            showed(follower, window(100 + 10 * i + delta), 1000 + 100 * i, ago);
        }
        return std::vector{from, follower};
    };
    for (const std::int64_t delta : {3, -3}) {
        INFO(delta);
        const auto found = compare(views_with(delta, delta));
        CHECK(found.differ);
        CHECK(found.views[1].cause == Cause::unknown);
        CHECK(found.views[1].used_delta == delta);
    }
    CHECK(compare(views_with(3, 5)).views[1].cause == Cause::unknown);  // ahead at every look
    CHECK(compare(views_with(-3, -2)).views[1].cause == Cause::changing);
    CHECK(compare(views_with(0, 1)).views[1].cause == Cause::changing);
    auto few = comparison_at();
    few.min_delta = 4;
    CHECK_FALSE(compare(views_with(3, 3), few).differ);

    SECTION("but nobody says so before it has arrived") {
        auto views = views_with(-3, -3);
        for (auto& earlier : views[1].earlier) *earlier.offset -= 300;  // has the first look's at the last only
        CHECK(compare(views).views[1].cause == Cause::changing);
    }
    SECTION("and windows in motion are looked at until that can be told") {
        auto views = views_with(-3, -3);
        for (auto& view : views) view.earlier.resize(2);
        CHECK(compare(views).views[1].cause == Cause::changing);
        CHECK(is_worth_another_look(views, comparison_at()));
        auto moving = views_with(-3, -2);
        CHECK_FALSE(is_worth_another_look(moving, comparison_at()));
    }
}

TEST_CASE("an expiry that differs and stands still is not taken for counting") {
    auto from = primary(window(7));
    auto other = window(7);
    counter_part(other).expires_at_ms = kExpiresAt + 2'000'000;
    auto follower = replica(other);
    for (const auto ago : {Milliseconds{100}, Milliseconds{50}}) {
        showed(from, window(7), 1000, ago);
        showed(follower, other, 1000, ago);
    }
    from.facts->offset = follower.facts->offset = 1000;
    const auto found = compare({from, follower});
    CHECK(found.differ);
    CHECK(found.views[1].cause == Cause::unknown);
}

TEST_CASE("a half of another type is not said to lack a TTL") {
    auto hash = window(7);
    expiry_part(hash) = no_half();
    expiry_part(hash).type = "hash";
    expiry_part(hash).ttl_ms = -1;
    for (const auto& view : compare({primary(hash), replica(hash)}).views) CHECK(view.cause == Cause::none);
    CHECK(compare({primary(window(7)), replica(hash)}).views[1].cause == Cause::unknown);
}

TEST_CASE("a node whose clock is ahead has expired what another still has") {
    const auto now = kEndsAt - 1;
    auto from = primary(window(7));
    auto ahead = replica(absent());
    from.read_at = ahead.read_at = support::WallTime{Seconds{now}};
    ahead.facts->clock_skew = Milliseconds{3000};
    auto found = compare({from, ahead}, comparison_at(now));
    CHECK(found.differ);
    CHECK(found.views[1].cause == Cause::clock);
    CHECK(found.views[1].used_delta == -7);
    CHECK(contains(found.views[1].detail,
                   "its clock is 3s ahead of that of 10.0.0.7:7001 (within 4ms), and by the "
                   "clock of 10.0.0.7:7002 the keys are expired"));

    SECTION("and the other way round when it is the primary that is ahead") {
        from = primary(absent());
        auto slow = replica(window(7));
        from.read_at = slow.read_at = support::WallTime{Seconds{now}};
        from.facts->clock_skew = Milliseconds{3000};
        found = compare({from, slow}, comparison_at(now));
        CHECK(found.views[1].cause == Cause::clock);
        CHECK(contains(found.views[1].detail, "its clock is 3s behind that of 10.0.0.7:7001"));
        CHECK(contains(found.views[1].detail, "by the clock of 10.0.0.7:7001 the keys are expired"));
    }
    SECTION("but the clocks explain nothing while the window has long to go") {
        found = compare({primary(window(7)), [&] {
                             auto skewed = replica(absent());
                             skewed.facts->clock_skew = Milliseconds{3000};
                             return skewed;
                         }()});
        CHECK(found.views[1].cause == Cause::unknown);
    }
    SECTION("nor where the round trip is too long to know them") {
        ahead.facts->round_trip = Milliseconds{8000};
        CHECK(compare({from, ahead}, comparison_at(now)).views[1].cause != Cause::clock);
    }
}

TEST_CASE("where all clocks of the servers disagree with ours the answer depends on whom one asks") {
    const auto now = kEndsAt + 2;
    std::vector<NodeView> views{primary(window(7)), replica(window(7))};
    for (auto& view : views) {
        view.read_at = support::WallTime{Seconds{now}};
        view.facts->clock_skew = Milliseconds{-3000};
    }
    auto found = compare(views, comparison_at(now));
    CHECK(found.differ);
    for (const auto& view : found.views) {
        CHECK(view.cause == Cause::clock);
        CHECK(view.differs == true);
        CHECK(view.detail ==
              "closed by our clock and open by its own, which is 3s behind ours (within 2ms); the window ends at "
              "2027-01-15T08:10:00Z");
    }
    REQUIRE(found.answers.size() == 2);
    CHECK_FALSE(found.answers[0].used.has_value());
    CHECK_FALSE(found.answers[0].by_their_clock_only);
    CHECK(found.answers[1].used == 7);
    CHECK(found.answers[1].by_their_clock_only);

    SECTION("but a time that was given is not compared with their clocks") {
        auto given = comparison_at(now);
        given.now_is_ours = false;
        CHECK_FALSE(compare(views, given).differ);
    }
    SECTION("and far from the end of the window it is only worth a word") {
        for (auto& view : views) view.read_at = kReadAt;
        found = compare(views);
        CHECK_FALSE(found.differ);
        CHECK(found.views[0].cause == Cause::clock);
        CHECK(found.views[0].detail == "its clock is 3s behind ours (within 2ms)");
    }
}

TEST_CASE("what has no TTL on one node stays there") {
    auto stays = window(7);
    take_ttl(counter_part(stays));
    auto found = compare({primary(window(7)), replica(stays)});
    CHECK(found.differ);
    CHECK(found.views[1].cause == Cause::missing_ttl);
    CHECK(found.views[1].detail ==
          "the counter has no TTL, on 10.0.0.7:7001 it has one: the counter has no TTL here, so it stays");

    found = compare({primary(absent()), replica(stays)});
    CHECK(found.views[1].cause == Cause::missing_ttl);
    take_ttl(expiry_part(stays));
    found = compare({primary(stays), replica(window(7))});
    CHECK(found.views[1].cause == Cause::missing_ttl);
    CHECK(contains(found.views[1].detail, "neither half has a TTL on 10.0.0.7:7001, so both stay"));
}

TEST_CASE("what has no TTL on any node is no difference but is told") {
    auto leaked = window(7);
    take_ttl(counter_part(leaked));
    expiry_part(leaked) = no_half();
    const auto found = compare({primary(leaked), replica(leaked)});
    CHECK_FALSE(found.differ);
    CHECK(found.views[0].cause == Cause::missing_ttl);
    CHECK(found.views[1].cause == Cause::missing_ttl);
    CHECK(found.views[1].detail == "the counter has no TTL, so it stays");
    CHECK(found.answers.size() == 1);
}

TEST_CASE("a plain read of a replica before Redis 7 hides what a script still sees") {
    auto masked = replica(absent());
    auto script = window(7, kLookedAt - 10);
    for (StoredKey* half : {&counter_part(script), &expiry_part(script)}) half->ttl_ms = 0;
    masked.through_lua = without_expiretime(script);
    auto found = compare({primary(absent()), masked});
    CHECK(found.differ);
    CHECK(hides_from_plain_reads(masked));
    CHECK(found.views[1].cause == Cause::masked_expiry);
    CHECK(contains(found.views[1].detail, "a script on this node still sees 7 used"));
    CHECK(found.answers.size() == 1);  // closed is closed for scripts too

    SECTION("to an application whose clock is behind it is even open") {
        found = compare({primary(absent()), masked}, comparison_at(kLookedAt - 20));
        REQUIRE(found.answers.size() == 2);
        CHECK(found.answers[1].through_lua_only);
        CHECK(found.answers[1].used == 7);
    }
    SECTION("but a script that saw more a moment before has nothing hidden") {
        counter_part(*masked.through_lua).ttl_ms = expiry_part(*masked.through_lua).ttl_ms = 300;
        CHECK_FALSE(hides_from_plain_reads(masked));
        CHECK_FALSE(compare({primary(absent()), masked}).differ);
    }
}

TEST_CASE("two nodes that act as primary lose each other's writes") {
    auto other = replica(window(3));
    other.facts->role = Role::primary;
    other.facts->replication_id = "bbbb";
    other.facts->connected_replicas = 5;
    auto found = compare({primary(window(10)), other});
    CHECK(found.differ);
    CHECK(found.reference == 0U);
    CHECK(found.standing == Standing::configured_primary);
    CHECK(found.primaries == std::vector<std::size_t>{0, 1});
    CHECK(found.views[0].cause == Cause::none);
    CHECK(found.views[1].cause == Cause::two_primaries);
    CHECK(found.views[1].used_delta == -7);
    CHECK_FALSE(found.views[1].lag_bytes.has_value());

    auto follower = replica(window(3), 7003);
    follower.facts->replication_id = "bbbb";
    found = compare({primary(window(10)), other, follower});
    CHECK(found.views[2].cause == Cause::two_primaries);
    CHECK(contains(found.views[2].detail, "it follows 10.0.0.7:7002, which acts as primary too"));
    CHECK_FALSE(found.views[2].lag_bytes.has_value());

    other.look = window(10);
    found = compare({primary(window(10)), other});
    CHECK_FALSE(found.differ);
    CHECK(found.views[1].cause == Cause::two_primaries);
}

TEST_CASE("the promoted replica counts where the configured primary is silent") {
    auto promoted = replica(window(3));
    promoted.facts->role = Role::primary;
    auto found = compare({silent(primary(window(10))), promoted, replica(window(3), 7003)});
    CHECK(found.reference == 1U);
    CHECK(found.standing == Standing::promoted_replica);
    CHECK(found.silent);
    CHECK_FALSE(found.differ);
    CHECK(found.views[0].cause == Cause::unreachable);
    CHECK_FALSE(found.views[0].differs.has_value());
    CHECK(found.views[0].detail == "connection refused");
    CHECK(found.views[1].cause == Cause::wrong_role);
    CHECK(found.views[1].detail == "known as replica, acts as primary");

    auto former = primary(window(3));
    former.facts->role = Role::replica;
    former.facts->link_up = true;
    former.facts->primary_address = "10.0.0.7:7002";
    found = compare({former, promoted});
    CHECK(found.reference == 1U);
    CHECK(found.views[0].cause == Cause::wrong_role);
    CHECK(found.views[0].detail == "known as primary, acts as replica of 10.0.0.7:7002");
}

TEST_CASE("without any primary the replica that is least behind is what others are compared with") {
    auto ahead = replica(window(9), 7003);
    ahead.facts->offset = 1100;
    auto lost = cut_off(replica(window(9), 7004), Seconds{5});
    lost.facts->offset = 9000;
    auto found = compare({silent(primary(window(9))), replica(window(7)), ahead, lost});
    CHECK(found.reference == 2U);
    CHECK(found.standing == Standing::best_replica);
    CHECK(found.views[1].cause == Cause::lag);
    CHECK(found.views[1].used_delta == -2);

    found = compare({silent(primary(window(9))), silent(replica(window(7)))});
    CHECK_FALSE(found.reference.has_value());
    CHECK(found.standing == Standing::none);
    CHECK(found.silent);
    CHECK(found.answers.empty());
    CHECK(compare({}).views.empty());
}

TEST_CASE("a replica of a foreign server is told by its history and never by its address alone") {
    auto foreign = replica(absent());
    foreign.facts->replication_id = "cccc";
    foreign.facts->primary_address = "10.9.9.9:6379";
    auto found = compare({primary(window(7)), foreign});
    CHECK(found.views[1].cause == Cause::wrong_role);
    CHECK(contains(found.views[1].detail, "it follows 10.9.9.9:6379, whose data are not those of 10.0.0.7:7001"));

    auto tunnelled = replica(window(3));
    tunnelled.facts->primary_address = "127.0.0.1:9999";
    tunnelled.facts->offset = 900;
    found = compare({primary(window(7)), tunnelled});
    CHECK(found.views[1].cause == Cause::lag);
}

TEST_CASE("differences below the least that counts are none but only in the same window") {
    auto few = comparison_at();
    few.min_delta = 5;
    CHECK_FALSE(compare({primary(window(10)), replica(window(6))}, few).differ);
    CHECK(compare({primary(window(10)), replica(window(5))}, few).differ);
    CHECK(compare({primary(window(10)), replica(window(9, kEndsAt + 1))}, few).differ);
    CHECK(compare({primary(window(1)), replica(absent())}, few).differ);
}

TEST_CASE("expiries are compared by the moment and where only a TTL is known within a tolerance") {
    auto later = window(7);
    expiry_part(later).expires_at_ms = kExpiresAt + 1;
    auto found = compare({primary(window(7)), replica(later)});
    CHECK(found.differ);
    CHECK(found.views[1].cause == Cause::unknown);
    CHECK(
        contains(found.views[1].detail,
                 "the expiry half expires at 2027-01-15T08:10:01.001Z, on 10.0.0.7:7001 at 2027-01-15T08:10:01.000Z"));

    auto old = replica(without_expiretime(window(7)));
    counter_part(*old.look).ttl_ms = *counter_part(*old.look).ttl_ms - 900;
    CHECK_FALSE(compare({primary(without_expiretime(window(7))), old}).differ);
    counter_part(*old.look).ttl_ms = *counter_part(*old.look).ttl_ms - 200;
    CHECK(compare({primary(without_expiretime(window(7))), old}).differ);

    // A clock that is behind makes a TTL longer, not the expiry later.
    auto slow = replica(without_expiretime(window(7)));
    slow.facts->clock_skew = Milliseconds{-60'000};
    counter_part(*slow.look).ttl_ms = *counter_part(*slow.look).ttl_ms + 60'000;
    expiry_part(*slow.look).ttl_ms = *expiry_part(*slow.look).ttl_ms + 60'000;
    CHECK_FALSE(compare({primary(without_expiretime(window(7))), slow}).differ);
    slow.facts->clock_skew.reset();  // then it is not known
    CHECK_FALSE(compare({primary(without_expiretime(window(7))), slow}).differ);
}

TEST_CASE("values that are no numbers and numbers at the edge are compared all the same") {
    auto odd = window(7);
    counter_part(odd).value = "seven";
    auto found = compare({primary(window(7)), replica(odd)});
    CHECK(found.differ);
    CHECK_FALSE(found.views[1].used_delta.has_value());
    REQUIRE(found.answers.size() == 2);
    CHECK(found.answers[1].corrupt);
    CHECK(found.answers[1].words() == "a value that is not a window");

    auto most = window(INT64_MAX);
    auto least = window(INT64_MIN);
    found = compare({primary(most), replica(least)});
    CHECK(found.views[1].used_delta == -INT64_MAX);

    auto list = window(7);
    counter_part(list) = no_half();
    counter_part(list).type = "list";
    CHECK(compare({primary(window(7)), replica(list)}).differ);
    CHECK_FALSE(compare({primary(list), replica(list)}).differ);
}

TEST_CASE("another look is worth it where links are up and figures differ and nowhere else") {
    const auto worth = [](const std::vector<NodeView>& views) { return is_worth_another_look(views, comparison_at()); };
    CHECK(worth({primary(window(10)), replica(window(3))}));
    for (const auto& one : {replica(window(10)), cut_off(replica(window(3)), Seconds{1}), silent(replica(window(3)))})
        CHECK_FALSE(worth({primary(window(10)), one}));
    CHECK_FALSE(worth({silent(primary(window(10))), silent(replica(window(3)))}));
    auto other = replica(window(3));
    other.facts->role = Role::primary;
    auto unknown_link = other;
    unknown_link.facts.reset();
    for (const auto& one : {unknown_link, other}) CHECK(worth({primary(window(10)), one}));
    other.earlier = {{window(3), {}, {}}, {window(3), {}, {}}};
    CHECK_FALSE(worth({primary(window(10)), other}));
}
