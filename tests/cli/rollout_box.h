// Two deployments, as a rollout has them: `legacy` on a real memcached, and `new` on a real Redis.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "cli/memcached_box.h"
#include "support/redis_server.h"

namespace ratectl::test {

/// Policy `core` is core:{client}, 5000 an hour, in both; `new` is the default.
class RolloutBox {
public:
    RolloutBox() : folder_(require(sandbox::TemporaryFolder::make("/tmp", "ratectl-test"))) {
        std::ofstream(file()) << "default = \"new\"\n"
                              << deployment("legacy", "memcached", old.url())
                              << deployment("new", "shards", redis.endpoint().url());
    }

    RunResult run(std::vector<std::string> arguments, RunOptions options = {}) const {
        options.environment["RATECTL_JOURNAL"] = folder_.path() + "/journal.db";
        options.environment["RATECTL_CONFIG"] = file();
        return run_ratectl(arguments, options);
    }
    RunResult copy(std::vector<std::string> more = {}, RunOptions options = {}) const {
        std::vector<std::string> words{"rollout", "copy", "--old", "legacy"};
        words.insert(words.end(), more.begin(), more.end());
        return run(std::move(words), std::move(options));
    }
    /// The rows of a copy, which ends so.
    nlohmann::json copied(std::vector<std::string> more, int code = 0) const {
        more.insert(more.end(), {"-o", "json"});
        const auto result = copy(std::move(more));
        INFO(result.out << result.err);
        REQUIRE(result.code == code);
        return parse_json(result.out).at("rows");
    }
    std::string used(const std::string& key) { return redis.command({"GET", key}); }
    std::string end(const std::string& key) { return redis.command({"GET", key + ":exp"}); }
    /// A request that the new limiter counts.
    void count_here(const std::string& key) { redis.command({"INCR", key}); }
    /// More of the configuration, behind what it has: policies of `new` come first.
    void add(const std::string& text) const { std::ofstream(file(), std::ios::app) << text; }
    static std::string policy(const std::string& deployment, const std::string& name) {
        return "[[deployments." + deployment + ".policies]]\nname = \"" + name + "\"\nkey = \"" + name +
               ":{client}\"\nlimit = 5000\nperiod = \"1h\"\n";
    }
    std::string file() const { return folder_.path() + "/ratectl.toml"; }

    MemcachedServer old;
    RedisServer redis;

private:
    static std::string deployment(const std::string& name, const std::string& kind, const std::string& url) {
        const auto table = "deployments." + name;
        return "[" + table + "]\nkind = \"" + kind + "\"\nwrites = \"allow\"\n[[" + table +
               ".shards]]\nname = \"one\"\nprimary = \"" + url + "\"\n" + policy(name, "core");
    }

    sandbox::TemporaryFolder folder_;
};

}  // namespace ratectl::test
