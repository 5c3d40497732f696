// One call to a shard's primary. It says the same however often it is made, so a lost one is made again.
#include "store/writes/leases.h"

#include <optional>

#include "redis/reply_class.h"
#include "redis/script.h"
#include "schemes/governor_lease.h"
#include "store/nodes/conversation.h"
#include "store/nodes/sources.h"
#include "store/tasks.h"

namespace ratectl::store {
namespace {

using Answer = std::optional<support::Result<domain::governor::LeaseAnswer>>;

asio::awaitable<void> ask(std::shared_ptr<Core> core, std::size_t shard, domain::governor::LeaseCall call,
                          std::shared_ptr<Answer> answer) {
    auto node = core->directory->primary(shard);
    const auto talk = [call = schemes::governor::lease_call(call)](
                          redis::Channel& channel,
                          support::Deadline deadline) -> asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> {
        const redis::ScriptCall calls[] = {call};
        co_return co_await redis::call_scripts(channel, calls, deadline);
    };
    auto reading = co_await read_from(core, node, "EVALSHA", talk);
    if (!reading) {
        const bool moved = co_await has_successor(core, shard, node, reading.error());
        if (moved) {
            node = core->directory->primary(shard);
            reading = co_await read_from(core, node, "EVALSHA", talk);
        }
    }
    if (!reading) {
        *answer = tl::make_unexpected(reading.error().error);
    } else if (const auto& reply = reading->replies.front(); reply.is_error()) {
        *answer = tl::make_unexpected(redis::fault_from_reply(reply.text, node.name(), "EVALSHA").error);
    } else {
        *answer = schemes::governor::decode_lease(reply);
    }
}

}  // namespace

support::Result<domain::governor::LeaseAnswer> call_lease(const std::shared_ptr<Core>& core, std::size_t shard,
                                                          const domain::governor::LeaseCall& call) {
    const std::size_t asked[] = {shard};
    find_nodes(core, asked, false);
    const auto answer = std::make_shared<Answer>();
    Tasks tasks(core);
    tasks.add(ask, core, shard, call, answer);
    tasks.finish();
    return answer->value_or(tl::make_unexpected(core->interrupted()));
}

}  // namespace ratectl::store
