// Every corpus file, and two seconds of mutations of them, through every fuzz target.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/targets.h"
#include "support/base64.h"
#include "support/catch.h"
#include "support/places.h"
#include "unit/random_source.h"

namespace ratectl::fuzz {

namespace {

constexpr std::size_t kLongest = 4096;

std::vector<std::string> corpus(std::string_view target) {
    std::vector<std::filesystem::path> files;
    const auto folder = std::filesystem::path(test::source_dir() + "/tests/fuzz/corpus") / target;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<std::string> all;
    for (const auto& file : files) {
        std::ifstream in(file, std::ios::binary);
        all.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return all;
}

/// Bits of the languages that the targets read.
const std::vector<std::string> kWords{"\r\n",
                                      "\n",
                                      "*2\r\n",
                                      "$-1\r\n",
                                      "$3\r\nabc\r\n",
                                      ":7\r\n",
                                      "-ERR x\r\n",
                                      "*-1\r\n",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "9007199254740992",
                                      "0",
                                      "-",
                                      "{",
                                      "}",
                                      "{{",
                                      "{client}",
                                      "\\",
                                      "\\x",
                                      "\\u{",
                                      "*",
                                      "?",
                                      "[^",
                                      "]",
                                      "\"",
                                      "'",
                                      "\"\"",
                                      ",",
                                      "=",
                                      "[[",
                                      "]]",
                                      "key",
                                      "key_b64",
                                      "amount",
                                      "reset_at",
                                      "null",
                                      "\xff",
                                      "\xc3\xa9",
                                      "\xe2\x80\xae",
                                      "\x1b[2J",
                                      std::string(1, '\0'),
                                      "redis://",
                                      "unix://",
                                      "%00",
                                      "@",
                                      ":",
                                      "/",
                                      "--",
                                      "-o",
                                      "1h30m",
                                      "1:1",
                                      "redis: true\n",
                                      "  servers:\n   - ",
                                      "&a ",
                                      "*a",
                                      "<<: ",
                                      "!!str ",
                                      ":6379:1 ",
                                      "7:applied",
                                      "REDIS0011",
                                      "\xfe",
                                      "\xff",
                                      ":exp"};

std::size_t place(test::RandomSource& random, const std::string& text) {
    return static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(text.size())));
}

const std::string& any(test::RandomSource& random, const std::vector<std::string>& list) {
    return list[static_cast<std::size_t>(random.number(0, static_cast<std::int64_t>(list.size()) - 1))];
}

void mutate(test::RandomSource& random, const std::vector<std::string>& seeds, std::string& text) {
    const std::size_t at = place(random, text);
    switch (random.number(0, 5)) {
        case 0: text.insert(at, any(random, kWords)); break;
        case 1: text.insert(at, random.bytes("", 1, 4)); break;
        case 2: text.erase(at, static_cast<std::size_t>(random.number(1, 8))); break;
        case 3:
            text.insert(at, text.substr(place(random, text), static_cast<std::size_t>(random.number(1, 32))));
            break;
        case 4: text = text.substr(0, at) + any(random, seeds).substr(0, kLongest / 2); break;
        default:
            if (at < text.size()) text[at] = static_cast<char>(random.number(0, 255));
    }
    if (text.size() > kLongest) text.resize(kLongest);
}

void run(const Target& target, const std::string& bytes) {
    try {
        target.run(bytes);
    } catch (const std::exception& error) {
        FAIL("target " << target.name << ": " << error.what()
                       << "; the bytes in hexadecimal: " << support::to_hex(bytes));
    }
}

void replay(std::string_view name) {
    const auto all = targets();
    const auto target = std::find_if(all.begin(), all.end(), [&](const Target& t) { return t.name == name; });
    REQUIRE(target != all.end());
    const auto seeds = corpus(name);
    REQUIRE(seeds.size() >= 3);
    run(*target, "");
    for (const auto& seed : seeds) run(*target, seed);
    test::RandomSource random;
    SHOW_SEED(random);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{2};
    std::size_t runs = 0;
    while (std::chrono::steady_clock::now() < end) {
        std::string text = any(random, seeds);
        for (std::int64_t n = random.number(1, 8); n > 0; --n) mutate(random, seeds, text);
        run(*target, text);
        ++runs;
    }
    CHECK(runs > 10);
}

}  // namespace

TEST_CASE("the reply reader survives its corpus and mutations") { replay("reply"); }
TEST_CASE("the look decoder survives its corpus and mutations") { replay("look"); }
TEST_CASE("the write answer decoder survives its corpus and mutations") { replay("write_answer"); }
TEST_CASE("operation keys survive their corpus and mutations") { replay("operation"); }
TEST_CASE("the classes of error replies survive their corpus and mutations") { replay("server_error"); }
TEST_CASE("printable survives its corpus and mutations") { replay("printable"); }
TEST_CASE("key formats survive their corpus and mutations") { replay("key_format"); }
TEST_CASE("globs survive their corpus and mutations") { replay("glob"); }
TEST_CASE("key templates survive their corpus and mutations") { replay("key_template"); }
TEST_CASE("numbers and times survive their corpus and mutations") { replay("numbers"); }
TEST_CASE("key rows survive their corpus and mutations") { replay("key_rows"); }
TEST_CASE("printed keys read back in their corpus and mutations") { replay("round_trip"); }
TEST_CASE("access log lines survive their corpus and mutations") { replay("access_log"); }
TEST_CASE("dump files survive their corpus and mutations") { replay("rdb"); }
TEST_CASE("packed strings survive their corpus and mutations") { replay("lzf"); }
TEST_CASE("configuration files survive their corpus and mutations") { replay("config"); }
TEST_CASE("twemproxy files survive their corpus and mutations") { replay("twemproxy"); }
TEST_CASE("server URLs survive their corpus and mutations") { replay("endpoint"); }
TEST_CASE("command lines survive their corpus and mutations") { replay("arguments"); }
TEST_CASE("key placement survives its corpus and mutations") { replay("placement"); }

TEST_CASE("every fuzz target has a corpus of its own") {
    std::vector<std::string> folders;
    for (const auto& entry : std::filesystem::directory_iterator(test::source_dir() + "/tests/fuzz/corpus")) {
        folders.push_back(entry.path().filename().string());
    }
    for (const auto& target : targets()) {
        CHECK(std::count(folders.begin(), folders.end(), target.name) == 1);
    }
    CHECK(folders.size() == targets().size());
}

}  // namespace ratectl::fuzz
