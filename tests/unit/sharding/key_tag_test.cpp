// Key tags: the seven rules on the keys where they differ, and twemproxy's two characters.

#include "sharding/key_tag.h"

#include <array>

#include "sharding/hash_functions.h"
#include "unit/sharding/vectors.h"

namespace ratectl::sharding {

namespace {

/// What is hashed: the tag, or the whole key.
std::string hashed(const std::string& rule, const std::string& key) {
    const auto tag = parse_key_tag(rule);
    REQUIRE(tag.has_value());
    return std::string(find_tag(*tag, key).value_or(key));
}

struct Differing {
    std::string key;
    std::array<std::string, 6> hashed;  // redis, phpredis, ruby, jedis, greedy, npm
};

std::size_t slot(std::string_view rule, const std::string& key) {
    const auto tag = parse_key_tag(rule);
    return hashes::crc16(find_tag(*tag, key).value_or(key)).modulo(16384);
}

std::size_t wrong_slots(const std::string& column, std::string_view rule) {
    const auto& table = vectors::table();
    const auto& cells = table.cells.at(column);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i].empty() || cells[i] == "-") continue;
        if (std::to_string(slot(rule, table.keys[i])) != cells[i]) ++wrong;
    }
    return wrong;
}

}  // namespace

TEST_CASE("the key tag rules differ exactly where the libraries differ") {
    const std::array<std::string, 6> rules{"redis", "phpredis", "ruby", "jedis", "greedy", "npm"};
    const std::vector<Differing> rows{
        {"x{a}y", {"a", "a", "x{a}y", "a", "a", "a"}},
        {"{a}{b}", {"a", "a", "a", "a", "b", "a"}},
        {"a{b}c{d}e", {"b", "b", "a{b}c{d}e", "b", "d", "b"}},
        {"{a}b}", {"a", "a", "a", "a", "a}b", "a"}},
        {"{}", {"{}", "", "{}", "{}", "", "{}"}},
        {"{}x}", {"{}x}", "", "}x", "}x", "}x", "x"}},
        {"{}{a}", {"{}{a}", "", "}{a", "}{a", "a", "{a"}},
        {"foo{}{bar}", {"foo{}{bar}", "", "foo{}{bar}", "}{bar", "bar", "{bar"}},
        {"x\n{a}y", {"a", "a", "a", "a", "x\n{a}y", "a"}},
        {"none", {"none", "none", "none", "none", "none", "none"}},
        {"", {"", "", "", "", "", ""}},
        {"{", {"{", "{", "{", "{", "{", "{"}},
        {"}a{", {"}a{", "}a{", "}a{", "}a{", "}a{", "}a{"}},
        {"{a\nb}", {"a\nb", "a\nb", "{a\nb}", "{a\nb}", "{a\nb}", "a\nb"}},
    };
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < rules.size(); ++i) {
            INFO("rule " << rules[i] << ", key " << row.key);
            CHECK(hashed(rules[i], row.key) == row.hashed[i]);
        }
    }
}

TEST_CASE("a NUL byte ends the search of phpredis but not that of Codis") {
    const std::string key("a\0{t}", 5);
    CHECK(hashed("phpredis", key) == key);
    CHECK(hashed("codis", key) == "t");
    CHECK(hashed("redis", key) == "t");
    CHECK(hashed("codis", "a{}") == "");
}

TEST_CASE("the tag of rediscluster-py goes from the first brace to the last byte but one") {
    CHECK(hashed("salimane", "key{tag}") == "tag");
    CHECK(hashed("salimane", "key{tag}x") == "tag}");
    CHECK(hashed("salimane", "a{b}{c}") == "b}{c");
    CHECK(hashed("salimane", "key{") == "");
    CHECK(hashed("salimane", "{}") == "");
    CHECK(hashed("salimane", "key") == "key");
}

TEST_CASE("a line of Java also ends at its Unicode separators") {
    for (const std::string separator : {"\n", "\r", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
        CHECK(hashed("jedis", "{a" + separator + "b}{c}") == "c");
        if (separator != "\n") {
            CHECK(hashed("ruby", "{a" + separator + "b}{c}") == "a" + separator + "b");
        }
    }
}

TEST_CASE("ruby tags begin a line unless the rule is ruby-any") {
    CHECK(hashed("ruby", "x{a}") == "x{a}");
    CHECK(hashed("ruby", "x\ny{b}\n{a}") == "a");
    CHECK(hashed("ruby-any", "x{a}") == "a");
    CHECK(hashed("ruby-any", "{\n}{b}") == "b");
}

TEST_CASE("two characters make a twemproxy tag") {
    CHECK(hashed("{}", "x{a}{b}") == "a");
    CHECK(hashed("$$", "x$a$b$") == "a");
    CHECK(hashed("$$", "x$$b$") == "x$$b$");
    CHECK(hashed("<>", "x<a>") == "a");
    CHECK(hashed("<>", "x{a}") == "x{a}");
    CHECK(describe(*parse_key_tag("$$")) == "$$");
    CHECK(describe(*parse_key_tag("{}")) == "redis");
    CHECK(describe(*parse_key_tag("greedy")) == "greedy");
}

TEST_CASE("a misspelt key tag rule is refused with a near name") {
    const auto tag = parse_key_tag("rubby");
    REQUIRE_FALSE(tag.has_value());
    CHECK(tag.error().code == support::ExitCode::configuration);
    CHECK(tag.error().hint.find("ruby") != std::string::npos);
    CHECK_FALSE(parse_key_tag("").has_value());
    CHECK_FALSE(parse_key_tag("{").has_value());
}

TEST_CASE("the redis rule and crc16 give the slots of CLUSTER KEYSLOT") {
    CHECK(hashes::crc16("123456789").words[0] == 0x31C3);
    CHECK(wrong_slots("rediscluster-keyslot", "redis") == 0);
    CHECK(wrong_slots("redispy-keyslot", "redis") == 0);
    CHECK(wrong_slots("clusterkeyslot-npm-buf", "npm") == 0);
    CHECK(wrong_slots("clusterkeyslot-npm-str", "npm") == 0);
    CHECK(wrong_slots("ioredis-command-slot", "npm") == 0);
    CHECK(wrong_slots("clusterkeyslot-npm-buf", "redis") > 0);
}

}  // namespace ratectl::sharding
