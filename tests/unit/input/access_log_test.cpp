// Access log lines.
#include "input/access_log.h"

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "input/line_reader.h"
#include "support/catch.h"
#include "support/places.h"
#include "unit/random_source.h"

using namespace ratectl;
using namespace ratectl::input;
using support::from_epoch;

namespace {
LoggedRequest parse(std::string_view line) { return support::value_or_throw(parse_access_log_line(line)); }
}  // namespace

TEST_CASE("a combined line gives client time method path and status") {
    const LoggedRequest r = parse(
        R"(83.149.9.216 - - [17/May/2015:10:05:03 +0000] "GET /a/b.png?x=1 HTTP/1.1" 200 203023 "http://example.com/" "Mozilla/5.0")");
    CHECK(r == LoggedRequest{"83.149.9.216", from_epoch(1'431'857'103), "GET", "/a/b.png", 200});
}

TEST_CASE("a common line needs no referer and no size") {
    CHECK(parse(R"(::1 - - [17/May/2015:10:05:03 +0000] "HEAD / HTTP/1.0" 304 -)").status == 304);
    CHECK(parse("host.example - - [17/May/2015:10:05:03 +0000] \"GET /old\" 200 5\r").path == "/old");
    CHECK(parse(R"(h ident a user [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5)").client == "h");
}

TEST_CASE("the offset of the log is taken into account") {
    const auto at = [](std::string_view time) {
        return parse("h - - [" + std::string(time) + R"(] "GET / HTTP/1.1" 200 5)").at;
    };
    CHECK(at("17/May/2015:12:05:03 +0200") == from_epoch(1'431'857'103));
    CHECK(at("17/May/2015:04:35:03 -0530") == from_epoch(1'431'857'103));
    CHECK(at("29/Feb/2024:00:00:00 +0000") == from_epoch(1'709'164'800));
    CHECK(at("31/Dec/2016:23:59:60 +0000") == from_epoch(1'483'228'800));
}

TEST_CASE("a request line without method and path is still a request") {
    for (const std::string request : {"-", "", "\\x16\\x03\\x01", "GET", "GET ", " / HTTP/1.1", "GET  HTTP/1.1",
                                      "get / HTTP/1.1", "GET ?q HTTP/1.1"}) {
        CAPTURE(request);
        const LoggedRequest r = parse("h - - [17/May/2015:10:05:03 +0000] \"" + request + "\" 408 0");
        CHECK(r.method.empty());
        CHECK(r.path.empty());
        CHECK(r.status == 408);
    }
}

TEST_CASE("escapes of the server are undone in the path") {
    const LoggedRequest r = parse(R"(h - - [17/May/2015:10:05:03 +0000] "GET /a\"b\\c\x1b\xC3d\q\x HTTP/1.1" 200 5)");
    CHECK(r.path ==
          "/a\"b\\c\x1b\xC3"
          "d\\q\\x");
    CHECK(r.method == "GET");
    CHECK(parse(R"(h - - [17/May/2015:10:05:03 +0000] "GET /a b HTTP/1.1" 200 5)").path == "/a b");
}

TEST_CASE("an agent that is cut off does not make a line malformed") {
    CHECK(parse(R"(h - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 235 "-" "Mozilla/5.0 (+http://x)").status ==
          200);
}

TEST_CASE("a malformed line says what is wrong with it") {
    const std::vector<std::pair<std::string, std::string>> lines{
        {"", "empty"},
        {"\r", "empty"},
        {" - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5", "client"},
        {"h", "no time"},
        {"h - - 17/May/2015:10:05:03 \"GET / HTTP/1.1\" 200 5", "no time"},
        {"h - - [17/May/2015:10:05:03 +0000", "no time"},
        {"h - - [17/Mai/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5", "not a time"},
        {"h - - [31/Apr/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5", "not a time"},
        {"h - - [17/May/2015:24:05:03 +0000] \"GET / HTTP/1.1\" 200 5", "not a time"},
        {"h - - [7/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5", "not a time"},
        {"h - - [17/May/2015:10:05:03 00000] \"GET / HTTP/1.1\" 200 5", "not a time"},
        {"h - - [17/May/2015:10:05:03 +0000] GET / 200 5", "no request"},
        {"h - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1 200 5", "not closed"},
        {"h - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\\\" 200 5", "not closed"},
        {"h - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\"", "no status"},
        {"h - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 20 5", "no status"},
        {"h - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 2000 5", "no status"},
        {"h - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 099 5", "no status"},
        {"h - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 x", "no status"},
    };
    for (const auto& [line, why] : lines) {
        CAPTURE(line);
        const auto parsed = parse_access_log_line(line);
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error().message.find(why) != std::string::npos);
    }
}

TEST_CASE("random damage never breaks the parser") {
    test::RandomSource random;
    SHOW_SEED(random);
    const std::string good = R"(h - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 5 "-" "agent")";
    int parsed = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string line =
            good.substr(0, static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(good.size()))));
        for (auto n = random.number(0, 3); n > 0 && !line.empty(); --n) {
            line[static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(line.size()) - 1))] =
                random.bytes({}, 1, 1)[0];
        }
        const auto r = parse_access_log_line(line);
        if (!r) continue;
        ++parsed;
        CHECK((!r->client.empty() && r->status >= 100 && r->status <= 999));
    }
    CHECK(parsed > 100);
}

TEST_CASE("the shared real log parses whole") {
    const std::string path = test::source_dir() + "/../shared/data/access.log";
    if (!std::filesystem::exists(path)) {
        WARN("skipped: " << path << " is not there");
        return;
    }
    const auto source = open_file(path);
    LineReader lines(*source);
    std::map<std::string, int> clients;
    int refundable = 0;
    while (const auto line = lines.next()) {
        const auto r = parse_access_log_line(*line);
        REQUIRE(r);
        ++clients[r->client];
        refundable += r->status == 304 ? 1 : 0;
        CHECK_FALSE(r->path.empty());
    }
    CHECK(lines.line() == 10'000);
    CHECK(clients.size() == 1'753);
    CHECK(refundable == 445);
}
