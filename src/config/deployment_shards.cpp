// The servers of one deployment's table: its shards, the sentinels that know their servers, or some nodes of a cluster.
#include "config/deployment_draft.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/servers.h"
#include "sharding/options.h"

namespace ratectl::config {
namespace {

constexpr int kLargestDb = 65'535;
constexpr std::uint16_t kSentinelPort = 26379;

/// What all endpoints of a deployment share.
class EndpointReader {
public:
    EndpointReader(const TableView& shard, bool tls, DeploymentDraft& draft)
        : shard_(shard), tls_(tls), draft_(draft) {}

    domain::Endpoint read(std::string_view key, const std::string& url, std::uint16_t usual_port = 6379) {
        auto endpoint = shard_.take(key, domain::parse_endpoint(url, usual_port));
        settle_protocol(key, endpoint);
        if (tls_ && endpoint.kind == domain::Endpoint::Kind::tcp) endpoint.tls = true;
        if (endpoint.credentials.password) {
            const Origin origin = shard_.origin(key);
            endpoint.credentials.source = fmt::format("the URL in {}", origin.text);
            if (!draft_.inline_secret) draft_.inline_secret = origin;
        }
        return endpoint;
    }

private:
    /// A unix socket's URL does not say what is spoken there.
    void settle_protocol(std::string_view key, domain::Endpoint& endpoint) const {
        const bool wanted = draft_.settings.kind == DeploymentKind::memcached;
        const bool is_socket = endpoint.kind == domain::Endpoint::Kind::unix_socket;
        if (wanted && is_socket) endpoint.protocol = domain::Protocol::memcached;
        if (wanted == (endpoint.protocol == domain::Protocol::memcached)) return;
        if (wanted)
            shard_.fail(key, "is a Redis server, in a deployment of kind \"memcached\"",
                        "write it like memcached://HOST:PORT");
        shard_.fail(key, "is a memcached server, in a deployment of Redis servers",
                    "a deployment of memcached servers says so: kind = \"memcached\"");
    }

    const TableView& shard_;
    bool tls_;
    DeploymentDraft& draft_;
};

void read_replicas(const TableView& table, const DeploymentDraft& draft, EndpointReader& reader, domain::Shard& shard) {
    if (!table.has("replicas")) return;
    if (draft.settings.kind == DeploymentKind::memcached)
        table.fail("replicas", "a memcached server has none", "leave it out");
    if (!table.is_array("replicas")) {
        const auto word = table.text("replicas");
        if (*word != "auto") table.fail("replicas", "must be an array of URLs or \"auto\"");
        shard.discover_replicas = true;
        return;
    }
    for (const auto& url : table.texts("replicas")) {
        auto replica = reader.read("replicas", url);
        // A URL without a database means the one that its primary is asked for.
        if (replica.db == 0) replica.db = shard.primary.db;
        shard.replicas.push_back(std::move(replica));
    }
}

RingFacts read_ring_facts(const TableView& table) {
    RingFacts facts;
    if (auto name = table.text("name")) facts.name = table.take("name", check_name(std::move(*name)));
    facts.label = table.text("label");
    if (const auto weight = table.integer("weight", 1, kLargestWeight)) facts.weight = static_cast<unsigned>(*weight);
    for (const auto& range : table.texts("slots"))
        facts.slots.push_back(table.take("slots", sharding::parse_slots(range)));
    return facts;
}

ShardSettings read_shard(const TableView& table, bool tls, DeploymentDraft& draft) {
    EndpointReader reader(table, tls, draft);
    const auto url = table.text("primary");
    if (!url) table.fail("primary", "is missing", "every shard needs one: primary = \"redis://HOST:PORT\"");
    for (const std::string_view key : {"master", "db"}) {
        if (table.has(key))
            table.fail(key, "only sentinels ask for it", "kind = \"sentinel\", or a URL of the primary");
    }
    ShardSettings result = make_shard(reader.read("primary", *url), read_ring_facts(table));
    read_replicas(table, draft, reader, result.shard);
    return result;
}

void read_addresses(const TableView& table, domain::ClusterAccess& cluster) {
    if (const auto* map = table.free_table("address_map")) {
        for (const auto& [announced, node] : *map) {
            const auto reached = node.value<std::string>();
            if (!reached) table.fail("address_map", "must have texts: \"10.0.0.8:6379\" = \"127.0.0.1:7001\"");
            table.take("address_map", cluster.addresses.add(announced.str(), *reached));
        }
    }
    for (const auto& text : table.texts("networks"))
        cluster.networks.push_back(table.take("networks", domain::Network::parse(text)));
}

/// A shard whose servers the sentinels tell.
ShardSettings read_watched_shard(const TableView& table, bool tls) {
    for (const std::string_view key : {"primary", "replicas"}) {
        if (table.has(key)) table.fail(key, "is what the sentinels tell", "master = \"NAME\", as they call the shard");
    }
    auto master = table.text("master");
    if (!master)
        table.fail("master", "is missing", "every shard needs one: master = \"NAME\", as the sentinels call it");
    const auto facts = read_ring_facts(table);
    domain::Endpoint primary;
    primary.tls = tls;
    primary.db = static_cast<int>(table.integer("db", 0, kLargestDb).value_or(0));
    ShardSettings result = make_shard(std::move(primary), facts);
    if (!facts.name) result.shard.name = *master;  // in output; nothing is told to presets that hash names
    result.shard.discover_replicas = true;
    result.master = std::move(*master);
    return result;
}

void read_shard_tables(const TableView& table, const std::string& folder, const std::string& example,
                       DeploymentDraft& draft) {
    const auto views = table.tables("shards", "deployments.NAME.shards");
    if (views.empty()) {
        table.fail("shards", "a deployment needs at least one shard",
                   fmt::format("[[{}.shards]]\n{}", table.path(), example));
    }
    for (const auto& view : views) {
        view.part([&] {
            const bool tls = table.has("tls") || view.has("tls");
            ShardSettings shard = draft.settings.kind == DeploymentKind::sentinel ? read_watched_shard(view, tls)
                                                                                  : read_shard(view, tls, draft);
            const auto prefix = fmt::format("shards.{}.tls.", shard.shard.name);
            if (auto own = read_tls(view, "deployments.NAME.shards.tls", folder, prefix, draft.settings))
                draft.settings.shard_tls[shard.shard.name] = *std::move(own);
            for (const std::string_view key :
                 {"primary", "replicas", "master", "db", "weight", "label", "slots", "tls"}) {
                if (view.has(key))
                    draft.settings.origins[fmt::format("shards.{}.{}", shard.shard.name, key)] = view.origin(key);
            }
            draft.settings.shards.push_back(std::move(shard));
        });
    }
}

}  // namespace

void read_nodes(const TableView& table, DeploymentDraft& draft) {
    if (table.has("shards"))
        table.fail("shards", "a Redis Cluster has nodes, not shards of the configuration's own",
                   "nodes = [\"redis://HOST:PORT\"] names one or more of them, and they tell of the others");
    EndpointReader reader(table, table.has("tls"), draft);
    const auto urls = table.texts("nodes");
    if (urls.empty())
        table.fail("nodes", "a Redis Cluster needs at least one node to ask", "nodes = [\"redis://HOST:PORT\"]");
    for (const auto& url : urls) {
        auto node = reader.read("nodes", url);
        if (node.kind != domain::Endpoint::Kind::tcp)
            table.fail("nodes", "a node of a Redis Cluster has a host and a port: redis://HOST:PORT");
        if (node.db != 0) table.fail("nodes", "a Redis Cluster has no dbs to choose among: a URL without /N");
        draft.settings.cluster.nodes.push_back(std::move(node));
    }
    read_addresses(table, draft.settings.cluster);
    for (const std::string key : {"kind", "nodes", "address_map", "networks"}) {
        if (table.has(key)) draft.settings.origins[key] = table.origin(key);
    }
    // A replica may not know yet that a key has left it.
    if (!table.has("scan_from")) draft.settings.scan_from = {};
}

void read_shards(const TableView& table, const std::string& folder, DeploymentDraft& draft) {
    for (const std::string_view key : {"nodes", "address_map", "networks"}) {
        if (table.has(key)) table.fail(key, "only a Redis Cluster has nodes that tell of others", "kind = \"cluster\"");
    }
    for (const std::string_view key : {"sentinels", "sentinel_login"}) {
        if (table.has(key))
            table.fail(key, "only deployments whose kind is \"sentinel\" have it", "kind = \"sentinel\"");
    }
    read_shard_tables(table, folder, "primary = \"redis://HOST:PORT\"", draft);
}

void read_sentinels(const TableView& table, const std::string& folder, DeploymentDraft& draft) {
    if (const auto login = table.table("sentinel_login", "deployments.NAME.sentinel_login"))
        read_login(*login, folder, "sentinel_login.", draft.sentinel_login, draft.sentinel_password, draft);
    EndpointReader reader(table, false, draft);
    for (const auto& url : table.texts("sentinels")) {
        auto sentinel = reader.read("sentinels", url, kSentinelPort);
        if (sentinel.db != 0) table.fail("sentinels", "a sentinel has no databases", "redis://HOST:26379");
        const auto is_same = [&sentinel](const domain::Endpoint& other) { return sentinel.same_server(other); };
        if (std::ranges::any_of(draft.settings.sentinels, is_same)) {
            table.fail("sentinels", sentinel.address() + " is listed twice",
                       "each sentinel may appear once; most of those that are named have to answer");
        }
        draft.settings.sentinels.push_back(std::move(sentinel));
    }
    if (draft.settings.sentinels.empty())
        table.fail("sentinels", "at least one sentinel has to be named", "sentinels = [\"redis://HOST:26379\"]");
    draft.settings.origins["sentinels"] = table.origin("sentinels");
    draft.settings.origins["kind"] = table.origin("kind");
    read_shard_tables(table, folder, "master = \"NAME\"", draft);
}

}  // namespace ratectl::config
