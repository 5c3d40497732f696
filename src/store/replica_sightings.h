// Replicas that are watched until they show what was written on their primary.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "domain/node.h"
#include "domain/write.h"
#include "support/error.h"
#include "support/time.h"

namespace ratectl::store {

using domain::KeyAt;

/// A counter that is about to be written, and what it will then be.
struct AwaitedCount {
    KeyAt at;
    std::string used;
};

/// What a replica showed of it.
struct Sighting {
    domain::Node node;
    /// From sent() to the answer that showed it: the replication took no longer. Null: it was not shown in time, or
    /// `error` says why it could not be asked.
    std::optional<std::chrono::microseconds> delay;
    /// How much of that may be our own: until the write was answered, and between two questions.
    std::chrono::microseconds blind{};
    std::optional<support::Error> error;
};

/// Asks the replicas for counters again and again while the loop runs, until they show them. Dies before its store
/// does.
class ReplicaWatch {
public:
    virtual ~ReplicaWatch() = default;
    /// The write leaves now, or has been answered now.
    virtual void sent() = 0;
    virtual void answered() = 0;
    /// Until every replica has shown its counter or failed, or that long after sent(), or a stop signal; a sighting a
    /// replica, shards in order.
    virtual std::vector<Sighting> await(support::Milliseconds patience) = 0;
};

}  // namespace ratectl::store
