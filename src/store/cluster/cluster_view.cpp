// Reads CLUSTER SHARDS, CLUSTER SLOTS and CLUSTER NODES, and keeps nothing of what is not as it should be.
#include "store/cluster/cluster_view.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sharding/cluster_slots.h"
#include "store/nodes/info_text.h"
#include "support/number_text.h"

namespace ratectl::store {
namespace {

using redis::Reply;

constexpr std::int64_t kLastPort = 65'535;
constexpr std::uint64_t kLastSlot = sharding::kClusterSlots - 1;
/// The words of a line of CLUSTER NODES.
constexpr std::size_t kId = 0;
constexpr std::size_t kAddress = 1;  // `host:port@bus port,name`
constexpr std::size_t kFlags = 2;
constexpr std::size_t kPrimary = 3;
constexpr std::size_t kEpoch = 6;
constexpr std::size_t kFirstSlots = 8;
/// What keys leave a node by: the first two key by key, the next three with whole slots (Valkey 9, Redis 8.4). Counts
/// that begin anew count that.
constexpr std::array<std::string_view, 6> kSendingCommands{
    "migrate", "dump", "cluster|migrateslots", "cluster|syncslots", "cluster|migration", "config|resetstat"};

std::optional<std::uint16_t> slot_of(const Reply& reply) {
    const bool good = reply.kind == Reply::Kind::integer && reply.integer >= 0 &&
                      reply.integer <= static_cast<std::int64_t>(kLastSlot);
    return good ? std::optional(static_cast<std::uint16_t>(reply.integer)) : std::nullopt;
}

/// Of a map that is written as a list of names and values.
const Reply* field(const Reply& map, std::string_view name) {
    for (std::size_t i = 0; i + 1 < map.elements.size(); i += 2) {
        if (map.elements[i].text == name) return &map.elements[i + 1];
    }
    return nullptr;
}

std::string text_of(const Reply* reply) { return reply != nullptr && reply->is_text() ? reply->text : std::string(); }

/// `?` and nothing are what a node says that does not know, or is not to say.
domain::HostPort address_of(std::string host, std::int64_t port) {
    if (port <= 0 || port > kLastPort) return {};
    if (host == "?") host.clear();
    const auto number = static_cast<std::uint16_t>(port);
    if (host.empty()) return {{}, number};
    return domain::parse_host_port(host + ":" + std::to_string(port)).value_or(domain::HostPort{});
}

std::optional<ClusterNode> node_of(const Reply& map, bool tls) {
    const auto* port = field(map, tls ? "tls-port" : "port");
    if (port == nullptr) return std::nullopt;
    auto host = text_of(field(map, "endpoint"));
    ClusterNode node;
    node.at = address_of(std::move(host), port->integer);
    node.id = text_of(field(map, "id"));
    node.role = text_of(field(map, "role")) == "master" ? domain::Role::primary : domain::Role::replica;
    node.healthy = text_of(field(map, "health")) == "online";
    return node.at.port == 0 ? std::nullopt : std::optional(std::move(node));
}

/// After a failover the primary that was may be told of as one until it is heard of again.
bool put_primary_first(ClusterShard& shard) {
    const auto is_primary = [](const ClusterNode& node) { return node.role == domain::Role::primary; };
    auto primary =
        std::ranges::find_if(shard.nodes, [&](const auto& node) { return is_primary(node) && node.healthy; });
    if (primary == shard.nodes.end()) primary = std::ranges::find_if(shard.nodes, is_primary);
    if (primary == shard.nodes.end()) return false;
    std::rotate(shard.nodes.begin(), primary, primary + 1);
    for (auto& node : shard.nodes) node.role = domain::Role::replica;
    shard.nodes.front().role = domain::Role::primary;
    return true;
}

void sort_by_slots(std::vector<ClusterShard>& shards) {
    for (auto& shard : shards) std::ranges::sort(shard.slots);
    std::ranges::stable_sort(shards, {}, [](const ClusterShard& shard) {
        return shard.slots.empty() ? sharding::kClusterSlots : std::size_t{shard.slots.front().first};
    });
}

std::optional<SlotRange> range_in(std::string_view text) {
    const auto dash = text.find('-');
    const auto first = support::parse_unsigned(text.substr(0, dash), kLastSlot);
    const auto last =
        dash == std::string_view::npos ? first : support::parse_unsigned(text.substr(dash + 1), kLastSlot);
    if (!first || !last || *last < *first) return std::nullopt;
    return SlotRange{static_cast<std::uint16_t>(*first), static_cast<std::uint16_t>(*last)};
}

std::vector<std::string_view> words_of(std::string_view text, char separator) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        const auto end = text.find(separator);
        words.push_back(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return words;
}

/// `[93->-ID]` leaves for that node, `[77-<-ID]` comes from there.
void take_open_slot(std::string_view word, OwnSlots& own) {
    const auto dash = word.find('-');
    const auto slot = support::parse_unsigned(word.substr(1, dash - 1), kLastSlot);
    if (dash == std::string_view::npos || !slot) return;
    const bool leaving = word.substr(dash).starts_with("->-");
    (leaving ? own.leaving : own.arriving).push_back(static_cast<std::uint16_t>(*slot));
}

}  // namespace

std::optional<std::vector<ClusterShard>> read_cluster_shards(const Reply& reply, bool tls) {
    if (!reply.is_array()) return std::nullopt;
    std::vector<ClusterShard> shards;
    for (const auto& map : reply.elements) {
        const auto* slots = field(map, "slots");
        const auto* nodes = field(map, "nodes");
        if (slots == nullptr || nodes == nullptr || slots->elements.size() % 2 != 0) return std::nullopt;
        ClusterShard shard;
        for (std::size_t i = 0; i < slots->elements.size(); i += 2) {
            const auto first = slot_of(slots->elements[i]);
            const auto last = slot_of(slots->elements[i + 1]);
            if (!first || !last || *last < *first) return std::nullopt;
            shard.slots.emplace_back(*first, *last);
        }
        for (const auto& each : nodes->elements) {
            if (auto node = node_of(each, tls)) shard.nodes.push_back(*std::move(node));
        }
        if (put_primary_first(shard)) shards.push_back(std::move(shard));
    }
    sort_by_slots(shards);
    return shards;
}

std::optional<std::vector<ClusterShard>> read_cluster_slots(const Reply& reply) {
    if (!reply.is_array()) return std::nullopt;
    std::vector<ClusterShard> shards;
    for (const auto& range : reply.elements) {
        if (range.elements.size() < 3) return std::nullopt;
        const auto first = slot_of(range.elements[0]);
        const auto last = slot_of(range.elements[1]);
        if (!first || !last || *last < *first) return std::nullopt;
        ClusterShard shard;
        for (std::size_t i = 2; i < range.elements.size(); ++i) {
            const auto& words = range.elements[i].elements;
            if (words.size() < 2) return std::nullopt;
            ClusterNode node;
            node.at = address_of(words[0].text, words[1].integer);
            if (words.size() > 2) node.id = words[2].text;
            node.role = shard.nodes.empty() ? domain::Role::primary : domain::Role::replica;
            if (node.at.port != 0) shard.nodes.push_back(std::move(node));
        }
        if (shard.nodes.empty()) return std::nullopt;
        const auto same = std::ranges::find_if(
            shards, [&](const ClusterShard& known) { return known.nodes.front().at == shard.nodes.front().at; });
        auto& into = same == shards.end() ? shards.emplace_back(std::move(shard)) : *same;
        into.slots.emplace_back(*first, *last);
    }
    sort_by_slots(shards);
    return shards;
}

std::vector<ClusterShard> read_slotless_primaries(std::string_view cluster_nodes) {
    std::vector<ClusterShard> shards;
    for (const auto line : words_of(cluster_nodes, '\n')) {
        const auto words = words_of(line.substr(0, line.find('\r')), ' ');
        if (words.size() < kFirstSlots) continue;
        const auto flags = words_of(words[kFlags], ',');
        const bool is_primary = std::ranges::find(flags, "master") != flags.end();
        const bool has_slots = std::any_of(words.begin() + kFirstSlots, words.end(),
                                           [](std::string_view word) { return range_in(word).has_value(); });
        if (!is_primary || has_slots) continue;
        const auto at = words[kAddress].substr(0, words[kAddress].find('@'));
        const auto colon = std::min(at.rfind(':'), at.size());
        const auto port = support::parse_unsigned(at.substr(std::min(colon + 1, at.size())), kLastPort);
        ClusterNode node;
        node.id = words[kId];
        node.healthy = std::ranges::find(flags, "fail") == flags.end();
        node.at = address_of(std::string(at.substr(0, colon)), static_cast<std::int64_t>(port.value_or(0)));
        if (node.at.port != 0) shards.push_back({{}, {std::move(node)}});
    }
    return shards;
}

bool OwnSlots::has(std::uint16_t slot) const {
    return std::ranges::any_of(slots,
                               [slot](const SlotRange& range) { return range.first <= slot && slot <= range.second; });
}

bool OwnSlots::is_leaving(std::uint16_t slot) const { return std::ranges::find(leaving, slot) != leaving.end(); }

bool OwnSlots::is_arriving(std::uint16_t slot) const { return std::ranges::find(arriving, slot) != arriving.end(); }

bool OwnSlots::is_as_before(const OwnSlots& then) const {
    if (id != then.id) return false;
    return epoch == then.epoch || (sent && then.sent && sent->none_since(*then.sent));
}

std::optional<KeysSent> read_keys_sent(std::string_view replication, std::string_view before, std::string_view behind) {
    const InfoText calls_before(before);
    const InfoText calls_behind(behind);
    KeysSent sent{history_in(InfoText(replication)).id, calls_before.calls_of("info"), 0, 0};
    if (sent.history.empty() || sent.told == 0) return std::nullopt;
    for (const auto command : kSendingCommands) {
        sent.before += calls_before.calls_of(command);
        sent.behind += calls_behind.calls_of(command);
    }
    return sent;
}

std::optional<OwnSlots> read_own_slots(std::string_view cluster_nodes) {
    for (auto line : words_of(cluster_nodes, '\n')) {
        if (line.ends_with('\r')) line.remove_suffix(1);
        const auto words = words_of(line, ' ');
        if (words.size() < kFirstSlots || !words[kFlags].starts_with("myself")) continue;
        OwnSlots own{std::string(words[kId]), std::string(words[kEpoch]), {}, {}, {}, {}};
        if (words[kPrimary] != "-") own.follows = words[kPrimary];
        for (std::size_t i = kFirstSlots; i < words.size(); ++i) {
            if (words[i].starts_with('[')) {
                take_open_slot(words[i], own);
            } else if (const auto range = range_in(words[i])) {
                own.slots.push_back(*range);
            }
        }
        return own;
    }
    return std::nullopt;
}

std::string ranges_text(std::span<const SlotRange> slots) {
    std::string text;
    for (const auto& [first, last] : slots) {
        text += fmt::format("{}{}", text.empty() ? "" : " ", first);
        if (last > first) text += fmt::format("-{}", last);
    }
    return text;
}

std::vector<SlotRange> ranges_in(std::string_view text) {
    std::vector<SlotRange> ranges;
    for (const auto word : words_of(text, ' ')) {
        if (const auto range = range_in(word)) ranges.push_back(*range);
    }
    return ranges;
}

}  // namespace ratectl::store
