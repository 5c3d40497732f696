// The checked, immutable configuration of one run: flags over environment over file, each value with its origin.
#pragma once

#include <functional>
#include <map>
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
#include "support/time.h"
#include "support/waits.h"

namespace ratectl::config {

/// In the place of a preset: where a key lives cannot be computed (random distributions, ejected servers, scripts
/// routed by their text).
inline constexpr std::string_view kAllShards = "all-shards";

/// What --max-staleness and `max_staleness` may be.
inline constexpr support::Milliseconds kShortestStaleness{1};
inline constexpr support::Milliseconds kLongestStaleness{std::chrono::hours{24}};
/// The most for --timeout and `timeout`, and for --expiry-suffix and `expiry_suffix`.
inline constexpr support::Milliseconds kLongestTimeout{std::chrono::hours{1}};
inline constexpr std::size_t kLongestSuffix = 64;

/// Where a value came from: `flag --timeout`, `environment RATECTL_TIMEOUT`, `/etc/ratectl/ratectl.toml:12`, `default`.
struct Origin {
    enum class Kind { preset_default, file, environment, flag };
    Kind kind = Kind::preset_default;
    std::string text = "default";

    bool operator==(const Origin&) const = default;
};

/// How the servers of a deployment are found, and what they are.
enum class DeploymentKind { shards, cluster, sentinel, memcached };
std::string_view name_of(DeploymentKind kind);
/// What windows on memcached servers are stored as, where nothing else is said.
inline domain::Layout memcached_layout() { return {"memcached", ":reset_at"}; }

enum class WriteMode { allow, confirm, confirm_all, deny };
std::string_view name_of(WriteMode mode);

/// The common options as given on the command line: strings, unset when absent. cli/ fills it; resolve() checks it.
struct Overrides {
    std::optional<std::string> config_file;
    std::optional<std::string> deployment;
    std::vector<std::string> urls;  // -u, in order; `env:NAME` reads the environment
    std::optional<std::string> sharding;
    std::optional<std::string> read_from;  // --from
    std::optional<std::string> max_staleness;
    std::optional<std::string> scheme;
    std::optional<std::string> expiry_suffix;
    std::optional<std::string> timeout;
    std::optional<std::string> deadline;
    std::optional<std::string> now;
    std::optional<std::string> limit;
    std::optional<std::string> period;
    std::optional<std::string> burst;
    std::optional<std::string> key;  // --key TEMPLATE: an anonymous policy before all others
    bool read_only = false;
    bool all_shards = false;  // --all-shards: where a key lives cannot be known
    bool reveal = false;      // --reveal: clients of secret policies are shown; no environment, no file
};

struct ShardSettings {
    domain::Shard shard;
    sharding::Server server;
    std::string master = {};  // sentinel: what the sentinels call it; the endpoint of its primary has no host then
};

/// One deployment, every value checked.
struct Settings {
    std::string deployment;  // its name; of -u: the addresses
    DeploymentKind kind = DeploymentKind::shards;
    std::vector<ShardSettings> shards;
    domain::ClusterAccess cluster;
    std::vector<domain::Endpoint> sentinels;  // which tell where the servers of shards are
    /// Unset: several shards, and it is not said how keys are shared out (reads look everywhere, writes are refused).
    std::optional<sharding::Options> sharding;
    /// --all-shards, or sharding = "all-shards": the library's placement cannot be computed; `sharding` is unset then.
    bool all_shards = false;
    domain::Layout layout;
    const domain::Limiter* limiter = nullptr;  // of that layout, where names of windows may say their limits
    domain::ReadFrom read_from;
    domain::ReadFrom scan_from{domain::ReadFrom::Which::replica, {}};
    /// A replica that is not shown to be at most so far behind is passed over, or its answers are marked; unset: any
    /// whose link is up will do.
    std::optional<support::Milliseconds> max_staleness;
    bool from_given = false;  // --from was on the command line or in the environment: it rules looks and sweeps alike
    WriteMode writes = WriteMode::confirm;
    bool read_only = false;  // --read-only or RATECTL_READ_ONLY
    bool require_reason = false;
    std::uint64_t max_keys = 500;      // no limit when writes = allow
    std::vector<std::string> protect;  // globs of keys that nothing may change
    support::Milliseconds timeout{2000};
    std::optional<support::Milliseconds> deadline;
    std::optional<support::Instant> now;     // --now: the application's clock stands there
    std::optional<std::int64_t> limit;       // --limit, above every policy
    std::optional<support::Seconds> period;  // --period
    std::optional<std::int64_t> burst;       // --burst
    domain::PolicyBook policies;
    domain::TlsOptions tls;
    std::map<std::string, domain::TlsOptions> shard_tls;  // by name: of shards that have a table of their own
    std::optional<std::string> file;                      // the file that was read
    domain::Credentials login;  // the deployment's; already in each endpoint whose URL has none of its own

    /// `timeout` -> origin, for `config show`; keys are dotted as in the file (`shards.alpha.primary`).
    std::map<std::string, Origin> origins;
    /// The application's clock at that moment of ours.
    support::Moment clock_at(support::WallTime wall) const {
        return now ? support::Moment(*now) : support::Moment(wall);
    }

    /// `config show`: name and value as text, secrets as `(set)`, in the order of the manual.
    std::vector<std::pair<std::string, std::string>> shown() const;
};

/// The configured shards, for the one who makes a directory of them; everyone else asks that.
std::vector<domain::Shard> shards_of(const Settings& settings);
std::vector<sharding::Server> servers_of(const Settings& settings);
std::vector<std::string> masters_of(const Settings& settings);
bool holds_secret(const Settings& settings);

/// Where errors go that need not end the reading, each of a part that is left out; null: the first one ends it.
using Complaints = std::vector<support::Error>*;
template <class Read>
void go_past(Complaints complaints, Read read) {
    try {
        read();
    } catch (const support::Failure& failure) {
        if (complaints == nullptr) throw;
        complaints->push_back(failure.error());
    }
}

/// The outside world as resolve() sees it.
struct World {
    std::function<std::optional<std::string>(const std::string& name)> env;
    support::Instant now{};
    std::string system_file = "/etc/ratectl/ratectl.toml";  // the last place to look
    bool logs_in = true;                                    // false: no password is fetched
    Complaints complaints = nullptr;
    support::Patience patience = {};  // of a password_command
};

/// Throws Failure: configuration (a bad value names file, line and key; no configuration at all tells the three ways to
/// begin; readable secrets are refused), usage (a flag's value, several deployments and none chosen).
Settings resolve(const Overrides& overrides, const World& world);
/// The same for work on files: no password is fetched, and where nothing is configured the deployment has no name and
/// no shards.
Settings resolve_without_servers(const Overrides& overrides, World world);
/// Every error that resolve() would meet in turn, each mended in between; no password is fetched.
std::vector<support::Error> errors_of(const Overrides& overrides, World world);
/// --deadline alone, which is known before any file is read. Throws Failure (usage).
std::optional<support::Milliseconds> deadline_of(const Overrides& overrides, const World& world);
/// Whether flags, environment or a file say which servers there are.
bool is_configured(const Overrides& overrides, const World& world);
/// The deployments that resolve() could not choose among: several in the file, no default, and none was named. Else
/// empty.
std::vector<std::string> undecided_deployments(const Overrides& overrides, const World& world);

}  // namespace ratectl::config
