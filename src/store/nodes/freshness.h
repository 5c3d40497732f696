// Whether a replica has what its primary has, and, with --max-staleness, how recently that was shown.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <asio/awaitable.hpp>

#include "domain/diagnosis/staleness.h"
#include "store/core.h"

namespace ratectl::store {

/// INFO replication. A refusal is an answer, and no text: whatever it does not say stays unknown.
asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> ask_replication(redis::Channel& channel,
                                                                           support::Deadline deadline);

/// What a shard's primary said, and when it was asked.
struct PrimaryWord {
    std::chrono::steady_clock::time_point asked{};
    std::optional<domain::NodeFacts> facts;
    std::optional<domain::History> history;
    std::string silence;  // why there are none
};
asio::awaitable<PrimaryWord> ask_primary(std::shared_ptr<Core> core, std::size_t shard);

/// What came of asking a replica.
struct Shown {
    std::optional<std::chrono::steady_clock::time_point> from;  // it has all that its primary had then
    std::string doubt;                                          // else why not: a clause about `it`
    std::optional<redis::Fault> fault;                          // else it did not answer
};
/// Asks again while the replica is catching up, until so much time (or --timeout, if that is less) has passed since the
/// primary was asked.
asio::awaitable<Shown> show_replica(std::shared_ptr<Core> core, domain::Node replica, const PrimaryWord& word,
                                    support::Milliseconds most);

/// Why a replica whose link is up holds the data of another primary than its shard's: a clause about `it`. Where ROLE
/// names the configured primary nothing is asked. Else the ids of both histories decide; where they are not to be had,
/// only an address that is another shard's primary does.
asio::awaitable<std::optional<std::string>> foreign_history(std::shared_ptr<Core> core, std::size_t shard,
                                                            domain::Node node, redis::ServerFacts facts);
/// What people are told of one that is read, or would have to be.
support::Error foreign(const domain::Node& node, const std::string& doubt);

/// `shard 'alpha' (10.0.0.8:6379): not shown to be at most 5s behind: its link to its primary is down; its answers may
/// be old`
support::Error too_old(const Core& core, const domain::Node& node, const std::string& doubt);

/// Of what is said of a node, what it is: the rest names the node already.
std::string after_colon(const std::string& message, const domain::Node& node);

/// For reading one node for a while: shown when it begins, and again before what was shown is too old. Off, and free,
/// without --max-staleness and for a primary.
class Freshness {
public:
    Freshness(std::shared_ptr<Core> core, std::size_t shard) : core_(std::move(core)), shard_(shard) {}

    /// Whom we read from now on, as the connection knows it, and what was shown when it was chosen.
    void watch(const domain::Node& node, const redis::ServerFacts& facts,
               std::optional<std::chrono::steady_clock::time_point> shown_from);
    void stop() { node_.reset(); }
    /// Time to ask again, before the next request leaves.
    bool is_due() const { return node_ && std::chrono::steady_clock::now() >= due_; }
    asio::awaitable<void> renew();
    /// Why it could not be shown when that was asked last; null: it was.
    const std::optional<std::string>& doubt() const { return doubt_; }

    /// For a request that leaves now.
    domain::Asked stamp() const;
    /// Whether its answer, which is here now, is as young as it has to be.
    bool covers(const domain::Asked& asked) const;
    /// What people are told of an answer that is not.
    support::Error too_old() const;

private:
    std::shared_ptr<Core> core_;
    std::size_t shard_;
    std::optional<domain::Node> node_;  // null: off
    std::optional<std::chrono::steady_clock::time_point> shown_from_;
    std::chrono::steady_clock::time_point due_{};
    std::optional<std::string> doubt_;
};

}  // namespace ratectl::store
