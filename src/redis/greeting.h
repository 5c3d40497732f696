// The first round trip of every connection: log in, choose the db, and learn who is answering. Pure: replies in, facts
// out.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "domain/endpoint.h"
#include "redis/outcome.h"
#include "redis/reply.h"
#include "redis/request.h"
#include "redis/server_facts.h"
#include "support/time.h"

namespace ratectl::redis {

/// What a server has to be: one that stands alone, or a node of a Redis Cluster. Its replicas answer reads only where
/// READONLY has been said. `any`: it is the asker's own, and no window is asked for. Or a proxy, which closes the
/// connection, or answers for none of its servers, when it is asked who it is.
enum class Peer { alone, cluster_node, cluster_replica, any, proxy };

/// [AUTH] [SELECT] [READONLY] INFO server, ROLE, TIME, CLIENT SETNAME: one request. Of a proxy: [AUTH] PING.
Request greeting_request(const domain::Endpoint& endpoint, Peer wanted = Peer::alone);

/// When the greeting was sent and when its replies had come, on both of our clocks.
struct GreetingTimes {
    std::optional<support::WallTime> arrived;
    support::Milliseconds round_trip{0};
    std::optional<support::Deadline> asked;  // our steady clock, for the server's
    support::Deadline answered{};
};

/// Facts, or why this server cannot be used: login refused, no such db, not what it has to be, loading ... What INFO,
/// ROLE and TIME will not say (no permission, unknown command) stays null. Takes fewer replies than commands if the
/// last one is an error that explains why there are no more (`max number of clients reached`).
Outcome<ServerFacts> read_greeting(const domain::Endpoint& endpoint, std::span<const Reply> replies,
                                   std::string_view where, const GreetingTimes& times, Peer wanted = Peer::alone);

/// True for an error reply after which no other will come.
bool ends_greeting(const Reply& reply);

}  // namespace ratectl::redis
