// What two offsets and two moments say about the age of a replica's answers.
#include "domain/diagnosis/staleness.h"

#include "support/catch.h"
#include "support/contains.h"

namespace ratectl::domain {
namespace {

using namespace std::chrono_literals;
using test::contains;
using Kind = ReplicaStanding::Kind;

NodeFacts primary_at(std::int64_t offset) {
    NodeFacts facts;
    facts.role = Role::primary;
    facts.offset = offset;
    facts.replication_id = "abc";
    return facts;
}

NodeFacts replica_at(std::int64_t offset) {
    NodeFacts facts = primary_at(offset);
    facts.role = Role::replica;
    facts.link_up = true;
    return facts;
}

TEST_CASE("a replica has all when its offset has reached what the primary had") {
    CHECK(standing_of(primary_at(100), replica_at(100)).kind == Kind::has_all);
    CHECK(standing_of(primary_at(100), replica_at(101)).kind == Kind::has_all);
    const auto behind = standing_of(primary_at(100), replica_at(99));
    CHECK(behind.kind == Kind::behind);
    CHECK(contains(behind.why, "lacks 1 bytes"));
}

TEST_CASE("offsets of different histories are not compared") {
    auto other = replica_at(100);
    other.replication_id = "xyz";
    other.primary_address = "10.0.0.9:6379";
    const auto standing = standing_of(primary_at(100), other);
    CHECK(standing.kind == Kind::doubtful);
    CHECK(contains(standing.why, "another history"));
    CHECK(contains(standing.why, "10.0.0.9:6379"));
}

TEST_CASE("only two known histories and a link that is up prove that a replica follows another primary") {
    auto other = replica_at(100);
    other.replication_id = "xyz";
    CHECK(follows_another_history(primary_at(100), other));
    CHECK_FALSE(follows_another_history(primary_at(100), replica_at(90)));
    CHECK_FALSE(follows_another_history(replica_at(100), other));  // a primary that was demoted
    auto cut_off = other;
    cut_off.link_up = false;
    CHECK_FALSE(follows_another_history(primary_at(100), cut_off));
    auto silent = other;
    silent.replication_id.reset();
    CHECK_FALSE(follows_another_history(primary_at(100), silent));
    CHECK_FALSE(follows_another_history(primary_at(100), primary_at(100)));
}

TEST_CASE("what is cut off or not said is doubtful whatever the offsets are") {
    auto cut_off = replica_at(100);
    cut_off.link_up = false;
    cut_off.link_down_for = 12s;
    CHECK(standing_of(primary_at(1), cut_off).kind == Kind::doubtful);
    CHECK(contains(standing_of(primary_at(1), cut_off).why, "down for 12s"));
    CHECK(contains(standing_of(std::nullopt, cut_off).why, "down for 12s"));
    CHECK(standing_of(std::nullopt, replica_at(100)).kind == Kind::doubtful);

    for (auto member : {0, 1, 2, 3}) {
        auto silent = replica_at(100);
        if (member == 0) silent.role.reset();
        if (member == 1) silent.link_up.reset();
        if (member == 2) silent.offset.reset();
        if (member == 3) silent.replication_id.reset();
        INFO(member);
        CHECK(standing_of(primary_at(1), silent).kind == Kind::doubtful);
    }
    for (auto member : {0, 1, 2}) {
        auto silent = primary_at(1);
        if (member == 0) silent.role.reset();
        if (member == 1) silent.offset.reset();
        if (member == 2) silent.replication_id.reset();
        INFO(member);
        CHECK(standing_of(silent, replica_at(100)).kind == Kind::doubtful);
    }
}

TEST_CASE("a replica that acts as a primary follows nobody, and a primary that is a replica is no measure") {
    CHECK(standing_of(primary_at(1), primary_at(100)).kind == Kind::doubtful);
    CHECK(standing_of(replica_at(1), replica_at(100)).kind == Kind::doubtful);
}

TEST_CASE("an answer is as old as what was shown before it was asked for") {
    const std::chrono::steady_clock::time_point start{1h};
    const Asked asked{start + 2s, 0s, start};
    CHECK(oldest_answer(asked, start + 3s, 0s) == std::optional<std::chrono::steady_clock::duration>(3s));
    CHECK_FALSE(oldest_answer({start, 0s, std::nullopt}, start + 1s, 0s));
}

TEST_CASE("time in which nobody listened counts before a question but not between question and answer") {
    const std::chrono::steady_clock::time_point start{1h};
    const Asked asked{start + 2s, 5s, start};  // 5 s of pauses lay before it
    // An hour in front of a person who reads the output, the answer already in our own system.
    CHECK(oldest_answer(asked, start + 2s + 1h, 5s + 1h) == std::optional<std::chrono::steady_clock::duration>(2s));
    CHECK(oldest_answer(asked, start + 4s, 5s) == std::optional<std::chrono::steady_clock::duration>(4s));
}

TEST_CASE("percentiles of delays are delays that were measured") {
    using us = std::chrono::microseconds;
    const std::vector<us> one{us(7)};
    CHECK(percentile(one, 50) == us(7));
    CHECK(percentile(one, 100) == us(7));
    const std::vector<us> ten{us(1), us(2), us(3), us(4), us(5), us(6), us(7), us(8), us(9), us(10)};
    CHECK(percentile(ten, 50) == us(5));
    CHECK(percentile(ten, 90) == us(9));
    CHECK(percentile(ten, 99) == us(10));
    CHECK(percentile(ten, 100) == us(10));
    CHECK(percentile(ten, 1) == us(1));
}

}  // namespace
}  // namespace ratectl::domain
