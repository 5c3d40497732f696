// How old the answers of a replica may be, and measured delays as a few figures. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "domain/node.h"
#include "support/time.h"

namespace ratectl::domain {

/// What a replica said of itself, against what its primary had said before: a replica that has all that its primary had
/// is no older than the moment at which the primary was asked.
struct ReplicaStanding {
    enum class Kind {
        has_all,
        behind,   // as far as is known, and it may catch up
        doubtful  // cut off, another history, or not said: waiting tells no more
    };
    Kind kind = Kind::doubtful;
    std::string why;  // behind, doubtful: for people, to be read after `10.0.0.8:6379: `
};
/// Both from INFO replication; a primary that was not heard has no facts.
ReplicaStanding standing_of(const std::optional<NodeFacts>& primary, const NodeFacts& replica);

/// A replica with its link up whose data are those of another primary than this one. Only the ids of the histories
/// prove it: one server may have several addresses. False where one of them was not said.
bool follows_another_history(const NodeFacts& primary, const NodeFacts& replica);
/// `it follows another history (of 10.0.0.9:6379) than its shard's primary`
std::string words_of_another_history(const NodeFacts& replica);

/// A request on its way, on our steady clock.
struct Asked {
    std::chrono::steady_clock::time_point at{};
    std::chrono::steady_clock::duration paused{};  // until then: how long this program did not listen, all in all
    /// The replica had been shown to have all that its primary had then; null: never.
    std::optional<std::chrono::steady_clock::time_point> shown_from;
};
/// How old its answer may be that is there now. The time since it left in which this program did not listen (`paused`
/// goes on counting) adds nothing: the server has answered at once, and the answer lay in our own system.
std::optional<std::chrono::steady_clock::duration> oldest_answer(const Asked& asked,
                                                                 std::chrono::steady_clock::time_point now,
                                                                 std::chrono::steady_clock::duration paused);

/// The least of them that `percent` of 100 do not exceed (nearest rank); `sorted` has one at least.
std::chrono::microseconds percentile(std::span<const std::chrono::microseconds> sorted, int percent);

}  // namespace ratectl::domain
