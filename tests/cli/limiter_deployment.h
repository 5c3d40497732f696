// Deployments whose limiters are others than the first, and ratectl run on them.
#pragma once

#include <string>
#include <vector>

#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/json.h"

namespace ratectl::test {

/// Of limiters that the settings name.
class LimiterDeployment {
public:
    explicit LimiterDeployment(const std::string& settings, std::size_t shards = 1)
        : box_(std::string(kFree) + "\n" + settings, shards) {}

    RunResult run(const std::vector<std::string>& arguments, const std::string& input = "") {
        return box_.run_with_input(arguments, input);
    }
    nlohmann::json rows(const std::vector<std::string>& arguments, const std::string& input = "") {
        auto asked = arguments;
        asked.insert(asked.end(), {"-o", "json"});
        const auto result = run(asked, input);
        INFO(result.out << result.err);
        return parse_json(result.out).at("rows");
    }
    /// As its limiter would have left it: it expires a second after its last one.
    void set(const std::string& key, const std::string& used, std::int64_t reset_at) {
        server().command({"SET", key, used});
        server().command({"EXPIREAT", key, std::to_string(reset_at + 1)});
    }
    RedisServer& server() { return box_.server(); }
    std::string stored(const std::string& key) { return box_.stored(key); }
    std::string count(const std::string& key) { return server().command({"EXISTS", key}); }
    std::string expires(const std::string& key) { return server().command({"EXPIRETIME", key}); }
    WrittenDeployment& box() { return box_; }

private:
    WrittenDeployment box_;
};

/// Policy `core` is core:{client}, 100 an hour.
class CounterDeployment : public LimiterDeployment {
public:
    explicit CounterDeployment(const std::string& scheme = "counter")
        : LimiterDeployment("scheme = \"" + scheme + "\"") {}
};

}  // namespace ratectl::test
