// From what a server did, or did not, to results of items: the words of refused, failed and unknown writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "redis/outcome.h"
#include "redis/reply.h"
#include "schemes/scheme.h"
#include "store/store.h"

namespace ratectl::store {

/// How many requests a state stood for then, of which scripts cannot tell it; none where it does not say.
void tell_used(domain::StoredWindow& window, const schemes::Scheme& scheme, const std::string& key,
               std::int64_t server_time_ms);

/// `; nothing was written there`: of one shard, while others may have been written; `; nothing more was written there`
/// where this command has written there, or may have.
std::string nothing_written(const Core& core, const domain::Node& node);
/// Nothing was written because of this fault, and its message says so: refused where the server refuses, else failed.
WriteResult not_written(const Core& core, const domain::Node& node, redis::Fault fault);
/// Sent, and what came of it is unknown. `what` is `increment ID.3`; `operation` may be empty.
WriteResult unknown_outcome(const domain::Node& node, support::Error why, std::string_view what,
                            std::string_view operation);
/// The fault for an error reply to a script call; `command` is the write's name.
redis::Fault fault_of_reply(const redis::Reply& reply, std::string_view where, std::string_view command);

}  // namespace ratectl::store
