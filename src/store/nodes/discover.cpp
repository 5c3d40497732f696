// Discovers replicas by ROLE, or by INFO where ROLE is not allowed.
#include "store/nodes/discover.h"

#include <numeric>
#include <utility>

#include "store/nodes/conversation.h"
#include "store/nodes/info_text.h"
#include "store/tasks.h"

namespace ratectl::store {
namespace {

asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> ask_replicas(redis::Channel& channel,
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

asio::awaitable<void> discover_shard(std::shared_ptr<Core> core, std::size_t shard) {
    const auto primary = core->primary(shard);
    auto reading = co_await read_from(core, primary, "ROLE", ask_replicas);
    std::vector<domain::Node> nodes{primary};
    if (!reading) {
        core->notice({reading.error().error.code, reading.error().error.message + "; so its replicas are not known",
                      reading.error().error.hint});
    } else {
        for (auto& address : replicas_from(reading->replies)) {
            domain::Node replica = primary;
            replica.role = domain::Role::replica;
            replica.endpoint.kind = domain::Endpoint::Kind::tcp;
            replica.endpoint.path.clear();
            replica.endpoint.host = std::move(address.host);
            replica.endpoint.port = address.port;
            nodes.push_back(std::move(replica));
        }
    }
    core->nodes[shard] = std::move(nodes);
}

}  // namespace

void discover(const std::shared_ptr<Core>& core, std::span<const std::size_t> shards) {
    std::vector<std::size_t> all(core->nodes.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (shards.empty()) shards = all;
    Tasks tasks(core);
    for (const std::size_t shard : shards) {
        if (core->nodes.at(shard).empty()) tasks.add(discover_shard, core, shard);
    }
    if (tasks.finish_or_stop()) return;
    for (const std::size_t shard : shards) {
        if (core->nodes[shard].empty()) core->nodes[shard] = {core->primary(shard)};
    }
}

}  // namespace ratectl::store
