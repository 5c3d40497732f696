// ratectl on real memcached servers that hold the predecessor's windows.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "sandbox/folder.h"
#include "support/catch.h"
#include "support/json.h"
#include "support/memcached_server.h"
#include "support/require.h"
#include "support/run_ratectl.h"

namespace ratectl::test {

inline std::int64_t now_s() {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

class MemcachedBox {
public:
    explicit MemcachedBox(std::vector<std::string> arguments = {})
        : server(std::move(arguments)), folder_(require(sandbox::TemporaryFolder::make("/tmp", "ratectl-test"))) {}

    RunResult run(std::vector<std::string> arguments, RunOptions options = {}) {
        arguments.insert(arguments.end(), {"-u", server.url()});
        return run_bare(std::move(arguments), std::move(options));
    }
    RunResult run_bare(const std::vector<std::string>& arguments, RunOptions options = {}) {
        options.environment["RATECTL_JOURNAL"] = folder_.path() + "/journal.db";
        return run_ratectl(arguments, options);
    }
    nlohmann::json rows(std::vector<std::string> arguments, const std::string& input = "") {
        arguments.insert(arguments.end(), {"-o", "json"});
        RunOptions options;
        options.input = input;
        const auto result = run(std::move(arguments), options);
        INFO(result.out << result.err);
        return parse_json(result.out).at("rows");
    }
    nlohmann::json row(std::vector<std::string> arguments) { return rows(std::move(arguments)).at(0); }
    std::string folder() const { return folder_.path(); }

    MemcachedServer server;

private:
    sandbox::TemporaryFolder folder_;
};

}  // namespace ratectl::test
