// URLs of HTTP servers: their parts, and what is refused without repeating it.
#include <vector>

#include "http/get.h"

#include "support/catch.h"

using ratectl::http::parse_url;
using ratectl::http::percent_encoded;

TEST_CASE("a URL names a server, a port of its own and a path") {
    struct Row {
        std::string given, authority, text, host;
        std::uint16_t port;
        bool tls;
    };
    const std::vector<Row> rows{
        {"http://prom:9090", "prom:9090", "http://prom:9090", "prom", 9090, false},
        {"http://prom", "prom", "http://prom", "prom", 80, false},
        {"https://prom/", "prom", "https://prom", "prom", 443, true},
        {"https://prom:80/a/b//", "prom:80", "https://prom:80/a/b", "prom", 80, true},
        {"http://[::1]:9090/prometheus", "[::1]:9090", "http://[::1]:9090/prometheus", "::1", 9090, false},
    };
    for (const auto& row : rows) {
        INFO(row.given);
        const auto url = parse_url(row.given);
        REQUIRE(url);
        CHECK(url->authority() == row.authority);
        CHECK(url->text() == row.text);
        CHECK(url->endpoint.host == row.host);
        CHECK(url->endpoint.port == row.port);
        CHECK(url->endpoint.tls == row.tls);
    }
}

TEST_CASE("what is no URL of a server is refused and not repeated") {
    const std::vector<std::pair<std::string, std::string>> rows{
        {"", "is no URL"},
        {"prom:9090", "is no URL"},
        {"http://", "is no URL"},
        {"http://h:99999", "is no URL"},
        {"http://h/a\r\nX: y", "is no URL"},
        {"ftp://h", "is neither http:// nor https://"},
        {"redis://h", "is neither http:// nor https://"},
        {"http://me:s3cret@h", "has a user or a password"},
        {"http://h?token=s3cret", "has a query or a fragment"},
        {"http://h/#s3cret", "has a query or a fragment"},
    };
    for (const auto& [given, why] : rows) {
        INFO(given);
        const auto url = parse_url(given);
        REQUIRE_FALSE(url);
        CHECK(url.error().message.starts_with(why));
        CHECK((url.error().message + url.error().hint).find("s3cret") == std::string::npos);
    }
}

TEST_CASE("whatever is not unreserved is percent-encoded in a query") {
    CHECK(percent_encoded("sum(rate(a{b=\"c\"}[1m])) + 1") ==
          "sum%28rate%28a%7Bb%3D%22c%22%7D%5B1m%5D%29%29%20%2B%201");
    CHECK(percent_encoded("aZ09-._~") == "aZ09-._~");
    CHECK(percent_encoded("\xc3\xa9\n") == "%C3%A9%0A");
}
