// What a directory that sentinels tell of servers knows beside the servers: whom it has to believe, and how far.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "store/directory.h"
#include "support/error.h"

namespace ratectl::store {

/// What one sentinel said when it was last asked of each shard's master.
struct SentinelReport {
    domain::Endpoint endpoint;
    std::optional<support::Error> error = {};  // it does not answer, or not as a sentinel does
    std::vector<std::string> told = {};        // masters of ours that it told of
    std::vector<std::string> unknown = {};     // masters of ours that it does not watch
    std::vector<std::string> watched = {};     // where there are such: what it watches, as far as it says so
    std::vector<std::string> awaited = {};     // masters of ours that it had not told of when most others had
};

class ToldBySentinels {
public:
    virtual ~ToldBySentinels() = default;

    /// Why no server was told for a place, ready to stand behind its name; null: one was.
    virtual std::optional<support::Error> silence(std::size_t place) const = 0;
    /// Why the primary that was told may be a former one: enough to look at, not to be written to. Null: it is not.
    virtual std::optional<support::Error> doubt(std::size_t place) const = 0;
    /// One a sentinel, in the order of the configuration.
    virtual std::vector<SentinelReport> reports() const = 0;
};

/// Null: the servers are configured, or tell of one another.
const ToldBySentinels* told_by_sentinels(const Directory& directory);

/// ToldBySentinels::doubt(); null, too, where no sentinel is asked.
std::optional<support::Error> doubt_of(const Directory& directory, std::size_t place);

}  // namespace ratectl::store
