// What doctor says of a server, from its facts alone.
#include "commands/doctor/servers.h"

#include <string>

#include "support/catch.h"

using namespace ratectl;
using namespace ratectl::commands;
using domain::FindingClass;

namespace {

domain::Node primary() { return {"alpha", domain::Role::primary, {}}; }

domain::NodeFacts healthy() {
    domain::NodeFacts facts;
    facts.role = domain::Role::primary;
    facts.clock_skew = support::Milliseconds{3};
    facts.round_trip = support::Milliseconds{2};
    facts.version = domain::ServerVersion{7, 0, 15, false};
    facts.max_memory = 0;
    facts.used_memory = 1'000'000;
    facts.eviction_policy = "noeviction";
    facts.cluster_enabled = false;
    return facts;
}

std::string fault_words(const domain::NodeFacts& facts, const domain::Node& node = primary()) {
    std::string words;
    for (const auto& finding : doctor::faults_of(node, facts)) {
        if (!words.empty()) words += '+';
        words += domain::name_of(finding.what);
    }
    return words;
}

}  // namespace

TEST_CASE("a healthy server and one that says nothing have no faults") {
    CHECK(fault_words(healthy()).empty());
    CHECK(fault_words({}).empty());
}

TEST_CASE("a clock that is three seconds off is a fault and half a round trip is none") {
    auto facts = healthy();
    facts.clock_skew = support::Milliseconds{-3000};
    const auto found = doctor::faults_of(primary(), facts);
    REQUIRE(found.size() == 1);
    CHECK(found[0].what == FindingClass::clock_skew);
    CHECK(found[0].detail == "its clock is 3s behind ours (within 1ms)");
    facts.clock_skew = support::Milliseconds{3000};
    CHECK(doctor::faults_of(primary(), facts)[0].detail == "its clock is 3s ahead of ours (within 1ms)");
    facts.clock_skew = support::Milliseconds{1400};
    facts.round_trip = support::Milliseconds{1000};
    CHECK(fault_words(facts).empty());
}

TEST_CASE("a replica without its primary and a server in the wrong role are faults") {
    auto facts = healthy();
    facts.role = domain::Role::replica;
    facts.link_up = false;
    facts.link_down_for = support::Seconds{90};
    facts.primary_address = "10.0.0.1:6379";
    CHECK(fault_words(facts) == "wrong-role+link-down");
    const domain::Node replica{"alpha", domain::Role::replica, {}};
    const auto found = doctor::faults_of(replica, facts);
    REQUIRE(found.size() == 1);
    CHECK(found[0].detail == "the link to 10.0.0.1:6379 has been down for 1m30s");
    store::NodeReport configured{{"alpha", domain::Role::primary, {}}, healthy()};
    configured.node.endpoint.host = "10.0.0.1";
    configured.node.endpoint.port = 6379;
    CHECK(doctor::faults_of(replica, facts, &configured)[0].detail == found[0].detail);
    configured.node.endpoint.port = 6380;
    CHECK(doctor::faults_of(replica, facts, &configured)[0].detail ==
          "the link to 10.0.0.1:6379 has been down for 1m30s; its shard's primary is 10.0.0.1:6380");
}

TEST_CASE("a replica whose link is up and that follows another history is in the wrong place") {
    store::NodeReport configured{{"alpha", domain::Role::primary, {}}, healthy()};
    configured.node.endpoint.host = "10.0.0.1";
    configured.node.endpoint.port = 6379;
    configured.facts->replication_id = "abc";
    const domain::Node replica{"alpha", domain::Role::replica, {}};
    auto facts = healthy();
    facts.role = domain::Role::replica;
    facts.link_up = true;
    facts.primary_address = "10.0.0.2:6379";
    facts.replication_id = "abc";  // another name of the same server
    CHECK(doctor::faults_of(replica, facts, &configured).empty());
    facts.replication_id.reset();
    CHECK(doctor::faults_of(replica, facts, &configured).empty());
    facts.replication_id = "xyz";
    const auto found = doctor::faults_of(replica, facts, &configured);
    REQUIRE(found.size() == 1);
    CHECK(found[0].what == FindingClass::wrong_role);
    CHECK(found[0].detail ==
          "its link is up, but it follows another history than its shard's primary 10.0.0.1:6379: that of "
          "10.0.0.2:6379");
    configured.facts = tl::make_unexpected(support::Error{});
    CHECK(doctor::faults_of(replica, facts, &configured).empty());
}

TEST_CASE("eviction is a fault only where there is a limit to reach") {
    auto facts = healthy();
    facts.eviction_policy = "allkeys-lru";
    CHECK(fault_words(facts).empty());
    facts.max_memory = 10'000'000;
    CHECK(fault_words(facts) == "can-evict");
    facts.used_memory = 8'900'000;
    CHECK(fault_words(facts) == "can-evict");
    facts.used_memory = 9'000'000;
    CHECK(fault_words(facts) == "can-evict+memory-near-limit");
}

TEST_CASE("what a server cannot or may not do is named") {
    auto facts = healthy();
    facts.denied = {"evalsha", "pttl"};
    facts.persistence_fault = "the last save of an RDB file failed";
    facts.version = domain::ServerVersion{5, 0, 3, false};
    facts.cluster_enabled = true;
    CHECK(fault_words(facts) == "not-persisting+scripts-denied+commands-denied+old-version+cluster-node");
}

TEST_CASE("a few keys more than were listed are no masked keys") {
    CHECK_FALSE(doctor::masked_keys(1000, 1000));
    CHECK_FALSE(doctor::masked_keys(1000, 1100));
    CHECK_FALSE(doctor::masked_keys(20, 11));
    CHECK_FALSE(doctor::masked_keys(1000, 901));
    REQUIRE(doctor::masked_keys(1000, 900));
    CHECK(doctor::masked_keys(1000, 900)->detail == "100 of 1000 keys are expired and not removed");
}
