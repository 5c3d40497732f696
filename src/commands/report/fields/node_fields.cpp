// The columns of a server, and those of nodes --probe with delays in milliseconds, to the hundredth.
#include "commands/report/fields/node_fields.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "domain/diagnosis/staleness.h"

namespace ratectl::commands {
namespace {

using domain::NodeFacts;
using output::Cell;
using output::CellType;
using output::Column;
using output::Null;
using output::Text;
using output::Tone;
using output::Word;
using store::NodeReport;
using Shown = Column::Shown;

Cell cell_of(const std::optional<std::int64_t>& value) { return value ? Cell{*value} : Cell{Null{}}; }
Cell cell_of(const std::optional<support::Milliseconds>& value) { return value ? Cell{*value} : Cell{Null{}}; }
Cell cell_of(const std::optional<support::Seconds>& value) {
    return value ? Cell{support::Milliseconds(*value)} : Cell{Null{}};
}
Cell cell_of(const std::optional<std::string>& value) { return value ? Cell{output::Bytes{*value}} : Cell{Null{}}; }

/// A column that is one of the facts as it is.
template <auto Member>
Cell fact(const NodeReport& report) {
    return report.facts ? cell_of((*report.facts).*Member) : Cell{Null{}};
}

Cell role(const NodeReport& report) {
    if (!report.facts || !report.facts->role) return Null{};
    return Word{domain::name_of(*report.facts->role), has_wrong_role(report) ? Tone::bad : Tone::plain};
}

Cell link(const NodeReport& report) {
    if (!report.facts || !report.facts->link_up) return Null{};
    return *report.facts->link_up ? Word{"up", Tone::good} : Word{"down", Tone::bad};
}

Cell version(const NodeReport& report) {
    if (!report.facts || !report.facts->version) return Null{};
    return Text{domain::to_string(*report.facts->version)};
}

// With a policy that evicts and a limit to reach, windows can vanish before their time.
Cell can_evict(const NodeReport& report) {
    if (!report.facts || !report.facts->eviction_policy || !report.facts->max_memory) return Null{};
    return *report.facts->eviction_policy != "noeviction" && *report.facts->max_memory > 0;
}

Cell state(const NodeReport& report) {
    if (!report.facts) return Word{"failed", Tone::bad};
    if (report.facts->loading == true) return Word{"loading", Tone::warning};
    if (report.facts->cluster_up == false) return Word{"cluster-down", Tone::bad};
    if (!report.facts->role) return Word{"untold", Tone::warning};
    if (has_wrong_role(report)) return Word{"wrong-role", Tone::bad};
    if (report.facts->link_up == false) return Word{"cut-off", Tone::bad};
    if (report.facts->stale_because) return Word{"stale", Tone::bad};
    return Word{"ok", Tone::good};
}

Cell error(const NodeReport& report) {
    return report.facts ? Cell{Null{}} : Cell{output::Bytes{report.facts.error().message}};
}

constexpr std::array kNodeFields{
    output::Field<NodeReport>{{"shard", CellType::text, "SHARD", "the shard's name", Shown::table},
                              [](const NodeReport& r) -> Cell { return Text{r.node.shard}; }},
    output::Field<NodeReport>{{"node", CellType::text, "NODE", "the server's address", Shown::table, 0, {}, true},
                              [](const NodeReport& r) -> Cell { return Text{r.node.name()}; }},
    output::Field<NodeReport>{
        {"configured_role", CellType::word, "CONFIGURED",
         "primary or replica, as the configuration, the sentinels or the nodes of a Redis Cluster have it",
         Shown::table, 1},
        [](const NodeReport& r) -> Cell {
            return Word{domain::name_of(r.node.role), Tone::dim};
        }},
    output::Field<NodeReport>{
        {"role", CellType::word, "ROLE", "primary or replica, as the server sees itself", Shown::table}, role},
    output::Field<NodeReport>{{"state", CellType::word, "STATE",
                               "ok, loading, cluster-down (its Redis Cluster answers for no key), wrong-role, cut-off "
                               "(from its primary), stale (see stale_because), untold (what it is, it would not say) "
                               "or failed",
                               Shown::table},
                              state},
    output::Field<NodeReport>{
        {"link", CellType::word, "LINK", "a replica's link to its primary: up or down", Shown::wide}, link},
    output::Field<NodeReport>{
        {"link_down", CellType::duration_s, "LINK DOWN", "for how long that link has been down", Shown::wide},
        fact<&NodeFacts::link_down_for>},
    output::Field<NodeReport>{{"primary", CellType::bytes, "PRIMARY", "whom a replica follows", Shown::wide},
                              fact<&NodeFacts::primary_address>},
    output::Field<NodeReport>{
        {"replicas", CellType::integer, "REPLICAS", "replicas that are connected to a primary", Shown::wide},
        fact<&NodeFacts::connected_replicas>},
    output::Field<NodeReport>{
        {"lag_bytes", CellType::byte_count, "LAG", "bytes that a replica is behind its primary", Shown::table},
        fact<&NodeFacts::lag_bytes>},
    output::Field<NodeReport>{{"behind", CellType::duration_ms, "BEHIND",
                               "a replica is at most so much older than its primary; empty: not shown", Shown::table},
                              fact<&NodeFacts::behind>},
    output::Field<NodeReport>{{"clock_skew", CellType::duration_ms, "SKEW",
                               "the server's clock less ours, within half the round trip", Shown::table},
                              fact<&NodeFacts::clock_skew>},
    output::Field<NodeReport>{
        {"round_trip", CellType::duration_ms, "ROUND TRIP", "how long one exchange took", Shown::wide},
        fact<&NodeFacts::round_trip>},
    output::Field<NodeReport>{{"version", CellType::text, "VERSION", "the server's version", Shown::table, 2}, version},
    output::Field<NodeReport>{{"uptime", CellType::duration_s, "UPTIME", "since the server started", Shown::wide},
                              fact<&NodeFacts::uptime>},
    output::Field<NodeReport>{{"ops_per_s", CellType::integer, "OPS/S", "commands a second, lately", Shown::table, 3},
                              fact<&NodeFacts::ops_per_second>},
    output::Field<NodeReport>{{"clients", CellType::integer, "CLIENTS", "connected clients", Shown::wide},
                              fact<&NodeFacts::clients>},
    output::Field<NodeReport>{
        {"keys", CellType::integer, "KEYS",
         "keys in the db: two a window, ratectl's operation keys, expired ones not yet removed", Shown::table, 5},
        fact<&NodeFacts::keys>},
    output::Field<NodeReport>{{"memory_bytes", CellType::byte_count, "MEMORY", "memory in use", Shown::table, 4},
                              fact<&NodeFacts::used_memory>},
    output::Field<NodeReport>{
        {"max_memory_bytes", CellType::byte_count, "MAX MEMORY", "the server's limit; 0 is none", Shown::wide},
        fact<&NodeFacts::max_memory>},
    output::Field<NodeReport>{
        {"eviction_policy", CellType::bytes, "EVICTION", "what happens at that limit", Shown::wide},
        fact<&NodeFacts::eviction_policy>},
    output::Field<NodeReport>{{"can_evict", CellType::boolean, "CAN EVICT",
                               "whether windows can be evicted before their time", Shown::table, 0, "EVICTS"},
                              can_evict},
    output::Field<NodeReport>{
        {"evicted_keys", CellType::integer, "EVICTED", "keys evicted since the server started", Shown::wide},
        fact<&NodeFacts::evicted_keys>},
    output::Field<NodeReport>{{"offset", CellType::integer, "OFFSET", "replication offset", Shown::machine},
                              fact<&NodeFacts::offset>},
    output::Field<NodeReport>{
        {"run_id", CellType::bytes, "RUN ID", "changes with every start of the server", Shown::machine},
        fact<&NodeFacts::run_id>},
    output::Field<NodeReport>{{"stale_because", CellType::bytes, "STALE BECAUSE",
                               "why a replica is not believed: --max-staleness, or another primary", Shown::machine},
                              fact<&NodeFacts::stale_because>},
    output::Field<NodeReport>{{"error", CellType::bytes, "ERROR", "why the server could not be asked", Shown::machine},
                              error},
};

using output::Field;
using Shown = output::Column::Shown;
using Micros = std::chrono::microseconds;

Cell in_ms(Micros delay) { return std::round(static_cast<double>(delay.count()) / 10) / 100; }

template <int Percent>
Cell percentile(std::vector<Micros> delays) {
    if (delays.empty()) return Null{};
    std::ranges::sort(delays);
    return in_ms(domain::percentile(delays, Percent));
}

Cell state(const ProbeRow& row) {
    if (row.planned) return Word{"planned"};
    if (row.error) return Word{"failed", Tone::bad};
    if (row.lost > 0) return Word{"lost", Tone::bad};
    if (row.delays.empty()) return Word{"not-asked", Tone::dim};
    return Word{"seen", Tone::good};
}

Cell last(const ProbeRow& row) { return row.delays.empty() ? Cell{Null{}} : in_ms(row.delays.back()); }

constexpr std::array<Field<ProbeRow>, 13> kProbeFields{{
    {{"shard", CellType::text, "SHARD", "the shard's name"},
     [](const ProbeRow& r) -> Cell { return Text{r.node.shard}; }},
    {{"node", CellType::text, "NODE", "the replica's address"},
     [](const ProbeRow& r) -> Cell { return Text{r.node.name()}; }},
    {{"state", CellType::word, "STATE",
      "seen; lost: a write was not shown in time; failed: it could not be asked; not-asked; planned (dry run)"},
     state},
    {{"seen", CellType::integer, "SEEN", "writes that the replica showed"},
     [](const ProbeRow& r) -> Cell { return static_cast<std::int64_t>(r.delays.size()); }},
    {{"lost", CellType::integer, "LOST", "writes that it did not show within --timeout"},
     [](const ProbeRow& r) -> Cell { return static_cast<std::int64_t>(r.lost); }},
    {{"last_ms", CellType::number, "LAST MS", "from sending the last write to the answer that showed it"}, last},
    {{"p50_ms", CellType::number, "P50 MS", "half of the writes were shown within that"},
     [](const ProbeRow& r) { return percentile<50>(r.delays); }},
    {{"p90_ms", CellType::number, "P90 MS", "90 of 100 were"},
     [](const ProbeRow& r) { return percentile<90>(r.delays); }},
    {{"p99_ms", CellType::number, "P99 MS", "99 of 100 were"},
     [](const ProbeRow& r) { return percentile<99>(r.delays); }},
    {{"max_ms", CellType::number, "MAX MS", "all that were shown were shown within that"},
     [](const ProbeRow& r) { return percentile<100>(r.delays); }},
    {{"resolution_ms", CellType::number, "RESOLUTION MS",
      "so much of a delay may be our own round trips (the median); no smaller delay can be told"},
     [](const ProbeRow& r) { return percentile<50>(r.blinds); }},
    {{"key", CellType::key, "KEY", "the throw-away window", Shown::wide},
     [](const ProbeRow& r) -> Cell { return output::BytesView{r.key}; }},
    {{"error", CellType::bytes, "ERROR", "why the replica could not be asked", Shown::machine},
     [](const ProbeRow& r) { return r.error ? Cell{output::Bytes{r.error->message}} : Cell{Null{}}; }},
}};

Cell outcome(const CapabilityRow& row) {
    if (!row.outcome) return Word{"failed", Tone::bad};
    switch (*row.outcome) {
        case domain::Trial::allowed: return Word{"allowed", Tone::good};
        case domain::Trial::forbidden: return Word{"forbidden", Tone::warning};
        case domain::Trial::unknown: return Word{"unknown", Tone::warning};
        case domain::Trial::not_sent: break;
    }
    return Word{"not-sent", Tone::dim};
}

Cell lost_without(const CapabilityRow& row) {
    return row.outcome && *row.outcome != domain::Trial::allowed ? output::text_or_null(row.without) : Cell{Null{}};
}

constexpr std::array<Field<CapabilityRow>, 8> kCapabilityFields{{
    {{"shard", CellType::text, "SHARD", "the shard's name", Shown::table, 2},
     [](const CapabilityRow& r) -> Cell { return Text{r.node.shard}; }},
    {{"node", CellType::text, "NODE", "the server's address", Shown::table, 0, {}, true},
     [](const CapabilityRow& r) -> Cell { return Text{r.node.name()}; }},
    {{"server", CellType::bytes, "SERVER", "what answers there, and its version: redis, valkey, keydb, a proxy ...",
      Shown::table, 1},
     [](const CapabilityRow& r) { return r.server.empty() ? Cell{Null{}} : Cell{output::Bytes{r.server}}; }},
    {{"command", CellType::text, "COMMAND", "a command that ratectl sends, or that services forbid"},
     [](const CapabilityRow& r) { return output::text_or_null(r.command); }},
    {{"outcome", CellType::word, "OUTCOME",
      "allowed; forbidden: by the server's ACL or settings; unknown: renamed, disabled, or of later versions; "
      "not-sent: through a proxy, or without MULTI; failed"},
     outcome},
    {{"without", CellType::text, "WITHOUT IT", "what ratectl does where it is not allowed"}, lost_without},
    {{"needed_for", CellType::text, "NEEDED FOR", "what ratectl sends it for", Shown::wide},
     [](const CapabilityRow& r) { return output::text_or_null(r.needed_for); }},
    {{"error", CellType::bytes, "ERROR", "why the server could not be asked", Shown::machine},
     [](const CapabilityRow& r) { return r.error ? Cell{output::Bytes{r.error->message}} : Cell{Null{}}; }},
}};

}  // namespace

bool has_wrong_role(const NodeReport& report) {
    return report.facts && report.facts->role && *report.facts->role != report.node.role;
}

std::span<const output::Field<NodeReport>> node_fields() { return kNodeFields; }

std::span<const Field<ProbeRow>> probe_fields() { return kProbeFields; }

std::span<const Field<CapabilityRow>> capability_fields() { return kCapabilityFields; }

}  // namespace ratectl::commands
