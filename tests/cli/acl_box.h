// Real servers whose accounts have the rules that `ratectl acl` prints, or all of them but one; and ratectl run as
// these accounts.
#pragma once

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/json.h"

namespace ratectl::test {

using Words = std::vector<std::string>;

inline Words words_in(const std::string& text) {
    std::istringstream in(text);
    Words words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

/// Deployment `one` is shard alpha with a replica; `two` has beta, too. Policies core:{client} and lim:{client}:hour,
/// 100 an hour. Beside windows alpha holds what others keep there, a pair with the same suffix among it.
class AclBox {
public:
    AclBox() : folder_(sandbox::TemporaryFolder::make("/tmp", "ratectl-test").value()) {
        replica.make_replica_of(alpha);
        std::ofstream(log()) << "core:l1\ncore:l2\n";
        for (const auto* key : {"session:1", "session:1:exp", "other"}) alpha.command({"SET", key, "1"});
        for (const auto* key : {"core:1", "core:2", "lim:1:hour"}) put(key, "7");
        replica.await_replication_of(alpha);
    }

    /// Sound, unless a half is to have no time to live.
    void put(const std::string& key, const std::string& used, bool leaks = false) {
        const auto end = seconds_from_now(3000);
        const auto expires = std::to_string(end + 1);
        alpha.command({"SET", key, used, "EXAT", expires});
        alpha.command({"SET", key + ":exp", std::to_string(end), "EXAT", expires});
        if (leaks) alpha.command({"PERSIST", key});
    }

    /// The line that `acl` prints for an account of this name, as words.
    Words line(const std::string& kind, const Words& more = {}) {
        Words arguments{"acl", kind, "--user", "ann", "--password-sha256", kDigest};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const auto result = run("", arguments);
        INFO(result.err);
        REQUIRE(result.code == 0);
        REQUIRE(result.out.find('\n') == result.out.size() - 1);
        return words_in(result.out);
    }
    /// What stands behind `ACL SETUSER ann reset`.
    static Words rules_of(const Words& line) {
        REQUIRE(Words(line.begin(), line.begin() + 4) == Words{"ACL", "SETUSER", "ann", "reset"});
        return {line.begin() + 4, line.end()};
    }
    /// Gives ann these rules and no others, at every server.
    void let_ann(const Words& rules) {
        Words words{"ACL", "SETUSER", "ann", "reset"};
        words.insert(words.end(), rules.begin(), rules.end());
        for (auto* server : {&alpha, &beta, &replica}) REQUIRE(server->command(words) == "OK");
    }

    /// As ann, or without logging in.
    RunResult run(const std::string& user, Words arguments, const std::string& input = {}) {
        RunOptions options;
        options.input = input;
        options.environment["RATECTL_CONFIG"] = config_of(user);
        options.environment["ACL_PASSWORD"] = "secret";
        options.environment["XDG_STATE_HOME"] = folder_.path() + "/state";
        return run_ratectl(arguments, options);
    }
    std::string newest_operation() {
        const auto rows = run("", {"history", "--last", "1", "-o", "ndjson"}).out;
        const std::string op = parse_json(rows.substr(0, rows.find('\n'))).at("op");
        return op.substr(0, op.find('/'));
    }

    /// Everything on both shards, byte for byte and with its time to live.
    std::string snapshot() {
        std::string text;
        for (auto* server : {&alpha, &beta}) {
            text +=
                server->command({"EVAL",
                                 "local t = redis.call('KEYS', '*') table.sort(t) for i, k in ipairs(t) do t[i] = k .. "
                                 "' ' .. redis.sha1hex(redis.call('DUMP', k)) .. ' ' .. redis.call('PEXPIRETIME', "
                                 "k) end return table.concat(t, '\\n')",
                                 "0"});
        }
        return text;
    }
    static void forget_calls(RedisServer& server) { server.command({"CONFIG", "RESETSTAT"}); }
    /// The commands that the server has carried out since, but for what replication and this fixture send.
    static std::set<std::string> calls_of(RedisServer& server) {
        std::set<std::string> names;
        std::istringstream lines(server.command({"INFO", "commandstats"}));
        for (std::string line; std::getline(lines, line);) {
            if (!line.starts_with("cmdstat_") || line.find(":calls=0,") != std::string::npos) continue;
            const auto name = line.substr(8, line.find(':') - 8);
            static const std::set<std::string> others{"auth",       "ping", "psync", "replconf", "config|resetstat",
                                                      "acl|setuser"};
            if (!others.contains(name)) names.insert(name);
        }
        return names;
    }

    std::string log() const { return folder_.path() + "/keys.log"; }
    std::string file(const std::string& name) const { return folder_.path() + "/" + name; }

    RedisServer alpha;
    RedisServer replica;
    RedisServer beta;

private:
    static constexpr const char* kDigest =
        "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";  // secret

    static std::string shard_table(const std::string& deployment, const std::string& name, RedisServer& server) {
        return "[[deployments." + deployment + ".shards]]\nname = \"" + name + "\"\nprimary = \"" +
               server.endpoint().url() + "\"\n";
    }
    std::string config_of(const std::string& user) {
        std::string text = "default = \"one\"\n";
        for (const std::string name : {"one", "two"}) {
            text += "[deployments." + name + "]\nsharding = \"twemproxy-ketama\"\nwrites = \"allow\"\n";
            if (!user.empty()) text += "username = \"" + user + "\"\npassword_env = \"ACL_PASSWORD\"\n";
            text += shard_table(name, "alpha", alpha) + "replicas = [\"" + replica.endpoint().url() + "\"]\n";
            if (name == "two") text += shard_table(name, "beta", beta);
            for (const std::string policy : {"core:{client}", "lim:{client}:hour"}) {
                text += "[[deployments." + name + ".policies]]\nname = \"" + policy.substr(0, policy.find(':')) +
                        "\"\nkey = \"" + policy + "\"\nlimit = 100\nperiod = \"1h\"\n";
            }
        }
        const auto path = file("config-" + user + ".toml");
        std::ofstream(path) << text;
        return path;
    }

    sandbox::TemporaryFolder folder_;
};

}  // namespace ratectl::test
