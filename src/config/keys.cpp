// Every key that a configuration file may have.
#include "config/keys.h"

#include <array>

namespace ratectl::config {
namespace {

constexpr std::string_view kFile;
constexpr std::string_view kDeployment = "deployments.NAME";
constexpr std::string_view kSharding = "deployments.NAME.sharding";
constexpr std::string_view kTls = "deployments.NAME.tls";
constexpr std::string_view kSentinelLogin = "deployments.NAME.sentinel_login";
constexpr std::string_view kShard = "deployments.NAME.shards";
constexpr std::string_view kShardTls = "deployments.NAME.shards.tls";
constexpr std::string_view kPolicy = "deployments.NAME.policies";

constexpr std::array kKeys{
    Key{kFile, "default"},
    Key{kFile, "journal"},
    Key{kFile, "deployments"},

    Key{kDeployment, "kind"},
    Key{kDeployment, "sharding"},
    Key{kDeployment, "scheme"},
    Key{kDeployment, "expiry_suffix"},
    Key{kDeployment, "read_from"},
    Key{kDeployment, "scan_from"},
    Key{kDeployment, "max_staleness"},
    Key{kDeployment, "writes"},
    Key{kDeployment, "require_reason"},
    Key{kDeployment, "max_keys"},
    Key{kDeployment, "protect"},
    Key{kDeployment, "timeout"},
    Key{kDeployment, "username"},
    Key{kDeployment, "password"},
    Key{kDeployment, "password_file"},
    Key{kDeployment, "password_env"},
    Key{kDeployment, "password_command"},
    Key{kDeployment, "tls"},
    Key{kDeployment, "sentinels"},
    Key{kDeployment, "sentinel_login"},
    Key{kDeployment, "shards"},
    Key{kDeployment, "nodes"},
    Key{kDeployment, "address_map"},
    Key{kDeployment, "networks"},
    Key{kDeployment, "policies"},

    Key{kSharding, "preset"},
    Key{kSharding, "hash"},
    Key{kSharding, "point_hash"},
    Key{kSharding, "key_tag"},
    Key{kSharding, "strip_prefix"},
    Key{kSharding, "order"},
    Key{kSharding, "points"},
    Key{kSharding, "points_per_label"},
    Key{kSharding, "table_size"},
    Key{kSharding, "signed_chars"},

    Key{kTls, "ca_file"},
    Key{kTls, "cert_file"},
    Key{kTls, "key_file"},
    Key{kTls, "server_name"},
    Key{kTls, "insecure"},

    Key{kSentinelLogin, "username"},
    Key{kSentinelLogin, "password"},
    Key{kSentinelLogin, "password_file"},
    Key{kSentinelLogin, "password_env"},
    Key{kSentinelLogin, "password_command"},

    Key{kShard, "name"},
    Key{kShard, "primary"},
    Key{kShard, "master"},
    Key{kShard, "db"},
    Key{kShard, "replicas"},
    Key{kShard, "weight"},
    Key{kShard, "label"},
    Key{kShard, "slots"},
    Key{kShard, "tls"},

    Key{kShardTls, "ca_file"},
    Key{kShardTls, "cert_file"},
    Key{kShardTls, "key_file"},
    Key{kShardTls, "server_name"},
    Key{kShardTls, "insecure"},

    Key{kPolicy, "name"},
    Key{kPolicy, "key"},
    Key{kPolicy, "scheme"},
    Key{kPolicy, "limit"},
    Key{kPolicy, "period"},
    Key{kPolicy, "burst"},
    Key{kPolicy, "classes"},
    Key{kPolicy, "class_file"},
    Key{kPolicy, "clients"},
    Key{kPolicy, "paths"},
    Key{kPolicy, "exempt"},
    Key{kPolicy, "exempt_file"},
    Key{kPolicy, "org_key"},
    Key{kPolicy, "org_limit"},
    Key{kPolicy, "org_factor"},
    Key{kPolicy, "secret"},
};

}  // namespace

std::span<const Key> known_keys() { return kKeys; }

std::vector<std::string> keys_of(std::string_view table) {
    std::vector<std::string> names;
    for (const Key& key : kKeys) {
        if (key.table == table) names.emplace_back(key.name);
    }
    return names;
}

}  // namespace ratectl::config
