// A deployment whose shards are reached in different ways: plain and by TLS, over IPv6 and a socket, each with a user
// and a db of its own.
#include <filesystem>
#include <fstream>

#include "redis/tls.h"
#include "support/catch.h"
#include "support/contains.h"
#include "support/fake_server.h"
#include "support/json.h"
#include "support/redis_server.h"
#include "support/run_ratectl.h"
#include "support/test_certificates.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

std::string certificate(const std::string& name) { return test_certificates().file(name); }

std::vector<std::string> tls_arguments(std::uint16_t port) {
    return {"--tls-port",         std::to_string(port),
            "--tls-cert-file",    certificate("server.pem"),
            "--tls-key-file",     certificate("server.key"),
            "--tls-ca-cert-file", certificate("ca.pem"),
            "--tls-auth-clients", "no"};
}

/// Shards named after how they are reached.
class Mixed {
public:
    Mixed() : tls_port_(closed_port()), secure_(tls_arguments(tls_port_)), six_({"--bind", "127.0.0.1", "::1"}) {
        plain_.command({"ACL", "SETUSER", "ann", "on", ">a-secret", "~*", "+@all"});
        secure_.command({"ACL", "SETUSER", "bob", "on", ">b-secret", "~*", "+@all"});
        const auto port = [](RedisServer& server) { return std::to_string(server.port()); };
        urls_ = {{"plain", "redis://ann:a-secret@127.0.0.1:" + port(plain_) + "/1"},
                 {"secure", "rediss://bob:b-secret@localhost:" + std::to_string(tls_port_) + "/3"},
                 {"six", "redis://[::1]:" + port(six_)},
                 {"socket", "unix://" + socket_.unix_endpoint().path + "?db=2"}};
        write();
    }

    /// Without a table `tls`, which would have every shard encrypted: the system's authorities are believed.
    void write() {
        std::ofstream out(file());
        out << "[deployments.d]\nsharding = \"modulo\"\nwrites = \"allow\"\n"
            << "[[deployments.d.policies]]\nname = \"core\"\nkey = \"core:{client}\"\nlimit = 10\nperiod = \"1h\"\n";
        for (const auto& [name, url] : urls_) {
            out << "[[deployments.d.shards]]\nname = \"" << name << "\"\nprimary = \"" << url << "\"\n";
        }
        out.close();
        using std::filesystem::perms;
        std::filesystem::permissions(file(), perms::owner_read | perms::owner_write);
    }

    RunResult run(const std::vector<std::string>& words, const std::string& authority = "ca.pem") const {
        RunOptions options;
        options.environment["SSL_CERT_FILE"] = certificate(authority);
        options.environment["RATECTL_CONFIG"] = file();
        options.environment["XDG_STATE_HOME"] = plain_.folder() + "/state";
        return run_ratectl(words, options);
    }
    std::string file() const { return plain_.folder() + "/mixed.toml"; }
    RedisServer& plain() { return plain_; }
    RedisServer& secure() { return secure_; }
    RedisServer& six() { return six_; }
    RedisServer& socket() { return socket_; }

private:
    std::uint16_t tls_port_;
    RedisServer secure_;  // first: until it listens, any other server may be given that port
    RedisServer plain_;
    RedisServer six_;
    RedisServer socket_;
    std::vector<std::pair<std::string, std::string>> urls_;
};

std::string count_in(RedisServer& server, int db) {
    return server.command(
        {"EVAL", "redis.call('SELECT', ARGV[1]) return #redis.call('KEYS', 'core:*')", "0", std::to_string(db)});
}

}  // namespace

TEST_CASE("every shard is reached by its own way with its own user and db") {
    if (!ratectl::redis::tls_built_in()) return;
    Mixed box;
    std::vector<std::string> words{"increment"};
    for (int i = 0; i < 40; ++i) words.push_back("core:" + std::to_string(i));
    const auto changed = box.run(words);
    INFO(changed.out << changed.err);
    CHECK(changed.code == 0);
    words[0] = "check";
    CHECK(box.run(words).code == 0);
    const auto swept = box.run({"scan", "--count", "-o", "ndjson"});
    INFO(swept.out << swept.err);
    CHECK(swept.code == 0);
    CHECK(contains(swept.out, "40"));
    const int keys = std::stoi(count_in(box.plain(), 1)) + std::stoi(count_in(box.secure(), 3)) +
                     std::stoi(count_in(box.six(), 0)) + std::stoi(count_in(box.socket(), 2));
    CHECK(keys == 80);
    for (auto [server, db] : {std::pair{&box.plain(), 1}, {&box.secure(), 3}, {&box.six(), 0}, {&box.socket(), 2}})
        CHECK(count_in(*server, db) != "0");
    const auto nodes = box.run({"nodes", "-o", "ndjson"});
    INFO(nodes.out << nodes.err);
    CHECK(nodes.code == 0);
    CHECK(contains(nodes.out, "\"node\":\"[::1]:"));
    CHECK(contains(nodes.out, "\"node\":\"unix:"));
}

TEST_CASE("a shard whose certificate is not believed hides no other shard") {
    if (!ratectl::redis::tls_built_in()) return;
    Mixed box;
    const auto swept = box.run({"scan"}, "other-ca.pem");
    INFO(swept.out << swept.err);
    CHECK(swept.code == 9);
    CHECK(contains(swept.err, "shard 'secure'"));
    CHECK(contains(swept.err, "certificate verify failed"));
    for (const std::string other : {"shard 'plain'", "shard 'six'", "shard 'socket'"})
        CHECK_FALSE(contains(swept.err, other));
    CHECK_FALSE(contains(swept.err, "secret"));
}

TEST_CASE("sentinels are asked over TLS, and what they tell is reached by the certificates of its shard") {
    if (!ratectl::redis::tls_built_in()) return;
    const auto port = closed_port();
    RedisServer server(tls_arguments(port));
    const auto door = closed_port();
    const std::string config = "sentinel monitor m1 127.0.0.1 " + std::to_string(port) +
                               " 1\nsentinel down-after-milliseconds m1 30000\ntls-port " + std::to_string(door) +
                               "\ntls-cert-file " + certificate("stranger.pem") + "\ntls-key-file " +
                               certificate("stranger.key") + "\ntls-ca-cert-file " + certificate("ca.pem") +
                               "\ntls-auth-clients no\ntls-replication yes\n";
    RedisServer sentinel(RedisServerOptions{{"--sentinel"}, true, {}, config});
    const auto run = [&](const std::string& authority, const std::string& of_shard,
                         const std::vector<std::string>& words) {
        const auto file = server.folder() + "/sentinels.toml";
        std::ofstream(file) << "[deployments.d]\nkind = \"sentinel\"\nwrites = \"allow\"\nsentinels = [\"rediss://"
                            << "127.0.0.1:" << door << "\"]\ntls = { ca_file = \"" << certificate(authority)
                            << "\" }\n[[deployments.d.shards]]\nname = \"alpha\"\nmaster = \"m1\"\n"
                            << "tls = { ca_file = \"" << certificate(of_shard) << "\" }\n"
                            << "[[deployments.d.policies]]\nname = \"core\"\nkey = \"core:{client}\"\nlimit = 10\n"
                            << "period = \"1h\"\n";
        RunOptions options;
        options.environment["RATECTL_CONFIG"] = file;
        options.environment["XDG_STATE_HOME"] = server.folder() + "/state";
        return run_ratectl(words, options);
    };
    const auto changed = run("other-ca.pem", "ca.pem", {"increment", "core:1"});
    INFO(changed.out << changed.err);
    CHECK(changed.code == 0);
    CHECK(server.command({"GET", "core:1"}) == "1");
    CHECK(contains(run("other-ca.pem", "ca.pem", {"config", "show"}).out, "shards.alpha.tls.ca_file"));
    const auto unproven = run("ca.pem", "ca.pem", {"check", "core:1"});
    INFO(unproven.out << unproven.err);
    CHECK(unproven.code != 0);
    CHECK(contains(unproven.err, "certificate verify failed"));
    CHECK(contains(unproven.err, "hint: tls.ca_file names the certificate authority"));
    const auto shard = run("other-ca.pem", "other-ca.pem", {"check", "core:1"});
    INFO(shard.out << shard.err);
    CHECK(shard.code == 5);
    CHECK(contains(shard.err, "certificate verify failed"));
    CHECK(contains(shard.err, "shards.alpha.tls.ca_file names the certificate authority"));
    const auto missing = run("other-ca.pem", "missing.pem", {"check", "core:1"});
    INFO(missing.out << missing.err);
    CHECK(missing.code == 3);
    CHECK(contains(missing.err, ": shards.alpha.tls.ca_file /"));
    const auto of_all = run("missing.pem", "ca.pem", {"check", "core:1"});
    INFO(of_all.out << of_all.err);
    CHECK(of_all.code == 3);
    CHECK(contains(of_all.err, ": tls.ca_file /"));
    CHECK_FALSE(contains(of_all.err, "watches no master"));
}
