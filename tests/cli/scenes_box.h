// One shard with a replica behind a link that can be held, an application that counts with its own script, and the tool
// asked about it.
#pragma once

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "cli/clock_ahead.h"
#include "cli/printed_rows.h"
#include "cli/written_deployment.h"
#include "support/built_programs.h"
#include "support/catch.h"
#include "support/held_link.h"
#include "support/json.h"
#include "support/places.h"
#include "support/time_text.h"

namespace ratectl::test {

/// The limiter's own script, run as an application runs it; what it answers: used, reset.
inline std::string application_counts(RedisServer& server, const std::string& key, std::int64_t amount,
                                      std::int64_t next_reset, std::int64_t now) {
    std::ifstream file(source_dir() + "/tests/bench/application_rate.lua");
    const std::string script{std::istreambuf_iterator<char>(file), {}};
    return server.command({"EVAL", script, "2", key, key + ":exp", std::to_string(amount), std::to_string(next_reset),
                           std::to_string(now)});
}

/// The duration that stands behind these words, such as 3001 of `its clock is 3s1ms ahead`; -1 where there is none.
inline std::int64_t milliseconds_after(const std::string& text, const std::string& words) {
    const auto at = text.find(words);
    if (at == std::string::npos) return -1;
    const auto from = at + words.size();
    const auto duration = support::parse_duration(text.substr(from, text.find_first_of(" ,;)\n", from) - from));
    return duration ? duration->count() : -1;
}
/// What a loaded machine adds to a measured time is less.
inline bool about(std::int64_t expected_ms, std::int64_t measured_ms) {
    return std::abs(expected_ms - measured_ms) < 900;
}

/// Fails with the whole text where one of the parts is missing.
inline void check_holds(const std::string& text, const std::vector<std::string>& parts) {
    for (const auto& part : parts) {
        INFO("'" << part << "' in:\n" << text);
        CHECK(contains(text, part));
    }
}

class SceneBox : public WrittenDeployment {
public:
    explicit SceneBox(RedisServerOptions replica = {})
        : WrittenDeployment("writes = \"allow\"\ntimeout = \"1s\""),
          replica_(std::move(replica)),
          link_(server().endpoint()) {
        add_replica(0, replica_.endpoint());
        server().command({"CONFIG", "SET", "repl-timeout", "600"});
        replica_.command({"CONFIG", "SET", "repl-timeout", "600"});
        follow(link_.endpoint());
        for (const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
             !contains(replica_.command({"INFO", "replication"}), "master_link_status:up");) {
            REQUIRE(std::chrono::steady_clock::now() < deadline);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }

    RedisServer& primary() { return server(); }
    RedisServer& replica() { return replica_; }
    HeldLink& link() { return link_; }
    /// The replica has all that the primary has.
    void catch_up() { replica_.await_replication_of(primary()); }
    /// The replica looks for its primary there.
    void follow(const domain::Endpoint& endpoint) {
        replica_.command({"REPLICAOF", endpoint.host, std::to_string(endpoint.port)});
    }
    std::string address(RedisServer& of) const { return of.endpoint().address(); }

    /// A window that an application counted on the primary, known to both nodes.
    void count_everywhere(const std::string& key, std::int64_t amount, std::int64_t reset_at) {
        application_counts(primary(), key, amount, reset_at, seconds_from_now(0));
        catch_up();
    }

    /// Findings by class; a class that was found twice has its details one after the other.
    std::map<std::string, std::string> diagnosis(int code, RunOptions options = {}) const {
        const auto result = run({"doctor", "-o", "ndjson"}, std::move(options));
        INFO(result.err << result.out);
        CHECK(result.code == code);
        std::map<std::string, std::string> found;
        for (const auto& row : rows_of(result.out))
            found[row.at("class").get<std::string>()] += row.at("detail").get<std::string>() + "\n";
        return found;
    }

    /// What compare says of the key: a row a node, by address.
    std::map<std::string, nlohmann::json> comparison(const std::string& key, int code, RunOptions options = {}) const {
        const auto result = run({"compare", key, "-o", "ndjson"}, std::move(options));
        INFO(result.err << result.out);
        CHECK(result.code == code);
        return by_node(result.out);
    }
    static std::map<std::string, nlohmann::json> by_node(const std::string& ndjson) {
        std::map<std::string, nlohmann::json> nodes;
        for (const auto& row : rows_of(ndjson)) nodes[row.at("node").get<std::string>()] = row;
        REQUIRE(nodes.size() == 2);
        return nodes;
    }
    /// What explain says of the key, for a ticket.
    std::string explanation(const std::string& key, int code = 0, RunOptions options = {}) const {
        const auto result = run({"explain", key}, std::move(options));
        INFO(result.err << result.out);
        CHECK(result.code == code);
        return result.out;
    }

private:
    RedisServer replica_;
    HeldLink link_;
};

}  // namespace ratectl::test
