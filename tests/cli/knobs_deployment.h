// A deployment whose policy is of LimitLion's throttles, and what tests put there.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/limiter_deployment.h"

namespace ratectl::test {

/// 40 tokens come back every 8 seconds, and a bucket holds 80.
class KnobsDeployment : public LimiterDeployment {
public:
    explicit KnobsDeployment(std::size_t shards = 1)
        : LimiterDeployment(
              "[[deployments.box.policies]]\nname = \"throttles\"\nkey = \"throttle:{client}\"\n"
              "scheme = \"limitlion\"\nlimit = 40\nperiod = \"8s\"\nburst = 80\n",
              shards) {}

    void put(const std::string& name, const std::string& tokens) {
        server().command(
            {"HSET", "throttle:" + name, "tokens", tokens, "refreshed", std::to_string(seconds_from_now(20))});
        server().command({"EXPIRE", "throttle:" + name, "60"});
    }
    void tune(const std::string& name, const std::string& rps) {
        server().command({"HSET", "throttle:" + name + ":knobs", "rps", rps, "burst", "1", "window", "5"});
    }
    std::string knobs(const std::string& name) {
        return server().command(
            {"EVAL", "return table.concat(redis.call('HGETALL', KEYS[1]), ' ')", "1", "throttle:" + name + ":knobs"});
    }
    nlohmann::json row(const std::vector<std::string>& arguments) { return rows(arguments).at(0); }
    /// The rule puts the throttle and its knobs on one shard.
    bool is_together(const std::string& name) {
        const auto places = rows({"locate", "throttle:" + name, "throttle:" + name + ":knobs"});
        return places.at(0).at("shard") == places.at(1).at("shard");
    }
};

}  // namespace ratectl::test
