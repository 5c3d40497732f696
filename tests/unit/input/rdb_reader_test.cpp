// Dump files made by hand: every type, every encoding, and everything that may be wrong with them.
#include "input/rdb/reader.h"

#include <optional>
#include <string>
#include <vector>

#include "support/catch.h"
#include "unit/input/rdb_maker.h"
#include "unit/input/sources.h"

using namespace ratectl;
using namespace std::string_literals;
using input::RdbReader;
using test::RdbMaker;

namespace {

struct Read {
    struct Entry {
        std::uint64_t db = 0;
        std::string key;
        std::string type;
        std::string value;
        std::optional<std::int64_t> expires_at_ms;
    };
    std::vector<Entry> entries;
    std::string complaint;
    input::RdbFacts facts;
    bool has_checksum = false;

    const Entry& operator[](std::size_t i) const { return entries.at(i); }
};

Read read_dump(const std::string& bytes, bool values = true) {
    Read result;
    input::StringSource source(bytes, "dump.rdb");
    try {
        RdbReader reader(source);
        result.facts = reader.facts();
        while (const auto* key = reader.next_key()) {
            Read::Entry entry{key->db, std::string(key->key), {}, {}, key->expires_at_ms};
            if (values) {
                const auto value = reader.read_value();
                entry.type = value.type;
                entry.value = value.bytes;
            }
            result.entries.push_back(std::move(entry));
        }
        result.has_checksum = reader.has_checksum();
    } catch (const support::Failure& failure) {
        CHECK(failure.error().code == support::ExitCode::local_io);
        result.complaint = failure.error().message;
    }
    return result;
}

/// What the value `bytes` of type `code` are between two strings: its type word. Both strings must have been found.
std::string type_of(unsigned code, const RdbMaker& value, std::string_view header = "REDIS0011") {
    RdbMaker made(header);
    made.db(0).string("before", "1").key(code, "it").raw(value.bytes()).string("after", "2");
    for (const bool values : {true, false}) {
        const Read found = read_dump(made.ended(), values);
        INFO("type " << code << ": " << found.complaint);
        REQUIRE(found.complaint.empty());
        REQUIRE(found.entries.size() == 3);
        CHECK(found[1].key == "it");
        CHECK(found[2].key == "after");
        if (values) CHECK(found[2].value == "2");
    }
    return read_dump(made.ended())[1].type;
}

RdbMaker nothing() { return RdbMaker(""); }
constexpr const char* kId = "0123456789abcdef";

RdbMaker stream(int version) {
    RdbMaker made("");
    made.length(2).text(kId).text("a block").text(kId).text("another");
    made.length(3).length(1'700'000'000'000).length(7);
    if (version >= 2) made.length(1'600'000'000'000).length(1).length(0).length(0).length(9);
    made.length(1).text("group").length(1'700'000'000'000).length(0);
    if (version >= 2) made.length(5);
    made.length(2);
    for (int i = 0; i < 2; ++i) made.raw(kId).little(1'700'000'000'000, 8).length(1);
    made.length(1).text("consumer").little(1'700'000'000'000, 8);
    if (version >= 3) made.little(1'700'000'000'001, 8);
    return made.length(2).raw(kId).raw(kId);
}

}  // namespace

TEST_CASE("a dump without keys is read to its end") {
    const Read found = read_dump(RdbMaker().ended());
    CHECK(found.complaint.empty());
    CHECK(found.entries.empty());
    CHECK(found.has_checksum);
}

TEST_CASE("a dump says who wrote it and when") {
    const Read found = read_dump(RdbMaker("REDIS0010")
                                     .aux("redis-ver", "7.0.15")
                                     .aux("redis-bits", "64")
                                     .byte(250)
                                     .text("ctime")
                                     .byte(0xc2)
                                     .little(1'767'225'600, 4)
                                     .aux("used-mem", "1000")
                                     .aux("aof-preamble", "1")
                                     .ended());
    CHECK(found.facts.format == 10);
    CHECK(found.facts.server == "redis 7.0.15");
    CHECK(found.facts.written_at == support::from_epoch(1'767'225'600));
    CHECK(found.facts.aof_preamble);
    CHECK_FALSE(found.facts.valkey_format);
    const Read valkey = read_dump(RdbMaker("VALKEY080").aux("valkey-ver", "9.0.1").ended());
    CHECK(valkey.facts.format == 80);
    CHECK(valkey.facts.valkey_format);
    CHECK(valkey.facts.server == "valkey 9.0.1");
    const Read old = read_dump(RdbMaker("REDIS0006").db(0).string("k", "v").ended());
    CHECK_FALSE(old.facts.written_at.has_value());
    CHECK(old.entries.size() == 1);
}

TEST_CASE("every encoding of a string is read exactly") {
    RdbMaker made;
    made.db(0);
    made.key(0, "raw").text("bytes \0 and \xff"s);
    made.key(0, "empty").text("");
    made.key(0, "int8").byte(0xc0).little(static_cast<std::uint8_t>(-128), 1);
    made.key(0, "int8 max").byte(0xc0).little(127, 1);
    made.key(0, "int16").byte(0xc1).little(static_cast<std::uint16_t>(-32768), 2);
    made.key(0, "int16 max").byte(0xc1).little(32767, 2);
    made.key(0, "int32").byte(0xc2).little(static_cast<std::uint32_t>(INT32_MIN), 4);
    made.key(0, "int32 max").byte(0xc2).little(INT32_MAX, 4);
    made.key(0, "packed")
        .byte(0xc3)
        .length(5)
        .length(265)
        .raw(
            "\x00"
            "a\xe0\xff\x00"s);
    made.byte(0).byte(0xc0).little(42, 1).text("the key was a number");
    const Read found = read_dump(made.ended());
    CHECK(found.complaint.empty());
    REQUIRE(found.entries.size() == 10);
    CHECK(found[0].value == "bytes \0 and \xff"s);
    CHECK(found[1].value.empty());
    CHECK(found[2].value == "-128");
    CHECK(found[3].value == "127");
    CHECK(found[4].value == "-32768");
    CHECK(found[5].value == "32767");
    CHECK(found[6].value == "-2147483648");
    CHECK(found[7].value == "2147483647");
    CHECK(found[8].value == std::string(265, 'a'));
    CHECK(found[9].key == "42");
    CHECK(read_dump(made.ended(), false).entries.size() == 10);
}

TEST_CASE("lengths of 6 and 14 and 32 and 64 bits are read and no others") {
    for (const std::size_t size : {std::size_t{63}, std::size_t{64}, std::size_t{16383}, std::size_t{16384}}) {
        const std::string key(size, 'k');
        const Read found = read_dump(RdbMaker().db(0).string(key, "v").ended());
        REQUIRE(found.entries.size() == 1);
        CHECK(found[0].key == key);
    }
    const Read wide =
        read_dump(RdbMaker().db(0).byte(0).byte(0x81).big(3, 8).raw("key").byte(0x80).big(2, 4).raw("ab").ended());
    REQUIRE(wide.entries.size() == 1);
    CHECK(wide[0].key == "key");
    CHECK(wide[0].value == "ab");
    const Read odd = read_dump(RdbMaker().db(0).byte(0).byte(0x82).raw("key").ended());
    CHECK(odd.complaint == "dump.rdb: unreadable from byte 13 on, in a key: no length begins with 0x82");
}

TEST_CASE("expiries of both kinds belong to the key that follows and to no other") {
    const Read found = read_dump(RdbMaker()
                                     .db(0)
                                     .expires_ms(1'767'225'600'123)
                                     .byte(248)
                                     .length(100)
                                     .string("ms", "1")
                                     .byte(253)
                                     .little(1'767'225'600, 4)
                                     .byte(249)
                                     .byte(7)
                                     .string("s", "2")
                                     .string("none", "3")
                                     .expires_ms(-1)
                                     .string("before the epoch", "4")
                                     .ended());
    REQUIRE(found.entries.size() == 4);
    CHECK(found[0].expires_at_ms == 1'767'225'600'123);
    CHECK(found[1].expires_at_ms == 1'767'225'600'000);
    CHECK_FALSE(found[2].expires_at_ms.has_value());
    CHECK(found[3].expires_at_ms == -1);
}

TEST_CASE("the dbs of a dump are told apart") {
    const Read found = read_dump(RdbMaker()
                                     .db(0)
                                     .byte(251)
                                     .length(1)
                                     .length(0)
                                     .string("a", "1")
                                     .db(15)
                                     .byte(251)
                                     .length(1)
                                     .length(1)
                                     .string("b", "2")
                                     .ended());
    REQUIRE(found.entries.size() == 2);
    CHECK(found[0].db == 0);
    CHECK(found[1].db == 15);
}

TEST_CASE("every type of Redis 2 to 6 is passed over") {
    CHECK(type_of(0, nothing().text("value")) == "string");
    CHECK(type_of(1, nothing().length(3).texts(3)) == "list");
    CHECK(type_of(2, nothing().length(2).texts(2)) == "set");
    CHECK(type_of(3, nothing().length(4).text("a").text("1.5").text("b").byte(253).text("c").byte(254).text("d").byte(
                         255)) == "zset");
    CHECK(type_of(4, nothing().length(2).texts(4)) == "hash");
    CHECK(type_of(5, nothing().length(2).text("a").little(1, 8).text("b").little(2, 8)) == "zset");
    CHECK(type_of(9, nothing().text("a zipmap")) == "hash");
    CHECK(type_of(10, nothing().text("a ziplist")) == "list");
    CHECK(type_of(11, nothing().text("an intset")) == "set");
    CHECK(type_of(12, nothing().text("a ziplist")) == "zset");
    CHECK(type_of(13, nothing().byte(0xc3).length(5).length(265).raw("\x00"
                                                                     "a\xe0\xff\x00"s)) == "hash");
    CHECK(type_of(14, nothing().length(3).texts(3)) == "list");
    CHECK(type_of(15, stream(1)) == "stream");
}

TEST_CASE("every type of Redis 7 and 8 is passed over") {
    CHECK(type_of(16, nothing().text("a listpack")) == "hash");
    CHECK(type_of(17, nothing().text("a listpack")) == "zset");
    CHECK(type_of(18, nothing().length(2).length(1).text("plain").length(2).text("packed")) == "list");
    CHECK(type_of(19, stream(2)) == "stream");
    CHECK(type_of(20, nothing().text("a listpack")) == "set");
    CHECK(type_of(21, stream(3)) == "stream");
    CHECK(type_of(22, nothing().length(2).length(0).texts(2).length(1'767'225'600'000).texts(2), "REDIS0012") ==
          "hash");
    CHECK(type_of(23, nothing().text("a listpack"), "REDIS0012") == "hash");
    CHECK(type_of(24, nothing().little(1'767'225'600'000, 8).length(2).length(0).texts(2).length(5).texts(2),
                  "REDIS0012") == "hash");
    CHECK(type_of(25, nothing().little(1'767'225'600'000, 8).text("a listpack"), "REDIS0012") == "hash");
}

TEST_CASE("the hash of Valkey 9 whose fields expire is passed over and is no hash of Redis") {
    const auto fields = nothing().length(2).texts(2).little(UINT64_MAX, 8).texts(2).little(1'767'225'600'000, 8);
    CHECK(type_of(22, fields, "VALKEY080") == "hash");
    const Read other = read_dump(RdbMaker("VALKEY080").db(0).key(24, "k").raw(fields.bytes()).ended());
    CHECK(other.complaint ==
          "dump.rdb: unreadable from byte 12 on, in what stands before a key: 24 is not a type of a value that this "
          "program knows");
}

TEST_CASE("the value of a module is passed over and has the name of the module") {
    const std::uint64_t id = (std::uint64_t{0} << 58 | std::uint64_t{25} << 52 | std::uint64_t{26} << 46 |
                              std::uint64_t{51} << 40 | std::uint64_t{52} << 34 | std::uint64_t{61} << 28 |
                              std::uint64_t{62} << 22 | std::uint64_t{63} << 16 | std::uint64_t{1} << 10) |
                             3;
    const auto value = nothing()
                           .length(id)
                           .length(1)
                           .length(7)
                           .length(2)
                           .length(1'000'000)
                           .length(3)
                           .little(1, 4)
                           .length(4)
                           .little(2, 8)
                           .length(5)
                           .text("text")
                           .length(5)
                           .byte(0xc0)
                           .byte(9)
                           .length(0);
    CHECK(type_of(7, value) == "AZaz09-_B");
}

TEST_CASE("functions and slots and what modules keep beside the keys are passed over") {
    RdbMaker made;
    made.byte(245).text("#!lua name=mylib ...");
    made.byte(246).text("name").text("LUA").length(1).text("what it does").text("code");
    made.byte(246).text("name").text("LUA").length(0).text("code");
    made.byte(247).length(12345).length(2).length(2).length(5).text("x").length(0);
    made.db(0).byte(244).length(5).length(100).length(3).string("k", "v");
    made.byte(247).length(12345).length(2).length(1).length(0);
    const Read found = read_dump(made.ended());
    CHECK(found.complaint.empty());
    REQUIRE(found.entries.size() == 1);
    const Read importing = read_dump(
        RdbMaker("VALKEY080").byte(243).text("job").length(1).length(0).length(100).db(0).string("k", "v").ended());
    CHECK(importing.entries.size() == 1);
}

TEST_CASE("what cannot be passed over is refused by name and what came before it stays") {
    const auto refused = [](const RdbMaker& made) {
        const Read found = read_dump(made.ended());
        CHECK(found.entries.size() == 1);
        return found.complaint;
    };
    const auto after_one = [](std::string_view header) { return RdbMaker(header).db(0).string("k", "v"); };
    CHECK(refused(after_one("REDIS0011").key(6, "m").length(1)) ==
          "dump.rdb: unreadable from byte 19 on, in a key: a module's value from a release candidate of Redis 4, whose "
          "length "
          "only the module knows");
    CHECK(refused(after_one("REDIS0013").key(26, "s").text("new")) ==
          "dump.rdb: unreadable from byte 17 on, in what stands before a key: 26 is not a type of a value that this "
          "program knows");
    CHECK(refused(after_one("REDIS0011").key(8, "s").text("odd")) ==
          "dump.rdb: unreadable from byte 17 on, in what stands before a key: 8 is not a type of a value that this "
          "program knows");
    CHECK(refused(after_one("REDIS0013").byte(243).length(1)) ==
          "dump.rdb: unreadable from byte 17 on, in what stands before a key: metadata of a module at a key, of a "
          "format newer "
          "than this "
          "program");
    CHECK(refused(after_one("VALKEY081").byte(242)) ==
          "dump.rdb: unreadable from byte 17 on, in what stands before a key: a command between the keys (opcode 242), "
          "which "
          "only a "
          "server can carry out");
}

TEST_CASE("what is no dump is refused at its first byte") {
    CHECK(read_dump("").complaint == "dump.rdb: cut off at byte 0, in the header");
    CHECK(read_dump("REDI").complaint == "dump.rdb: cut off at byte 4, in the header");
    CHECK(read_dump("*3\r\n$3\r\nSET\r\n").complaint ==
          "dump.rdb: unreadable from byte 9 on, in the header: it begins with neither REDIS nor VALKEY");
    CHECK(read_dump("REDIS00x1 and more").complaint ==
          "dump.rdb: unreadable from byte 9 on, in the header: its format is not a number");
    CHECK(read_dump("REDIS0003 and more").complaint ==
          "dump.rdb: unreadable from byte 9 on, in the header: format 3 is older than Redis 2.6");
}

TEST_CASE("a wrong checksum is found and one that was never computed is none") {
    std::string bytes = RdbMaker().db(0).string("core:alice", "17").ended();
    CHECK(read_dump(bytes).has_checksum);
    const auto digit = bytes.rfind("17");
    bytes[digit] = '9';
    const Read wrong = read_dump(bytes);
    CHECK(wrong.entries.size() == 1);
    CHECK(wrong.complaint.find("dump.rdb: its checksum is wrong: it says ") == 0);
    const Read none = read_dump(RdbMaker().db(0).string("core:alice", "97").ended_without_checksum());
    CHECK(none.complaint.empty());
    CHECK_FALSE(none.has_checksum);
}

TEST_CASE("a dump cut off anywhere says so and only a whole one is taken for whole") {
    RdbMaker made("REDIS0011");
    made.aux("redis-ver", "7.2.4")
        .aux("ctime", "1767225600")
        .byte(245)
        .text("#!lua name=lib")
        .db(0)
        .byte(251)
        .length(9)
        .length(2);
    made.window("core:alice", "17", 1'767'229'200).string("number", "x").key(0, "int").byte(0xc2).little(70'000, 4);
    made.key(0, "packed")
        .byte(0xc3)
        .length(5)
        .length(265)
        .raw(
            "\x00"
            "a\xe0\xff\x00"s);
    made.key(5, "zset").length(1).text("m").little(1, 8).key(21, "stream").raw(stream(3).bytes());
    made.key(7, "module")
        .length(77)
        .length(4)
        .little(3, 8)
        .length(0)
        .key(18, "list")
        .length(1)
        .length(2)
        .text("packed");
    const std::string whole = made.ended();
    REQUIRE(read_dump(whole).complaint.empty());
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const Read cut = read_dump(whole.substr(0, size));
        INFO("cut to " << size << " of " << whole.size() << " bytes: " << cut.complaint);
        CHECK(cut.complaint.find(": cut off at byte " + std::to_string(size) + ", in ") != std::string::npos);
        CHECK(read_dump(whole.substr(0, size), false).complaint == cut.complaint);
    }
}

TEST_CASE("lengths that lie are found without taking memory for them") {
    const auto complaint = [](const RdbMaker& made) { return read_dump(made.ended(), false).complaint; };
    const auto at = [] { return RdbMaker().db(0); };
    CHECK(complaint(at().byte(0).byte(0x81).big(UINT64_MAX, 8)).find("cut off") != std::string::npos);
    CHECK(complaint(at().key(0, "k").byte(0x81).big(UINT64_MAX, 8)).find("cut off") != std::string::npos);
    CHECK(complaint(at().key(4, "k").byte(0x81).big(UINT64_MAX, 8).texts(9)).find(", in a hash") != std::string::npos);
    CHECK(complaint(at().key(0, "k").byte(0xc3).length(5).byte(0x81).big(1ULL << 40, 8).raw("12345")) ==
          "dump.rdb: unreadable from byte 25 on, in a string: 5 packed bytes cannot hold 1099511627776");
    CHECK(complaint(at().byte(0).byte(0xc3).byte(0x81).big(UINT64_MAX, 8).byte(0x81).big(UINT64_MAX, 8))
              .find("cut off") != std::string::npos);
    CHECK(complaint(at().key(0, "k").byte(0xc4)) ==
          "dump.rdb: unreadable from byte 15 on, in a string: a string has the unknown encoding 4");
    CHECK(complaint(at().key(1, "k").byte(0xc0)) ==
          "dump.rdb: unreadable from byte 15 on, in a list: a string stands where a number belongs");
    CHECK(complaint(at().key(7, "k").length(1).length(6)) ==
          "dump.rdb: unreadable from byte 16 on, in a module: a module's value has the unknown part 6");
}

TEST_CASE("a value longer than any counter is cut and a key longer than any window is named as such") {
    const std::string big(1'000'000, 'x');
    const Read cut = read_dump(RdbMaker().db(0).string("k", big).string("after", "1").ended());
    REQUIRE(cut.entries.size() == 2);
    CHECK(cut[0].value == big.substr(0, RdbReader::kLongestValue));
    CHECK(cut[1].value == "1");
    input::StringSource source(RdbMaker().db(0).string(big, "v").string(std::string(65'535, 'y'), "1").ended());
    RdbReader reader(source);
    const auto* key = reader.next_key();
    REQUIRE(key != nullptr);
    CHECK(key->too_long);
    CHECK(key->key == big.substr(0, RdbReader::kLongestKey));
    CHECK(reader.read_value().bytes == "v");
    key = reader.next_key();
    REQUIRE(key != nullptr);
    CHECK_FALSE(key->too_long);
    CHECK(key->key.size() == 65'535);
}

TEST_CASE("something behind the end of a dump is seen") {
    for (const std::string& more : {""s, "x"s, "*1\r\n$4\r\nPING\r\n"s}) {
        input::StringSource source(RdbMaker().db(0).string("k", "v").ended() + more);
        RdbReader reader(source);
        while (reader.next_key() != nullptr) continue;
        CHECK(reader.has_more() == !more.empty());
    }
}
