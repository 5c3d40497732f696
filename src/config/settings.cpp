// Puts settings into words for people.
#include "config/settings.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "config/given.h"
#include "sharding/options.h"
#include "support/time_text.h"

namespace ratectl::config {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kSecret = "(set)";
constexpr std::string_view kUnset = "(not set)";

std::string clients(std::size_t count) { return fmt::format("{} client{}", count, count == 1 ? "" : "s"); }
std::string words_for(bool value) { return value ? "true" : "false"; }

void show_deployment(const Settings& settings, Rows& rows) {
    rows.emplace_back("deployment", settings.deployment);
    if (settings.kind != DeploymentKind::shards) rows.emplace_back("kind", name_of(settings.kind));
    if (settings.sharding) {
        rows.emplace_back("sharding.preset", settings.sharding->preset);
        for (const sharding::OptionRule& rule : sharding::option_rules()) {
            if (auto value = rule.get(*settings.sharding))
                rows.emplace_back(fmt::format("sharding.{}", rule.name), std::move(*value));
        }
    } else {
        rows.emplace_back("sharding.preset", settings.all_shards ? kAllShards : kUnset);
    }
    rows.emplace_back("scheme", settings.layout.scheme);
    rows.emplace_back("expiry_suffix", settings.layout.expiry_suffix);
    rows.emplace_back("read_from", domain::name_of(settings.read_from));
    rows.emplace_back("scan_from", domain::name_of(settings.scan_from));
    rows.emplace_back("max_staleness",
                      settings.max_staleness ? support::format_duration(*settings.max_staleness) : std::string{kUnset});
    rows.emplace_back("writes", name_of(settings.writes));
    rows.emplace_back("read_only", words_for(settings.read_only));
    rows.emplace_back("require_reason", words_for(settings.require_reason));
    const bool unlimited = settings.max_keys == std::numeric_limits<std::uint64_t>::max();
    rows.emplace_back("max_keys", unlimited ? "no limit" : std::to_string(settings.max_keys));
    rows.emplace_back("protect", settings.protect.empty() ? std::string{kUnset}
                                                          : fmt::format("{}", fmt::join(settings.protect, " ")));
    rows.emplace_back("timeout", support::format_duration(settings.timeout));
}

void show_command_values(const Settings& settings, Rows& rows) {
    if (settings.deadline) rows.emplace_back("deadline", support::format_duration(*settings.deadline));
    if (settings.now) rows.emplace_back("now", support::format_time(*settings.now));
    if (settings.limit) rows.emplace_back("limit", std::to_string(*settings.limit));
    if (settings.period) rows.emplace_back("period", support::format_duration(*settings.period));
    if (settings.burst) rows.emplace_back("burst", std::to_string(*settings.burst));
}

void show_tls(const domain::TlsOptions& tls, const std::string& prefix, Rows& rows) {
    for (const auto& [name, value] :
         {std::pair{"ca_file", &tls.ca_file}, std::pair{"cert_file", &tls.cert_file},
          std::pair{"key_file", &tls.key_file}, std::pair{"server_name", &tls.server_name}}) {
        if (!value->empty()) rows.emplace_back(prefix + name, *value);
    }
    if (tls.insecure) rows.emplace_back(prefix + "insecure", "true");
}

void show_login(const Settings& settings, Rows& rows) {
    rows.emplace_back("username", settings.login.username.empty() ? kUnset : settings.login.username);
    rows.emplace_back("password", settings.login.password ? kSecret : kUnset);
    show_tls(settings.tls, "tls.", rows);
}

/// A URL's own login is shown beside it, the password never.
std::string url_of(const domain::Endpoint& endpoint, const domain::Credentials& shared) {
    const domain::Credentials& own = endpoint.credentials;
    if (own.source == shared.source || !own.password) return endpoint.url();
    const std::string user = own.username.empty() ? std::string{} : fmt::format("user {}, ", own.username);
    return fmt::format("{} ({}password {})", endpoint.url(), user, kSecret);
}

std::string urls_of(const std::vector<domain::Endpoint>& endpoints, const domain::Credentials& shared) {
    std::vector<std::string> urls;
    urls.reserve(endpoints.size());
    for (const auto& endpoint : endpoints) urls.push_back(url_of(endpoint, shared));
    return fmt::format("{}", fmt::join(urls, " "));
}

void show_cluster(const Settings& settings, Rows& rows) {
    const auto& cluster = settings.cluster;
    if (!cluster.nodes.empty()) rows.emplace_back("nodes", urls_of(cluster.nodes, settings.login));
    std::vector<std::string> texts;
    for (const auto& [announced, reached] : cluster.addresses.entries())
        texts.push_back(fmt::format("{} = {}", announced, reached));
    if (!texts.empty()) rows.emplace_back("address_map", fmt::format("{}", fmt::join(texts, ", ")));
    std::vector<std::string_view> networks;
    for (const auto& network : cluster.networks) networks.emplace_back(network.text());
    if (!networks.empty()) rows.emplace_back("networks", fmt::format("{}", fmt::join(networks, " ")));
}

void show_shards(const Settings& settings, Rows& rows) {
    show_cluster(settings, rows);
    if (!settings.sentinels.empty()) rows.emplace_back("sentinels", urls_of(settings.sentinels, {}));
    for (const auto& [shard, server, master] : settings.shards) {
        const std::string prefix = fmt::format("shards.{}.", shard.name);
        if (!master.empty()) {
            rows.emplace_back(prefix + "master", master);
            if (shard.primary.db != 0) rows.emplace_back(prefix + "db", std::to_string(shard.primary.db));
        } else {
            rows.emplace_back(prefix + "primary", url_of(shard.primary, settings.login));
        }
        if (shard.discover_replicas && master.empty()) rows.emplace_back(prefix + "replicas", "auto");
        if (!shard.replicas.empty()) {
            rows.emplace_back(prefix + "replicas", urls_of(shard.replicas, settings.login));
        }
        if (server.weight != 1) rows.emplace_back(prefix + "weight", std::to_string(server.weight));
        if (server.label) rows.emplace_back(prefix + "label", *server.label);
        const auto own = settings.shard_tls.find(shard.name);
        if (own != settings.shard_tls.end()) show_tls(own->second, prefix + "tls.", rows);
    }
}

void show_policies(const Settings& settings, Rows& rows) {
    for (const auto& policy : settings.policies.policies()) {
        const std::string prefix = fmt::format("policies.{}.", policy.name);
        // A template that was typed for one command may hold a part of what a secret policy hides.
        const bool hidden = policy.name == kKeyPolicy && settings.policies.hides();
        rows.emplace_back(prefix + "key", hidden ? "(hidden)" : policy.key.text());
        if (!policy.scheme.empty()) rows.emplace_back(prefix + "scheme", policy.scheme);
        if (policy.limit) rows.emplace_back(prefix + "limit", std::to_string(*policy.limit));
        if (policy.period) rows.emplace_back(prefix + "period", support::format_duration(*policy.period));
        if (policy.burst) rows.emplace_back(prefix + "burst", std::to_string(*policy.burst));
        if (!policy.classes.empty()) {
            std::vector<std::string> classes;
            for (const auto& [name, limit] : policy.classes) classes.push_back(fmt::format("{} = {}", name, limit));
            rows.emplace_back(prefix + "classes", fmt::format("{}", fmt::join(classes, ", ")));
        }
        if (!policy.class_file.empty()) {
            rows.emplace_back(prefix + "class_file",
                              fmt::format("{} ({})", policy.class_file, clients(policy.members.size())));
        }
        if (!policy.clients.empty()) rows.emplace_back(prefix + "clients", policy.clients);
        if (!policy.paths.empty()) {
            std::vector<std::string_view> paths;
            for (const auto& path : policy.paths) paths.push_back(path.text());
            rows.emplace_back(prefix + "paths", fmt::format("{}", fmt::join(paths, ", ")));
        }
        // By number: they may be a secret.
        if (!policy.exempt.empty()) rows.emplace_back(prefix + "exempt", clients(policy.exempt.size()));
        if (policy.secret) rows.emplace_back(prefix + "secret", "true");
    }
}

}  // namespace

std::string_view name_of(WriteMode mode) {
    switch (mode) {
        case WriteMode::allow: return "allow";
        case WriteMode::confirm: return "confirm";
        case WriteMode::confirm_all: return "confirm-all";
        case WriteMode::deny: break;
    }
    return "deny";
}

std::vector<std::pair<std::string, std::string>> Settings::shown() const {
    Rows rows;
    show_deployment(*this, rows);
    show_command_values(*this, rows);
    show_login(*this, rows);
    show_shards(*this, rows);
    show_policies(*this, rows);
    return rows;
}

std::vector<domain::Shard> shards_of(const Settings& settings) {
    std::vector<domain::Shard> shards;
    for (const auto& each : settings.shards) shards.push_back(each.shard);
    return shards;
}

std::vector<sharding::Server> servers_of(const Settings& settings) {
    std::vector<sharding::Server> servers;
    for (const auto& each : settings.shards) servers.push_back(each.server);
    return servers;
}

std::vector<std::string> masters_of(const Settings& settings) {
    std::vector<std::string> masters;
    for (const auto& each : settings.shards) masters.push_back(each.master);
    return masters;
}

bool holds_secret(const Settings& settings) {
    const auto holds = [](const domain::Endpoint& endpoint) { return endpoint.credentials.password.has_value(); };
    if (std::ranges::any_of(settings.cluster.nodes, holds)) return true;
    if (std::ranges::any_of(settings.sentinels, holds)) return true;
    return std::ranges::any_of(settings.shards, [&](const ShardSettings& each) {
        return holds(each.shard.primary) || std::ranges::any_of(each.shard.replicas, holds);
    });
}

}  // namespace ratectl::config
