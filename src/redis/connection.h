// Real connections: TCP, unix socket and TLS under one absolute deadline per exchange.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "domain/endpoint.h"
#include "redis/channel.h"
#include "redis/event_loop.h"
#include "redis/greeting.h"
#include "redis/name_resolution.h"
#include "redis/reply.h"
#include "support/time.h"

namespace ratectl::redis {

struct ConnectionOptions {
    domain::TlsOptions tls;
    /// Instead of those, for the servers of shards with these names.
    std::map<std::string, domain::TlsOptions> shard_tls = {};
    ReplyCaps caps;
    /// Any other kind of server is refused; what is asked of a proxy says nothing of that.
    Peer wanted = Peer::alone;
    /// Our wall clock, for the clock skew.
    std::function<support::WallTime()> wall_clock;
    /// Told of things that are worth a warning but no failure (unverified TLS). May be empty.
    std::function<void(const support::Error&)> notice;
    /// How names are looked up; empty: getaddrinfo. For tests.
    NameLookup lookup;
};

/// TLS files are read when the first rediss:// server is opened, once; one that cannot be used makes every such open()
/// a fault (configuration) that names it. The loop outlives the connector and all its channels.
std::unique_ptr<Connector> make_connector(EventLoop& loop, ConnectionOptions options);

}  // namespace ratectl::redis
