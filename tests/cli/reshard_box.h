// Two deployments of real servers that share three of their four shards, and every window as it stands on them.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/written_deployment.h"
#include "sharding/shard_map.h"

namespace ratectl::test {

/// What stands under one key on one server.
struct Standing {
    std::string used;
    std::string reset_at;
    std::string used_expires;  // PEXPIRETIME
    std::string reset_expires;

    bool operator==(const Standing&) const = default;
};

/// key -> what stands there on this server; operation keys left out. A page at a time, so that others get a turn.
inline std::map<std::string, Standing> standings(RedisServer& server) {
    constexpr const char* page = R"(
local found = redis.call('SCAN', ARGV[1], 'COUNT', 1000)
local lines = { found[1] }
for _, name in ipairs(found[2]) do
  local key = name:match('^(.*):exp$')
  if key or redis.call('EXISTS', name .. ':exp') == 0 then
    key = key or name
    if key:sub(1, 11) ~= 'ratectl:op:' then
      lines[#lines + 1] = key
      for _, half in ipairs({ key, key .. ':exp' }) do lines[#lines + 1] = redis.call('GET', half) or '(nil)' end
      for _, half in ipairs({ key, key .. ':exp' }) do lines[#lines + 1] = string.format('%.0f', redis.call('PEXPIRETIME', half)) end
    end
  end
end
return lines)";
    std::map<std::string, Standing> found;
    std::string cursor = "0";
    do {
        std::istringstream lines(server.command({"EVAL", page, "0", cursor}));
        std::getline(lines, cursor);
        for (std::string key; std::getline(lines, key);) {
            Standing standing;
            for (auto* part : {&standing.used, &standing.reset_at, &standing.used_expires, &standing.reset_expires})
                std::getline(lines, *part);
            found[key] = standing;
        }
    } while (cursor != "0");
    return found;
}

/// `three` has alpha, beta, gamma; `four` delta, too; both twemproxy's ketama. Policy `core` is core:{client}, 100 an
/// hour.
class ReshardBox {
public:
    explicit ReshardBox(const std::string& settings = "writes = \"allow\"")
        : folder_(sandbox::TemporaryFolder::make("/tmp", "ratectl-test").value()) {
        for (int i = 0; i < 4; ++i) servers_.push_back(std::make_unique<RedisServer>());
        write("three", 3, settings);
        write("four", 4, settings);
        std::ofstream(file("both")) << text_of("three", 3, settings) << text_of("four", 4, settings);
    }

    std::string file(const std::string& name) const { return folder_.path() + "/" + name + ".toml"; }
    RedisServer& server(std::size_t shard) { return *servers_.at(shard); }
    std::string text_of(const std::string& name, std::size_t shards, const std::string& settings) const {
        std::string text = "[deployments." + name + "]\nsharding = \"twemproxy-ketama\"\n" + settings + "\n";
        for (std::size_t i = 0; i < shards; ++i) {
            text += "[[deployments." + name + ".shards]]\nname = \"" + kNames[i] + "\"\nprimary = \"" +
                    servers_[i]->endpoint().url() + "\"\n";
        }
        return text + "[[deployments." + name +
               ".policies]]\nname = \"core\"\nkey = \"core:{client}\"\nlimit = 100\nperiod = \"1h\"\n";
    }
    void write(const std::string& name, std::size_t shards, const std::string& settings) const {
        std::ofstream(file(name)) << text_of(name, shards, settings);
    }

    /// `journal` stays the same from run to run.
    RunResult run(std::vector<std::string> arguments, RunOptions options = {}) const {
        options.environment["XDG_STATE_HOME"] = folder_.path();
        return run_ratectl(arguments, options);
    }
    RunResult plan(std::vector<std::string> more = {}) const { return reshard("plan", std::move(more)); }
    RunResult apply(std::vector<std::string> more = {}, RunOptions options = {}) const {
        return reshard("apply", std::move(more), std::move(options));
    }

    static std::size_t home(const std::string& key, std::size_t shards) {
        static const sharding::ShardMap maps[] = {map_of(3), map_of(4)};
        return maps[shards - 3].shard_of(key);
    }
    /// On the shard that `three` looks on, unless it is said.
    void put(const std::string& key, const std::string& used, std::int64_t reset_at, int shard = -1) {
        auto& at = server(shard < 0 ? home(key, 3) : static_cast<std::size_t>(shard));
        const auto expires = std::to_string((reset_at + 1) * 1000);
        at.command({"SET", key, used, "PXAT", expires});
        at.command({"SET", key + ":exp", std::to_string(reset_at), "PXAT", expires});
    }
    /// The i-th client's key. Names that differ in their last digits only would hash to near places of the ring.
    static std::string key(std::uint64_t i) { return "core:" + std::to_string(i * 2'654'435'761 % 4'294'967'296); }
    /// So many windows, whose use and end differ.
    void fill(int windows, std::int64_t reset_at) {
        constexpr const char* put_all = R"(
for i = 1, #ARGV, 3 do
  local expires = (ARGV[i + 2] + 1) * 1000
  redis.call('SET', ARGV[i], ARGV[i + 1], 'PXAT', string.format('%.0f', expires))
  redis.call('SET', ARGV[i] .. ':exp', ARGV[i + 2], 'PXAT', string.format('%.0f', expires))
end)";
        constexpr std::size_t most_words = 3 * 500;
        std::map<std::size_t, std::vector<std::string>> words_by_shard;
        const auto send = [&](std::size_t shard, std::vector<std::string>& words) {
            words.insert(words.begin(), {"EVAL", put_all, "0"});
            server(shard).command(words);
            words.clear();
        };
        for (int i = 0; i < windows; ++i) {
            const auto name = key(static_cast<std::uint64_t>(i));
            auto& words = words_by_shard[home(name, 3)];
            words.insert(words.end(), {name, std::to_string(i % 120), std::to_string(reset_at + i % 600)});
            if (words.size() >= most_words) send(home(name, 3), words);
        }
        for (auto& [shard, words] : words_by_shard) send(shard, words);
    }
    /// key -> shard -> what stands there; operation keys left out.
    std::map<std::string, std::map<std::size_t, Standing>> windows() {
        std::map<std::string, std::map<std::size_t, Standing>> found;
        for (std::size_t shard = 0; shard < servers_.size(); ++shard) {
            for (auto& [key, standing] : standings(server(shard))) found[key][shard] = standing;
        }
        return found;
    }

    static constexpr const char* kNames[] = {"alpha", "beta", "gamma", "delta"};

private:
    static sharding::ShardMap map_of(std::size_t shards) {
        std::vector<sharding::Server> servers(shards);
        for (std::size_t i = 0; i < shards; ++i) servers[i].name = kNames[i];
        sharding::Options options;
        options.preset = "twemproxy-ketama";
        return support::value_or_throw(sharding::ShardMap::make(options, servers));
    }
    RunResult reshard(const char* what, std::vector<std::string> more, RunOptions options = {}) const {
        std::vector<std::string> words{"reshard", what, file("three"), file("four")};
        words.insert(words.end(), more.begin(), more.end());
        return run(words, std::move(options));
    }

    sandbox::TemporaryFolder folder_;
    std::vector<std::unique_ptr<RedisServer>> servers_;
};

}  // namespace ratectl::test
