// Keys through a placement: the tag is found, hashed and looked up.

#include "sharding/shard_map.h"

#include <utility>

#include "sharding/fitting.h"
#include "sharding/key_tag.h"

namespace ratectl::sharding {

using support::Result;

class ShardMap::Distribution {
public:
    Distribution(const Fitted& parts, const Options& options, std::size_t servers, std::unique_ptr<Placement> placement)
        : parts_(parts),
          prefix_(options.strip_prefix.value_or("")),
          servers_(servers),
          placement_(std::move(placement)),
          collisions_(placement_->collisions()) {}

    std::size_t shard_of(std::string_view key) const {
        if (servers_ == 1) return 0;
        key = without_prefix(key);
        return placement_->find(hashed(find_tag(parts_.tag, key).value_or(key)));
    }
    Steps explain(std::string_view key) const;
    const Placement& placement() const { return *placement_; }
    const std::vector<Collision>& collisions() const { return collisions_; }

private:
    std::string_view without_prefix(std::string_view key) const {
        return key.starts_with(prefix_) ? key.substr(prefix_.size()) : key;
    }
    void add_rival(Steps& steps) const;
    HashValue hashed(std::string_view bytes) const { return hash_of_key(parts_, bytes); }

    Fitted parts_;
    std::string prefix_;
    std::size_t servers_;
    std::unique_ptr<Placement> placement_;
    std::vector<Collision> collisions_;
};

/// The other shard on the point that was hit.
void ShardMap::Distribution::add_rival(Steps& steps) const {
    for (const Collision& collision : collisions_) {
        if (collision.point != steps.point || collision.point_text != steps.point_text) continue;
        if (collision.first != steps.shard && collision.second != steps.shard) continue;
        steps.rival = collision.first == steps.shard ? collision.second : collision.first;
        steps.rival_decided = collision.decided;
    }
}

Steps ShardMap::Distribution::explain(std::string_view key) const {
    const std::string_view own = without_prefix(key);
    const auto tag = find_tag(parts_.tag, own);
    const HashValue hash = hashed(tag.value_or(own));
    const Order order = parts_.preset->ring ? parts_.preset->ring->order : Order::natural;
    const auto neighbour = [order](const std::optional<NamedPoint>& point) {
        return point ? std::optional<Neighbour>({point->at.text(order), point->label, point->server}) : std::nullopt;
    };
    const Hit hit = placement_->explain(hash);
    Steps steps;
    steps.hashed = tag.value_or(own);
    steps.tag_found = tag.has_value();
    steps.prefix_stripped = own.size() != key.size();
    steps.hash_name = parts_.hash.name;
    steps.hash = hash.leading_64();
    steps.hash_text = hash.text(order);
    if (hit.point) {
        steps.point = hit.point->leading_64();
        steps.point_text = hit.point->text(order);
    }
    steps.point_label = hit.label;
    steps.bucket = hit.bucket;
    steps.bucket_count = hit.bucket_count;
    steps.runner_up = hit.runner_up;
    steps.before = neighbour(hit.before);
    steps.after = neighbour(hit.after);
    steps.shard = hit.server;
    add_rival(steps);
    return steps;
}

Result<ShardMap> ShardMap::make(const Options& options, std::span<const Server> servers) {
    auto parts = fit(options, servers);
    if (!parts) return tl::make_unexpected(parts.error());
    auto placement = place(*parts, options);
    return ShardMap(std::make_unique<Distribution>(*parts, options, servers.size(), std::move(placement)));
}

Result<void> ShardMap::check(const Options& options, std::span<const Server> servers) {
    const auto parts = fit(options, servers);
    if (!parts) return tl::make_unexpected(parts.error());
    return {};
}

ShardMap::ShardMap(std::unique_ptr<Distribution> distribution) : distribution_(std::move(distribution)) {}
ShardMap::~ShardMap() = default;
ShardMap::ShardMap(ShardMap&&) noexcept = default;
ShardMap& ShardMap::operator=(ShardMap&&) noexcept = default;

std::size_t ShardMap::shard_of(std::string_view key) const { return distribution_->shard_of(key); }
Steps ShardMap::explain(std::string_view key) const { return distribution_->explain(key); }
const std::vector<Collision>& ShardMap::collisions() const { return distribution_->collisions(); }
std::vector<std::size_t> ShardMap::points_per_server() const { return distribution_->placement().points_per_server(); }

std::vector<std::string> preset_names() {
    std::vector<std::string> names;
    for (const Preset& preset : presets()) names.emplace_back(preset.name);
    return names;
}

}  // namespace ratectl::sharding
