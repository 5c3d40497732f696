// Who has a key, now: the places of a deployment, which of them a key belongs on, and the servers of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/cluster/cluster_access.h"
#include "domain/endpoint.h"
#include "domain/limiter.h"
#include "domain/node.h"
#include "domain/policy.h"
#include "sharding/shard_map.h"
#include "support/error.h"

// Declared, not included: commands see this header, and know no coroutines.
namespace asio {
class any_io_executor;
template <typename T, typename Executor>
class awaitable;
}  // namespace asio

namespace ratectl::redis {
struct Redirect;
}

namespace ratectl::store {

class Core;
using domain::Place;

/// What one sentinel said when it was last asked of each shard's master.
struct SentinelReport {
    domain::Endpoint endpoint;
    std::optional<support::Error> error = {};  // it does not answer, or not as a sentinel does
    std::vector<std::string> told = {};        // masters of ours that it told of
    std::vector<std::string> others = {};      // masters of ours that it sees at another primary, and where
    std::vector<std::string> unknown = {};     // masters of ours that it does not watch
    std::vector<std::string> watched = {};     // where there are such: what it watches, as far as it says so
    std::vector<std::string> awaited = {};     // masters of ours that it had not told of when most others had
};

/// A key, or a primary, is followed so many times in a row: what is learned anew may be wrong again, and more than that
/// is a circle.
inline constexpr int kMostFollows = 6;
/// The first of them at once: what is still not right after that will be in a moment.
inline constexpr int kFollowsAtOnce = 2;

/// A kind of deployment: what is known of it is told at once; the store has it learn the rest, and what has changed.
class Directory {
public:
    template <class T>
    using Awaitable = asio::awaitable<T, asio::any_io_executor>;

    virtual ~Directory() = default;

    /// False: servers have to be asked before anything else is, as find_places() does.
    virtual bool knows_places() const { return true; }
    /// Throws Failure where no server tells of them.
    virtual Awaitable<void> find_places(std::shared_ptr<Core> core);
    /// Of a Redis Cluster: every key is in a slot, and all that one command takes has to be in one.
    virtual bool has_slots() const { return false; }

    /// True: servers lead every client to the one place that has a key, so that a key is one window, whichever place
    /// has it by now. False: what two places have of a key are two windows, and one of them is misplaced.
    bool leads_to_keys() const { return has_slots(); }
    /// False: no place is known to have it.
    virtual bool has_owner(std::uint16_t /*slot*/) const { return true; }

    /// What users call shards, in their order. There may be more of them after redirected(), never fewer.
    virtual const std::vector<domain::Shard>& places() const = 0;
    /// Pure and cheap. Null: nothing says which of several places has a key, and every one of them may.
    virtual std::optional<Place> place_of(std::string_view key) const = 0;
    /// False: place_of() is always null.
    virtual bool knows_homes() const = 0;
    /// The library's rule behind place_of(), for those who explain it; null: there is none.
    virtual const sharding::ShardMap* rule() const { return nullptr; }
    /// What the rule is made of, a server a place; empty: it is not made of servers.
    virtual const std::vector<sharding::Server>& servers() const;
    /// Grows when a place has got another primary or other replicas, or a key another place.
    virtual std::uint64_t epoch() const { return 0; }

    /// The nodes of a place as they are known, primary first.
    virtual const std::vector<domain::Node>& nodes(std::size_t place) const = 0;
    const domain::Node& primary(std::size_t place) const { return nodes(place).front(); }
    /// Whether a server has to be asked for the primary of a place, or for all of its nodes.
    virtual bool is_known(std::size_t place, bool with_replicas) const = 0;
    /// Asks. What could not be learned is said as a notice, and what is known stays.
    virtual Awaitable<void> learn(std::shared_ptr<Core> core, std::size_t place) = 0;
    /// A server has said that what was asked of it is another one's business now, or is not the one that it was. True:
    /// the place is to be asked anew, perhaps elsewhere; false: what the server said stands.
    virtual Awaitable<bool> redirected(std::shared_ptr<Core> core, Place place, redis::Redirect redirect) = 0;
    /// After redirected() with an `ask`: whom to ask this once, saying ASKING; null: a server that is not to be
    /// trusted.
    virtual std::optional<std::size_t> place_to_ask(const redis::Redirect& /*redirect*/) const { return std::nullopt; }
    /// Asks the primary of a place. Says no of a slot of which some keys may have left it for another place, which its
    /// replicas do not know.
    using WholeSlots = std::function<bool(std::optional<std::uint16_t> slot)>;
    virtual Awaitable<WholeSlots> whole_slots(std::shared_ptr<Core> core, std::size_t place);

    /// Nodes that belong to no place: primaries without slots, as one is that failed and has a successor, with their
    /// replicas; each named as a shard of its own.
    virtual std::vector<domain::Node> strays() const { return {}; }

    /// Who tells which servers there are and which of them are primaries: `the sentinels`; empty: the configuration.
    virtual std::string_view teller() const { return {}; }

    // ---- where sentinels tell of the servers: whom it has to believe, and how far
    virtual bool is_told() const { return false; }
    /// Why no server was told for a place, ready to stand behind its name; null: one was.
    virtual std::optional<support::Error> silence(std::size_t /*place*/) const { return std::nullopt; }
    /// Why the primary that was told may be a former one: enough to look at, not to be written to. Null: it is not.
    virtual std::optional<support::Error> doubt(std::size_t /*place*/) const { return std::nullopt; }
    /// One a sentinel, in the order of the configuration.
    virtual std::vector<SentinelReport> sentinel_reports() const { return {}; }

    const std::string& name_of(std::size_t place) const { return places().at(place).name; }
    /// By its name.
    std::optional<std::size_t> find(std::string_view name) const;
    std::vector<std::string> names() const;
};

/// Slots of a Redis Cluster that are on their way.
struct OpenSlots {
    struct Way {
        std::optional<std::size_t> from = {};  // the shard that says so, if one does
        std::optional<std::size_t> to = {};
    };
    std::map<std::uint16_t, Way> slots;
    std::vector<std::size_t> silent;  // shards that did not tell

    /// Those that have neither a node to leave nor one to go to, in order: no primary has them, and none that has not
    /// told may have them.
    std::vector<std::uint16_t> ownerless() const;
    /// What they mean for an answer about all windows; null: there are none.
    std::optional<support::Error> hole() const;
};

/// Shards as the configuration has them, and how the application's library shares keys out over them.
struct ConfiguredShards {
    std::vector<domain::Shard> shards;
    std::vector<sharding::Server> servers = {};      // one a shard, or none where there is no rule
    std::optional<sharding::Options> sharding = {};  // one shard needs none
};
std::shared_ptr<Directory> configured_directory(ConfiguredShards configured);
/// A Redis Cluster, of which it knows nothing before find_places(). Its places are named after their primaries.
std::shared_ptr<Directory> cluster_directory(domain::ClusterAccess access);

/// Who tells where the servers of such shards are.
struct Sentinels {
    std::vector<domain::Endpoint> endpoints;
    std::vector<std::string> masters;  // what they call the shards, one name each
};
/// The endpoints of the shards' primaries have no host, but all that servers of a shard share: db, TLS, login.
std::shared_ptr<Directory> watched_directory(ConfiguredShards configured, Sentinels sentinels);

/// The servers of one deployment, and how to talk to them.
struct Topology {
    std::shared_ptr<Directory> directory;
    domain::TlsOptions tls;
    const domain::Limiter* limiter = nullptr;                  // of limiter_of(); null: the default one
    std::map<std::string, domain::TlsOptions> shard_tls = {};  // by name: of shards that have other certificates
};

/// What the stored keys of a deployment mean: those of policies that name a scheme as that has them, all others as the
/// layout has them. There as long as the process. Throws Failure (configuration) where no scheme has such a name.
const domain::Limiter& limiter_of(const domain::Layout& layout, std::span<const domain::Policy> policies = {});

}  // namespace ratectl::store
