// Roles, node names, versions.
#include "domain/node.h"

#include <string>

#include "support/catch.h"

using namespace ratectl::domain;

TEST_CASE("a node to read from is a role or an address") {
    using Which = ReadFrom::Which;
    CHECK(parse_read_from("primary") == ReadFrom{Which::primary, ""});
    CHECK(parse_read_from("replica") == ReadFrom{Which::replica, ""});
    CHECK(parse_read_from("all") == ReadFrom{Which::all, ""});
    CHECK(parse_read_from("10.0.0.7:6379") == ReadFrom{Which::node, "10.0.0.7:6379"});
    CHECK(name_of(Role::primary) == "primary");
    CHECK(name_of(Role::replica) == "replica");
}

TEST_CASE("server versions are read and compared") {
    CHECK(parse_server_version("7.0.15") == ServerVersion{7, 0, 15, false});
    CHECK(parse_server_version("6.2") == ServerVersion{6, 2, 0, false});
    CHECK(parse_server_version("7.4.0-rc2") == ServerVersion{7, 4, 0, false});
    CHECK(parse_server_version("valkey 8.0.1") == ServerVersion{8, 0, 1, true});
    CHECK(parse_server_version("6.2.14") < parse_server_version("7.0.0"));
    CHECK(parse_server_version("7.0.9") < parse_server_version("7.0.15"));
    for (const std::string text : {"", "7", "7.", "7.x", "7.0.1.2", "-7.0", "07.0", "valkey", "v7.0", "99999.0"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_server_version(text));
    }
}

TEST_CASE("a printed version reads back") {
    for (const std::string text : {"7.0.15", "valkey 8.1.0"}) {
        CHECK(to_string(parse_server_version(text).value()) == text);
    }
}
