// Opens a wire to a server: its addresses, connect, TLS, all before one deadline, whatever is spoken over it then.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

#include "domain/endpoint.h"
#include "domain/node.h"
#include "redis/event_loop.h"
#include "redis/faults.h"
#include "redis/name_resolution.h"
#include "redis/outcome.h"
#include "redis/tls.h"
#include "redis/wire.h"

namespace ratectl::redis {

class WireOpener {
public:
    struct Options {
        domain::TlsOptions tls;
        /// Told of things that are worth a warning but no failure (unverified TLS). May be empty.
        std::function<void(const support::Error&)> notice;
        /// How names are looked up; empty: getaddrinfo. For tests.
        NameLookup lookup;
    };

    /// The loop outlives the opener and all its wires.
    WireOpener(EventLoop& loop, Options options) : loop_(&loop), options_(std::move(options)) {}

    /// Connected, and encrypted where the endpoint is to be; `where` as place_of() has it.
    asio::awaitable<Outcome<Wire>> open(const domain::Endpoint& endpoint, const std::string& where,
                                        const TimeLimit& limit);

private:
    struct Candidate;

    asio::awaitable<Outcome<std::vector<Candidate>>> candidates(const domain::Endpoint& endpoint,
                                                                const std::string& where, const TimeLimit& limit);
    asio::awaitable<Outcome<Wire>> connect(const std::vector<Candidate>& candidates, const std::string& where,
                                           const TimeLimit& limit);
    asio::awaitable<Outcome<void>> start_tls(Wire& wire, const domain::Endpoint& endpoint, const std::string& where,
                                             const TimeLimit& limit);
    Outcome<void> prepare_tls(const std::string& where);

    EventLoop* loop_;
    Options options_;
    std::unique_ptr<TlsContext> tls_;
    std::optional<support::Error> tls_error_;
};

/// `shard 'alpha' (10.0.0.7:6379)`: how messages name a server.
std::string place_of(const domain::Node& node);

}  // namespace ratectl::redis
