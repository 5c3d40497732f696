// The directory of a deployment whose shards are configured: its map never changes, and only replicas = "auto" asks a
// server.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include "redis/outcome.h"
#include "store/directory.h"
#include "store/nodes/info_text.h"

namespace ratectl::store {

class ConfiguredDirectory : public Directory {
public:
    explicit ConfiguredDirectory(ConfiguredShards configured);

    const std::vector<domain::Shard>& places() const override { return configured_.shards; }
    bool knows_homes() const override;
    std::optional<Place> place_of(std::string_view key) const override;
    const sharding::ShardMap* rule() const override;
    const std::vector<sharding::Server>& servers() const override { return configured_.servers; }

    const std::vector<domain::Node>& nodes(std::size_t place) const override { return nodes_.at(place); }
    bool is_known(std::size_t place, bool with_replicas) const override {
        return !with_replicas || is_known_.at(place);
    }
    Awaitable<void> learn(std::shared_ptr<Core> core, std::size_t place) override;
    /// The configuration is right, and the server is not the one that it names.
    Awaitable<bool> redirected(std::shared_ptr<Core>, Place, redis::Redirect) override { co_return false; }

protected:
    void set_nodes(std::size_t place, std::vector<domain::Node> nodes) { nodes_.at(place) = std::move(nodes); }

private:
    ConfiguredShards configured_;
    mutable std::optional<sharding::ShardMap> map_;  // made when a key is first asked for
    std::vector<std::vector<domain::Node>> nodes_;
    std::vector<bool> is_known_;
};

/// The same, but for its role and address.
domain::Node node_at(domain::Node node, const Address& address, domain::Role role);

}  // namespace ratectl::store
