// The result of talking to a server: a value, or a fault that knows whether the request may have been carried out.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "support/error.h"

namespace ratectl::redis {

struct Fault {
    support::Error error;
    /// False only when not one complete command can have reached the server, or it answered that it did nothing. A write whose
    /// fault has true here is of unknown outcome and is never sent again.
    bool maybe_executed = false;
    /// A read may be tried again on a new connection (refused, closed, loading, busy ...).
    bool transient = false;
    /// The server is up and said that it cannot answer yet (loading, busy): worth asking until there is no time left.
    bool soon = false;

    bool operator==(const Fault&) const = default;
};

template <class T>
using Outcome = tl::expected<T, Fault>;

inline tl::unexpected<Fault> fault(Fault f) { return tl::make_unexpected(std::move(f)); }

}  // namespace ratectl::redis
