// A window of a slot on its way some keys of which are there and others not: no command asks for both at once, neither
// at the node that the slot leaves nor at the one that it goes to.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <asio/awaitable.hpp>

#include "store/core.h"

namespace ratectl::store {

struct LookByParts {
    domain::WindowLook look;  // full
    std::size_t shard = 0;    // that has all that is there of it; where nothing is, the one that the slot goes to
};

/// Each key by itself, at the primary of `home`, which the slot leaves, and where it is not there where that sends us:
/// at the node that the slot goes to, or in place of it at this replica of it. All of it twice with one result: that
/// was so in between, as no key comes to be at a node that its slot leaves. Null: it cannot be told, as there are keys
/// of it at both nodes, or as they change.
asio::awaitable<std::optional<LookByParts>> look_by_parts(std::shared_ptr<Core> core, std::string key, Place home,
                                                          std::optional<domain::Node> replica,
                                                          redis::ServerFacts facts);

}  // namespace ratectl::store
