// Looks at windows that memcached servers hold: `gets` of both keys, in one command where one server has them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

#include "store/looks/look.h"
#include "store/memcached/servers.h"

namespace ratectl::store::memcached {

inline constexpr std::size_t kParts = 2;

/// Some windows at once.
struct LookJob {
    std::vector<KeyAt> keys;
    domain::LookDepth depth = domain::LookDepth::light;

    std::vector<support::Result<domain::WindowLook>> looks;
    /// What tells apart what was stored under each key of a window when it was looked at; 0: nothing was.
    std::vector<std::array<std::uint64_t, kParts>> versions;
    /// Whose word each look is: the server that failed, or else the one that was to have the first key.
    std::vector<std::size_t> servers;
    support::WallTime read_at{};
};

/// Fills in the looks. All servers are asked at the same time; one that fails makes errors of the windows that have a
/// key there. Of a server where a window is not at home only the first key is asked: the second has a place of its own.
/// A key that no server takes is an error (usage), and is not sent.
asio::awaitable<void> look_at(std::shared_ptr<Servers> servers, std::shared_ptr<LookJob> job);

/// Null: a key that memcached takes, with its second one.
std::optional<support::Error> unfit_window(const Servers& servers, std::string_view key);

/// Answers as Store::look() gives them.
LookResult look_once(const std::shared_ptr<Servers>& servers, const LookQuestion& question);
std::unique_ptr<LookStream> stream_looks(const std::shared_ptr<Servers>& servers, LookOrder order);

/// Throws Failure (usage) for nodes that there are none of: a memcached has no replicas.
void check_source(const Core& core, const domain::ReadFrom& from, std::span<const std::size_t> shards);

}  // namespace ratectl::store::memcached
