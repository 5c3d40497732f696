// The store's shared state: deadlines, notices, and the memory of dead nodes.
#include "store/core.h"

#include <algorithm>
#include <utility>

namespace ratectl::store {
namespace {

constexpr std::chrono::seconds kDeadFor{5};

std::vector<std::vector<domain::Node>> configured_nodes(const Topology& topology) {
    std::vector<std::vector<domain::Node>> nodes;
    for (const auto& shard : topology.shards) {
        auto& of_shard = nodes.emplace_back();
        if (shard.discover_replicas) continue;
        of_shard.push_back({shard.name, domain::Role::primary, shard.primary});
        for (const auto& replica : shard.replicas) of_shard.push_back({shard.name, domain::Role::replica, replica});
    }
    return nodes;
}

}  // namespace

std::string where(const domain::Node& node) { return "shard '" + node.shard + "' (" + node.name() + ")"; }

Core::Core(Topology topology_in, Options options_in, redis::EventLoop& loop_in,
           std::shared_ptr<redis::Connector> connector_in)
    : topology(std::move(topology_in)),
      options(std::move(options_in)),
      loop(loop_in),
      connector(std::move(connector_in)),
      scheme(schemes::make_window_scheme(topology.expiry_suffix)),
      nodes(configured_nodes(topology)) {}

support::Deadline Core::exchange_deadline() const {
    const auto end = std::chrono::steady_clock::now() + options.timeout;
    return options.deadline ? std::min(end, *options.deadline) : end;
}

void Core::notice(const support::Error& error) {
    if (options.notice && noticed_.insert(error.message).second) options.notice(error);
}

support::Error Core::interrupted() const {
    const int signal = options.stop == nullptr ? 0 : options.stop->signal();
    return {support::ending_by(signal), "interrupted before the answer came", ""};
}

domain::Node Core::primary(std::size_t shard) const {
    const auto& configured = topology.shards.at(shard);
    return {configured.name, domain::Role::primary, configured.primary};
}

void Core::remember_dead(const domain::Node& node, const redis::Fault& fault) {
    if (fault.error.code != support::ExitCode::unavailable) return;
    dead_[channel_name(node)] = {fault, std::chrono::steady_clock::now() + kDeadFor};
}

std::optional<redis::Fault> Core::known_dead(const domain::Node& node) const {
    const auto found = dead_.find(channel_name(node));
    if (found == dead_.end() || found->second.until < std::chrono::steady_clock::now()) return std::nullopt;
    redis::Fault fault = found->second.fault;
    fault.maybe_executed = false;
    return fault;
}

}  // namespace ratectl::store
