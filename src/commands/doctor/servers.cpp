// Checks the servers rule by rule; what a server does not say is not a fault.
#include "commands/doctor/servers.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/request/selection.h"
#include "domain/diagnosis/staleness.h"
#include "domain/server_commands.h"
#include "support/time_text.h"

namespace ratectl::commands::doctor {
namespace {

using domain::Finding;
using domain::FindingClass;
using support::Milliseconds;

constexpr Milliseconds kSkewThatCounts{1000};
constexpr std::int64_t kNearLimitPercent = 90;
constexpr std::int64_t kMaskedAtLeast = 10;
constexpr std::int64_t kMaskedShare = 10;
constexpr int kOldestForWrites = 6;
constexpr domain::ServerVersion kOldestMemcachedForWrites{1, 6, 0};

std::optional<Finding> role_fault(const domain::Node& node, const domain::NodeFacts& facts) {
    if (!facts.role || *facts.role == node.role) return std::nullopt;
    const auto of = facts.primary_address ? " of " + *facts.primary_address : "";
    return Finding{FindingClass::wrong_role, fmt::format("known as {}, it is a {}{}", domain::name_of(node.role),
                                                         domain::name_of(*facts.role), of)};
}

std::optional<Finding> history_fault(const domain::NodeFacts& facts, const store::NodeReport* primary) {
    if (primary == nullptr || !primary->facts || !domain::follows_another_history(*primary->facts, facts))
        return std::nullopt;
    return Finding{FindingClass::wrong_role,
                   fmt::format("its link is up, but it follows another history than its shard's primary {}: that of {}",
                               primary->node.name(), facts.primary_address.value_or("an unknown server"))};
}

/// Somewhere else than it is known to be it may well be looking for its primary under another name.
std::optional<Finding> link_fault(const domain::NodeFacts& facts, const store::NodeReport* primary) {
    if (facts.role != domain::Role::replica || facts.link_up != false) return std::nullopt;
    const auto down = facts.link_down_for
                          ? "has been down for " + support::format_duration(Milliseconds(*facts.link_down_for))
                          : std::string("is down");
    const auto elsewhere = primary != nullptr && facts.primary_address && *facts.primary_address != primary->node.name()
                               ? "; its shard's primary is " + primary->node.name()
                               : std::string();
    return Finding{FindingClass::link_down,
                   fmt::format("the link to {} {}{}", facts.primary_address.value_or("its primary"), down, elsewhere)};
}

/// Only what the round trip cannot explain.
std::optional<Finding> clock_fault(const domain::NodeFacts& facts) {
    if (!facts.clock_skew) return std::nullopt;
    const Milliseconds skew = *facts.clock_skew;
    const Milliseconds doubt = facts.round_trip.value_or(Milliseconds{0}) / 2;
    if (Milliseconds{std::abs(skew.count())} - doubt <= kSkewThatCounts) return std::nullopt;
    return Finding{FindingClass::clock_skew,
                   fmt::format("its clock is {} {} ours (within {})",
                               support::format_duration(Milliseconds{std::abs(skew.count())}),
                               skew.count() > 0 ? "ahead of" : "behind", support::format_duration(doubt))};
}

void add_memory_faults(const domain::NodeFacts& facts, std::vector<Finding>& found) {
    if (!facts.max_memory || *facts.max_memory <= 0) return;
    if (facts.eviction_policy && *facts.eviction_policy != "noeviction") {
        found.push_back({FindingClass::can_evict, fmt::format("maxmemory-policy {}, {} keys evicted since it started",
                                                              *facts.eviction_policy, facts.evicted_keys.value_or(0))});
    }
    if (!facts.used_memory || *facts.used_memory / kNearLimitPercent < *facts.max_memory / 100) return;
    found.push_back(
        {FindingClass::memory_near_limit, fmt::format("{} of {} bytes in use", *facts.used_memory, *facts.max_memory)});
}

/// A memcached can always evict; what counts is whether it does.
void add_memcached_faults(const domain::NodeFacts& facts, std::vector<Finding>& found) {
    if (facts.evicted_keys.value_or(0) > 0) {
        found.push_back({FindingClass::can_evict,
                         fmt::format("{} items evicted since it started: one key of a window may be among them, and "
                                     "the other not",
                                     *facts.evicted_keys),
                         {},
                         "more memory (memcached -m), or the Redis backend, which evicts nothing"});
    }
    if (facts.version && *facts.version < kOldestMemcachedForWrites) {
        found.push_back({FindingClass::old_version,
                         "version " + domain::to_string(*facts.version),
                         {},
                         "upgrade: writes need the meta commands of memcached 1.6"});
    }
}

void add_right_faults(const domain::NodeFacts& facts, std::vector<Finding>& found) {
    std::vector<std::string> scripts;
    std::vector<std::string> looks;
    for (const auto& name : domain::lacking(facts.denied, domain::acl_generation(facts.version)))
        (name == "eval" || name == "evalsha" ? scripts : looks).push_back(name);
    if (!scripts.empty())
        found.push_back({FindingClass::scripts_denied, fmt::format("not allowed: {}", fmt::join(scripts, " "))});
    if (!looks.empty())
        found.push_back({FindingClass::commands_denied, fmt::format("not allowed: {}", fmt::join(looks, " "))});
}

/// Two databases of one server are two stores; the same database twice is not.
bool are_same(const store::NodeReport& a, const store::NodeReport& b) {
    return a.facts && b.facts && a.facts->run_id && a.facts->run_id == b.facts->run_id &&
           a.node.endpoint.db == b.node.endpoint.db;
}

constexpr std::array kPauses{Milliseconds{50}, Milliseconds{100}, Milliseconds{250}, Milliseconds{300},
                             Milliseconds{350}};

// Lagging replicas are found by comparing their offsets now with their primary's offsets earlier: a number of bytes
// alone tells a busy primary as little as a broken link.

/// A replica that has to reach this offset.
struct Runner {
    Lag lag;
    std::int64_t goal = 0;
};

const store::NodeReport* report_of(std::span<const store::NodeReport> reports, const domain::Node& node) {
    const auto found = std::find_if(reports.begin(), reports.end(), [&](const auto& report) {
        return report.node.shard == node.shard && report.node.endpoint.same_server(node.endpoint);
    });
    return found == reports.end() ? nullptr : &*found;
}

std::vector<Runner> runners_in(std::span<const store::NodeReport> reports) {
    std::vector<Runner> runners;
    for (const auto& [node, facts] : reports) {
        if (!facts || facts->role != domain::Role::replica || facts->link_up != true) continue;
        if (facts->lag_bytes.value_or(0) > 0)
            runners.push_back({{node, *facts->lag_bytes, {}}, *facts->offset + *facts->lag_bytes});
    }
    return runners;
}

/// False: it has arrived, or that is not known.
bool is_behind(Runner& runner, std::span<const store::NodeReport> now) {
    const auto* report = report_of(now, runner.lag.node);
    if (report == nullptr || !report->facts || report->facts->link_up != true || !report->facts->offset) return false;
    runner.lag.bytes = report->facts->lag_bytes.value_or(runner.goal - *report->facts->offset);
    return *report->facts->offset < runner.goal;
}

}  // namespace

std::vector<Lag> find_lags(std::span<const store::NodeReport> reports, Context& context) {
    auto runners = runners_in(reports);
    const auto began = context.wall_clock();
    for (const auto pause : kPauses) {
        if (runners.empty() || context.stop()) return {};
        std::this_thread::sleep_for(pause);
        std::vector<std::size_t> shards;
        for (std::size_t i = 0; i < context.directory().places().size(); ++i) {
            const auto& name = context.directory().name_of(i);
            if (std::any_of(runners.begin(), runners.end(), [&](const auto& r) { return r.lag.node.shard == name; }))
                shards.push_back(i);
        }
        const auto now = context.store().node_reports(shards);
        std::erase_if(runners, [&](Runner& runner) { return !is_behind(runner, now); });
        for (auto& runner : runners) runner.lag.seen = context.wall_clock() - began;
    }
    std::vector<Lag> lags;
    lags.reserve(runners.size());
    for (auto& runner : runners) lags.push_back(std::move(runner.lag));
    return lags;
}

FindingRow server_row(const domain::Node& node, Finding finding) {
    FindingRow row;
    row.shard = node.shard;
    row.node = node.name();
    row.finding = std::move(finding);
    row.finding.detail.insert(0, row.node + ": ");
    return row;
}

std::vector<Finding> faults_of(const domain::Node& node, const domain::NodeFacts& facts,
                               const store::NodeReport* primary) {
    std::vector<Finding> found;
    for (auto& fault :
         {role_fault(node, facts), history_fault(facts, primary), link_fault(facts, primary), clock_fault(facts)}) {
        if (fault) found.push_back(*fault);
    }
    if (node.endpoint.protocol == domain::Protocol::memcached) {
        add_memcached_faults(facts, found);
        return found;
    }
    add_memory_faults(facts, found);
    if (facts.persistence_fault) found.push_back({FindingClass::not_persisting, *facts.persistence_fault});
    add_right_faults(facts, found);
    if (facts.version && !facts.version->valkey && facts.version->major < kOldestForWrites)
        found.push_back({FindingClass::old_version, "version " + domain::to_string(*facts.version)});
    if (facts.cluster_enabled == true) found.push_back({FindingClass::cluster_node, "cluster_enabled is 1"});
    return found;
}

std::optional<Finding> masked_keys(std::int64_t counted, std::uint64_t listed) {
    const auto masked = counted - static_cast<std::int64_t>(listed);
    if (masked < kMaskedAtLeast || masked * 100 < counted * kMaskedShare) return std::nullopt;
    return Finding{FindingClass::masked_keys,
                   fmt::format("{} of {} keys are expired and not removed", masked, counted)};
}

void Servers::report(FindingReport& report) const {
    report_primaries(report);
    // A single one among others is out of place.
    const bool of_cluster = std::ranges::all_of(
        reports_, [](const auto& each) { return !each.facts || each.facts->cluster_enabled == true; });
    const store::NodeReport* primary = nullptr;
    for (std::size_t i = 0; i < reports_.size(); ++i) {
        const auto& [node, facts] = reports_[i];
        if (node.role == domain::Role::primary) primary = &reports_[i];
        if (!facts) {
            if (facts.error().reason == domain::kClusterNode)
                report.take(server_row(node, {FindingClass::cluster_node, "it belongs to a Redis Cluster"}));
            report.outcome().fail_once(node, facts.error());
            continue;
        }
        for (auto& fault : faults_of(node, *facts, primary)) {
            if (!of_cluster || fault.what != FindingClass::cluster_node)
                report.take(server_row(node, std::move(fault)));
        }
        for (std::size_t other = 0; other < i; ++other) {
            if (!are_same(reports_[other], reports_[i])) continue;
            const auto& twin = reports_[other].node;
            report.take(server_row(node, {FindingClass::same_server,
                                          fmt::format("it is {} of shard '{}', too", twin.name(), twin.shard)}));
            break;
        }
    }
}

/// Named at the server that is not known as the primary; one server under two names is another fault.
void Servers::report_primaries(FindingReport& report) const {
    const store::NodeReport* first = nullptr;
    for (const auto& each : reports_) {
        if (first != nullptr && first->node.shard != each.node.shard) first = nullptr;
        if (!each.facts || each.facts->role != domain::Role::primary) continue;
        if (first != nullptr && !are_same(*first, each)) {
            report.take(server_row(
                each.node, {FindingClass::two_primaries, fmt::format("it acts as primary of shard '{}', and so does {}",
                                                                     each.node.shard, first->node.name())}));
        } else {
            first = &each;
        }
    }
}

void Servers::report_lags(std::span<const Lag> lags, FindingReport& report) const {
    for (const auto& lag : lags) {
        report.take(server_row(
            lag.node, {FindingClass::replica_lag,
                       fmt::format("its link is up, and yet it is {} bytes behind its primary: it lacks what the "
                                   "primary had {} ago",
                                   lag.bytes, support::format_duration(lag.seen))}));
    }
}

const domain::NodeFacts* Servers::facts_of(const domain::Node& node) const {
    for (const auto& report : reports_) {
        if (report.facts && report.node.shard == node.shard && report.node.endpoint.same_server(node.endpoint))
            return &*report.facts;
    }
    return nullptr;
}

Milliseconds Servers::skew_of(const domain::Node& node) const {
    const auto* facts = facts_of(node);
    return facts != nullptr ? facts->clock_skew.value_or(Milliseconds{0}) : Milliseconds{0};
}

std::optional<std::int64_t> Servers::keys_of(const domain::Node& node) const {
    const auto* facts = facts_of(node);
    return facts != nullptr ? facts->keys : std::nullopt;
}

domain::Circumstances Surroundings::of(const KeyMeaning& meaning, const domain::Node& node,
                                       support::WallTime read_at) const {
    domain::Circumstances around;
    around.now = settings_.clock_at(read_at);
    around.server_now = read_at + servers_.skew_of(node);
    around.period = period_of(meaning, settings_);
    around.is_ours = meaning.match.has_value();
    return around;
}

}  // namespace ratectl::commands::doctor
