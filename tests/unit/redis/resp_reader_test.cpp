// The reply reader: every split of the bytes, every limit, every kind of garbage.
#include "redis/resp_reader.h"

#include <random>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/error.h"
#include "support/fake_channel.h"

namespace ratectl {
namespace {

using redis::Reply;
using redis::ReplyCaps;
using redis::RespReader;
using test::array;
using test::integer;
using test::nil;
using test::text;

// All whole replies in the bytes; throws on an error.
std::vector<Reply> drain(RespReader& reader, Reply& into) {
    std::vector<Reply> replies;
    for (;;) {
        const auto next = reader.next(into);
        if (!next) throw std::runtime_error(next.error());
        if (!*next) return replies;
        replies.push_back(into);
    }
}

// The words of the error that these bytes bring, or "" if there is none.
std::string error_of(std::string_view bytes, ReplyCaps caps = {}) {
    RespReader reader(caps);
    Reply into;
    try {
        while (!bytes.empty()) {
            const std::string_view piece = bytes.substr(0, RespReader::kMaxFeed);
            reader.feed(piece);
            bytes.remove_prefix(piece.size());
            drain(reader, into);
        }
    } catch (const std::runtime_error& error) {
        CHECK_FALSE(reader.next(into).has_value());
        return error.what();
    }
    return {};
}

const std::string kNulKey("a\0b\r\nc", 6);

struct Sample {
    std::string bytes;
    std::vector<Reply> replies;
};

Sample sample() {
    return {"+OK\r\n-ERR no such thing\r\n:-42\r\n:9223372036854775807\r\n$-1\r\n*-1\r\n$0\r\n\r\n$6\r\n" + kNulKey +
                "\r\n*0\r\n*3\r\n$1\r\nx\r\n*2\r\n:1\r\n$-1\r\n+fine\r\n*1\r\n*1\r\n*1\r\n$2\r\nok\r\n",
            {test::status("OK"), test::error("ERR no such thing"), integer(-42), integer(INT64_MAX), nil(), nil(),
             text(""), text(kNulKey), array({}), array({text("x"), array({integer(1), nil()}), test::status("fine")}),
             array({array({array({text("ok")})})})}};
}

TEST_CASE("the reader gives the same replies for every split of the bytes in two") {
    const Sample wanted = sample();
    for (std::size_t cut = 0; cut <= wanted.bytes.size(); ++cut) {
        RespReader reader;
        Reply into;
        reader.feed(std::string_view(wanted.bytes).substr(0, cut));
        std::vector<Reply> replies = drain(reader, into);
        reader.feed(std::string_view(wanted.bytes).substr(cut));
        for (Reply& reply : drain(reader, into)) replies.push_back(std::move(reply));
        REQUIRE(replies == wanted.replies);
        REQUIRE(reader.left_over() == 0);
    }
}

TEST_CASE("the reader gives the same replies byte by byte") {
    const Sample wanted = sample();
    RespReader reader;
    Reply into;
    std::vector<Reply> replies;
    for (const char byte : wanted.bytes) {
        reader.feed({&byte, 1});
        for (Reply& reply : drain(reader, into)) replies.push_back(std::move(reply));
    }
    CHECK(replies == wanted.replies);
}

TEST_CASE("the reader says how many bytes belong to no reply yet") {
    RespReader reader;
    Reply into;
    reader.feed("+OK\r\n+NEXT");
    REQUIRE(drain(reader, into).size() == 1);
    // The type byte is consumed as soon as it is seen.
    CHECK(reader.left_over() >= 4);
    RespReader exact;
    exact.feed("+OK\r\n");
    REQUIRE(drain(exact, into).size() == 1);
    CHECK(exact.left_over() == 0);
}

TEST_CASE("a reply is the same whatever stood in its place before") {
    // Long after short, values after arrays, arrays in the place of values, shorter and longer ones, and back.
    const std::vector<std::pair<std::string, Reply>> shapes{
        {"*2\r\n$1\r\n7\r\n*3\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n",
         array({text("7"), array({text("a"), text("b"), text("c")})})},
        {"*3\r\n$-1\r\n:5\r\n$3\r\nxyz\r\n", array({nil(), integer(5), text("xyz")})},
        {"*2\r\n*1\r\n:1\r\n*0\r\n", array({array({integer(1)}), array({})})},
        {"$-1\r\n", nil()},
        {":12\r\n", integer(12)},
        {"*1\r\n$-1\r\n", array({nil()})},
        {"-ERR no\r\n", test::error("ERR no")},
        {"*0\r\n", array({})},
        {"*4\r\n$1\r\n1\r\n$1\r\n2\r\n$1\r\n3\r\n$1\r\n4\r\n", array({text("1"), text("2"), text("3"), text("4")})},
        {"$2\r\nok\r\n", text("ok")}};
    RespReader reader;
    Reply into;
    for (const auto& [before, ignored] : shapes) {
        for (const auto& [bytes, wanted] : shapes) {
            reader.feed(before + bytes);
            REQUIRE(reader.next(into) == true);
            REQUIRE(reader.next(into) == true);
            INFO(before << " then " << bytes);
            CHECK(into == wanted);
        }
    }
}

TEST_CASE("a reply of the shape of the one before it takes no new memory") {
    RespReader reader;
    Reply into;
    const std::string value(100, 'v');
    const std::string bulk = "$100\r\n" + value + "\r\n";
    const std::string three = "*3\r\n" + bulk + bulk + bulk;
    reader.feed(three);
    REQUIRE(reader.next(into) == true);
    const char* const first = into.elements[0].text.data();
    const Reply* const elements = into.elements.data();
    reader.feed(three);
    REQUIRE(reader.next(into) == true);
    CHECK(into.elements.data() == elements);
    CHECK(into.elements[0].text.data() == first);
}

TEST_CASE("a reply is built in one place") {
    RespReader reader;
    Reply here;
    Reply there;
    reader.feed("*2\r\n:1\r\n");
    REQUIRE(reader.next(here) == false);
    CHECK_THROWS_AS(reader.next(there), support::Failure);
}

/// Writes down what it is given.
class Notes final : public redis::ElementReceiver {
public:
    using ElementReceiver::ElementReceiver;
    void text(std::string_view text) override { taken.push_back("text " + std::string(text)); }
    void nil() override { taken.push_back("nil"); }
    void other() override { taken.push_back("other"); }
    void cut(const redis::CutText& cut) override {
        taken.push_back("cut " + std::string(cut.beginning) + "|" + std::string(cut.end) + "|" +
                        std::to_string(cut.length));
    }
    std::vector<std::string> taken;
};

TEST_CASE("a receiver gets the elements of its depth for every split of the bytes and the reply has the others") {
    Sample wanted = sample();
    wanted.bytes += "*2\r\n$1\r\n7\r\n*5\r\n$1\r\na\r\n$-1\r\n*2\r\n:1\r\n*1\r\n+x\r\n-ERR\r\n$0\r\n\r\n";
    const Reply deep = array({integer(1), array({test::status("x")})});
    wanted.replies.push_back(array({text("7"), array({text("a"), nil(), deep, test::error("ERR"), text("")})}));
    for (const std::size_t depth : {1U, 2U, 3U}) {
        Notes expected(depth);
        std::vector<Reply> rest = wanted.replies;
        for (Reply& reply : rest) test::hand_over(reply, expected);
        REQUIRE_FALSE(expected.taken.empty());
        for (std::size_t cut = 0; cut <= wanted.bytes.size(); ++cut) {
            RespReader reader;
            Reply into;
            Notes notes(depth);
            std::vector<Reply> replies;
            for (const auto& piece : {wanted.bytes.substr(0, cut), wanted.bytes.substr(cut)}) {
                reader.feed(piece);
                while (reader.next(into, &notes).value()) replies.push_back(into);
            }
            REQUIRE(notes.taken == expected.taken);
            REQUIRE(replies == rest);
        }
    }
}

TEST_CASE("caps hold for elements that a receiver takes") {
    ReplyCaps caps;
    caps.elements = 4;
    caps.bytes = 100;
    caps.depth = 3;
    const std::string long_value = "$60\r\n" + std::string(60, 'x') + "\r\n";
    for (const std::string& bytes :
         {std::string("*5\r\n"), std::string("*2\r\n*3\r\n"), "*2\r\n" + long_value + long_value.substr(0, 50),
          std::string("*1\r\n*1\r\n*1\r\n*1\r\n"), std::string("*1\r\n$101\r\n"), std::string("*1\r\n_\r\n"),
          std::string("*1\r\n$1\r\nxXX")}) {
        RespReader reader(caps);
        Reply into;
        Notes notes(1);
        reader.feed(bytes);
        INFO(bytes);
        CHECK_FALSE(reader.next(into, &notes).has_value());
    }
}

TEST_CASE("texts that are longer than a receiver wants are cut alike for every split of the bytes") {
    const std::string bytes = "*3\r\n$12\r\nabcdefghijkl\r\n$200\r\n" + std::string(136, 'x') + std::string(64, 'y') +
                              "\r\n$10\r\nabcdefghij\r\n$11\r\nabcdefghijk\r\n:7\r\n";
    for (const std::size_t depth : {0U, 1U}) {
        for (std::size_t split = 0; split <= bytes.size(); ++split) {
            RespReader reader;
            Reply into;
            Notes notes(depth, 10);
            std::vector<Reply> replies;
            for (const auto& piece :
                 {bytes.substr(0, split), bytes.substr(split, 1), bytes.substr(std::min(split + 1, bytes.size()))}) {
                reader.feed(piece);
                while (reader.next(into, &notes).value()) replies.push_back(into);
            }
            REQUIRE(reader.left_over() == 0);
            REQUIRE(replies.size() == 3);
            CHECK(replies[1].text == "abcdefghij");
            CHECK(replies[2].integer == 7);
            const Reply shortened = array({text("abcdefghij"), text(std::string(10, 'x')), text("abcdefghij")});
            REQUIRE(replies[0] == (depth == 0 ? shortened : array({})));
            const std::vector<std::string> expected{"cut abcdefghij|kl|12",
                                                    "cut " + std::string(10, 'x') + "|" + std::string(64, 'y') + "|200",
                                                    "text abcdefghij"};
            REQUIRE(notes.taken == (depth == 0 ? std::vector<std::string>() : expected));
        }
    }
}

TEST_CASE("a text above every cap passes by and what stands around it is read") {
    const std::size_t length = 65u << 20;
    const std::string value(length, 'v');
    RespReader reader;
    Reply into;
    Notes notes(1, 100);
    reader.feed("*3\r\n$1\r\na\r\n$" + std::to_string(length) + "\r\n");
    REQUIRE(reader.next(into, &notes) == false);
    for (std::size_t at = 0; at < length; at += RespReader::kMaxFeed) {
        reader.feed(std::string_view(value).substr(at, RespReader::kMaxFeed));
        REQUIRE(reader.next(into, &notes) == false);
    }
    CHECK(reader.left_over() > 0);
    reader.feed("\r\n$1\r\nb\r\n");
    REQUIRE(reader.next(into, &notes) == true);
    REQUIRE(notes.taken.size() == 3);
    CHECK(notes.taken[0] == "text a");
    CHECK(notes.taken[1].ends_with("|" + std::to_string(length)));
    CHECK(notes.taken[2] == "text b");
}

TEST_CASE("a long text that does not end where it said and one that no server has are refused") {
    for (const std::string& bytes : {"*1\r\n$200\r\n" + std::string(204, 'x'), std::string("*1\r\n$536870913\r\n")}) {
        RespReader reader;
        Reply into;
        Notes notes(1, 10);
        bool refused = false;
        for (const char byte : bytes) {
            reader.feed(std::string_view(&byte, 1));
            refused = refused || !reader.next(into, &notes).has_value();
        }
        CHECK(refused);
    }
}

TEST_CASE("an array of a hundred thousand values arrives whole and in order") {
    std::string bytes = "*100000\r\n";
    for (int i = 0; i < 100000; ++i) {
        const std::string value = std::to_string(i);
        bytes += "$" + std::to_string(value.size()) + "\r\n" + value + "\r\n";
    }
    RespReader reader;
    Reply into;
    std::vector<Reply> replies;
    for (std::size_t at = 0; at < bytes.size(); at += 10000) {
        reader.feed(std::string_view(bytes).substr(at, 10000));
        for (Reply& reply : drain(reader, into)) replies.push_back(std::move(reply));
    }
    REQUIRE(replies.size() == 1);
    REQUIRE(replies[0].elements.size() == 100000);
    for (std::size_t i = 0; i < 100000; ++i) REQUIRE(replies[0].elements[i].text == std::to_string(i));
}

TEST_CASE("bytes that are no RESP2 are an error at once") {
    const std::vector<std::string> garbage{"HTTP/1.1 400 Bad Request\r\n",
                                           "SSH-2.0-OpenSSH_9.2\r\n",
                                           "\x15\x03\x01",
                                           "OK\r\n",
                                           "\r\n",
                                           std::string(1, '\0'),
                                           ":\r\n",
                                           ":abc\r\n",
                                           ":1x\r\n",
                                           ":9223372036854775808\r\n",
                                           ":1.5\r\n",
                                           "$x\r\n",
                                           "$\r\n",
                                           "$-2\r\n",
                                           "*-2\r\n",
                                           "*x\r\n",
                                           "*\r\n",
                                           "+OK\n",
                                           "-ERR\n",
                                           ":5\n",
                                           "$3\nabc\n",
                                           "*1\n",
                                           "+a\rb\r\n",
                                           "-a\rb\r\n",
                                           "$3\r\nabcXX",
                                           "$3\r\nabcd\r\n",
                                           "*1\r\n$1\r\nxXX",
                                           "%1\r\n+a\r\n+b\r\n",
                                           "~1\r\n+a\r\n",
                                           ">1\r\n+a\r\n",
                                           "_\r\n",
                                           "#t\r\n",
                                           ",1.5\r\n",
                                           "(12345\r\n",
                                           "=7\r\ntxt:abc\r\n",
                                           "|1\r\n+a\r\n+b\r\n+c\r\n"};
    for (const std::string& bytes : garbage) {
        INFO(bytes);
        CHECK_FALSE(error_of(bytes).empty());
    }
}

TEST_CASE("lengths over the caps are refused by their header alone") {
    CHECK(error_of("$9223372036854775807\r\n").find("too large") != std::string::npos);
    CHECK(error_of("$1099511627776\r\n").find("too large") != std::string::npos);
    CHECK(error_of("$67108865\r\n").find("too large") != std::string::npos);
    CHECK(error_of("*1\r\n$67108865\r\n").find("too large") != std::string::npos);
    CHECK(error_of("*2147483647\r\n").find("too large") != std::string::npos);
    CHECK(error_of("*1048577\r\n").find("too large") != std::string::npos);
    CHECK_FALSE(error_of("$18446744073709551616\r\n").empty());
    CHECK_FALSE(error_of("*18446744073709551616\r\n").empty());
}

TEST_CASE("caps count the whole reply and not only one array or value") {
    ReplyCaps caps;
    caps.elements = 10;
    caps.bytes = 200;
    caps.depth = 2;
    CHECK(error_of("*2\r\n*4\r\n:1\r\n:2\r\n:3\r\n:4\r\n*4\r\n:1\r\n:2\r\n:3\r\n:4\r\n", caps).empty());
    CHECK(error_of("*2\r\n*4\r\n:1\r\n:2\r\n:3\r\n:4\r\n*5\r\n", caps).find("too large") != std::string::npos);
    CHECK(error_of("*1\r\n*1\r\n*1\r\n", caps).find("too large") != std::string::npos);
    CHECK(error_of("*9\r\n$190\r\n" + std::string(190, 'x') + "\r\n$100\r\n", caps).find("too large") !=
          std::string::npos);
    CHECK(error_of("+" + std::string(300, 'x'), caps).find("too large") != std::string::npos);
    std::string many;
    for (int i = 0; i < 100; ++i) many += "*2\r\n:1\r\n:2\r\n";
    CHECK(error_of(many, caps).empty());
}

TEST_CASE("arrays nested deeper than the cap are refused") {
    std::string bytes;
    for (int i = 0; i < 7; ++i) bytes += "*1\r\n";
    CHECK(error_of(bytes + ":1\r\n").empty());
    CHECK_FALSE(error_of(bytes + "*1\r\n:1\r\n").empty());
    CHECK_FALSE(error_of(bytes + "*1\r\n*1\r\n*1\r\n:1\r\n").empty());
}

TEST_CASE("random bytes and mutated replies never break the reader") {
    std::mt19937 random(20261121);
    const std::string good = sample().bytes;
    for (int round = 0; round < 20000; ++round) {
        std::string bytes = good;
        const std::size_t changes = 1 + random() % 4;
        for (std::size_t i = 0; i < changes; ++i) {
            const char replacement =
                random() % 2 == 0 ? static_cast<char>(random()) : "*$+-:0123456789\r\n"[random() % 17];
            bytes[random() % bytes.size()] = replacement;
        }
        error_of(std::string_view(bytes).substr(random() % 8));
    }
    SUCCEED("no crash, no endless loop");
}

}  // namespace
}  // namespace ratectl
