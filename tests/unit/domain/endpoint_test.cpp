// Server URLs.
#include "domain/endpoint.h"

#include <string>
#include <utility>

#include "support/catch.h"
#include "unit/random_source.h"

using namespace ratectl;
using namespace ratectl::domain;

namespace {
Endpoint parse(std::string_view url) { return support::value_or_throw(parse_endpoint(url)); }
}  // namespace

TEST_CASE("a plain URL gives host port and database") {
    const Endpoint e = parse("redis://cache.example.com:7000/3");
    CHECK(e.kind == Endpoint::Kind::tcp);
    CHECK(e.host == "cache.example.com");
    CHECK(e.port == 7000);
    CHECK(e.db == 3);
    CHECK_FALSE(e.tls);
    CHECK(e.address() == "cache.example.com:7000");
    CHECK(e.url() == "redis://cache.example.com:7000/3");
    CHECK(parse("redis://h").url() == "redis://h:6379");
    CHECK(parse("redis://h/").db == 0);
    CHECK(parse("rediss://h").tls);
    CHECK(parse("rediss://h").url() == "rediss://h:6379");
    CHECK(parse("redis://my_cache-1.local.").host == "my_cache-1.local.");
}

TEST_CASE("addresses are literals that inet_pton knows") {
    CHECK(parse("redis://10.0.0.7:6380").address() == "10.0.0.7:6380");
    CHECK(parse("redis://[::1]:6380").host == "::1");
    CHECK(parse("redis://[::1]:6380").address() == "[::1]:6380");
    CHECK(parse("redis://[fe80::2]").url() == "redis://[fe80::2]:6379");
    for (const std::string url :
         {"redis://0x7f.1", "redis://127.1", "redis://256.0.0.1", "redis://0x7f000001", "redis://2130706433",
          "redis://010.0.0.1", "redis://[::g]", "redis://[::1", "redis://[fe80::1%25eth0]", "redis://::1:6379",
          "redis://[127.0.0.1]", "redis://[::1]6379", "redis://[]"}) {
        CAPTURE(url);
        REQUIRE_FALSE(parse_endpoint(url));
        CHECK(parse_endpoint(url).error().code == support::ExitCode::configuration);
    }
}

TEST_CASE("user and password are decoded and marked as coming from the URL") {
    const Endpoint e = parse("redis://support:p%40ss%2Fw%3ard:x%25@h:1/2");
    CHECK(e.credentials.username == "support");
    REQUIRE(e.credentials.password);
    CHECK(e.credentials.password->reveal() == "p@ss/w:rd:x%");
    CHECK(e.credentials.source == "URL");
    CHECK(e.host == "h");
    CHECK(e.url() == "redis://h:1/2");
    const Endpoint only_password = parse("rediss://:secret@h");
    CHECK(only_password.credentials.username.empty());
    CHECK(only_password.credentials.password->reveal() == "secret");
    const Endpoint only_user = parse("redis://support@h");
    CHECK(only_user.credentials.username == "support");
    CHECK_FALSE(only_user.credentials.password);
    CHECK_FALSE(parse("redis://support:@h").credentials.password);
    CHECK_FALSE(parse("redis://h").credentials.password);
}

TEST_CASE("a socket is named by its absolute path") {
    const Endpoint e = parse("unix:///run/redis.sock?db=4");
    CHECK(e.kind == Endpoint::Kind::unix_socket);
    CHECK(e.path == "/run/redis.sock");
    CHECK(e.db == 4);
    CHECK(e.address() == "unix:/run/redis.sock");
    CHECK(e.url() == "unix:///run/redis.sock?db=4");
    const Endpoint login = parse("unix://ann:pw@/run/a@/b.sock");
    CHECK(login.credentials.username == "ann");
    CHECK(login.credentials.password->reveal() == "pw");
    CHECK(login.path == "/run/a@/b.sock");
    CHECK(parse("unix:///" + std::string(106, 'a')).path.size() == 107);
    for (const std::string& url :
         {"unix:///" + std::string(107, 'a'), std::string("unix://run/x"), std::string("unix://"),
          std::string("unix:///"), std::string("unix:///x?db="), std::string("unix:///x?db=a"),
          std::string("unix:///x?n=1"), std::string("unix:///a\0b", 11)}) {
        CAPTURE(url);
        CHECK_FALSE(parse_endpoint(url));
    }
}

TEST_CASE("an URL that could be misread is refused") {
    for (const std::string url : {"",
                                  "h:6379",
                                  "redis:",
                                  "redis://",
                                  "redis:///1",
                                  "redis://:6379",
                                  "http://h",
                                  "REDIS://h",
                                  "redis://h:0",
                                  "redis://h:65536",
                                  "redis://h:06379",
                                  "redis://h:",
                                  "redis://h:x",
                                  "redis://h:1:2",
                                  "redis://h/x",
                                  "redis://h/-1",
                                  "redis://h/01",
                                  "redis://h/1/2",
                                  "redis://h?db=1",
                                  "redis://h/1?x",
                                  "redis://h#f",
                                  "redis://a b",
                                  "redis://-a",
                                  "redis://a..b",
                                  "redis://a%41",
                                  "redis://u%zz:p@h",
                                  "redis://u:p%4@h",
                                  "redis://h/99999999999",
                                  " redis://h",
                                  "redis://h\n"}) {
        CAPTURE(url);
        const auto e = parse_endpoint(url);
        REQUIRE_FALSE(e);
        CHECK(e.error().code == support::ExitCode::configuration);
    }
    CHECK_FALSE(parse_endpoint("redis://" + std::string(64, 'a')));
}

TEST_CASE("no error repeats a password however the URL is broken") {
    for (const std::string url :
         {"redis://u:hunter2@h:x", "redis://u:hunter2@", "redis://u:hunter2@h/x", "redis://u:hun/ter2hunter2@h",
          "redis://u:a@hunter2@h:x", "hunter2@h:1", "redis://:hunter2%@h", "redis://u:hunter2?@h",
          "redis://u:hunter2 @h", "unix://u:hunter2@run/x", "unix://u:hunter2@/x?y", "unix://u:hunter2/@/x",
          ":hunter2@redis://h"}) {
        CAPTURE(url);
        const auto e = parse_endpoint(url);
        REQUIRE_FALSE(e);
        CHECK((e.error().message + e.error().hint).find("hunter2") == std::string::npos);
    }
}

TEST_CASE("a proxy is named as one behind its URL and has no dbs") {
    for (const std::string url : {"redis://10.0.0.7:22121?proxy=true", "rediss://10.0.0.7:22121?proxy=true",
                                  "redis://[::1]:22121?proxy=true", "unix:///run/nutcracker.sock?proxy=true"}) {
        INFO(url);
        CHECK(parse(url).proxied);
        CHECK(parse(url).url() == url);
        CHECK_FALSE(parse(url.substr(0, url.find('?'))).proxied);
    }
    CHECK(parse("redis://ann:a%3Fb@h:1/0?proxy=true").credentials.password->reveal() == "a?b");
    for (const std::string url : {"redis://h/2?proxy=true", "redis://h?proxy=false", "redis://h?proxy", "redis://h?",
                                  "memcached://h?proxy=true", "unix:///run/x?db=1&proxy=true"}) {
        INFO(url);
        CHECK_FALSE(ratectl::domain::parse_endpoint(url).has_value());
    }
}

TEST_CASE("no error repeats what may be a password in a query, in a fragment or in the place of a number") {
    for (const std::string url :
         {"redis://h:6379?password=hunter2", "redis://h/0?password=hunter2", "redis://h?auth=hunter2",
          "redis://h#hunter2", "redis://h/0#hunter2", "redis://h/?hunter2", "unix:///run/redis.sock?password=hunter2",
          "unix:///run/redis.sock?db=0&password=hunter2", "unix:///run/redis.sock#hunter2", "redis://user:hunter2",
          "redis://user:hunter2:h:6379", "redis://h:1/hunter2", "rediss://h:6379/?ssl=1&password=hunter2"}) {
        CAPTURE(url);
        const auto e = parse_endpoint(url);
        REQUIRE_FALSE(e);
        CHECK((e.error().message + e.error().hint).find("hunter2") == std::string::npos);
    }
    CHECK(parse_endpoint("redis://h:70000").error().message ==
          "server URL: port '70000' is not a number from 1 to 65535");
    CHECK(parse_endpoint("redis://h/-1").error().message ==
          "server URL: database '-1' is not a number from 0 to 65535");
}

TEST_CASE("the same server is recognised whoever logs in") {
    CHECK(parse("redis://a:b@Host:1").same_server(parse("rediss://host:1")));
    CHECK_FALSE(parse("redis://h:1").same_server(parse("redis://h:2")));
    CHECK_FALSE(parse("redis://h:1/1").same_server(parse("redis://h:1/2")));
    CHECK_FALSE(parse("redis://h:1").same_server(parse("unix:///h")));
    CHECK(parse("unix:///x").same_server(parse("unix://:pw@/x")));
}

TEST_CASE("a secret survives copies and moves and leaves nothing in what it left") {
    const std::string shorter = "short";
    const std::string longer(100, 's');
    for (const std::string& bytes : {shorter, longer}) {
        Secret first(bytes);
        const Secret copy = first;
        CHECK(copy.reveal() == bytes);
        Secret moved = std::move(first);
        CHECK(moved.reveal() == bytes);
        CHECK(first.empty());  // NOLINT(bugprone-use-after-move): the promise under test
        const char* left = first.reveal().data();
        CHECK(std::string(left, 5) == std::string(5, '\0'));
        first = copy;
        CHECK(first.reveal() == bytes);
        first = Secret("x");
        CHECK(first.reveal() == "x");
        Secret& itself = first;
        first = itself;
        CHECK(first.reveal() == "x");
    }
}

TEST_CASE("the URL of an endpoint parses to the same server") {
    test::RandomSource random;
    SHOW_SEED(random);
    int parsed = 0;
    for (int i = 0; i < 20'000; ++i) {
        const std::string url =
            std::string(random.one_in(3) ? "unix://" : "redis://") + random.bytes("ab:@/?1.0[]%-db=", 1, 14);
        const auto e = parse_endpoint(url);
        if (!e) continue;
        ++parsed;
        CAPTURE(url);
        CHECK(parse(e->url()).same_server(*e));
        CHECK(parse(e->url()).url() == e->url());
    }
    CHECK(parsed > 50);
}
