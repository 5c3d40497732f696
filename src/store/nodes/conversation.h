// Talking to one node: borrowing or opening a channel, and reads that try again on a new one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <asio/awaitable.hpp>

#include "redis/channel.h"
#include "store/core.h"

namespace ratectl::store {

/// What is asked on an open channel; one Reply or more come back. Must not outlive read_from().
using Talk =
    std::function<asio::awaitable<redis::Outcome<std::vector<redis::Reply>>>(redis::Channel&, support::Deadline)>;

/// Asks that, after ASKING where the slot is on its way there. Refusals that are answers, each about its own command,
/// come back as statuses.
Talk taking_refusals(redis::Request request, bool asking, bool (*is_answer)(std::string_view refusal));

/// A node's answer, and who it was when it answered.
struct Reading {
    std::vector<redis::Reply> replies;
    redis::ServerFacts facts;
    support::WallTime read_at{};  // our clock when the last reply had arrived

    /// A replica that is cut off from its primary.
    bool stale() const { return facts.role == domain::Role::replica && facts.link_up == false; }
};

/// One read within one exchange's deadline, opening included. Transient faults, error replies among them, get a new
/// channel after 50 to 400 ms, three attempts in all, or as many as there is time for where the server says that it is
/// loading or busy. `command` is our word for it in messages.
asio::awaitable<redis::Outcome<Reading>> read_from(std::shared_ptr<Core> core, domain::Node node,
                                                   std::string_view command, Talk talk);

/// Who answers there, without asking anything.
asio::awaitable<redis::Outcome<redis::ServerFacts>> probe(std::shared_ptr<Core> core, domain::Node node);

/// How long ago a channel that is only read from may have been in use.
inline constexpr support::Milliseconds kReadMaxIdle{30'000};
/// A channel that was in use at most max_idle ago, or a new one (attempts as for reads).
asio::awaitable<redis::Outcome<Lease>> open_channel(std::shared_ptr<Core> core, domain::Node node,
                                                    support::Milliseconds max_idle, support::Deadline deadline);

/// How long to wait before attempt number `attempt` (1: the second).
support::Milliseconds pause_before(const domain::Node& node, int attempt);
/// Whether a place has another primary than `node` by now, which is none any more, or does not answer: false for a
/// replica. The directory is asked, and may wait for a failover that is under way.
asio::awaitable<bool> has_successor(std::shared_ptr<Core> core, Place place, domain::Node node,
                                    redis::Redirect::Kind why);
/// The same where a fault says that it does not answer.
asio::awaitable<bool> has_successor(std::shared_ptr<Core> core, Place place, domain::Node node, redis::Fault fault);

/// Waits before attempt number `attempt` (1: the second). False when that would take too long.
asio::awaitable<bool> back_off(std::shared_ptr<Core> core, const domain::Node& node, int attempt,
                               support::Deadline deadline);
inline constexpr int kAttempts = 3;
/// Whether a fault at attempt number `attempt` (1: the first) is no reason to give up.
bool worth_another(const redis::Fault& fault, int attempt);

/// True when the loop stood still for a while since its paused() was that long: what timed out meanwhile did so because
/// we hung on our own input or output, and is not an attempt.
bool we_paused_since(const Core& core, std::chrono::steady_clock::duration paused_before);

}  // namespace ratectl::store
