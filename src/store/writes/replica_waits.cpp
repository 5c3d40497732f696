// Waits for replicas behind a write of our own: what they have of it, they have of all that was written before.

#include "redis/reply_class.h"
#include "schemes/operation_key.h"
#include "sharding/cluster_slots.h"
#include "store/directory.h"
#include "store/nodes/conversation.h"
#include "store/nodes/replica_watch.h"
#include "store/tasks.h"

namespace ratectl::store {
namespace {

// Ten minutes, as operation keys have at least.
constexpr std::string_view kMarkerLife = "600000";

struct ReplicaWait {
    KeyAt key;
    domain::SliceId marker;  // no id: none may be left
    int replicas = 0;
    support::Milliseconds timeout{};
    std::optional<int> acknowledged;
};

/// Until 7.0 a connection waits for everything before its last command, later ones only for what it wrote itself.
asio::awaitable<void> await_on(std::shared_ptr<Core> core, std::shared_ptr<ReplicaWait> wait) {
    const auto node = core->directory->primary(wait->key.place.shard);
    auto opened = co_await open_channel(core, node, kReadMaxIdle, core->exchange_deadline());
    if (!opened) {
        say_replicas_unknown(*core, opened.error().error);
        co_return;
    }
    auto& channel = **opened;
    if (channel.facts().at_least(7, 2) && wait->marker.operation.empty()) {
        say_replicas_unknown(*core,
                             {support::ExitCode::unavailable,
                              channel.where() + ": it tells that of new writes only, and no key was to be left", ""});
        co_return;
    }
    if (channel.facts().at_least(7, 2)) {
        const auto request = marker_request(core->named(wait->marker));
        const auto replies = co_await channel.exchange(request, core->exchange_deadline());
        const bool failed = !replies || replies->front().is_error();
        if (failed) {
            say_replicas_unknown(*core,
                                 replies ? redis::fault_from_reply(replies->front().text, channel.where(), "SET").error
                                         : replies.error().error);
            co_return;
        }
    }
    wait->acknowledged = co_await wait_for_replicas(core, channel, wait->replicas, wait->timeout);
}

}  // namespace

redis::Request marker_request(const domain::SliceId& id) {
    redis::Request request;
    request.add({"SET", schemes::operation_key(id), "", "PX", kMarkerLife});
    return request;
}

std::vector<std::optional<int>> await_replicas(const std::shared_ptr<Core>& core, std::span<const KeyAt> keys,
                                               const WriteOrder& order) {
    const bool by_slot = core->directory->has_slots();
    std::vector<std::shared_ptr<ReplicaWait>> waits;
    Tasks tasks(core);
    for (const auto& key : keys) {
        const std::uint64_t number = by_slot ? sharding::cluster_slot(key.key) : 0;
        waits.push_back(std::make_shared<ReplicaWait>(
            ReplicaWait{key, {order.operation.id, number}, order.wait_replicas, order.wait_timeout, {}}));
        tasks.add(await_on, core, waits.back());
    }
    tasks.finish();
    std::vector<std::optional<int>> counts;
    counts.reserve(waits.size());
    for (const auto& wait : waits) counts.push_back(wait->acknowledged);
    return counts;
}

}  // namespace ratectl::store
