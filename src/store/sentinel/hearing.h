// What all sentinels together said of one shard: whose word counts, and what has to be said about the rest.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include "domain/endpoint.h"
#include "store/core.h"
#include "store/sentinel/sentinel_word.h"
#include "support/error.h"

namespace ratectl::store::sentinel {

inline constexpr std::string_view kLoginHint =
    "sentinel_login = { ... } in the configuration is the account on all sentinels; that of the servers is not used "
    "there";

/// Why a sentinel does not tell of a master: its error, whose message begins with its address.
struct Refusal {
    support::Error error;
    std::vector<std::string> watched = {};  // where it does not watch that one: what it does, as far as it says so
    bool is_unknown = false;                // it answers, and does not watch that one
};

struct Heard {
    const domain::Endpoint* sentinel = nullptr;
    std::optional<Word> word = {};
    std::optional<Refusal> refusal = {};  // neither: it was not waited for
};

class Hearing {
public:
    /// The endpoints outlive it.
    Hearing(std::vector<Heard> heard, std::string shard, std::string master)
        : heard_(std::move(heard)), shard_(std::move(shard)), master_(std::move(master)) {}

    /// That of the latest failover; null: none tells.
    std::optional<Word> newest() const;
    bool is_majority() const { return told() * 2 > heard_.size(); }
    /// They do not name the same primary.
    std::optional<support::Error> disagreement() const;
    /// Fewer than most of them tell: their side may be one that a failover has passed by. The same words for every
    /// shard, as long as the master is not the reason.
    support::Error minority() const;
    /// Why `primary` is not to be written to then.
    support::Error doubt() const;
    /// None tells: `access` if one refuses the login, `configuration` if none watches the master, else `unavailable`.
    support::ExitCode silence_code() const;
    /// None tells, for the same reason whatever the shard; null: they do not watch the master.
    std::optional<support::Error> silence() const;
    /// They do not watch the master: to stand behind the shard's name.
    support::Error unknown_master() const;

private:
    std::size_t told() const;
    /// `10.0.0.1:26379 and 10.0.0.2:26379: connection refused; 10.0.0.3:26379: no reply within 2s`
    std::string reasons() const;

    std::vector<Heard> heard_;
    std::string shard_;
    std::string master_;
};

/// The endpoint outlives the answer.
asio::awaitable<Heard> ask(std::shared_ptr<Core> core, const domain::Endpoint* endpoint, std::string master);

}  // namespace ratectl::store::sentinel
