// Slots of Redis Cluster: known answers, tags, and a tag for each slot.
#include "sharding/cluster_slots.h"

#include "support/catch.h"

namespace ratectl::sharding {
namespace {

TEST_CASE("keys are in the slots that the servers say") {
    CHECK(cluster_slot("123456789") == 0x31c3);
    CHECK(cluster_slot("foo") == 12182);
    CHECK(cluster_slot("bar") == 5061);
    CHECK(cluster_slot("") == 0);
}

TEST_CASE("a tag that is not empty decides alone") {
    CHECK(cluster_slot("{foo}:1") == cluster_slot("foo"));
    CHECK(cluster_slot("a{foo}b{bar}") == cluster_slot("foo"));
    CHECK(cluster_slot("{foo") != cluster_slot("foo"));
    CHECK(cluster_slot("{}{foo}") == cluster_slot("{}{foo}"));
    CHECK(cluster_slot("{}{foo}") != cluster_slot("foo"));
    CHECK(cluster_slot("{{foo}}") == cluster_slot("{foo"));
}

TEST_CASE("keys that begin with the same tag are in one slot, and nothing is said of others") {
    CHECK(shares_tag("{core:1}", "{core:1}:exp"));
    CHECK(shares_tag("core:{1}:a", "core:{1}:b"));
    CHECK_FALSE(shares_tag("core:1", "core:1:exp"));
    CHECK_FALSE(shares_tag("{core:1", "{core:1}:exp"));
    CHECK_FALSE(shares_tag("{}core", "{}core:exp"));
    CHECK_FALSE(shares_tag("{core:1}", "exp:{core:1}"));
    CHECK_FALSE(shares_tag("{core:1}", "{core:1"));
}

TEST_CASE("every slot has a tag of its own") {
    for (std::size_t slot = 0; slot < kClusterSlots; ++slot) {
        const auto number = static_cast<std::uint16_t>(slot);
        const auto& tag = tag_of_slot(number);
        if (cluster_slot(tag) == number && !tag.empty()) continue;
        FAIL("slot " << slot << " has tag " << tag);
    }
}

}  // namespace
}  // namespace ratectl::sharding
