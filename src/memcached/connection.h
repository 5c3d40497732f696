// One open conversation with a memcached server, in its text protocol, over our own transport.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <asio/awaitable.hpp>

#include "domain/node.h"
#include "memcached/answer_reader.h"
#include "redis/event_loop.h"
#include "redis/faults.h"
#include "redis/outcome.h"
#include "redis/wire.h"
#include "redis/wire_opener.h"
#include "support/time.h"

namespace ratectl::memcached {

/// Any timeout, second stop signal, protocol error or left-over byte closes it for good.
class Connection {
public:
    /// The wire is connected. The loop outlives the connection.
    Connection(redis::EventLoop& loop, redis::Wire wire, std::string where, redis::TimeLimit limit)
        : loop_(&loop), wire_(std::move(wire)), where_(std::move(where)), limit_(limit) {}

    /// Asks who is there; to be called first and once. Something else than a memcached is a fault (protocol).
    asio::awaitable<redis::Outcome<void>> greet(support::Deadline deadline);

    /// Whole command lines, and their data. A fault says maybe_executed as soon as bytes may have left.
    asio::awaitable<redis::Outcome<void>> send(std::string request, support::Deadline deadline);
    /// The next answer, whatever it says.
    asio::awaitable<redis::Outcome<Answer>> receive(support::Deadline deadline);
    /// One command that is answered with one line, a value included.
    asio::awaitable<redis::Outcome<Answer>> ask(std::string request, support::Deadline deadline);
    /// The answers up to the line `END`, which is not among them. An error of the server's is a fault.
    asio::awaitable<redis::Outcome<std::vector<Answer>>> receive_list(std::string_view command,
                                                                      support::Deadline deadline);

    bool is_open() const { return open_ && wire_.is_open(); }
    /// Nothing came that was not asked for, and the server has not hung up.
    bool is_idle() const;
    void close();
    const std::string& where() const { return where_; }
    const std::optional<domain::ServerVersion>& version() const { return version_; }

private:
    redis::Fault garbage(std::string_view why);

    redis::EventLoop* loop_;
    redis::Wire wire_;
    std::string where_;
    redis::TimeLimit limit_;
    AnswerReader reader_;
    std::string first_bytes_;  // for hints
    std::optional<domain::ServerVersion> version_;
    bool open_ = true;
};

/// Opens connections, all before one deadline.
asio::awaitable<redis::Outcome<std::unique_ptr<Connection>>> open(redis::EventLoop& loop, redis::WireOpener& opener,
                                                                  domain::Node node, support::Deadline deadline);

/// The fault for an answer that is an error of the server's; null: it is none. `command` is our word for it.
std::optional<redis::Fault> fault_in(const Answer& answer, std::string_view where, std::string_view command);
/// For an answer that the protocol does not have here.
redis::Fault unexpected(std::string_view where, std::string_view command);

}  // namespace ratectl::memcached
