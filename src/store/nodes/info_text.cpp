// Parses INFO and ROLE; both come from the network, so anything may be missing or odd.
#include "store/nodes/info_text.h"

#include <algorithm>
#include <utility>

#include "support/number_text.h"

namespace ratectl::store {
namespace {

std::optional<Address> address_from(std::string_view host, std::string_view port) {
    const auto number = support::parse_unsigned(port, 65535);
    if (host.empty() || host == "?" || !number || *number == 0) return std::nullopt;
    return Address{std::string(host), static_cast<std::uint16_t>(*number)};
}

// The value of `name` in `ip=10.0.0.8,port=6379,...`.
std::string_view part(std::string_view list, std::string_view name) {
    while (!list.empty()) {
        const auto comma = std::min(list.find(','), list.size());
        const auto item = list.substr(0, comma);
        if (item.starts_with(name) && item.size() > name.size() && item[name.size()] == '=') {
            return item.substr(name.size() + 1);
        }
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return {};
}

// `cmdstat_swapdb:calls=3,usec=12,...`
constexpr std::string_view kCommandStats = "cmdstat_";

std::int64_t calls_in(std::string_view stats) { return support::parse_decimal(part(stats, "calls")).value_or(0); }

const redis::Reply* element(const redis::Reply& reply, std::size_t i, redis::Reply::Kind kind) {
    if (i >= reply.elements.size() || reply.elements[i].kind != kind) return nullptr;
    return &reply.elements[i];
}

RoleReply parse_primary_role(const redis::Reply& reply) {
    using Kind = redis::Reply::Kind;
    RoleReply role;
    role.role = domain::Role::primary;
    if (const auto* offset = element(reply, 1, Kind::integer)) role.offset = offset->integer;
    if (const auto* replicas = element(reply, 2, Kind::array)) {
        for (const auto& replica : replicas->elements) {
            const auto* host = element(replica, 0, Kind::text);
            const auto* port = element(replica, 1, Kind::text);
            if (host == nullptr || port == nullptr) continue;
            if (auto address = address_from(host->text, port->text)) role.replicas.push_back(*std::move(address));
        }
    }
    return role;
}

RoleReply parse_replica_role(const redis::Reply& reply) {
    using Kind = redis::Reply::Kind;
    RoleReply role;
    role.role = domain::Role::replica;
    const auto* host = element(reply, 1, Kind::text);
    const auto* port = element(reply, 2, Kind::integer);
    if (host != nullptr && port != nullptr) role.primary = address_from(host->text, std::to_string(port->integer));
    if (const auto* link = element(reply, 3, Kind::text)) role.link_up = link->text == "connected";
    if (const auto* offset = element(reply, 4, Kind::integer); offset != nullptr && offset->integer >= 0) {
        role.offset = offset->integer;
    }
    return role;
}

std::optional<std::string> persistence_fault(const InfoText& info) {
    if (info.text("rdb_last_bgsave_status") == "err") return "the last save of an RDB file failed";
    if (info.text("aof_last_write_status") == "err") return "the last write to the append-only file failed";
    if (info.text("aof_last_bgrewrite_status") == "err") return "the last rewrite of the append-only file failed";
    return std::nullopt;
}

}  // namespace

InfoText::InfoText(std::string_view text) {
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        const auto colon = line.find(':');
        if (line.empty() || line.front() == '#' || colon == std::string_view::npos) continue;
        lines_.emplace(line.substr(0, colon), line.substr(colon + 1));
    }
}

std::optional<std::string> InfoText::text(std::string_view name) const {
    const auto found = lines_.find(name);
    if (found == lines_.end()) return std::nullopt;
    return found->second;
}

std::optional<std::int64_t> InfoText::number(std::string_view name) const {
    const auto found = lines_.find(name);
    return found == lines_.end() ? std::nullopt : support::parse_decimal(found->second);
}

std::int64_t InfoText::calls_of(std::string_view command) const {
    const auto stats = lines_.find(std::string(kCommandStats).append(command));
    return stats == lines_.end() ? 0 : calls_in(stats->second);
}

CallCounts InfoText::calls() const {
    CallCounts calls;
    for (auto line = lines_.lower_bound(kCommandStats); line != lines_.end(); ++line) {
        if (!line->first.starts_with(kCommandStats)) break;
        calls.emplace_hint(calls.end(), line->first.substr(kCommandStats.size()), calls_in(line->second));
    }
    return calls;
}

std::string Address::text() const {
    domain::Endpoint endpoint;
    endpoint.host = host;
    endpoint.port = port;
    return endpoint.address();
}

std::vector<Address> replicas_in(const InfoText& info) {
    std::vector<Address> replicas;
    for (int i = 0;; ++i) {
        const auto line = info.text("slave" + std::to_string(i));
        if (!line) return replicas;
        if (auto address = address_from(part(*line, "ip"), part(*line, "port"))) {
            replicas.push_back(*std::move(address));
        }
    }
}

domain::History history_in(const InfoText& info) {
    return {info.text("master_replid").value_or(""), info.number("master_repl_offset").value_or(0),
            info.text("master_replid2").value_or(""), info.number("second_repl_offset").value_or(-1)};
}

RoleReply parse_role(const redis::Reply& reply) {
    if (!reply.is_array()) return {};
    const auto* name = element(reply, 0, redis::Reply::Kind::text);
    if (name != nullptr && name->text == "master") return parse_primary_role(reply);
    if (name != nullptr && name->text == "slave") return parse_replica_role(reply);
    return {};
}

/// Those that speak Redis's protocol name a version of Redis, too.
std::optional<std::string> product_in(const InfoText& info) {
    if (auto name = info.text("server_name")) return name;  // Valkey
    for (const std::string product : {"valkey", "dragonfly", "garnet"}) {
        if (info.text(product + "_version")) return product;
    }
    if (info.text("mvcc_depth")) return "keydb";
    return info.text("redis_version") ? std::optional<std::string>("redis") : std::nullopt;
}

void add_info_facts(const InfoText& info, domain::NodeFacts& facts) {
    const auto yes = [&](std::string_view name) -> std::optional<bool> {
        const auto number = info.number(name);
        if (!number) return std::nullopt;
        return *number != 0;
    };
    facts.product = product_in(info);
    if (const auto role = info.text("role")) {
        facts.role = *role == "slave" ? domain::Role::replica : domain::Role::primary;
    }
    if (facts.role == domain::Role::replica) {
        if (const auto link = info.text("master_link_status")) facts.link_up = *link == "up";
        if (const auto down = info.number("master_link_down_since_seconds"); down && *down >= 0) {
            facts.link_down_for = support::Seconds(*down);
        }
        if (auto primary = address_from(info.text("master_host").value_or(""), info.text("master_port").value_or(""))) {
            facts.primary_address = primary->text();
        }
        facts.offset = info.number("slave_repl_offset");
    } else {
        facts.offset = info.number("master_repl_offset");
        facts.connected_replicas = info.number("connected_slaves");
    }
    facts.replication_id = info.text("master_replid");
    facts.run_id = info.text("run_id");
    facts.cluster_enabled = yes("cluster_enabled");
    facts.loading = yes("loading");
    facts.ops_per_second = info.number("instantaneous_ops_per_sec");
    facts.clients = info.number("connected_clients");
    facts.used_memory = info.number("used_memory");
    facts.max_memory = info.number("maxmemory");
    facts.eviction_policy = info.text("maxmemory_policy");
    facts.evicted_keys = info.number("evicted_keys");
    facts.persistence_fault = persistence_fault(info);
    if (const auto uptime = info.number("uptime_in_seconds")) facts.uptime = support::Seconds(*uptime);
}

void add_role_facts(const RoleReply& role, domain::NodeFacts& facts) {
    if (role.role) facts.role = role.role;
    if (role.link_up) facts.link_up = role.link_up;
    if (role.offset) facts.offset = role.offset;
    if (role.primary) facts.primary_address = role.primary->text();
    if (role.role == domain::Role::primary && !facts.connected_replicas) {
        facts.connected_replicas = static_cast<std::int64_t>(role.replicas.size());
    }
}

}  // namespace ratectl::store
