// The memcached servers of one store: open connections, reads that try again, and what each server is.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

#include "memcached/connection.h"
#include "redis/wire_opener.h"
#include "store/core.h"

namespace ratectl::store::memcached {

namespace protocol = ::ratectl::memcached;
template <class T>
using Outcome = redis::Outcome<T>;

/// What a server says of itself. A restart empties it, and gives it another id.
struct ServerSelf {
    std::string run_id;         // its process and when that began; empty: not said
    support::WallTime now{};    // its clock, in whole seconds, when it answered
    support::WallTime asked{};  // ours then
    domain::NodeFacts facts;
};

/// Held by every coroutine that uses it.
class Servers {
public:
    explicit Servers(std::shared_ptr<Core> core);

    Core& core() const { return *core_; }
    const std::shared_ptr<Core>& shared_core() const { return core_; }

    /// Where one key of a window is: the client libraries share out each key by itself, so that its second key may be
    /// on another server. Where no rule says, on the same.
    std::size_t server_of(std::string_view key, std::size_t part, Place place) const;
    std::string part_key(std::string_view key, std::size_t part) const;
    /// Applications look for the window there, or no rule says where they do.
    bool is_home(std::string_view key, Place place) const;
    const domain::Node& node(std::size_t server) const { return core_->directory->primary(server); }

    using Talk = std::function<asio::awaitable<Outcome<void>>(protocol::Connection&, support::Deadline)>;
    /// One read within one exchange's deadline. Transient faults get a new connection, three attempts in all.
    asio::awaitable<Outcome<void>> read(std::size_t server, Talk talk);
    /// A connection to write over; it goes back with give_back().
    asio::awaitable<Outcome<std::unique_ptr<protocol::Connection>>> open(std::size_t server,
                                                                         support::Deadline deadline);
    void give_back(std::size_t server, std::unique_ptr<protocol::Connection> connection);

    asio::awaitable<Outcome<ServerSelf>> ask_self(std::size_t server);
    /// As ask_self() was answered first; null: it has not been.
    const ServerSelf* self(std::size_t server) const;

    /// Drops what is idle, now and from now on.
    void shut();

private:
    using Idle = std::pair<std::unique_ptr<protocol::Connection>, std::chrono::steady_clock::time_point>;

    std::unique_ptr<protocol::Connection> take(std::size_t server);

    std::shared_ptr<Core> core_;
    std::shared_ptr<redis::WireOpener> opener_;
    std::map<std::size_t, std::vector<Idle>> idle_;
    std::map<std::size_t, ServerSelf> selves_;
    bool shut_ = false;
};

}  // namespace ratectl::store::memcached
