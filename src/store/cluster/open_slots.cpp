// Asks every primary which of its slots leave it, and which come to it.
#include "store/cluster/open_slots.h"

#include "store/nodes/conversation.h"
#include "store/tasks.h"

namespace ratectl::store {
namespace {

asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> cluster_nodes(redis::Channel& channel,
                                                                         support::Deadline deadline) {
    redis::Request request;
    request.add({"CLUSTER", "NODES"});
    co_return co_await channel.exchange(request, deadline);
}

asio::awaitable<void> ask_primary_for_slots(std::shared_ptr<Core> core, std::shared_ptr<OpenSlots> found,
                                            std::size_t place) {
    const auto own = co_await ask_own_slots(core, core->directory->primary(place));
    if (!own) {
        found->silent.push_back(place);
        co_return;
    }
    for (const auto slot : own->leaving) found->slots[slot].from = place;
    for (const auto slot : own->arriving) found->slots[slot].to = place;
}

}  // namespace

asio::awaitable<std::optional<OwnSlots>> ask_own_slots(std::shared_ptr<Core> core, domain::Node node) {
    const auto reading = co_await read_from(core, node, "CLUSTER NODES", cluster_nodes);
    if (!reading || reading->replies.empty()) co_return std::nullopt;
    co_return read_own_slots(reading->replies.front().text);
}

OpenSlots find_open_slots(const std::shared_ptr<Core>& core) {
    const auto found = std::make_shared<OpenSlots>();
    Tasks tasks(core);
    for (std::size_t place = 0; place < core->directory->places().size(); ++place)
        tasks.add(ask_primary_for_slots, core, found, place);
    if (!tasks.finish_or_stop()) throw support::Failure(core->interrupted());
    return *found;
}

}  // namespace ratectl::store
