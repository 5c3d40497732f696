// A Redis Cluster as the sandbox makes it, and the moves of its slots by hand.
#include "support/redis_cluster.h"

#include <chrono>
#include <fstream>
#include <functional>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

#include "sandbox/cluster.h"
#include "sharding/cluster_slots.h"
#include "support/contains.h"
#include "support/require.h"

namespace ratectl::test {
namespace {

constexpr std::chrono::seconds kLongestWait{30};
constexpr std::chrono::milliseconds kBetweenLooks{5};
// How long nodes wait for one another, in milliseconds.
constexpr const char* kPatient = "120000";
constexpr const char* kHasty = "2000";

void expect_ok(const std::string& reply, const char* what) {
    if (reply != "OK") throw std::runtime_error(std::string(what) + ": " + reply);
}

/// What a node remembers that follows a primary with all slots, which is nowhere.
std::string memory_of_a_replica() {
    std::random_device random;
    const auto id = [&random] {
        std::string digits;
        while (digits.size() < 40) digits += "0123456789abcdef"[random() % 16];
        return digits;
    };
    const auto primary = id();
    return id() + " 127.0.0.1:0@0 myself,slave " + primary + " 0 0 0 connected\n" + primary +
           " 127.0.0.1:1@2 master - 0 0 0 connected 0-16383\nvars currentEpoch 0 lastVoteEpoch 0\n";
}

}  // namespace

// A primary is not well before its third second, in case others have replaced it while it was away. One that was a
// replica, and well, stays so: the primaries begin as replicas, and forget that when they get their slots. Until then
// their patience with the primary that is nowhere outlasts the start of all nodes on a machine that is busy. When all
// is well they have that patience with one another, until one is killed.
RedisCluster::RedisCluster(std::size_t primaries, std::size_t replicas_each)
    : folder_(require(sandbox::TemporaryFolder::make("/tmp", "ratectl-test"))), primaries_(primaries) {
    const std::vector<std::string> settings{"--cluster-node-timeout",
                                            kPatient,
                                            "--cluster-allow-replica-migration",
                                            "no",
                                            "--cluster-replica-validity-factor",
                                            "0",
                                            "--cluster-require-full-coverage",
                                            "no",
                                            "--enable-debug-command",
                                            "local"};
    std::vector<sandbox::ClusterNode> joining;
    for (std::size_t i = 0; i < primaries * (1 + replicas_each); ++i) {
        auto its = settings;
        if (i < primaries) {
            its.insert(its.end(), {"--cluster-config-file", folder_.path() + "/" + std::to_string(i)});
            std::ofstream(its.back()) << memory_of_a_replica();
        }
        nodes_.push_back(std::make_unique<RedisServer>(RedisServerOptions{its, true, {}, {}, true}));
        sandbox::ClusterNode one{node(i).endpoint(), node(i).bus_port(), std::nullopt};
        if (i >= primaries) one.follows = (i - primaries) / replicas_each;
        joining.push_back(std::move(one));
    }
    for (std::size_t i = 0; i < size(); ++i) give_slots(i);
    require(sandbox::gather_cluster(joining, std::chrono::steady_clock::now() + std::chrono::seconds(60)));
    const auto all = "cluster_slots_ok:" + std::to_string(sharding::kClusterSlots);
    for (const auto& one : nodes_) {
        await("a node that knows all slots", [&] { return contains(one->command({"CLUSTER", "INFO"}), all); });
        expect_ok(
            one->command({"CONFIG", "SET", "cluster-require-full-coverage", "yes", "cluster-node-timeout", kPatient}),
            "coverage");
    }
}

void RedisCluster::kill(std::size_t number) {
    for (std::size_t i = 0; i < size(); ++i) {
        if (i != number) node(i).command({"CONFIG", "SET", "cluster-node-timeout", kHasty});
    }
    node(number).kill();
}

void RedisCluster::give_slots(std::size_t number) {
    auto& its = node(number);
    std::vector<std::vector<std::string>> commands{{"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(number + 1)},
                                                   {"CONFIG", "SET", "cluster-node-timeout", kHasty}};
    if (number < primaries_) {
        await("a node that is well", [&] { return contains(its.command({"CLUSTER", "INFO"}), "cluster_state:ok"); });
        const auto slots = static_cast<std::size_t>(sharding::kClusterSlots);
        commands.insert(commands.begin(), {"CLUSTER", "RESET", "SOFT"});
        commands.push_back({"CLUSTER", "ADDSLOTSRANGE", std::to_string(slots * number / primaries_),
                            std::to_string(slots * (number + 1) / primaries_ - 1)});
    }
    // At once: without any slot it would not be well.
    its.command({"MULTI"});
    for (const auto& command : commands) its.command(command);
    for (const auto& answer : its.reply({"EXEC"}).items) expect_ok(answer.shown(), "a node's slots");
}

void RedisCluster::await(const char* what, const std::function<bool()>& done) {
    for (const auto end = std::chrono::steady_clock::now() + kLongestWait; std::chrono::steady_clock::now() < end;) {
        if (done()) return;
        std::this_thread::sleep_for(kBetweenLooks);
    }
    throw std::runtime_error(std::string("a Redis Cluster was waited for in vain: ") + what);
}

std::size_t RedisCluster::home(const std::string& key) const {
    const std::size_t slot = sharding::cluster_slot(key);
    for (std::size_t i = primaries_; i-- > 0;) {
        if (slot >= sharding::kClusterSlots * i / primaries_) return i;
    }
    return 0;
}

void RedisCluster::set_window(const std::string& key, const std::string& used, std::int64_t reset_at) {
    for (const auto& [name, value] : {std::pair{key, used}, std::pair{key + ":exp", std::to_string(reset_at)}}) {
        auto& server = node(home(key));
        expect_ok(server.command({"SET", name, value}), "a window");
        server.command({"EXPIREAT", name, std::to_string(reset_at + 1)});
    }
}

void RedisCluster::open_slot(std::uint16_t slot, std::size_t from, std::size_t to) {
    const auto number = std::to_string(slot);
    expect_ok(node(to).command({"CLUSTER", "SETSLOT", number, "IMPORTING", id(from)}), "importing");
    expect_ok(node(from).command({"CLUSTER", "SETSLOT", number, "MIGRATING", id(to)}), "migrating");
}

void RedisCluster::move_key(const std::string& key, std::size_t from, std::size_t to) {
    expect_ok(node(from).command({"MIGRATE", "127.0.0.1", std::to_string(node(to).port()), key, "0", "5000"}),
              "a key's move");
}

void RedisCluster::close_slot(std::uint16_t slot, std::size_t from, std::size_t to) {
    const auto number = std::to_string(slot);
    const auto keys = node(from).reply({"CLUSTER", "GETKEYSINSLOT", number, "100000"});
    for (const auto& key : keys.items) move_key(key.text, from, to);
    const auto owner = id(to);
    expect_ok(node(to).command({"CLUSTER", "SETSLOT", number, "NODE", owner}), "its new owner");
    expect_ok(node(from).command({"CLUSTER", "SETSLOT", number, "NODE", owner}), "its new owner");
    agree_on_epochs();
}

// A node that imports the next slot takes an epoch above all that it knows of: two of one epoch would quarrel.
void RedisCluster::agree_on_epochs() {
    await("all nodes to agree on epochs", [this] {
        std::set<std::string> current;
        std::set<std::string> own;
        for (std::size_t i = 0; i < primaries_; ++i) {
            const auto info = node(i).command({"CLUSTER", "INFO"});
            const auto line = [&info](const std::string& name) {
                const auto at = info.find(name);
                return info.substr(at, info.find('\r', at) - at);
            };
            current.insert(line("cluster_current_epoch:"));
            own.insert(line("cluster_my_epoch:"));
        }
        return current.size() == 1 && own.size() == primaries_;
    });
}

void RedisCluster::move_slot(std::uint16_t slot, std::size_t from, std::size_t to) {
    open_slot(slot, from, to);
    close_slot(slot, from, to);
}

// What was under way among the nodes may bring it back for a moment.
void RedisCluster::drop_slot(std::uint16_t slot) {
    const auto number = std::to_string(slot);
    const auto has_all = [this](std::size_t i) {
        std::int64_t covered = 0;
        for (const auto& range : node(i).reply({"CLUSTER", "SLOTS"}).items)
            covered += std::stoll(range.items.at(1).text) - std::stoll(range.items.at(0).text) + 1;
        return covered == sharding::kClusterSlots;
    };
    for (std::size_t i = 0; i < size(); ++i) node(i).command({"CONFIG", "SET", "cluster-require-full-coverage", "no"});
    for (int quiet = 0; quiet < 3; ++quiet) {
        for (std::size_t i = 0; i < size(); ++i) {
            if (!has_all(i)) continue;
            quiet = -1;
            node(i).command({"CLUSTER", "DELSLOTS", number});
        }
    }
}

void RedisCluster::promote(std::size_t replica, bool by_force) {
    std::vector<std::string> words{"CLUSTER", "FAILOVER"};
    if (by_force) words.emplace_back("TAKEOVER");
    expect_ok(node(replica).command(words), "a failover");
    await("a new primary", [&] { return node(replica).command({"ROLE"}).starts_with("master"); });
}

}  // namespace ratectl::test
