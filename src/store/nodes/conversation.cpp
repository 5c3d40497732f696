// Talks to a node in attempts, with pauses between them.
#include "store/nodes/conversation.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

#include "redis/asking.h"
#include "redis/reply_class.h"

namespace ratectl::store {
namespace {

constexpr support::Milliseconds kFirstRetryPause{50};
constexpr support::Milliseconds kLongestRetryPause{400};
constexpr support::Milliseconds kPauseOfOurs{50};

std::optional<redis::Fault> fault_in(const std::vector<redis::Reply>& replies, std::string_view where,
                                     std::string_view command) {
    const auto error = std::find_if(replies.begin(), replies.end(), [](const auto& reply) { return reply.is_error(); });
    if (error == replies.end()) return std::nullopt;
    return redis::fault_from_reply(error->text, where, command);
}

asio::awaitable<redis::Outcome<Reading>> one_attempt(std::shared_ptr<Core> core, const domain::Node& node,
                                                     std::string_view command, const Talk& talk,
                                                     support::Deadline deadline) {
    auto lease = core->pool.take(node, kReadMaxIdle);
    if (!lease) {
        auto opened = co_await core->connector->open(node, deadline);
        if (!opened) co_return redis::fault(std::move(opened.error()));
        lease = Lease(core->pool, node, std::move(*opened));
    }
    auto replies = co_await talk(*lease, deadline);
    if (!replies) co_return redis::fault(std::move(replies.error()));
    if (auto fault = fault_in(*replies, lease->where(), command)) co_return redis::fault(std::move(*fault));
    co_return Reading{std::move(*replies), lease->facts(), core->now()};
}

}  // namespace

Talk taking_refusals(redis::Request request, bool asking, bool (*is_answer)(std::string_view refusal)) {
    return [request = std::move(request), asking, is_answer](
               redis::Channel& channel,
               support::Deadline deadline) -> asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> {
        auto replies = co_await redis::exchange_for_slot(channel, request, deadline, asking);
        if (!replies) co_return replies;
        for (auto& reply : *replies) {
            if (reply.is_error() && is_answer(reply.text)) reply.kind = redis::Reply::Kind::status;
        }
        co_return replies;
    };
}

// Clients that were cut off together must not come back together; the same command twice behaves the same all the same.
support::Milliseconds pause_before(const domain::Node& node, int attempt) {
    const auto full = std::min(kFirstRetryPause * (1 << std::min(attempt, 8)), kLongestRetryPause);
    const auto spread = std::hash<std::string>{}(node.name()) % 100;
    return full / 2 + full * static_cast<int>(spread) / 200;
}

bool worth_another(const redis::Fault& fault, int attempt) {
    return fault.soon || (fault.transient && attempt < kAttempts);
}

bool we_paused_since(const Core& core, std::chrono::steady_clock::duration paused_before) {
    return core.loop.paused() - paused_before > kPauseOfOurs;
}

asio::awaitable<bool> back_off(std::shared_ptr<Core> core, const domain::Node& node, int attempt,
                               support::Deadline deadline) {
    const auto wake = std::chrono::steady_clock::now() + pause_before(node, attempt);
    if (wake >= deadline || core->stopping()) co_return false;
    asio::steady_timer timer(core->loop.executor(), wake);
    co_await timer.async_wait(asio::use_awaitable);
    co_return !core->stopping();
}

asio::awaitable<redis::Outcome<Reading>> read_from(std::shared_ptr<Core> core, domain::Node node,
                                                   std::string_view command, Talk talk) {
    if (auto dead = core->known_dead(node)) co_return redis::fault(std::move(*dead));
    const auto deadline = core->exchange_deadline();
    for (int attempt = 1;; ++attempt) {
        auto reading = co_await one_attempt(core, node, command, talk, deadline);
        if (reading) co_return reading;
        bool again = worth_another(reading.error(), attempt);
        if (again) again = co_await back_off(core, node, attempt, deadline);
        if (again) continue;
        core->remember_dead(node, reading.error());
        co_return reading;
    }
}

asio::awaitable<redis::Outcome<redis::ServerFacts>> probe(std::shared_ptr<Core> core, domain::Node node) {
    const Talk nothing = [](redis::Channel&,
                            support::Deadline) -> asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> {
        co_return std::vector<redis::Reply>{};
    };
    auto reading = co_await read_from(core, node, "", nothing);
    if (!reading) co_return redis::fault(std::move(reading.error()));
    co_return std::move(reading->facts);
}

asio::awaitable<bool> has_successor(std::shared_ptr<Core> core, Place place, domain::Node node,
                                    redis::Redirect::Kind why) {
    if (node.role != domain::Role::primary) co_return false;
    if (channel_name(core->directory->primary(place.shard)) != channel_name(node)) co_return true;
    const redis::Redirect redirect{why};
    const auto directory = core->directory;
    co_return co_await directory->redirected(core, place, redirect);
}

asio::awaitable<bool> has_successor(std::shared_ptr<Core> core, Place place, domain::Node node, redis::Fault fault) {
    if (fault.error.code != support::ExitCode::unavailable || fault.soon || core->stopping()) co_return false;
    co_return co_await has_successor(core, place, std::move(node), redis::Redirect::Kind::silent);
}

asio::awaitable<redis::Outcome<Lease>> open_channel(std::shared_ptr<Core> core, domain::Node node,
                                                    support::Milliseconds max_idle, support::Deadline deadline) {
    if (auto lease = core->pool.take(node, max_idle)) co_return lease;
    if (auto dead = core->known_dead(node)) co_return redis::fault(std::move(*dead));
    const auto paused_before = core->loop.paused();
    for (int attempt = 1;; ++attempt) {
        auto opened = co_await core->connector->open(node, deadline);
        if (opened) co_return Lease(core->pool, node, std::move(*opened));
        if (opened.error().transient && we_paused_since(*core, paused_before)) {
            const auto later = core->exchange_deadline();
            co_return co_await open_channel(core, node, max_idle, later);
        }
        bool again = worth_another(opened.error(), attempt);
        if (again) again = co_await back_off(core, node, attempt, deadline);
        if (again) continue;
        core->remember_dead(node, opened.error());
        co_return redis::fault(std::move(opened.error()));
    }
}

}  // namespace ratectl::store
