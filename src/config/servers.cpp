// Checks the servers of a deployment and prepares what sharding needs to know of them.
#include "config/servers.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "support/suggest.h"

namespace ratectl::config {
namespace {

using support::ExitCode;
using support::Failure;

/// One listed server and the name of the value that lists it.
struct Listed {
    const domain::Endpoint* endpoint = nullptr;
    std::string shard;
    std::string value;
    bool primary = false;
};

std::vector<Listed> all_listed(const Settings& settings) {
    std::vector<Listed> all;
    for (const auto& [shard, server, master] : settings.shards) {
        all.push_back({&shard.primary, shard.name, fmt::format("shards.{}.primary", shard.name), true});
        for (const auto& replica : shard.replicas)
            all.push_back({&replica, shard.name, fmt::format("shards.{}.replicas", shard.name), false});
    }
    return all;
}

std::string described(const Listed& listed) {
    return fmt::format("{} of shard '{}'", listed.primary ? "the primary" : "a replica", listed.shard);
}

/// Two entries that cannot both be right. Where a sentinel tells the address, there is none yet. Two databases of one
/// server are two shards, but never a shard and a replica.
bool clash(const Listed& a, const Listed& b) {
    if (a.endpoint->is_to_be_told() || b.endpoint->is_to_be_told()) return false;
    if (a.primary && b.primary) return a.endpoint->same_server(*b.endpoint);
    return a.endpoint->address() == b.endpoint->address();
}

/// Servers that sentinels tell of have any address today and another one tomorrow.
std::vector<sharding::Server> with_addresses(std::vector<sharding::Server> servers, bool rising) {
    for (std::size_t i = 0; i < servers.size(); ++i)
        servers[i].host = fmt::format("10.0.0.{}", rising ? i + 1 : servers.size() - i);
    return servers;
}

void refuse_placing_by_address(const Settings& settings, const std::vector<sharding::Server>& servers) {
    const auto one = sharding::ShardMap::make(*settings.sharding, with_addresses(servers, true));
    const auto other = sharding::ShardMap::make(*settings.sharding, with_addresses(servers, false));
    if (!one || !other) return;
    constexpr int samples = 256;
    for (int i = 0; i < samples; ++i) {
        const auto key = std::to_string(i);
        if (one->shard_of(key) == other->shard_of(key)) continue;
        fail_at_origin(origin_of(settings, "sharding.preset"),
                       "sharding: this rule goes by the servers' addresses, and sentinels may name others tomorrow",
                       "give each shard the label that the application's library uses: label = \"...\"");
    }
}

void refuse_same_master(const Settings& settings) {
    std::map<std::pair<std::string, int>, std::string> shards;
    for (const auto& each : settings.shards) {
        const auto& name = each.shard.name;
        const auto [known, fresh] = shards.try_emplace({each.master, each.shard.primary.db}, name);
        if (fresh) continue;
        fail_at_origin(origin_of(settings, fmt::format("shards.{}.master", name)),
                       fmt::format("'{}' is the master of two shards, '{}' and '{}'", each.master, known->second, name),
                       "each server may appear once; a change would be made twice");
    }
}

/// A proxy stands for the servers behind it, and for nothing else that a deployment may have.
void refuse_wrong_proxies(const Settings& settings) {
    const auto is_proxy = [](const domain::Endpoint& endpoint) { return endpoint.proxied; };
    for (const auto& [shard, server, master] : settings.shards) {
        const bool replicas = shard.discover_replicas || !shard.replicas.empty();
        const auto at = [&settings, name = shard.name](std::string_view key) -> const Origin& {
            return origin_of(settings, fmt::format("shards.{}.{}", name, key));
        };
        if (std::ranges::any_of(shard.replicas, is_proxy))
            fail_at_origin(at("replicas"), "a proxy is no replica of a server", "name it as a shard of its own");
        if (shard.primary.proxied && replicas)
            fail_at_origin(at("replicas"), "a proxy has no replicas: the servers behind it have", "leave them out");
    }
    if (std::ranges::any_of(settings.sentinels, is_proxy) || std::ranges::any_of(settings.cluster.nodes, is_proxy))
        fail_at_origin(origin_of(settings, "kind"), "a proxy tells nothing of other servers",
                       "a deployment of kind \"shards\" may have proxies, each as the primary of a shard");
}

}  // namespace

ShardSettings make_shard(domain::Endpoint primary, const RingFacts& facts) {
    ShardSettings result;
    result.server = {.name = facts.name,
                     .label = facts.label,
                     .host = primary.host,
                     .port = primary.port,
                     .path = primary.path,
                     .db = primary.db,
                     .tls = primary.tls,
                     .weight = facts.weight,
                     .slots = facts.slots};
    // Two databases of one server are two shards.
    const std::string address =
        primary.db == 0 ? primary.address() : fmt::format("{}/{}", primary.address(), primary.db);
    result.shard.name = facts.name.value_or(address);
    result.shard.primary = std::move(primary);
    return result;
}

const Origin& origin_of(const Settings& settings, const std::string& name) {
    static const Origin by_default;
    const auto found = settings.origins.find(name);
    return found == settings.origins.end() ? by_default : found->second;
}

void fail_at_origin(const Origin& origin, const std::string& message, const std::string& hint) {
    const bool file = origin.kind == Origin::Kind::file || origin.kind == Origin::Kind::preset_default;
    throw Failure(file ? ExitCode::configuration : ExitCode::usage, fmt::format("{}: {}", origin.text, message), hint);
}

void check_servers(const Settings& settings) {
    const std::vector<Listed> all = all_listed(settings);
    if (settings.kind == DeploymentKind::sentinel) refuse_same_master(settings);
    refuse_wrong_proxies(settings);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Listed& later = all[i];
        for (std::size_t k = 0; k < i; ++k) {
            if (!clash(all[k], later)) continue;
            fail_at_origin(origin_of(settings, later.value),
                           fmt::format("{} is listed twice: as {} and as {}", later.endpoint->url(), described(all[k]),
                                       described(later)),
                           "each server may appear once; a change would be made twice");
        }
        for (std::size_t k = 0; k < i; ++k) {
            if (all[k].primary && later.primary && all[k].shard == later.shard) {
                fail_at_origin(origin_of(settings, later.value), fmt::format("two shards are named '{}'", later.shard),
                               "give each shard a 'name' of its own");
            }
        }
    }
    for (const auto& [shard, server, master] : settings.shards) {
        for (const auto& replica : shard.replicas) {
            if (replica.db == shard.primary.db) continue;
            fail_at_origin(origin_of(settings, fmt::format("shards.{}.replicas", shard.name)),
                           fmt::format("replica {} is asked for database {}, its primary for {}", replica.address(),
                                       replica.db, shard.primary.db));
        }
    }
}

void check_kind(const Settings& settings) {
    const auto name = memcached_layout().scheme;
    const bool is_memcached = settings.kind == DeploymentKind::memcached;
    const auto refuse = [&](const std::string& value, std::string_view scheme) {
        if (is_memcached) {
            fail_at_origin(origin_of(settings, value),
                           fmt::format("scheme '{}' is of Redis servers, and these are memcached servers", scheme),
                           "leave it out: the scheme is memcached");
        }
        fail_at_origin(origin_of(settings, value),
                       "scheme 'memcached' is of memcached servers, and these are Redis servers",
                       "kind = \"memcached\", or -u memcached://HOST:PORT");
    };
    if ((settings.layout.scheme == name) != is_memcached) refuse("scheme", settings.layout.scheme);
    for (const auto& policy : settings.policies.policies()) {
        if (!policy.scheme.empty() && (policy.scheme == name) != is_memcached)
            refuse(fmt::format("policies.{}.scheme", policy.name), policy.scheme);
    }
    if (!is_memcached) return;
    if (settings.origins.contains("password") || settings.origins.contains("username")) {
        fail_at_origin(origin_of(settings, settings.origins.contains("password") ? "password" : "username"),
                       "ratectl speaks none of memcached's logins (SASL, password file)",
                       "leave it out: the servers have to let this machine in without");
    }
    for (const auto& [origin, at] : settings.origins) {
        if (origin.starts_with("tls.") || origin.ends_with(".tls"))
            fail_at_origin(at, "TLS is not supported for memcached servers", "leave it out");
    }
}

void check_sharding(const Settings& settings) {
    if (!settings.sharding) return;
    if (settings.kind == DeploymentKind::cluster) {
        fail_at_origin(origin_of(settings, "sharding.preset"), "only shards have a rule of sharding",
                       "leave it out: a Redis Cluster tells which node has a key");
    }
    std::vector<sharding::Server> servers;
    for (const auto& shard : settings.shards) servers.push_back(shard.server);
    const bool is_told = settings.kind == DeploymentKind::sentinel;
    const auto checked =
        sharding::ShardMap::check(*settings.sharding, is_told ? with_addresses(servers, true) : servers);
    if (!checked)
        fail_at_origin(origin_of(settings, "sharding.preset"), "sharding: " + checked.error().message,
                       checked.error().hint);
    if (is_told) refuse_placing_by_address(settings, servers);
}

void check_read_from(const Settings& settings) {
    if (settings.read_from.which != domain::ReadFrom::Which::node) return;
    if (settings.kind == DeploymentKind::cluster) return;  // which nodes there are the cluster tells
    std::vector<std::string> words{"primary", "replica", "all"};
    for (const auto& [shard, server, master] : settings.shards) {
        if (shard.discover_replicas) return;
        words.push_back(shard.primary.address());
        for (const auto& replica : shard.replicas) words.push_back(replica.address());
    }
    for (const auto& word : words) {
        if (word == settings.read_from.node) return;
    }
    std::string hint = support::did_you_mean(settings.read_from.node, words);
    if (hint.empty())
        hint = fmt::format("primary, replica, all, or a node of deployment '{}': 'ratectl nodes' lists them",
                           settings.deployment);
    fail_at_origin(origin_of(settings, "read_from"),
                   fmt::format("'{}' is neither a role nor a node of this deployment", settings.read_from.node), hint);
}

}  // namespace ratectl::config
