// ratectl against Symfony's RateLimiter over Symfony's cache: it counts, and what ratectl reads of its objects is what
// it answers next.
#include "live/real_servers.h"
#include "support/catch.h"
#include "support/json.h"
#include "support/redis_server.h"
#include "unit/random_source.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

constexpr int kSymfonyClients = 90;  // of each of 3 limiters in 2 formats

struct SymfonyLimiter {
    std::string kind, format;
    std::int64_t limit = 0;
};

/// What it answers to lines of `CLIENT COST`, one each.
std::vector<json> answers_of(RedisServer& server, const SymfonyLimiter& limiter, const std::string& lines) {
    RunOptions options;
    options.input = lines;
    const auto result = run_program(system_program("php"),
                                    {script("limiters/symfony.php"), server.unix_endpoint().path, limiter.kind,
                                     std::to_string(limiter.limit), "3600", limiter.format},
                                    options);
    INFO(result.out << result.err);
    REQUIRE(result.code == 0);
    std::vector<json> answers;
    for (const auto& line : lines_of(result.out)) answers.push_back(parse_json(line));
    return answers;
}

/// In the order of the answers, whose keys they are of.
json rows_of(RedisServer& server, const std::vector<json>& answers, std::int64_t limit) {
    RunOptions options;
    for (const auto& answer : answers) options.input += answer.at("key").get<std::string>() + "\n";
    const auto result = run_ratectl({"check", "-", "-u", server.endpoint().url(), "--scheme", "symfony", "--key",
                                     "cache.ratelimiter:{client}", "--limit", std::to_string(limit), "-o", "json"},
                                    options);
    INFO(result.err);
    return parse_json(result.out).at("rows");
}

}  // namespace

TEST_CASE("what is read of Symfony's objects is what Symfony answers") {
    if (is_absent("Symfony's RateLimiter", "php-cli php-predis php-symfony-rate-limiter php-symfony-cache php-igbinary",
                  "php",
                  {"-r",
                   "require 'Predis/Autoloader.php'; require 'Symfony/Component/RateLimiter/autoload.php'; require "
                   "'Symfony/Component/Cache/autoload.php'; exit(extension_loaded('igbinary') ? 0 : 1);"}))
        return;
    RandomSource random;
    SHOW_SEED(random);
    RedisServer server;
    for (const char* kind : {"fixed_window", "sliding_window", "token_bucket"}) {
        for (const char* format : {"plain", "igbinary"}) {
            const SymfonyLimiter limiter{kind, format, random.number(2, 12)};
            INFO(kind << " " << format << " " << limiter.limit);
            std::string lines;
            std::string looks;
            for (int i = 0; i < kSymfonyClients; ++i) {
                const auto client = std::string(format) + std::to_string(i);
                for (auto n = random.number(1, 3); n > 0; --n)
                    lines += client + " " + std::to_string(random.number(1, limiter.limit)) + "\n";
                looks += client + " 0\n";
            }
            answers_of(server, limiter, lines);
            const auto answers = answers_of(server, limiter, looks);
            const auto rows = rows_of(server, answers, limiter.limit);
            REQUIRE(rows.size() == answers.size());
            for (std::size_t i = 0; i < answers.size(); ++i) {
                const auto& answer = answers[i];
                const auto& row = rows[i];
                INFO(answer.dump() << row.dump());
                CHECK(row.at("key") == answer.at("key"));
                CHECK(row.at("remaining") == answer.at("remaining"));
                CHECK(row.at("used") == limiter.limit - answer.at("remaining").get<std::int64_t>());
                CHECK(row.at("limit") == limiter.limit);
                CHECK(row.at("limited") == (answer.at("remaining") == 0));
                CHECK(row.at("limit_source") == (limiter.kind == "sliding_window" ? "flag" : "stored"));
            }
        }
    }
    const auto found = run_ratectl({"identify", "--sample", "1000", "-u", server.endpoint().url(), "-o", "json"});
    const auto sample = parse_json(found.out);
    REQUIRE(sample.at("rows").size() == 1);
    CHECK(sample.at("rows").at(0).at("system") == "symfony");
    CHECK(sample.at("rows").at(0).at("keys") == 6 * kSymfonyClients);
}
