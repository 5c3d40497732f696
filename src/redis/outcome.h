// The result of talking to a server: a value, or a fault that knows whether the request may have been carried out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "support/error.h"

namespace ratectl::redis {

/// What a reply says of where a key, or its primary, is now.
struct Redirect {
    enum class Kind {
        moved,         // the slot is another node's
        ask,           // this key perhaps is, while its slot migrates
        read_only,     // the node is a replica
        other_server,  // it is not the server that it was when it was found fit
        silent         // it does not answer
    };
    Kind kind = Kind::moved;
    std::optional<std::uint16_t> slot = {};  // moved, ask
    std::string address = {};                // moved, ask: `10.0.0.8:6379`, a host that was left out included: `:6379`

    bool operator==(const Redirect&) const = default;
};

struct Fault {
    support::Error error;
    /// False only when not one complete command can have reached the server, or it answered that it did nothing. A
    /// write whose fault has true here is of unknown outcome and is never sent again.
    bool maybe_executed = false;
    /// A read may be tried again on a new connection (refused, closed, loading, busy ...).
    bool transient = false;
    /// The server is up and said that it cannot answer yet (loading, busy): worth asking until there is no time left.
    bool soon = false;
    /// Only keys of this slot of a Redis Cluster are concerned, which is on its way, or which no node has.
    bool of_slot = false;
    /// The server is up, did nothing, and named another one, or is none to write to.
    std::optional<Redirect> redirect = {};

    bool operator==(const Fault&) const = default;
};

inline bool is_ask(const Fault& fault) { return fault.redirect && fault.redirect->kind == Redirect::Kind::ask; }

template <class T>
using Outcome = tl::expected<T, Fault>;

inline tl::unexpected<Fault> fault(Fault f) { return tl::make_unexpected(std::move(f)); }

}  // namespace ratectl::redis
