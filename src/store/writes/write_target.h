// The server that a shard's writes go to: found fit before anything is sent, and recognised again after a connection
// was lost.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

#include "store/core.h"
#include "store/nodes/conversation.h"
#include "store/writes/eviction_marks.h"

namespace ratectl::store {

struct WriteTarget {
    std::size_t shard = 0;
    domain::Node node;
    std::uint64_t epoch = 0;  // of the directory that named the node
    Lease channel;
    std::string run_id;                  // empty: the server would not say
    std::optional<EvictionMarks> marks;  // as they stood before anything of this call was sent
    std::optional<WriteResult> refusal;

    bool fit() const { return !refusal && channel; }
};

/// Connects, and asks the server what it is: a primary, 6.0 or later, able to say whether it lost keys (`with_marks`).
/// What is wrong becomes the target's refusal. The target is shared because an impatient caller may leave this behind.
asio::awaitable<void> prepare(std::shared_ptr<Core> core, std::shared_ptr<WriteTarget> target, bool with_marks);

/// Two shards of the deployment that are one db of one server are both refused (those among `targets`; shards that this
/// store has written to before count, too).
void refuse_same_server(Core& core, std::span<const std::shared_ptr<WriteTarget>> targets);

/// Why the server behind a new connection is not the process that was found fit; null: it is.
std::optional<std::string> changed_since(const redis::ServerFacts& facts, const WriteTarget& target);
/// The same, but a process that goes on with the history of the one before, as a promoted replica does, takes its place
/// in the target.
asio::awaitable<std::optional<std::string>> recognise(std::shared_ptr<Core> core, redis::Channel& channel,
                                                      WriteTarget& target);

}  // namespace ratectl::store
