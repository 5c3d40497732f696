// INFO, ROLE and DBSIZE of every node, and the lag between them.
#include "store/node_facts.h"

#include <algorithm>
#include <utility>

#include "store/conversation.h"
#include "store/discover.h"
#include "store/info_text.h"
#include "store/tasks.h"

namespace ratectl::store {
namespace {

using Reports = std::shared_ptr<std::vector<NodeReport>>;

asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> ask_facts(redis::Channel& channel,
                                                                     support::Deadline deadline) {
    redis::Request request;
    request.add({"INFO"});
    request.add({"ROLE"});
    request.add({"DBSIZE"});
    auto replies = co_await channel.exchange(request, deadline);
    if (!replies) co_return replies;
    // What this user may not ask, or this server does not know, stays unknown; it is no failure.
    for (auto& reply : *replies) {
        if (reply.is_error()) reply = {};
    }
    co_return replies;
}

domain::NodeFacts facts_from(const Reading& reading) {
    domain::NodeFacts facts;
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

asio::awaitable<void> report_node(std::shared_ptr<Core> core, Reports reports, std::size_t i) {
    auto reading = co_await read_from(core, (*reports)[i].node, "INFO", ask_facts);
    if (reading) {
        (*reports)[i].facts = facts_from(*reading);
    } else {
        (*reports)[i].facts = tl::make_unexpected(reading.error().error);
    }
}

// Only against the primary of the same shard, and only where both named an offset.
void add_lags(std::vector<NodeReport>& reports) {
    const domain::NodeFacts* primary = nullptr;
    for (auto& report : reports) {
        if (report.node.role == domain::Role::primary) {
            primary = report.facts ? &*report.facts : nullptr;
        } else if (primary != nullptr && primary->offset && report.facts && report.facts->offset) {
            // The two were not read at the same moment, so a replica may seem ahead.
            report.facts->lag_bytes = std::max<std::int64_t>(0, *primary->offset - *report.facts->offset);
        }
    }
}

}  // namespace

std::vector<NodeReport> report_nodes(const std::shared_ptr<Core>& core, std::span<const std::size_t> shards) {
    discover(core, shards);
    auto reports = std::make_shared<std::vector<NodeReport>>();
    for (std::size_t shard = 0; shard < core->nodes.size(); ++shard) {
        if (!shards.empty() && std::find(shards.begin(), shards.end(), shard) == shards.end()) continue;
        for (const auto& node : core->nodes[shard])
            reports->push_back({node, tl::make_unexpected(core->interrupted())});
    }
    Tasks tasks(core);
    for (std::size_t i = 0; i < reports->size(); ++i) tasks.add(report_node(core, reports, i));
    tasks.finish_or_stop();
    // A copy: a task that the wait left behind may still write into its own.
    auto result = *reports;
    add_lags(result);
    return result;
}

}  // namespace ratectl::store
