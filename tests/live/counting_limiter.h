// A limiter of others that counts in Redis, driven by a program of tests/live/limiters, and what ratectl says of its
// windows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/json.h"
#include "support/redis_server.h"

namespace ratectl::test {

struct LimiterKind {
    std::string name;
    std::string scheme;
    std::string key;  // POLICY, LIMIT and UNITS stand for those of a policy, {bucket} for the number of the period
    std::string program;
    std::vector<std::string> driver;  // its first arguments
    std::int64_t floor = 0;           // no refund goes below it
    std::int64_t lets_more = 0;       // how many more than the limit it lets through
    bool counts_refused = true;
    bool moves = false;                   // the end of its windows, with every request
    bool has_burst = false;               // as many as the limit
    std::vector<std::string> verbs = {};  // beside `hit`: what else it does to counters

    bool numbers() const { return key.find("{bucket}") != std::string::npos; }
};

struct LimiterPolicy {
    std::string name;
    std::int64_t limit = 0;
    std::int64_t seconds = 0;
    std::string units;  // the same as `2/hour`
};

struct LimitedClient {
    std::string name;
    std::size_t policy = 0;
    std::string key;
};

/// What a limiter says of a client; null where it says nothing about that.
struct LimiterAnswer {
    std::optional<std::int64_t> used;
    std::optional<std::int64_t> remaining;
    std::optional<bool> limited;
    /// When the window ends, at the earliest and at the latest, as precisely as it says; milliseconds since the epoch.
    std::optional<std::pair<std::int64_t, std::int64_t>> reset;
};

/// A server of its own, where the limiter counts.
class CountingLimiter {
public:
    CountingLimiter(LimiterKind kind, std::vector<LimiterPolicy> policies)
        : kind_(std::move(kind)), policies_(std::move(policies)) {}

    const LimiterKind& kind() const { return kind_; }
    const std::vector<LimiterPolicy>& policies() const { return policies_; }
    const LimiterPolicy& policy_of(const LimitedClient& client) const { return policies_.at(client.policy); }
    LimitedClient client(const std::string& name, std::size_t policy) const;
    RedisServer& server() { return server_; }

    /// A line for the driver.
    std::string line(const std::string& verb, const LimitedClient& client, std::int64_t cost = 1) const;
    /// The limiter's answers to these lines, one each. The driver's process ends with them.
    std::vector<LimiterAnswer> ask(const std::string& lines) const;

    /// ratectl's rows about these clients, in their order: one `check` a policy.
    std::vector<nlohmann::json> check(const std::vector<LimitedClient>& clients) const;
    /// What doctor finds of these classes, in a sweep a policy.
    std::vector<nlohmann::json> findings(const std::string& classes) const;
    /// A change of their windows, such as { "reset", "-" }, in one run a policy.
    void change(std::vector<std::string> words, const std::vector<LimitedClient>& clients) const;

private:
    /// The flags that say what a policy is.
    std::vector<std::string> flags_of(std::size_t policy) const;
    /// About those of them that are the policy's.
    std::vector<nlohmann::json> rows(std::vector<std::string> words, std::size_t policy,
                                     const std::vector<LimitedClient>& clients) const;

    LimiterKind kind_;
    std::vector<LimiterPolicy> policies_;
    RedisServer server_;
};

/// Where scripts/bootstrap installs npm's limiters.
std::string npm_folder();

}  // namespace ratectl::test
