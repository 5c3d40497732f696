// One call to the primary that has the throttle. It says the same however often it is made, so a lost one is made
// again.
#include "store/redis_answers.h"

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "redis/reply_class.h"
#include "redis/script.h"
#include "schemes/governor_lease.h"
#include "sharding/cluster_slots.h"
#include "store/directory.h"
#include "store/nodes/conversation.h"
#include "store/nodes/sources.h"
#include "store/tasks.h"
#include "support/time_text.h"

namespace ratectl::store {
namespace {

using Answer = std::optional<support::Result<domain::governor::LeaseAnswer>>;

/// One call, and where it goes. In a Redis Cluster a lease is in the slot of its throttle: what a run writes there is
/// bound to the lease's end by the clock of the server that has both.
struct LeaseAsked {
    domain::governor::LeaseCall call;
    Place place;
    std::string tag = {};
    bool at_arrival = false;  // of a slot that is on its way: behind an ASKING
};

Place home_of(const Core& core, const LeaseAsked& asking) {
    if (!core.directory->has_slots()) return asking.place;
    return core.directory->place_of(asking.call.throttle).value_or(asking.place);
}

Talk talk_of(const LeaseAsked& asking) {
    return [call = schemes::governor::lease_call(asking.call, asking.tag), behind_asking = asking.at_arrival](
               redis::Channel& channel,
               support::Deadline deadline) -> asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> {
        const redis::ScriptCall calls[] = {call};
        co_return co_await redis::call_scripts(channel, calls, deadline, behind_asking);
    };
}

/// True: it is to be asked for again, at the place that stands there by now.
asio::awaitable<bool> follow(std::shared_ptr<Core> core, std::shared_ptr<LeaseAsked> asking, domain::Node node,
                             redis::Fault fault) {
    auto& directory = *core->directory;
    bool again = false;
    if (fault.redirect) {
        again = co_await directory.redirected(core, asking->place, *fault.redirect);
    } else {
        again = co_await has_successor(core, asking->place, node, fault);
    }
    asking->place = home_of(*core, *asking);
    asking->at_arrival = false;
    if (again && fault.redirect && fault.redirect->kind == redis::Redirect::Kind::ask) {
        const auto to = directory.place_to_ask(*fault.redirect);
        if (!to) co_return false;
        asking->place.shard = *to;
        asking->at_arrival = true;
    }
    co_return again;
}

/// A lease whose reply did not come may have been taken, and then it keeps others away.
support::Error unanswered(const redis::Fault& fault, const domain::governor::LeaseCall& call) {
    auto error = fault.error;
    if (!fault.maybe_executed || call.verb != domain::governor::LeaseCall::Verb::take) return error;
    error.code = support::ExitCode::unknown;
    error.message +=
        "; the throttle may be reserved for this run, for " + support::format_duration(call.length) + " at most";
    return error;
}

asio::awaitable<void> ask_lease(std::shared_ptr<Core> core, std::shared_ptr<LeaseAsked> asking,
                                std::shared_ptr<Answer> answer) {
    for (int follows = 0;; ++follows) {
        const auto node = core->directory->primary(asking->place.shard);
        const auto talk = talk_of(*asking);
        auto reading = co_await read_from(core, node, "EVALSHA", talk);
        if (reading) {
            const auto& reply = reading->replies.front();
            if (reply.is_error()) {
                *answer = tl::make_unexpected(redis::fault_from_reply(reply.text, node.name(), "EVALSHA").error);
            } else {
                *answer = schemes::governor::decode_lease(reply);
            }
            co_return;
        }
        const auto fault = reading.error();
        bool again = follows < kMostFollows;
        if (again) again = co_await follow(core, asking, node, fault);
        if (again) continue;
        *answer = tl::make_unexpected(unanswered(fault, asking->call));
        co_return;
    }
}

}  // namespace

support::Result<domain::governor::LeaseAnswer> call_lease(const std::shared_ptr<Core>& core, std::size_t shard,
                                                          const domain::governor::LeaseCall& call) {
    const std::size_t asked[] = {shard};
    find_nodes(core, asked, false);
    if (auto doubt = core->directory->doubt(shard)) {
        doubt->message =
            fmt::format("{}: {}; nothing was written", where(core->directory->primary(shard)), doubt->message);
        return tl::make_unexpected(std::move(*doubt));
    }
    const auto answer = std::make_shared<Answer>();
    const auto asking = std::make_shared<LeaseAsked>(LeaseAsked{call, Place{shard}});
    if (core->directory->has_slots()) {
        asking->place = home_of(*core, *asking);
        asking->tag = sharding::tag_of_slot(sharding::cluster_slot(call.throttle));
    }
    Tasks tasks(core);
    tasks.add(ask_lease, core, asking, answer);
    tasks.finish();
    return answer->value_or(tl::make_unexpected(core->interrupted()));
}

}  // namespace ratectl::store
