// What a client is told, in every dialect.
#include "domain/rate_headers.h"

#include "support/catch.h"
#include "support/window_look.h"

namespace ratectl::domain {
namespace {

using support::from_epoch;
using support::Seconds;

WindowLook alice_with(std::optional<std::string> used, std::optional<std::string> reset) {
    auto look = test::window_look();
    look.key = "core:alice";
    counter_part(look).value = std::move(used);
    expiry_part(look).value = std::move(reset);
    return look;
}

std::string text_of_lines(const std::vector<HeaderLine>& lines) {
    std::string all;
    for (const auto& line : lines) all += std::string(line.name) + ": " + line.value + "\n";
    return all;
}

const auto kToldAt = from_epoch(1'767'225'000);

ToldWindow open_window(const std::string& used) {
    return told_window(alice_with(used, "1767225600"), 5000, Seconds(3600), kToldAt);
}

TEST_CASE("An open window is told in every dialect as its readers expect it") {
    const auto told = open_window("4750");
    CHECK(text_of_lines(header_lines(told, "core", HeaderDialect::github)) ==
          "X-RateLimit-Limit: 5000\nX-RateLimit-Remaining: 250\nX-RateLimit-Reset: 1767225600\n"
          "X-RateLimit-Used: 4750\nX-RateLimit-Resource: core\n");
    CHECK(text_of_lines(header_lines(told, "core", HeaderDialect::legacy)) ==
          "X-RateLimit-Limit: 5000\nX-RateLimit-Remaining: 250\nX-RateLimit-Reset: 1767225600\n");
    CHECK(text_of_lines(header_lines(told, "core", HeaderDialect::draft_7)) ==
          "RateLimit-Policy: 5000;w=3600\nRateLimit: limit=5000, remaining=250, reset=600\n");
    CHECK(text_of_lines(header_lines(told, "core", HeaderDialect::draft_8)) ==
          "RateLimit-Policy: \"core\";q=5000;w=3600\nRateLimit: \"core\";r=250;t=600\n");
    CHECK(header_lines(told, "core", HeaderDialect::retry_after).empty());
}

TEST_CASE("A refusal tells when to come again but in the dialect that has no word for it") {
    const auto told = open_window("5003");
    CHECK(told.refused());
    CHECK(told.remaining == 0);
    for (const auto dialect :
         {HeaderDialect::legacy, HeaderDialect::draft_7, HeaderDialect::draft_8, HeaderDialect::retry_after}) {
        CHECK(header_lines(told, "core", dialect).back() == HeaderLine{"Retry-After", "600"});
    }
    CHECK(text_of_lines(header_lines(told, "core", HeaderDialect::github)).find("Retry-After") == std::string::npos);
    CHECK(text_of_lines(header_lines(told, "core", HeaderDialect::github)).find("X-RateLimit-Used: 5003") !=
          std::string::npos);
}

TEST_CASE("Of no window and of one that is over all is left and the reset is a period away") {
    for (const auto& look : {alice_with(std::nullopt, std::nullopt), alice_with("5000", "1767224999")}) {
        const auto told = told_window(look, 5000, Seconds(3600), kToldAt);
        CHECK(told.used == 0);
        CHECK(told.remaining == 5000);
        CHECK(told.reset_at == kToldAt + Seconds(3600));
        CHECK_FALSE(told.refused());
    }
    const auto unknown = told_window(alice_with(std::nullopt, std::nullopt), 5000, std::nullopt, kToldAt);
    CHECK_FALSE(unknown.reset_at);
    CHECK(text_of_lines(header_lines(unknown, "", HeaderDialect::draft_8)) ==
          "RateLimit-Policy: \"default\";q=5000\nRateLimit: \"default\";r=5000\n");
    CHECK(text_of_lines(header_lines(unknown, "", HeaderDialect::github)) ==
          "X-RateLimit-Limit: 5000\nX-RateLimit-Remaining: 5000\nX-RateLimit-Used: 0\n");
}

TEST_CASE("The very second of the reset still belongs to the window") {
    const auto told = told_window(alice_with("5000", "1767225600"), 5000, Seconds(3600), from_epoch(1'767'225'600));
    CHECK(told.refused());
    CHECK(header_lines(told, "", HeaderDialect::retry_after).back().value == "0");
}

TEST_CASE("A corrupt window tells its limit and nothing else") {
    const auto told = told_window(alice_with("abc", "1767225600"), 5000, Seconds(3600), kToldAt);
    CHECK(text_of_lines(header_lines(told, "", HeaderDialect::github)) == "X-RateLimit-Limit: 5000\n");
    CHECK(header_lines(told, "", HeaderDialect::draft_7).empty());
}

TEST_CASE("Names of policies are quoted as structured fields want them") {
    CHECK(header_lines(open_window("1"), "a\"b\\c\n", HeaderDialect::draft_8).front().value ==
          "\"a\\\"b\\\\c?\";q=5000;w=3600");
}

TEST_CASE("Dialects are found by their names") {
    for (const auto name : header_dialect_names()) {
        const auto dialect = header_dialect_from(name);
        REQUIRE(dialect);
        CHECK(name_of(*dialect) == name);
    }
    CHECK_FALSE(header_dialect_from("draft-6"));
}

}  // namespace
}  // namespace ratectl::domain
