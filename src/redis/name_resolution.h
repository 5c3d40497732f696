// Host names to addresses without ever letting a stuck resolver hold us up.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>
#include <asio/ip/address.hpp>
#include <tl/expected.hpp>

#include "redis/event_loop.h"
#include "support/time.h"

namespace ratectl::redis {

/// A blocking look-up: address literals in the order to try them, or words for why there are none. It runs in a thread
/// of its own whose end is not waited for, so it must own everything it uses.
using NameLookup = std::function<tl::expected<std::vector<std::string>, std::string>(const std::string& name)>;

/// The system's resolver (getaddrinfo), IPv6 and IPv4.
tl::expected<std::vector<std::string>, std::string> system_lookup(const std::string& name);

struct ResolveError {
    enum class Kind { unknown, timed_out, aborted };
    Kind kind = Kind::unknown;
    std::string words;
};
using Addresses = std::vector<asio::ip::address>;

/// A literal answers itself at once; a name is looked up until the deadline. Never empty.
asio::awaitable<tl::expected<Addresses, ResolveError>> resolve(EventLoop& loop, std::string host, NameLookup lookup,
                                                               support::Deadline deadline);

}  // namespace ratectl::redis
