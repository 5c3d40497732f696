// Asks a node for its view of the Redis Cluster, in the words that it knows.
#include <utility>

#include "redis/outcome.h"
#include "redis/request.h"
#include "store/cluster/questions.h"

namespace ratectl::store {

asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> ask_for_view(redis::Channel& channel,
                                                                        support::Deadline deadline) {
    redis::Request request;
    request.add({"CLUSTER", "SHARDS"});
    request.add({"CLUSTER", "SLOTS"});
    auto replies = co_await channel.exchange(request, deadline);
    if (!replies) co_return replies;
    const bool has_shards = !replies->front().is_error();
    const bool has_slots = !replies->back().is_error();
    if (!has_shards && has_slots) replies->front() = {};
    if (!has_slots && has_shards) replies->back() = {};
    replies->emplace_back();
    if (has_shards || !has_slots) co_return replies;
    request.clear();
    request.add({"CLUSTER", "NODES"});
    auto nodes = co_await channel.exchange(request, deadline);
    if (!nodes) co_return nodes;
    if (!nodes->front().is_error()) replies->back() = std::move(nodes->front());
    co_return replies;
}

}  // namespace ratectl::store
