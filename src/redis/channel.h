// One open conversation with one server, and the thing that opens them; tests put a scripted fake behind the same two
// interfaces.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

#include "domain/endpoint.h"
#include "domain/node.h"
#include "redis/element_receiver.h"
#include "redis/outcome.h"
#include "redis/reply.h"
#include "redis/request.h"
#include "redis/server_facts.h"
#include "support/time.h"

namespace ratectl::redis {

/// Any timeout, second stop signal, protocol error or left-over byte closes the channel for good; every later send() is
/// a fault with maybe_executed = false, a later receive() for a command that had been sent one with true. Replies come
/// in the order of the commands.
class Channel {
public:
    virtual ~Channel() = default;

    /// Hands the whole request to the kernel. A fault says maybe_executed if at least one complete command may have
    /// left.
    virtual asio::awaitable<Outcome<void>> send(const Request& request, support::Deadline deadline) = 0;
    /// The next reply, built over what `into` holds: a reply of the same shape as the one before it allocates nothing.
    /// `into` is only what the server said once the outcome is there. An error reply is an ordinary Reply here.
    asio::awaitable<Outcome<void>> receive(Reply& into, support::Deadline deadline) {
        return receive(into, nullptr, deadline);
    }
    /// The same, but what `elements` takes, unless it is null, is not in `into`, whose array is empty then; what is
    /// longer than it wants is cut.
    virtual asio::awaitable<Outcome<void>> receive(Reply& into, ElementReceiver* elements,
                                                   support::Deadline deadline) = 0;
    /// The same without waiting, and for less: true if the reply had come and another is to follow. False says nothing
    /// of it; receive() goes on with the same `into` and `elements`.
    virtual bool take_ready(Reply& /*into*/, ElementReceiver* /*elements*/ = nullptr) { return false; }
    /// The same as a new Reply.
    asio::awaitable<Outcome<Reply>> receive(support::Deadline deadline);
    /// Sends and collects one reply a command. If the connection breaks after some replies the whole exchange is a
    /// fault.
    asio::awaitable<Outcome<std::vector<Reply>>> exchange(const Request& request, support::Deadline deadline);

    virtual const ServerFacts& facts() const = 0;
    virtual bool is_open() const = 0;
    virtual void close() = 0;
    /// `shard 'alpha' (10.0.0.7:6379)`: how messages name this server.
    virtual const std::string& where() const = 0;
    /// At least a part of the next reply has come already.
    virtual bool has_input() const { return false; }
};

/// Opens channels: name resolution, connect (every address of a name), TLS, AUTH, SELECT, and the greeting that fills
/// ServerFacts, all before the one deadline. Refuses servers of another kind than is wanted (protocol) and loading ones
/// (unavailable, transient).
class Connector {
public:
    virtual ~Connector() = default;
    virtual asio::awaitable<Outcome<std::unique_ptr<Channel>>> open(const domain::Node& node,
                                                                    support::Deadline deadline) = 0;
};

}  // namespace ratectl::redis
