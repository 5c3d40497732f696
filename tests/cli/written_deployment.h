// A deployment of real servers with a configuration of the test's choice, and ratectl run on it.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cli/hinted_flags.h"
#include "sandbox/folder.h"
#include "support/contains.h"
#include "support/redis_server.h"
#include "support/run_ratectl.h"

namespace ratectl::test {

/// Settings of a WrittenDeployment that is changed without a word of consent.
inline const char* const kFree = "writes = \"allow\"";

/// Shards alpha, beta ... shared out by twemproxy's ketama; policy `core` is core:{client}, 100 an hour; no other
/// policy.
class WrittenDeployment {
public:
    /// `settings`: lines of the deployment's table, such as `writes = "confirm"`.
    explicit WrittenDeployment(std::string settings, std::size_t shards = 1)
        : folder_(sandbox::TemporaryFolder::make("/tmp", "ratectl-test").value()),
          settings_(std::move(settings)),
          replicas_(shards) {
        const std::vector<std::string> debuggable{"--enable-debug-command", "local"};
        for (std::size_t i = 0; i < shards; ++i) servers_.push_back(std::make_unique<RedisServer>(debuggable));
        write();
    }

    /// From now on the configuration names this one as a replica of that shard.
    void add_replica(std::size_t shard, const domain::Endpoint& endpoint) {
        replicas_.at(shard) += (replicas_.at(shard).empty() ? "\"" : ", \"") + endpoint.url() + "\"";
        write();
    }
    std::string config_file() const { return folder_.path() + "/ratectl.toml"; }
    /// A file of this name in the deployment's folder.
    std::string file(const std::string& name) const { return folder_.path() + "/" + name; }
    /// Writes a file of this name that knows the deployment by one server alone, its shard alpha. Returns its path.
    std::string write_alone(const std::string& name, const domain::Endpoint& endpoint) const {
        std::ofstream(file(name)) << "[deployments.box]\nkind = \"shards\"\nwrites = \"allow\"\n"
                                     "[[deployments.box.shards]]\nname = \"alpha\"\nprimary = \""
                                  << endpoint.url() << "\"\n";
        return file(name);
    }
    RedisServer& server(std::size_t shard = 0) { return *servers_.at(shard); }

    RunResult run(const std::vector<std::string>& arguments, RunOptions options = {}) const {
        options.environment["RATECTL_CONFIG"] = config_file();
        options.environment.emplace("XDG_STATE_HOME", folder_.path() + "/state");  // one journal for all runs
        auto result = run_ratectl(arguments, options);
        check_hints(arguments, result);
        return result;
    }
    RunResult run_with_input(const std::vector<std::string>& arguments, const std::string& input) const {
        RunOptions options;
        options.input = input;
        return run(arguments, options);
    }

    /// A window as an application would have left it, on the first shard.
    void set_window(const std::string& key, const std::string& used, std::int64_t reset_at) {
        for (const auto& [name, value] : {std::pair{key, used}, std::pair{key + ":exp", std::to_string(reset_at)}}) {
            server().command({"SET", name, value});
            server().command({"EXPIREAT", name, std::to_string(reset_at + 1)});
        }
    }
    /// How many keys there are that are no records of operations: two a window.
    std::string halves(std::size_t shard = 0) {
        return server(shard).command({"EVAL",
                                      "local n = 0 for _, key in ipairs(redis.call('KEYS', '*')) do if "
                                      "key:sub(1, 11) ~= 'ratectl:op:' then n = n + 1 end end return n",
                                      "0"});
    }
    std::string stored(const std::string& key) { return server().command({"GET", key}); }

private:
    void write() const {
        const char* names[] = {"alpha", "beta", "gamma"};
        std::string text = "[deployments.box]\nkind = \"shards\"\nsharding = \"twemproxy-ketama\"\n" + settings_ + "\n";
        for (std::size_t i = 0; i < servers_.size(); ++i) {
            text += std::string("[[deployments.box.shards]]\nname = \"") + names[i] + "\"\nprimary = \"" +
                    servers_[i]->endpoint().url() + "\"\n";
            if (!replicas_[i].empty()) text += "replicas = [" + replicas_[i] + "]\n";
        }
        std::ofstream(config_file()) << text
                                     << "[[deployments.box.policies]]\nname = \"core\"\nkey = \"core:{client}\"\n"
                                        "limit = 100\nperiod = \"1h\"\n";
    }

    sandbox::TemporaryFolder folder_;
    std::string settings_;
    std::vector<std::unique_ptr<RedisServer>> servers_;
    std::vector<std::string> replicas_;  // by shard: addresses in quotes
};

inline WrittenDeployment one_shard() { return WrittenDeployment(kFree); }

/// Seconds since the epoch, `later` seconds from now.
inline std::int64_t seconds_from_now(std::int64_t later) {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
               .count() +
           later;
}

}  // namespace ratectl::test
