// Addresses as the nodes of a Redis Cluster write them, where those are reached, and networks.
#include "domain/cluster/cluster_access.h"

#include "support/catch.h"
#include "support/contains.h"

namespace ratectl::domain {
namespace {

TEST_CASE("an address is taken as people and as servers write it and nothing else is") {
    CHECK(parse_host_port("10.0.0.8:6379") == HostPort{"10.0.0.8", 6379});
    CHECK(parse_host_port("[::1]:7001") == HostPort{"::1", 7001});
    CHECK(parse_host_port("::1:7001") == HostPort{"::1", 7001});
    CHECK(parse_host_port(":7001") == HostPort{"", 7001});
    CHECK(parse_host_port("cache-1.example:7001") == HostPort{"cache-1.example", 7001});
    for (const auto* text : {"", "10.0.0.8", "10.0.0.8:", "10.0.0.8:0", "10.0.0.8:65536", "user@host:1", "a b:1",
                             "host/x:1", "0x7f.1:80", "host:1x"}) {
        INFO(text);
        CHECK_FALSE(parse_host_port(text));
    }
}

TEST_CASE("a server is reached where the map says and else where it says itself") {
    AddressMap map;
    REQUIRE(map.add("10.0.0.8", "127.0.0.1"));
    REQUIRE(map.add("10.0.0.8:6379", "localhost:7001"));
    REQUIRE(map.add("::1", "fd00::5"));
    CHECK(map.reached({"10.0.0.8", 6379}) == HostPort{"localhost", 7001});
    CHECK(map.reached({"10.0.0.8", 6380}) == HostPort{"127.0.0.1", 6380});
    CHECK(map.reached({"::1", 1}) == HostPort{"fd00::5", 1});
    CHECK(map.reached({"10.0.0.9", 6379}) == HostPort{"10.0.0.9", 6379});
    CHECK(test::contains(map.add("10.0.0.8:1", "127.0.0.1").error().message, "both have a port"));
    CHECK(test::contains(map.add("user@host", "127.0.0.1").error().message, "neither a host nor HOST:PORT"));
    CHECK_FALSE(map.add(":1", ":2"));
}

TEST_CASE("a network has the addresses whose leading bits are its own") {
    const auto has = [](std::string_view network, std::string_view host) {
        return Network::parse(network).value().has(host);
    };
    CHECK(has("10.0.0.0/8", "10.255.1.2"));
    CHECK_FALSE(has("10.0.0.0/8", "11.0.0.1"));
    CHECK(has("10.1.2.128/25", "10.1.2.200"));
    CHECK_FALSE(has("10.1.2.128/25", "10.1.2.100"));
    CHECK(has("10.1.2.3", "10.1.2.3"));
    CHECK_FALSE(has("10.1.2.3", "10.1.2.4"));
    CHECK(has("0.0.0.0/0", "192.0.2.1"));
    CHECK(has("fd00::/8", "fd12::1"));
    CHECK_FALSE(has("fd00::/8", "::1"));
    CHECK_FALSE(has("10.0.0.0/8", "fd12::1"));
    CHECK_FALSE(has("0.0.0.0/0", "localhost"));
    for (const auto* text : {"", "10.0.0.0/33", "10.0.0/8", "fd00::/129", "host/8", "10.0.0.0/x"}) {
        INFO(text);
        CHECK_FALSE(Network::parse(text));
    }
}

}  // namespace
}  // namespace ratectl::domain
