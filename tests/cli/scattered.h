// Windows that stand anywhere: what --all-shards is for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/written_deployment.h"

namespace ratectl::test {

/// Three shards of whose rule a run knows nothing.
struct Scattered {
    explicit Scattered(const std::string& settings = kFree) : box(settings, 3) {}
    void put(std::size_t shard, const std::string& key, const std::string& used, std::int64_t reset_at) {
        for (const auto& [name, value] : {std::pair{key, used}, std::pair{key + ":exp", std::to_string(reset_at)}}) {
            box.server(shard).command({"SET", name, value});
            box.server(shard).command({"EXPIREAT", name, std::to_string(reset_at + 1)});
        }
    }
    RunResult run(std::vector<std::string> arguments, RunOptions options = {}) const {
        arguments.emplace_back("--all-shards");
        return box.run(arguments, std::move(options));
    }
    std::string stored(std::size_t shard, const std::string& key) { return box.server(shard).command({"GET", key}); }

    WrittenDeployment box;
};

}  // namespace ratectl::test
