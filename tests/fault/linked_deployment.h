// One real server behind a lossy link, a configuration that names the link, and ratectl run on it as a user would.
#pragma once

#include <chrono>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "fault/carried_out.h"
#include "sandbox/folder.h"
#include "support/catch.h"
#include "support/contains.h"
#include "support/fault_proxy.h"
#include "support/json.h"
#include "support/redis_server.h"
#include "support/run_ratectl.h"

namespace ratectl::test {

using std::chrono::milliseconds;

/// Shard alpha behind the link; policy `core` is core:{client}, 100 an hour; every run keeps its journal in the same
/// place.
class LinkedDeployment {
public:
    explicit LinkedDeployment(RedisServerOptions how = {})
        : folder_(sandbox::TemporaryFolder::make("/tmp", "ratectl-test").value()),
          server(std::move(how)),
          proxy(server.endpoint()) {
        write_config(file("linked.toml"), proxy.endpoint());
        write_config(file("direct.toml"), server.endpoint());
    }

    std::string file(const std::string& name) const { return folder_.path() + "/" + name; }
    std::string journal() const { return file("state/ratectl/journal.db"); }

    RunOptions options_for(const std::string& config, RunOptions options = {}) const {
        options.environment["RATECTL_CONFIG"] = file(config);
        options.environment.emplace("XDG_STATE_HOME", file("state"));
        return options;
    }
    /// Through the link.
    RunResult run(const std::vector<std::string>& arguments, RunOptions options = {}) const {
        auto result = run_ratectl(arguments, options_for("linked.toml", std::move(options)));
        (void)proxy.counts();  // whatever the link's thread did meanwhile is seen from here on
        return result;
    }
    /// Past the link, with the same journal.
    RunResult run_directly(const std::vector<std::string>& arguments, RunOptions options = {}) const {
        return run_ratectl(arguments, options_for("direct.toml", std::move(options)));
    }

    /// As an application would have left it.
    void set_window(const std::string& key, const std::string& used) {
        const auto at = std::to_string((ends + 1) * 1000);
        server.command({"SET", key, used, "PXAT", at});
        server.command({"SET", key + ":exp", std::to_string(ends), "PXAT", at});
    }
    std::string stored(const std::string& key) { return server.command({"GET", key}); }
    std::string operation_keys() { return server.command({"KEYS", "ratectl:op:*"}); }
    /// Says it to the server and does not wait for the answer: for what makes it busy or mute.
    void say(const std::vector<std::string>& words) const {
        test::PlainClient passing(server.unix_endpoint(), milliseconds(20));
        (void)passing.command(words);
    }
    /// At the next write that the server would carry out, before it passes.
    void at_next_write(std::function<void()> what, const LinkFault& fault = {}) {
        proxy.choose(at_next_write_to(server, std::move(what), fault));
    }

private:
    // The link and the server are one deployment: what was written through the one is taken back through the other.
    static void write_config(const std::string& path, const domain::Endpoint& primary) {
        std::ofstream(path)
            << "[deployments.box]\nkind = \"shards\"\nsharding = \"twemproxy-ketama\"\nwrites = \"allow\"\n"
               "[[deployments.box.shards]]\nname = \"alpha\"\nprimary = \""
            << primary.url() << "\"\n[[deployments.box.policies]]\nname = \"core\"\nkey = \"core:{client}\"\n"
            << "limit = 100\nperiod = \"1h\"\n";
    }

    sandbox::TemporaryFolder folder_;

public:
    RedisServer server;
    FaultProxy proxy;
    /// When its windows end, in seconds since the epoch.
    const std::int64_t ends =
        std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()).time_since_epoch().count() + 3000;
};

inline nlohmann::json only_row(const RunResult& result) { return parse_json(result.out).at("rows").at(0); }

}  // namespace ratectl::test
