// The store's pure parts: slices, the ring of seen keys, INFO and ROLE.
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "store/nodes/info_text.h"
#include "store/sweep/key_ring.h"
#include "store/writes/slices.h"
#include "support/catch.h"
#include "support/fake_channel.h"

namespace ratectl::test {
namespace {

using store::InfoText;
using store::KeyRing;

std::vector<std::vector<std::size_t>> sliced(const std::vector<std::string>& keys, std::size_t most) {
    std::vector<std::size_t> items(keys.size());
    std::iota(items.begin(), items.end(), std::size_t{0});
    return store::slice(
        items, [&](std::size_t i) -> std::string_view { return keys[i]; }, store::limiter_of({}), most);
}

TEST_CASE("Slices hold no key twice keep the order of a key and lose nothing") {
    std::mt19937 random(3);
    for (int n = 0; n < 300; ++n) {
        std::vector<std::string> keys;
        for (auto count = random() % 200; count > 0; --count)
            keys.push_back(std::to_string(random() % (1 + random() % 50)));
        const std::size_t most = 1 + random() % 20;
        std::map<std::string, std::size_t> last;
        std::size_t total = 0;
        for (const auto& part : sliced(keys, most)) {
            CHECK(part.size() <= most);
            CHECK_FALSE(part.empty());
            std::set<std::string> distinct;
            for (const std::size_t item : part) {
                CHECK(distinct.insert(keys[item]).second);
                const auto before = last.find(keys[item]);
                if (before != last.end()) CHECK(before->second < item);
                last[keys[item]] = item;
            }
            total += part.size();
        }
        CHECK(total == keys.size());
    }
}

TEST_CASE("A window and one whose key is a part of it are in slices of their own in their order") {
    const std::vector<std::string> keys{"u:7", "v:3", "u:6", "u:8", "u:4"};
    std::vector<std::size_t> items(keys.size());
    std::iota(items.begin(), items.end(), std::size_t{0});
    const auto& numbered = store::limiter_of({"upstash-sliding", ""});
    const auto slices = store::slice(
        items, [&](std::size_t i) -> std::string_view { return keys[i]; }, numbered, 100);
    CHECK(slices == std::vector<std::vector<std::size_t>>{{0, 1, 4}, {2, 3}});
}

TEST_CASE("One busy key does not cut the other keys into small slices") {
    std::vector<std::string> keys;
    for (int i = 0; i < 1000; ++i) keys.push_back(i % 100 == 0 ? "busy" : std::to_string(i));
    CHECK(sliced(keys, 100).size() <= 11);
}

TEST_CASE("The ring knows at least the keys it promises to remember and forgets in the end") {
    KeyRing ring(1000);
    for (int i = 0; i < 5000; ++i) {
        REQUIRE(ring.insert("k" + std::to_string(i)));
        for (const int back : {0, 1, 500, 999}) {
            if (back <= i) REQUIRE_FALSE(ring.insert("k" + std::to_string(i - back)));
        }
    }
    CHECK(ring.insert("k0"));
    ring.clear();
    CHECK(ring.insert("k4999"));
}

TEST_CASE("INFO is read line by line and odd lines are passed over") {
    const InfoText info(
        "# Server\r\nredis_version:7.0.15\r\nempty:\r\nnonsense\r\nmaxmemory:010\r\nused_memory:42\n:x");
    CHECK(info.text("redis_version") == "7.0.15");
    CHECK(info.text("empty") == "");
    CHECK(info.number("used_memory") == 42);
    CHECK_FALSE(info.number("maxmemory").has_value());
    CHECK_FALSE(info.text("nonsense").has_value());
    CHECK_FALSE(InfoText("").text("x").has_value());
}

TEST_CASE("The replicas of a primary are read from INFO too") {
    const InfoText info(
        "slave0:ip=10.0.0.8,port=6380,state=online,offset=1,lag=0\r\n"
        "slave1:port=70000,ip=10.0.0.9\r\nslave2:ip=::1,port=6381,state=online\r\n");
    const auto replicas = store::replicas_in(info);
    REQUIRE(replicas.size() == 2);
    CHECK(replicas[0].text() == "10.0.0.8:6380");
    CHECK(replicas[1].text() == "[::1]:6381");
}

TEST_CASE("ROLE of a primary names its replicas and ROLE of a replica its primary") {
    const auto primary = store::parse_role(array({text("master"), integer(99),
                                                  array({array({text("10.0.0.8"), text("6380"), text("90")}), nil(),
                                                         array({text("?"), text("6380"), text("0")})})}));
    CHECK(primary.role == domain::Role::primary);
    CHECK(primary.offset == 99);
    REQUIRE(primary.replicas.size() == 1);
    CHECK(primary.replicas[0].text() == "10.0.0.8:6380");
    const auto replica =
        store::parse_role(array({text("slave"), text("10.0.0.7"), integer(6379), text("connect"), integer(-1)}));
    CHECK(replica.role == domain::Role::replica);
    CHECK(replica.link_up == false);
    CHECK(replica.primary->text() == "10.0.0.7:6379");
    CHECK_FALSE(replica.offset.has_value());
}

TEST_CASE("An unexpected reply to ROLE says nothing") {
    for (const auto& odd : {nil(), text("master"), array({}), array({integer(1)}), array({text("sentinel"), array({})}),
                            error("NOPERM x")}) {
        CHECK_FALSE(store::parse_role(odd).role.has_value());
    }
    CHECK(store::parse_role(array({text("slave")})).role == domain::Role::replica);
}

TEST_CASE("Facts of a replica come from INFO and what it does not say stays unknown") {
    domain::NodeFacts facts;
    store::add_info_facts(InfoText("role:slave\r\nmaster_link_status:down\r\nmaster_link_down_since_seconds:12\r\n"
                                   "master_host:10.0.0.7\r\nmaster_port:6379\r\nslave_repl_offset:5\r\nloading:0\r\n"
                                   "maxmemory_policy:allkeys-lru\r\nuptime_in_seconds:90\r\n"),
                          facts);
    CHECK(facts.role == domain::Role::replica);
    CHECK(facts.link_up == false);
    CHECK(facts.link_down_for == support::Seconds(12));
    CHECK(facts.primary_address == "10.0.0.7:6379");
    CHECK(facts.offset == 5);
    CHECK(facts.loading == false);
    CHECK(facts.eviction_policy == "allkeys-lru");
    CHECK(facts.uptime == support::Seconds(90));
    CHECK_FALSE(facts.used_memory.has_value());
    CHECK_FALSE(facts.connected_replicas.has_value());
}

}  // namespace
}  // namespace ratectl::test
