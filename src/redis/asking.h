// Requests to a node that a slot is on its way to: it answers for the keys that have come only where ASKING is said
// before.
#pragma once

#include <vector>

#include <asio/awaitable.hpp>

#include "redis/channel.h"

namespace ratectl::redis {

/// As Channel::exchange(), with ASKING before each command; a transaction has one in front, which counts for all of it.
/// Only the replies to the commands themselves come back.
asio::awaitable<Outcome<std::vector<Reply>>> exchange_asking(Channel& channel, const Request& request,
                                                             support::Deadline deadline);

/// The request that it sends, and for each of its commands whether it is an ASKING.
struct AskingRequest {
    Request request;
    std::vector<bool> is_asking;
};
AskingRequest with_asking(const Request& request);

/// exchange_asking() where the slot is on its way there (`asking`), else Channel::exchange().
asio::awaitable<Outcome<std::vector<Reply>>> exchange_for_slot(Channel& channel, const Request& request,
                                                               support::Deadline deadline, bool asking);

}  // namespace ratectl::redis
