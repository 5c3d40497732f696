// A deployment whose limiter keeps its windows as counters with a TTL, and ratectl run on it.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/written_deployment.h"
#include "support/catch.h"

namespace ratectl::test {

/// Policy `core` is core:{client}, 100 an hour.
class CounterDeployment {
public:
    explicit CounterDeployment(const std::string& scheme = "counter")
        : box_(std::string(kFree) + "\nscheme = \"" + scheme + "\"", 1) {}

    RunResult run(const std::vector<std::string>& arguments, const std::string& input = "") {
        RunOptions options;
        options.input = input;
        return box_.run(arguments, options);
    }
    nlohmann::json rows(const std::vector<std::string>& arguments, const std::string& input = "") {
        auto asked = arguments;
        asked.insert(asked.end(), {"-o", "json"});
        const auto result = run(asked, input);
        INFO(result.out << result.err);
        return nlohmann::json::parse(result.out).at("rows");
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

}  // namespace ratectl::test
