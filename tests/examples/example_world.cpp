// The world is made by ratectl itself, from what a user would have.
#include "examples/example_world.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "support/plain_client.h"
#include "support/redis_server.h"

namespace ratectl::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShards = 4;

sandbox::Sandbox started(const std::string& folder) {
    sandbox::SandboxOptions options;
    options.shards = kShards;
    options.replicas = 1;
    options.program = redis_server_program();
    options.folder = folder + "/servers";
    options.die_with_parent = true;
    options.patience = std::chrono::seconds(60);
    return support::value_or_throw(sandbox::Sandbox::up(options));
}

}  // namespace

ExampleWorld::ExampleWorld()
    : folder_(sandbox::TemporaryFolder::make("/tmp", "ratectl-test").value()), servers_(started(folder_.path())) {
    fs::create_directories(folder() + "/.config/fish/completions");
    fs::create_directories(folder() + "/.config/ratectl");
    write_configurations();
    write_inputs();
    count_windows();
    leak_a_window();
    write_dumps();
}

RunResult ExampleWorld::run(const std::string& script) const {
    RunOptions options;
    options.folder = folder();
    options.environment["HOME"] = folder();
    options.environment["TMPDIR"] = folder();
    options.environment["RATECTL_CONFIG"] = folder() + "/ratectl.toml";
    options.environment["USER"] = "operator";
    options.environment["PATH"] = fs::path(ratectl_binary()).parent_path().string() + ":/usr/bin:/bin";
    // A watch goes on until it is ended.
    if (script.find("ratectl watch") != std::string::npos) options.environment["RATECTL_DEADLINE"] = "2s";
    options.terminal_only_for_questions = true;
    options.typed = "yes\n";
    options.timeout = std::chrono::seconds(90);
    // What this one waits for comes from elsewhere.
    const bool waits = script.find("--until below") != std::string::npos;
    const std::string event =
        "(sleep 1; ratectl reset --client alice -y --no-op-key --journal event.db) >/dev/null 2>&1 &\n";
    auto result = run_program("/usr/bin/env", {"bash", "-c", (waits ? event : "") + script}, options);
    if (script.find("ratectl") != std::string::npos) await_replicas(options);
    return result;
}

/// What comes next reads from replicas, and must see what was done here.
void ExampleWorld::await_replicas(const RunOptions& options) const {
    constexpr int patience = 100;
    for (int look = 0; look < patience; ++look) {
        const auto lags = run_program(
            "/usr/bin/env", {"ratectl", "nodes", "--columns", "lag_bytes", "--no-header", "-o", "csv"}, options);
        if (lags.code != 0 || lags.out.find_first_not_of("0\n") == std::string::npos) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

void ExampleWorld::must_run(const std::string& script) const {
    const auto result = run("set -eu\n" + script);
    if (result.code != 0) throw std::runtime_error("the examples' world cannot be made: " + result.err + result.out);
}

void ExampleWorld::write_file(const std::string& name, const std::string& text) const {
    std::ofstream(folder() + "/" + name, std::ios::binary) << text;
}

std::string ExampleWorld::deployment(const std::string& name, std::size_t shards) const {
    std::string text = "[deployments." + name + "]\nsharding = \"twemproxy-ketama\"\n";
    for (std::size_t i = 0; i < shards; ++i) {
        const auto& primary = servers_.members().at(2 * i);
        const auto& replica = servers_.members().at(2 * i + 1);
        text += "[[deployments." + name + ".shards]]\nname = \"" + primary.shard + "\"\nprimary = \"" +
                primary.endpoint().url() + "\"\nreplicas = [\"" + replica.endpoint().url() + "\"]\n";
    }
    text += "[[deployments." + name + ".policies]]\nname = \"core\"\nkey = \"core:{client}\"\nlimit = 5000\n";
    text += "period = \"1h\"\nclasses = { enterprise = 15000 }\n";
    text += "org_key = \"org:{org}:core\"\norg_limit = 20000\n";
    text += "[[deployments." + name + ".policies]]\nname = \"search\"\nkey = \"search:{client}\"\nlimit = 30\n";
    return text + "period = \"30m\"\n";
}

void ExampleWorld::write_configurations() const {
    write_file("ratectl.toml",
               "default = \"production\"\n" + deployment("production", 3) + deployment("production-new", kShards));
    write_file("three.toml", deployment("production", 3));
    write_file("four.toml", deployment("production", kShards));
    std::string pools = "main:\n  listen: 127.0.0.1:22121\n  hash: fnv1a_64\n  distribution: ketama\n  redis: true\n";
    write_file("nutcracker.yml", pools + "  servers:\n   - 10.0.0.1:6379:1 alpha\n   - 10.0.0.2:6379:1 beta\n");
}

void ExampleWorld::add_throttles() const {
    const std::string policy =
        "[[deployments.production.policies]]\nname = \"throttles\"\nkey = \"throttle:{client}\"\nscheme = "
        "\"limitlion\"\n"
        "limit = 40\nperiod = \"30m\"\nburst = 80\n";
    write_file("ratectl.toml", "default = \"production\"\n" + deployment("production", 3) + policy);
    must_run(R"(
ratectl knobs set search rps=0.5 burst=2 window=900 -q --journal before.db --no-op-key
ratectl increment throttle:search --amount 12 -q --journal before.db --no-op-key
ratectl increment throttle:mail --amount 7 -q --journal before.db --no-op-key
)");
    // A bucket is read from the shard that has it, wherever else it is; the next minutes count none of these twice.
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto minute = std::to_string(std::chrono::duration_cast<std::chrono::minutes>(now).count());
    for (const std::size_t shard : {0U, 1U, 2U}) {
        test::PlainClient client(servers_.members().at(2 * shard).endpoint());
        client.command({"SET", "rc:queries:" + minute, "41.5", "EX", "615"}).value();
        client.command({"SET", "rc:store:read:" + minute, "12", "EX", "615"}).value();
        client.command({"ZADD", "rc:store:group_keys", minute + "00", "read"}).value();
    }
}

void ExampleWorld::add_predecessor() {
    predecessor_.emplace();
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto end = std::chrono::duration_cast<std::chrono::seconds>(now + std::chrono::minutes(25))
                         .count();  // not that of any window there is
    predecessor_->open("core:bob", 4990, end);
    predecessor_->open("core:erin", 12, end);
    write_file("ratectl.toml",
               "default = \"production\"\n" + deployment("production", 3) +
                   "[deployments.legacy]\nkind = \"memcached\"\n[[deployments.legacy.shards]]\nname = \"m1\"\n"
                   "primary = \"" +
                   predecessor_->url() +
                   "\"\n[[deployments.legacy.policies]]\nname = \"core\"\n"
                   "key = \"core:{client}\"\nlimit = 5000\nperiod = \"1h\"\n");
    must_run("ratectl rollout set next_limit 10 -q --journal before.db --no-op-key");
}

void ExampleWorld::add_cluster() {
    cluster_ = std::make_unique<RedisCluster>(1);
    write_file("cluster.toml",
               "[deployments.cluster]\nkind = \"cluster\"\nnodes = [\"" + cluster_->url(0) +
                   "\"]\n[[deployments.cluster.policies]]\nname = \"core\"\nkey = \"{{core:{client}}}\"\n"
                   "limit = 5000\nperiod = \"1h\"\norg_key = \"{{org:{org}:core}}\"\norg_limit = 20000\n"
                   "[[deployments.cluster.policies]]\nname = \"search\"\nkey = \"{{search:{client}}}\"\n"
                   "limit = 30\nperiod = \"30m\"\n");
}

void ExampleWorld::write_inputs() const {
    write_file("keys.txt", "core:alice\ncore:42\ncore:nobody\n");
    write_file("loads.csv",
               "time,load\n1767225600,1.8\n1767225615,2.4\n1767225630,7.5\n1767225645,1.9\n1767225660,1.2\n");
    write_file("pasted.txt",
               "HTTP/1.1 403 Forbidden\nX-RateLimit-Limit: 5000\nX-RateLimit-Remaining: 0\nX-RateLimit-Used: 5000\n"
               "X-RateLimit-Reset: 1767261600\n");
    std::string log;
    for (int i = 0; i < 40; ++i) {
        const std::string minute = std::to_string(10 + i);
        const std::string status = i % 8 == 0 ? "304" : "200";
        log += (i % 4 == 0 ? "192.0.2.7" : "192.0.2.9");
        log += " - - [01/Jan/2026:10:" + minute + ":00 +0000] \"GET /items/1 HTTP/1.1\" " + status +
               " 512 \"-\" \"curl/8\"\n";
    }
    write_file("access.log", log);
    must_run("gzip -k access.log");
}

void ExampleWorld::count_windows() const {
    // Not in the journal and not on the servers: history begins with the two resets.
    must_run(R"(
count() { ratectl increment "$1" --amount "$2" --period 30m --no-op-key --journal before.db -q >/dev/null; }
count core:alice 5000
count core:42 137
count core:bob 4870
count core:acme-1 900
count core:acme-2 1200
count search:alice 28
count search:42 3
count core:carol 12
count org:acme:core 17500
for number in 1 2 3 4 5 6 7 8; do count core:reset-$number $number; done
ratectl reset core:carol --op-id 01JD0W3V5M7Q9R2T4X6Z8B1C3D --reason 'ticket 4711' -q >/dev/null
ratectl reset core:reset-1 core:reset-2 core:reset-3 core:reset-4 core:reset-5 core:reset-6 core:reset-7 core:reset-8 \
    --op-id my-reset --reason 'a bad deploy' -q -y >/dev/null
)");
}

void ExampleWorld::leak_a_window() const {
    const auto end = std::chrono::system_clock::now() + std::chrono::minutes(30);
    const auto second = std::chrono::duration_cast<std::chrono::seconds>(end.time_since_epoch()).count();
    test::PlainClient client(servers_.members().front().endpoint());  // alpha, where ketama puts this key
    for (const auto& [key, value] :
         {std::pair{"core:leaked", std::string("17")}, std::pair{"core:leaked:exp", std::to_string(second)}}) {
        if (client.command({"SET", key, value}).value().is_error()) throw std::runtime_error("a server cannot SET");
    }
}

void ExampleWorld::add_clients(int count) const {
    must_run("for ((i = 0; i < " + std::to_string(count) +
             "; i++)); do echo core:client-$i-of-many; done |\n"
             "ratectl increment - --period 30m --no-op-key --journal before.db -q -y >/dev/null");
}

void ExampleWorld::write_dumps() const {
    for (const std::size_t shard : {0U, 1U}) {
        const auto& member = servers_.members().at(2 * shard);
        test::PlainClient client(member.endpoint());
        // Otherwise the server removes the file again as soon as its replicas have it.
        client.command({"CONFIG", "SET", "rdb-del-sync-files", "no"}).value();
        if (client.command({"SAVE"}).value().shown() != "OK") throw std::runtime_error("a server cannot SAVE");
        fs::copy_file(servers_.folder() + "/" + member.folder + "/dump.rdb", folder() + "/" + member.shard + ".rdb");
    }
    must_run("gzip -k beta.rdb");
}

}  // namespace ratectl::test
