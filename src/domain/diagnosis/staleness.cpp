// Works out how old a replica's answers may be.
// Offsets count bytes of one history: only there can two of them be compared.
#include "domain/diagnosis/staleness.h"

#include <algorithm>

#include <fmt/format.h>

#include "support/time_text.h"

namespace ratectl::domain {
namespace {

ReplicaStanding doubtful(std::string why) { return {ReplicaStanding::Kind::doubtful, std::move(why)}; }

std::string down_for(const NodeFacts& replica) {
    const auto length = replica.link_down_for.value_or(support::Seconds{0});
    if (length == support::Seconds{0}) return "its link to its primary is down";
    return "its link to its primary has been down for " + support::format_duration(length);
}

}  // namespace

ReplicaStanding standing_of(const std::optional<NodeFacts>& primary, const NodeFacts& replica) {
    if (replica.role == Role::primary) return doubtful("it acts as a primary itself, and follows none");
    if (replica.link_up == false) return doubtful(down_for(replica));
    if (!primary) return doubtful("the primary did not say how far it is");
    if (!replica.role || !replica.link_up || !replica.offset || !replica.replication_id)
        return doubtful("it does not say how far it is (INFO replication)");
    if (primary->role == Role::replica) return doubtful("its shard's primary is a replica itself");
    if (!primary->role || !primary->offset || !primary->replication_id)
        return doubtful("the primary does not say how far it is (INFO replication)");
    if (follows_another_history(*primary, replica)) return doubtful(words_of_another_history(replica));
    if (*replica.offset >= *primary->offset) return {ReplicaStanding::Kind::has_all, {}};
    return {ReplicaStanding::Kind::behind,
            fmt::format("it lacks {} bytes of what its primary had", *primary->offset - *replica.offset)};
}

bool follows_another_history(const NodeFacts& primary, const NodeFacts& replica) {
    if (primary.role != Role::primary || replica.role != Role::replica || replica.link_up != true) return false;
    return primary.replication_id && replica.replication_id && *primary.replication_id != *replica.replication_id;
}

std::string words_of_another_history(const NodeFacts& replica) {
    const auto whose = replica.primary_address ? " (of " + *replica.primary_address + ")" : std::string();
    return "it follows another history" + whose + " than its shard's primary";
}

std::optional<std::chrono::steady_clock::duration> oldest_answer(const Asked& asked,
                                                                 std::chrono::steady_clock::time_point now,
                                                                 std::chrono::steady_clock::duration paused) {
    if (!asked.shown_from) return std::nullopt;
    return now - *asked.shown_from - (paused - asked.paused);
}

std::chrono::microseconds percentile(std::span<const std::chrono::microseconds> sorted, int percent) {
    const std::size_t rank = (sorted.size() * static_cast<std::size_t>(percent) + 99) / 100;
    return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

}  // namespace ratectl::domain
