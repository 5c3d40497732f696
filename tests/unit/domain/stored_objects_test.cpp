// Objects of other programs, as they were stored, and as they never are.
#include "domain/objects/stored_objects.h"

#include <string>

#include "support/catch.h"

using namespace std::string_literals;
using ratectl::domain::objects::symfony_in;
using ratectl::domain::objects::SymfonyState;

namespace {

// Of Symfony 5.4 on PHP 8.2.
const auto kWindow =
    "O:43:\"Symfony\\Component\\RateLimiter\\Policy\\Window\":2:{s:9:\"login-bob\";d:1795491147.115228;"
    "s:8:\"\0\0\0\3\0\0\0<\";i:10;}"s;
const auto kSliding =
    "O:50:\"Symfony\\Component\\RateLimiter\\Policy\\SlidingWindow\":1:{s:21:"
    "\"\0\0\0\3\0\0\0\1\0\0\0<login-bob\";d:1795491207.115405;}"s;
const auto kBucket =
    "O:48:\"Symfony\\Component\\RateLimiter\\Policy\\TokenBucket\":2:{s:9:\"\0\0\0\5api-7\";i:4;s:17:"
    "\"P0Y0M0DT00H1M0S-3\";d:1795491147.115639;}"s;
const auto kBinaryWindow =
    "\0\0\0\2\x17+Symfony\\Component\\RateLimiter\\Policy\\Window\x14\2\x06*"
    "\x0c\x41\xda\xc1\x41\x8a\xb0\x38\x32\x11\x08\0\0\0\3\0\1\x11\x70\x0a\0\1\x86\xa0"s;
const auto kBinaryBucket =
    "\0\0\0\2\x17\x30Symfony\\Component\\RateLimiter\\Policy\\TokenBucket\x14\2\x11\x07\0\0\1,api"
    "\x07\x05\x11\x11P0Y0M0DT00H1M0S-3\x0c\x40\x14\0\0\0\0\0\0"s;

}  // namespace

TEST_CASE("Windows and buckets of Symfony are read as PHP and igbinary write them") {
    const auto window = symfony_in(kWindow);
    REQUIRE(window);
    CHECK(window->kind == SymfonyState::Kind::fixed_window);
    CHECK(window->hits == 3);
    CHECK(window->size == 10);
    CHECK(window->period.count() == 60);
    CHECK(window->at == 1795491147.115228);
    const auto sliding = symfony_in(kSliding);
    REQUIRE(sliding);
    CHECK(sliding->kind == SymfonyState::Kind::sliding_window);
    CHECK(sliding->hits == 3);
    CHECK(sliding->hits_before == 1);
    CHECK_FALSE(sliding->size);
    CHECK(sliding->at == 1795491207.115405);
    const auto bucket = symfony_in(kBucket);
    REQUIRE(bucket);
    CHECK(bucket->kind == SymfonyState::Kind::token_bucket);
    CHECK(bucket->tokens == 4);
    CHECK(bucket->size == 5);
    CHECK(bucket->refill == 3);
    CHECK(bucket->period.count() == 60);
    const auto binary = symfony_in(kBinaryWindow);
    REQUIRE(binary);
    CHECK(binary->hits == 3);
    CHECK(binary->size == 100'000);
    CHECK(binary->period.count() == 70'000);
    const auto owing = symfony_in(kBinaryBucket);
    REQUIRE(owing);
    CHECK(owing->tokens == -5);
    CHECK(owing->size == 300);
    CHECK(owing->at == 5);
}

TEST_CASE("What is cut, or changed in any byte, is another object of Symfony or none") {
    for (const auto& whole : {kWindow, kSliding, kBucket, kBinaryWindow, kBinaryBucket}) {
        for (std::size_t size = 0; size < whole.size(); ++size) CHECK_FALSE(symfony_in(whole.substr(0, size)));
        CHECK_FALSE(symfony_in(whole + "x"));
        for (std::size_t at = 0; at < whole.size(); ++at) {
            for (int byte = 0; byte < 256; ++byte) {
                auto changed = whole;
                changed[at] = static_cast<char>(byte);
                const auto state = symfony_in(changed);
                if (state) CHECK(state->period.count() > 0);
            }
        }
    }
    CHECK_FALSE(
        symfony_in("O:43:\"Symfony\\Component\\RateLimiter\\Policy\\Window\":2:{s:99999999999999999999:\"\";}"));
    CHECK_FALSE(symfony_in("O:-1:\"\":2:{}"));
}
