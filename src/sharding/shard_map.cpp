// Puts a preset, its options and the servers together, after checking that they fit.

#include "sharding/shard_map.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "sharding/key_tag.h"
#include "sharding/placement.h"
#include "sharding/preset.h"
#include "support/suggest.h"

namespace ratectl::sharding {

namespace {

using support::ExitCode;
using support::Result;

std::string listed(const std::vector<std::string>& names) { return fmt::format("one of: {}", fmt::join(names, ", ")); }

constexpr std::size_t kAlike = 4;  // bytes that two names must share to be listed together

/// For a word that is no preset: the nearest, or those that begin alike, or where to look.
std::string preset_hint(const std::string& word) {
    const auto names = preset_names();
    std::string hint = support::did_you_mean(word, names);
    if (!hint.empty()) return hint;
    std::vector<std::string> alike;
    std::copy_if(names.begin(), names.end(), std::back_inserter(alike), [&](const std::string& name) {
        return word.size() >= kAlike && name.starts_with(word.substr(0, kAlike));
    });
    return alike.empty() ? "`ratectl sharding list` names the libraries and their presets" : listed(alike);
}

Result<const Preset*> preset_of(const Options& options) {
    if (const Preset* preset = find_preset(options.preset)) return preset;
    return support::failure(ExitCode::configuration, fmt::format("there is no sharding preset '{}'", options.preset),
                            preset_hint(options.preset));
}

Result<NamedHash> hash_of(const Preset& preset, const Options& options) {
    const std::string wanted = options.hash.value_or(std::string(preset.default_hash));
    if (wanted.empty() && !options.hash) return preset.hashes.front();
    std::vector<std::string> names;
    for (const NamedHash& hash : preset.hashes) {
        if (hash.name == wanted) return hash;
        names.emplace_back(hash.name);
    }
    if (names.size() == 1) {
        return support::failure(
            ExitCode::configuration,
            fmt::format("sharding preset '{}' always uses {}: it has no hash '{}'", preset.name, names[0], wanted),
            "leave the hash out");
    }
    std::vector<std::string> variants;
    std::copy_if(names.begin(), names.end(), std::back_inserter(variants),
                 [&](const std::string& name) { return name.starts_with(wanted + "_"); });
    std::string hint =
        variants.empty() ? support::did_you_mean(wanted, names) : "say which part of it: " + listed(variants);
    if (hint.empty()) hint = listed(names);
    return support::failure(ExitCode::configuration,
                            fmt::format("sharding preset '{}' has no hash '{}'", preset.name, wanted), hint);
}

std::string called(const Server& server, std::size_t index) {
    if (server.name) return fmt::format("'{}'", *server.name);
    if (!server.path.empty()) return fmt::format("{} (unix:{})", index + 1, server.path);
    return fmt::format("{} ({}:{})", index + 1, server.host, server.port);
}

Result<std::vector<Member>> members_of(const Preset& preset, std::span<const Server> servers) {
    std::vector<Member> members;
    std::map<std::string, std::size_t> seen;
    for (std::size_t i = 0; i < servers.size(); ++i) {
        const Server& server = servers[i];
        if (server.weight == 0 || server.weight > 1000000) {
            return support::failure(
                ExitCode::configuration,
                fmt::format("shard {} has weight {}: weights are 1 to 1000000", called(server, i), server.weight));
        }
        if (server.weight != 1 && !preset.weights) {
            return support::failure(ExitCode::configuration,
                                    fmt::format("shard {} has weight {}, and sharding preset '{}' knows no weights",
                                                called(server, i), server.weight, preset.name),
                                    "leave the weight out, or name the preset that the application really uses");
        }
        const auto label = server.label ? server.label : preset.node(server, i);
        if (!label) {
            return support::failure(ExitCode::configuration,
                                    fmt::format("sharding preset '{}' places keys by {}, and shard {} has none",
                                                preset.name, preset.labels_are, called(server, i)),
                                    "give every shard its name, as the application's configuration has it");
        }
        const auto [other, fresh] = seen.emplace(*label, i);
        if (!fresh && !preset.positional) {
            return support::failure(
                ExitCode::configuration,
                fmt::format("shards {} and {} have the same label '{}' on the ring of sharding preset '{}'",
                            called(servers[other->second], other->second), called(server, i), *label, preset.name));
        }
        members.push_back({i, *label, server.weight});
    }
    if (preset.sorted) {
        std::stable_sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
            return std::pair(a.label.size(), std::string_view(a.label)) <
                   std::pair(b.label.size(), std::string_view(b.label));
        });
    }
    return members;
}

Result<KeyTag> tag_of(const Preset& preset, const Options& options) {
    if (!options.key_tag) return KeyTag{preset.tag};
    return parse_key_tag(*options.key_tag);
}

Result<void> check_points(const Preset& preset, const Options& options) {
    if (!options.points) return {};
    if (!preset.ring || !preset.ring->points_option) {
        return support::failure(
            ExitCode::configuration,
            fmt::format("sharding preset '{}' has a fixed number of points per server", preset.name),
            "leave points out");
    }
    if (*options.points == 0 || *options.points > 100000) {
        return support::failure(ExitCode::configuration,
                                fmt::format("{} points per server: 1 to 100000 are possible", *options.points));
    }
    return {};
}

/// Options and servers once they are known to fit.
struct Checked {
    const Preset* preset = nullptr;
    NamedHash hash;
    HashFunction key_hash = nullptr;
    KeyTag tag;
    std::vector<Member> members;
};

Result<Checked> checked(const Options& options, std::span<const Server> servers) {
    if (servers.empty()) return support::failure(ExitCode::configuration, "there is no shard to place keys on");
    const auto preset = preset_of(options);
    if (!preset) return tl::make_unexpected(preset.error());
    const auto hash = hash_of(**preset, options);
    if (!hash) return tl::make_unexpected(hash.error());
    const auto tag = tag_of(**preset, options);
    if (!tag) return tl::make_unexpected(tag.error());
    if (const auto points = check_points(**preset, options); !points) return tl::make_unexpected(points.error());
    auto members = members_of(**preset, servers);
    if (!members) return tl::make_unexpected(members.error());
    const bool unsigned_chars = !options.signed_chars.value_or(true) && hash->unsigned_chars != nullptr;
    return Checked{*preset, *hash, unsigned_chars ? hash->unsigned_chars : hash->hash, *tag, std::move(*members)};
}

std::unique_ptr<Placement> placement_of(Checked& parts, std::optional<std::uint32_t> points) {
    const Preset& preset = *parts.preset;
    if (preset.buckets) return make_buckets(*preset.buckets, parts.members);
    if (preset.rendezvous) return make_rendezvous(*preset.rendezvous, parts.members);
    HashFunction point_hash = preset.ring->point_hash;
    if (point_hash == nullptr) point_hash = parts.hash.points != nullptr ? parts.hash.points : parts.key_hash;
    return make_ring(*preset.ring, point_hash, std::move(parts.members), points);
}

}  // namespace

class ShardMap::Distribution {
public:
    Distribution(const Checked& parts, std::size_t servers, std::unique_ptr<Placement> placement)
        : preset_(*parts.preset),
          hash_(parts.hash),
          key_hash_(parts.key_hash),
          tag_(parts.tag),
          servers_(servers),
          placement_(std::move(placement)),
          collisions_(placement_->collisions()) {}

    std::size_t shard_of(std::string_view key) const {
        if (servers_ == 1) return 0;
        return placement_->find(hashed(find_tag(tag_, key).value_or(key)));
    }
    Steps explain(std::string_view key) const;
    std::size_t servers() const { return servers_; }
    const Placement& placement() const { return *placement_; }
    const std::vector<Collision>& collisions() const { return collisions_; }

private:
    HashValue hashed(std::string_view bytes) const {
        return bytes.empty() && preset_.empty_key_is_zero ? HashValue::of_32(0) : key_hash_(bytes);
    }

    const Preset& preset_;
    NamedHash hash_;
    HashFunction key_hash_;
    KeyTag tag_;
    std::size_t servers_;
    std::unique_ptr<Placement> placement_;
    std::vector<Collision> collisions_;
};

Steps ShardMap::Distribution::explain(std::string_view key) const {
    const auto tag = find_tag(tag_, key);
    const HashValue hash = hashed(tag.value_or(key));
    const Order order = preset_.ring ? preset_.ring->order : Order::natural;
    const Hit hit = placement_->explain(hash);
    Steps steps;
    steps.hashed = tag.value_or(key);
    steps.tag_found = tag.has_value();
    steps.hash_name = hash_.name;
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
    steps.shard = hit.server;
    return steps;
}

Result<ShardMap> ShardMap::make(const Options& options, std::span<const Server> servers) {
    auto parts = checked(options, servers);
    if (!parts) return tl::make_unexpected(parts.error());
    auto placement = placement_of(*parts, options.points);
    return ShardMap(std::make_unique<Distribution>(*parts, servers.size(), std::move(placement)));
}

Result<void> ShardMap::check(const Options& options, std::span<const Server> servers) {
    const auto parts = checked(options, servers);
    if (!parts) return tl::make_unexpected(parts.error());
    return {};
}

ShardMap::ShardMap(std::unique_ptr<Distribution> distribution) : distribution_(std::move(distribution)) {}
ShardMap::~ShardMap() = default;
ShardMap::ShardMap(ShardMap&&) noexcept = default;
ShardMap& ShardMap::operator=(ShardMap&&) noexcept = default;

std::size_t ShardMap::shard_of(std::string_view key) const { return distribution_->shard_of(key); }
Steps ShardMap::explain(std::string_view key) const { return distribution_->explain(key); }
std::size_t ShardMap::shard_count() const { return distribution_->servers(); }
const std::vector<Collision>& ShardMap::collisions() const { return distribution_->collisions(); }
std::vector<std::size_t> ShardMap::points_per_server() const { return distribution_->placement().points_per_server(); }

std::vector<std::string> preset_names() {
    std::vector<std::string> names;
    for (const Preset& preset : presets()) names.emplace_back(preset.name);
    return names;
}

}  // namespace ratectl::sharding
