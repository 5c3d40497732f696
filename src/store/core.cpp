// The store's shared state: deadlines, notices, and the memory of dead nodes.
#include "store/core.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "domain/cluster/slot_faults.h"
#include "schemes/book.h"
#include "sharding/cluster_slots.h"
#include "support/quote.h"

namespace ratectl::store {
namespace {

constexpr std::chrono::seconds kDeadFor{5};

}  // namespace

const domain::Limiter& limiter_of(const domain::Layout& layout, std::span<const domain::Policy> policies) {
    return schemes::scheme_of(layout, policies);
}

std::string where(const domain::Node& node) { return "shard '" + node.shard + "' (" + node.name() + ")"; }

Core::Core(const Topology& topology, Options options_in, redis::EventLoop& loop_in,
           std::shared_ptr<redis::Connector> connector_in)
    : directory(topology.directory),
      options(std::move(options_in)),
      loop(loop_in),
      connector(std::move(connector_in)),
      scheme(&schemes::scheme_of(topology.limiter != nullptr ? *topology.limiter : limiter_of({}))) {}

support::Deadline Core::exchange_deadline() const {
    const auto end = std::chrono::steady_clock::now() + options.timeout;
    return options.deadline ? std::min(end, *options.deadline) : end;
}

void Core::notice(const support::Error& error) {
    if (options.notice && noticed_.insert(error.message).second) options.notice(error);
}

// No command takes keys of two slots, so nothing would be asked for them at once.
std::optional<support::Error> Core::scattered(std::string_view key) const {
    if (!directory->has_slots()) return std::nullopt;
    const auto& limiter = scheme->of(key);
    for (std::size_t part = 1; part < limiter.parts().size(); ++part) {
        const auto other = limiter.part_key(key, part);
        if (sharding::shares_tag(key, other)) continue;
        const auto home = sharding::cluster_slot(key);
        const auto slot = sharding::cluster_slot(other);
        if (slot == home) continue;
        return support::Error{
            support::ExitCode::configuration,
            fmt::format("{} is in slot {} of the Redis Cluster and {} in slot {}: no command reads or writes both, so "
                        "they are no window there",
                        support::quoted(key), home, support::quoted(other), slot),
            "what stands between { and } in a key decides on its slot; a template writes braces twice: "
            "\"{{core:{client}}}\"",
            domain::kBadKey};
    }
    return std::nullopt;
}

domain::SliceId Core::named(domain::SliceId id) const {
    if (directory->has_slots()) id.tag = sharding::tag_of_slot(domain::slot_of_number(id.number));
    return id;
}

support::Error Core::interrupted() const {
    const int signal = options.stop == nullptr ? 0 : options.stop->signal();
    return {support::ending_by(signal), "interrupted before the answer came", ""};
}

void Core::remember_dead(const domain::Node& node, const redis::Fault& fault) {
    if (fault.error.code != support::ExitCode::unavailable) return;
    dead_[channel_name(node)] = {fault, std::chrono::steady_clock::now() + kDeadFor, directory->epoch()};
}

std::optional<redis::Fault> Core::known_dead(const domain::Node& node) const {
    if (node.endpoint.is_to_be_told()) {
        const auto place = directory->find(node.shard);
        auto why = place ? directory->silence(*place) : std::nullopt;
        if (!why) return std::nullopt;
        why->message = where(node) + ": " + why->message;
        return redis::Fault{std::move(*why), false, false};
    }
    const auto found = dead_.find(channel_name(node));
    if (found == dead_.end() || found->second.until < std::chrono::steady_clock::now()) return std::nullopt;
    if (found->second.epoch != directory->epoch()) return std::nullopt;
    redis::Fault fault = found->second.fault;
    fault.maybe_executed = false;
    return fault;
}

}  // namespace ratectl::store
