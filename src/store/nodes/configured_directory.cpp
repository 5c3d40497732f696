// Asks a primary for its replicas where the configuration wants that.
#include "store/nodes/configured_directory.h"

#include <algorithm>
#include <utility>

#include <asio/awaitable.hpp>

#include "redis/outcome.h"
#include "store/nodes/conversation.h"

namespace ratectl::store {
namespace {

asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> ask_for_replicas(redis::Channel& channel,
                                                                            support::Deadline deadline) {
    redis::Request request;
    request.add({"ROLE"});
    request.add({"INFO", "replication"});
    auto replies = co_await channel.exchange(request, deadline);
    if (!replies) co_return replies;
    // One of the two is enough; the other's refusal is not a failure.
    if ((*replies)[0].is_error()) {
        replies->erase(replies->begin());
    } else {
        replies->pop_back();
    }
    co_return replies;
}

std::vector<Address> replicas_from(const std::vector<redis::Reply>& replies) {
    const auto& reply = replies.front();
    return reply.is_array() ? parse_role(reply).replicas : replicas_in(InfoText(reply.text));
}

}  // namespace

ConfiguredDirectory::ConfiguredDirectory(ConfiguredShards configured) : configured_(std::move(configured)) {
    for (const auto& shard : configured_.shards) {
        auto& nodes = nodes_.emplace_back();
        nodes.push_back({shard.name, domain::Role::primary, shard.primary});
        for (const auto& replica : shard.replicas) nodes.push_back({shard.name, domain::Role::replica, replica});
        is_known_.push_back(!shard.discover_replicas);
    }
}

bool ConfiguredDirectory::knows_homes() const { return configured_.sharding || configured_.shards.size() == 1; }

std::optional<Place> ConfiguredDirectory::place_of(std::string_view key) const {
    if (configured_.shards.size() == 1) return Place{};
    const auto* map = rule();
    return map == nullptr ? std::nullopt : std::optional(Place{map->shard_of(key)});
}

const sharding::ShardMap* ConfiguredDirectory::rule() const {
    if (!map_ && knows_homes() && !configured_.servers.empty()) {
        auto options = configured_.sharding.value_or(sharding::Options{});
        if (options.preset.empty()) options.preset = "modulo";  // one server: everything is on it, whatever the rule
        map_ = support::value_or_throw(sharding::ShardMap::make(options, configured_.servers));
    }
    return map_ ? &*map_ : nullptr;
}

Directory::Awaitable<void> ConfiguredDirectory::learn(std::shared_ptr<Core> core, std::size_t place) {
    const auto primary = Directory::primary(place);
    std::vector<domain::Node> nodes{primary};
    auto reading = co_await read_from(core, primary, "ROLE", ask_for_replicas);
    if (!reading) {
        auto error = std::move(reading.error().error);
        error.message += "; so its replicas are not known";
        core->notice(error);
    } else {
        for (const auto& address : replicas_from(reading->replies))
            nodes.push_back(node_at(primary, address, domain::Role::replica));
    }
    nodes_[place] = std::move(nodes);
    is_known_[place] = true;
}

domain::Node node_at(domain::Node node, const Address& address, domain::Role role) {
    node.role = role;
    node.endpoint.kind = domain::Endpoint::Kind::tcp;
    node.endpoint.path.clear();
    node.endpoint.host = address.host;
    node.endpoint.port = address.port;
    return node;
}

const std::vector<sharding::Server>& Directory::servers() const {
    static const std::vector<sharding::Server> none;
    return none;
}

Directory::Awaitable<void> Directory::find_places(std::shared_ptr<Core>) { co_return; }

Directory::Awaitable<Directory::WholeSlots> Directory::whole_slots(std::shared_ptr<Core>, std::size_t) {
    co_return [](std::optional<std::uint16_t>) { return true; };
}

std::optional<std::size_t> Directory::find(std::string_view name) const {
    const auto found = std::ranges::find(places(), name, &domain::Shard::name);
    return found == places().end() ? std::nullopt : std::optional<std::size_t>(found - places().begin());
}

std::vector<std::string> Directory::names() const {
    std::vector<std::string> names;
    for (const auto& place : places()) names.push_back(place.name);
    return names;
}

std::shared_ptr<Directory> configured_directory(ConfiguredShards configured) {
    return std::make_shared<ConfiguredDirectory>(std::move(configured));
}

}  // namespace ratectl::store
