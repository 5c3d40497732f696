// Asks every node for INFO, ROLE and DBSIZE, and works out the lag between them.
#include "store/nodes/node_facts.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "domain/diagnosis/staleness.h"
#include "domain/operation.h"
#include "domain/server_commands.h"
#include "redis/reply_class.h"
#include "store/cluster/strays.h"
#include "store/nodes/conversation.h"
#include "store/nodes/freshness.h"
#include "store/nodes/info_text.h"
#include "store/nodes/sources.h"
#include "store/tasks.h"

namespace ratectl::store {
namespace {

using Clock = std::chrono::steady_clock;

/// A report, and when what stands in it was asked for and answered.
struct Asking {
    NodeReport report;
    std::size_t shard = 0;
    Clock::time_point asked{};
    Clock::time_point answered{};
};
using Askings = std::shared_ptr<std::vector<Asking>>;

constexpr std::size_t kFacts = 3;
// Its prefix is ours, and no key is ever called so: a look at it finds nothing. No server knows a script of that hash.
const std::string kUnusedKey = std::string(domain::kReservedPrefix) + "unused";
constexpr std::string_view kUnknownScript = "0000000000000000000000000000000000000000";

constexpr std::string_view kMistake = "TYPE";  // it needs a key

/// The commands of looks and sweeps, and on a primary those of writes: in a transaction that begins with a mistake, so
/// that nothing in it is ever carried out.
std::vector<std::string_view> tried_commands(const redis::ServerFacts& facts) {
    const auto rights = facts.role == domain::Role::replica ? domain::Rights::look : domain::Rights::change;
    std::vector<std::string_view> names{"multi", kMistake};
    // An account that may not SELECT has not come so far.
    for (const auto& command : domain::commands_for(rights, domain::acl_generation(facts.version), {})) {
        if (command.name != "multi" && command.name != "exec" && !command.spared) names.push_back(command.name);
    }
    names.emplace_back("exec");
    return names;
}

/// What follows the name, so that the command does nothing even where there are no transactions.
std::vector<std::string_view> harmless_arguments(std::string_view name) {
    constexpr std::array alone{"multi", "exec", "info", "role", "time", "dbsize"};
    if (name == kMistake || std::find(alone.begin(), alone.end(), name) != alone.end()) return {};
    if (name == "scan") return {"0"};
    if (name == "wait") return {"0", "1"};
    if (name == "getrange" || name == "lrange" || name == "zrange") return {kUnusedKey, "0", "0"};
    if (name == "hmget") return {kUnusedKey, "field"};
    if (name.starts_with("evalsha")) return {kUnknownScript, "1", kUnusedKey};
    if (name.starts_with("eval")) return {"return 1", "1", kUnusedKey};
    if (name == "set") return {kUnusedKey, "", "XX"};  // only where it is there already
    if (name == "incrby" || name == "decrby" || name == "pexpireat") return {kUnusedKey, "no-number"};
    return {kUnusedKey};
}

void try_command(redis::Request& request, std::string_view name) {
    auto words = harmless_arguments(name);
    words.insert(words.begin(), name);
    request.add(std::span<const std::string_view>(words));
}

/// Scripts name their operation key among their keys; a look may well be kept to other keys than ours.
bool is_denial(const redis::Reply& reply, std::string_view name) {
    if (!reply.is_error()) return false;
    const auto kind = redis::classify_error(reply.text);
    if (kind == redis::ReplyClass::unknown_command) return true;
    const bool is_about_keys = reply.text.find("access") != std::string::npos;
    return kind == redis::ReplyClass::no_permission && (!is_about_keys || name.starts_with("eval"));
}

/// INFO, ROLE, DBSIZE, and with `rights` the name of each command that this user may not run, as a text behind them.
asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> ask_facts(redis::Channel& channel,
                                                                     support::Deadline deadline, bool rights) {
    redis::Request request;
    request.add({"INFO"});
    request.add({"ROLE"});
    request.add({"DBSIZE"});
    const auto tried = rights ? tried_commands(channel.facts()) : std::vector<std::string_view>{};
    for (const auto name : tried) try_command(request, name);
    auto replies = co_await channel.exchange(request, deadline);
    if (!replies) co_return replies;
    std::vector<redis::Reply> denied;
    for (std::size_t i = 0; i < tried.size() && kFacts + i < replies->size(); ++i) {
        if (tried[i] == kMistake || !is_denial((*replies)[kFacts + i], tried[i])) continue;
        denied.emplace_back().text = tried[i];
    }
    // What this user may not ask, or this server does not know, stays unknown; it is not a failure.
    replies->resize(kFacts);
    for (auto& reply : *replies) {
        if (reply.is_error()) reply = {};
    }
    std::move(denied.begin(), denied.end(), std::back_inserter(*replies));
    co_return replies;
}

domain::NodeFacts facts_from(const Reading& reading) {
    domain::NodeFacts facts;
    for (std::size_t i = kFacts; i < reading.replies.size(); ++i) facts.denied.push_back(reading.replies[i].text);
    facts.version = reading.facts.version;
    facts.role = reading.facts.role;
    facts.link_up = reading.facts.link_up;
    facts.clock_skew = reading.facts.clock_skew;
    facts.round_trip = reading.facts.round_trip;
    if (reading.replies[0].is_text()) add_info_facts(InfoText(reading.replies[0].text), facts);
    if (!facts.run_id) facts.run_id = reading.facts.run_id;
    if (!facts.cluster_enabled) facts.cluster_enabled = reading.facts.cluster;
    add_role_facts(parse_role(reading.replies[1]), facts);
    if (reading.replies[2].kind == redis::Reply::Kind::integer) facts.keys = reading.replies[2].integer;
    return facts;
}

asio::awaitable<void> report_node(std::shared_ptr<Core> core, Askings askings, std::size_t i, bool rights) {
    const auto ask = [rights, askings, i](redis::Channel& channel, support::Deadline deadline) {
        (*askings)[i].asked = Clock::now();
        return ask_facts(channel, deadline, rights);
    };
    auto reading = co_await read_from(core, (*askings)[i].report.node, "INFO", ask);
    Asking& asking = (*askings)[i];
    asking.answered = Clock::now();
    if (reading) {
        asking.report.facts = facts_from(*reading);
    } else {
        asking.report.facts = tl::make_unexpected(reading.error().error);
    }
}

// Only against the primary of the same shard, only where both named an offset, and never between two histories.
void add_lags(std::vector<Asking>& askings) {
    const Asking* primary = nullptr;
    for (auto& asking : askings) {
        auto& facts = asking.report.facts;
        if (asking.report.node.role == domain::Role::primary) {
            primary = &asking;
        } else if (primary != nullptr && primary->report.facts && facts) {
            const auto& ahead = *primary->report.facts;
            // The two were not read at the same moment, so a replica may seem ahead.
            if (ahead.offset && facts->offset && !domain::follows_another_history(ahead, *facts))
                facts->lag_bytes = std::max<std::int64_t>(0, *ahead.offset - *facts->offset);
            if (domain::standing_of(ahead, *facts).kind != domain::ReplicaStanding::Kind::has_all) continue;
            const auto behind = std::max(asking.answered - primary->asked, Clock::duration::zero());
            facts->behind = std::chrono::ceil<support::Milliseconds>(behind);
        }
    }
}

/// Only now is it known which signal ended the wait.
void fail_unanswered(const Core& core, std::vector<Asking>& askings) {
    for (auto& asking : askings) {
        if (asking.answered == Clock::time_point{}) asking.report.facts = tl::make_unexpected(core.interrupted());
    }
}

/// A replica that has not all is asked until it has, or has had its time.
asio::awaitable<void> show_node(std::shared_ptr<Core> core, Askings askings, std::size_t i) {
    const auto word = co_await ask_primary(core, (*askings)[i].shard);
    auto shown = co_await show_replica(core, (*askings)[i].report.node, word);
    auto& facts = *(*askings)[i].report.facts;
    facts.behind.reset();
    if (shown.from) {
        facts.behind = std::chrono::ceil<support::Milliseconds>(Clock::now() - *shown.from);
    } else {
        facts.stale_because = shown.fault ? shown.fault->error.message : std::move(shown.doubt);
    }
}

/// With --max-staleness.
void show_replicas(const std::shared_ptr<Core>& core, const Askings& askings) {
    const auto most = core->options.max_staleness;
    Tasks tasks(core);
    for (std::size_t i = 0; most && i < askings->size(); ++i) {
        const auto& report = (*askings)[i].report;
        if (report.node.role != domain::Role::replica || !report.facts) continue;
        if (!report.facts->behind || *report.facts->behind > *most) tasks.add(show_node, core, askings, i);
    }
    tasks.finish_or_stop();
}

}  // namespace

std::vector<NodeReport> report_nodes(const std::shared_ptr<Core>& core, std::span<const std::size_t> shards,
                                     bool rights) {
    find_nodes(core, shards, true);
    auto askings = std::make_shared<std::vector<Asking>>();
    for (std::size_t shard = 0; shard < core->directory->places().size(); ++shard) {
        if (!shards.empty() && std::find(shards.begin(), shards.end(), shard) == shards.end()) continue;
        for (const auto& node : core->directory->nodes(shard))
            askings->push_back({{node, tl::make_unexpected(support::Error{})}, shard});
    }
    const auto* beside = dynamic_cast<const Strays*>(core->directory.get());
    if (shards.empty() && beside != nullptr) {
        for (const auto& node : beside->strays()) askings->push_back({{node, tl::make_unexpected(support::Error{})}});
    }
    Tasks tasks(core);
    for (std::size_t i = 0; i < askings->size(); ++i) tasks.add(report_node, core, askings, i, rights);
    tasks.finish_or_stop();
    fail_unanswered(*core, *askings);
    add_lags(*askings);
    show_replicas(core, askings);
    // Copies: a task that a wait left behind may still write into its own.
    std::vector<NodeReport> reports;
    for (const auto& each : *askings) reports.push_back(each.report);
    return reports;
}

}  // namespace ratectl::store
