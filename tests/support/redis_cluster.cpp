// Makes a Redis Cluster by hand: slots are given away, nodes meet, replicas follow.
#include "support/redis_cluster.h"

#include <chrono>
#include <functional>
#include <set>
#include <stdexcept>
#include <thread>

#include <netinet/in.h>
#include <sys/socket.h>

#include "sharding/cluster_slots.h"
#include "support/descriptor.h"

namespace ratectl::test {
namespace {

constexpr std::chrono::seconds kLongestWait{30};
constexpr std::chrono::milliseconds kBetweenLooks{5};

/// A loopback port that is free right now, for the nodes' own talk.
std::uint16_t free_port() {
    const support::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket.get(), generic, length) != 0 || ::getsockname(socket.get(), generic, &length) != 0)
        throw std::runtime_error("no free loopback port");
    return ntohs(address.sin_port);
}

void expect_ok(const std::string& reply, const char* what) {
    if (reply != "OK") throw std::runtime_error(std::string(what) + ": " + reply);
}

}  // namespace

RedisCluster::RedisCluster(std::size_t primaries, std::size_t replicas_each) : primaries_(primaries) {
    for (std::size_t i = 0; i < primaries * (1 + replicas_each); ++i) {
        bus_ports_.push_back(free_port());
        nodes_.push_back(std::make_unique<RedisServer>(
            std::vector<std::string>{"--cluster-enabled", "yes", "--cluster-node-timeout", "2000", "--cluster-port",
                                     std::to_string(bus_ports_.back()), "--cluster-allow-replica-migration", "no",
                                     "--enable-debug-command", "local", "--cluster-replica-validity-factor", "0"}));
    }
    join(replicas_each);
}

void RedisCluster::join(std::size_t replicas_each) {
    for (std::size_t i = 0; i < size(); ++i)
        expect_ok(node(i).command({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)}), "an epoch");
    for (std::size_t i = 0; i < primaries_; ++i) {
        const auto first = sharding::kClusterSlots * i / primaries_;
        const auto last = sharding::kClusterSlots * (i + 1) / primaries_ - 1;
        expect_ok(node(i).command({"CLUSTER", "ADDSLOTSRANGE", std::to_string(first), std::to_string(last)}), "slots");
    }
    for (std::size_t i = 1; i < size(); ++i) {
        expect_ok(node(i).command(
                      {"CLUSTER", "MEET", "127.0.0.1", std::to_string(node(0).port()), std::to_string(bus_ports_[0])}),
                  "a meeting");
    }
    const auto everywhere = [this](const std::string& line) {
        for (auto& each : nodes_) {
            if (each->command({"CLUSTER", "INFO"}).find(line) == std::string::npos) return false;
        }
        return true;
    };
    await("all nodes know one another", [&] { return everywhere("cluster_known_nodes:" + std::to_string(size())); });
    for (std::size_t i = primaries_; i < size(); ++i) {
        const auto primary = id((i - primaries_) / replicas_each);
        await("a replica", [&] { return node(i).command({"CLUSTER", "REPLICATE", primary}) == "OK"; });
    }
    for (std::size_t i = primaries_; i < size(); ++i) {
        await("its link", [&] {
            return node(i).command({"INFO", "replication"}).find("master_link_status:up") != std::string::npos;
        });
    }
    await("the whole to be well", [&] { return everywhere("cluster_state:ok"); });
    // What the others know of replicas comes with their gossip.
    await("the replicas to be known", [&] {
        for (auto& each : nodes_) {
            const auto text = each->command({"CLUSTER", "NODES"});
            std::size_t replicas = 0;
            for (auto at = text.find("slave"); at != std::string::npos; at = text.find("slave", at + 1)) ++replicas;
            if (replicas != size() - primaries_) return false;
        }
        return true;
    });
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

void RedisCluster::promote(std::size_t replica, bool by_force) {
    std::vector<std::string> words{"CLUSTER", "FAILOVER"};
    if (by_force) words.emplace_back("TAKEOVER");
    expect_ok(node(replica).command(words), "a failover");
    await("a new primary", [&] { return node(replica).command({"ROLE"}).starts_with("master"); });
}

}  // namespace ratectl::test
