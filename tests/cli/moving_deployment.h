// A policy of each limiter whose ends move, and ratectl run on them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/limiter_deployment.h"
#include "support/built_programs.h"
#include "support/catch.h"
#include "support/json.h"

namespace ratectl::test {

inline constexpr std::int64_t kMovingMonth = 30 * 24 * 3600;

struct MovingLimiter {
    std::string scheme;
    std::string key;  // of its policy
    std::string terms;
    /// What is stored tells a window that was opened since from the one before, however much was counted into it.
    bool knows_its_windows = false;
};

/// None of them gets a request back within a minute.
inline const std::vector<MovingLimiter>& all_moving_limiters() {
    static const std::vector<MovingLimiter> all{
        {"throttled", "throttled:{client}", "limit = 60\nperiod = \"1h\"\nburst = 99\n", true},
        {"redis-cell", "cell:{client}", "limit = 60\nperiod = \"1h\"\nburst = 99\n", true},
        {"redis-rate", "rate:{client}", "limit = 60\nperiod = \"1h\"\nburst = 99\n", true},
        {"redis-gcra", "gcra:{client}", "limit = 60\nperiod = \"1h\"\nburst = 99\n", true},
        {"stripe", "stripe.{client}.tokens", "limit = 60\nperiod = \"1h\"\nburst = 99\n"},
        {"spring-gateway", "spring.{client}.tokens", "limit = 60\nperiod = \"1h\"\nburst = 99\n"},
        {"upstash-token", "token:{client}", "limit = 60\nperiod = \"1h\"\nburst = 99\n", true},
        {"limitlion", "throttle:{client}", "limit = 60\nperiod = \"1h\"\nburst = 99\n"},
        {"limits-moving", "LIMITS:LIMITER/{client}/api/99/1/hour", "", true},
        {"koa", "limit:{client}", "limit = 99\nperiod = \"1h\"\n", true},
        {"rolling", "rolling:{client}", "limit = 99\nperiod = \"1h\"\n", true},
        {"limits-sliding", "LIMITS:{{LIMITER/{client}/99/1/hour}}", ""},
        {"upstash-sliding", "sliding:{client}:{bucket}", "limit = 99\nperiod = \"30d\"\n"},
        {"stripe-concurrent", "leases:{client}", "limit = 99\nperiod = \"1h\"\n", true},
    };
    return all;
}
/// Those that are tried: some of each kind where a sanitizer looks.
inline std::vector<MovingLimiter> moving_limiters() {
    auto chosen = all_moving_limiters();
    std::erase_if(chosen, [at = 0](const auto&) mutable { return at++ % 4 != 0 && is_binary_sanitized(); });
    return chosen;
}

inline std::string settings_of_moving_limiters() {
    std::string settings;
    for (const auto& limiter : all_moving_limiters())
        settings += "[[deployments.box.policies]]\nname = \"" + limiter.scheme + "\"\nkey = \"" + limiter.key +
                    "\"\nscheme = \"" + limiter.scheme + "\"\n" + limiter.terms;
    return settings;
}

class MovingDeployment : public LimiterDeployment {
public:
    MovingDeployment() : LimiterDeployment(settings_of_moving_limiters()) {}

    static std::string key(const MovingLimiter& limiter, const std::string& client) {
        auto key = limiter.key;
        const auto put = [&key](std::string_view hole, const std::string& text) {
            if (const auto at = key.find(hole); at != std::string::npos) key.replace(at, hole.size(), text);
        };
        put("{client}", client);
        put("{bucket}", std::to_string(seconds_from_now(0) / kMovingMonth));
        put("{{", "{");
        put("}}", "}");
        return key;
    }
    nlohmann::json row(const std::vector<std::string>& arguments) { return rows(arguments).at(0); }
    std::int64_t used(const std::string& key) {
        const auto used = row({"check", key}).at("used");
        return used.is_null() ? 0 : used.get<std::int64_t>();
    }
    void change(const std::string& word, const std::string& key, int amount, const std::string& op = "") {
        std::vector<std::string> words{word, key, "--amount", std::to_string(amount)};
        if (!op.empty()) words.insert(words.end(), {"--op-id", op});
        const auto made = run(words);
        INFO(made.out << made.err);
        REQUIRE(made.code == 0);
    }
    /// Tried and made.
    void check_refused(const std::string& op) {
        for (const std::string dry : {"-n", "-y"}) {
            const auto refused = run({"undo", op, dry, "-o", "json"});
            INFO(op << dry << refused.out << refused.err);
            CHECK(refused.code == 7);
            const auto row = parse_json(refused.out).at("rows").at(0);
            CHECK(row.at("status") == "window-changed");
            CHECK(row.at("why_not") == "window-changed");
            CHECK(contains(refused.err, "--force"));
        }
    }
};

}  // namespace ratectl::test
