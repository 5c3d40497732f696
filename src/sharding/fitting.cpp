// Checks a preset, its options and the servers against each other, in words that say what would fit.

#include "sharding/fitting.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "sharding/key_tag.h"
#include "sharding/label_rules.h"
#include "sharding/options.h"
#include "support/suggest.h"

namespace ratectl::sharding {

namespace {

using support::ExitCode;
using support::Result;

std::string listed(const std::vector<std::string>& names) { return fmt::format("one of: {}", fmt::join(names, ", ")); }

constexpr std::size_t kAlike = 4;  // bytes that two names must share to be listed together

/// For a word that is not a preset: the nearest, or those that begin alike, or where to look.
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

Result<void> check_weight(const Preset& preset, const Server& server, std::size_t index) {
    if (server.weight == 0 || server.weight > 1000000) {
        return support::failure(ExitCode::configuration, fmt::format("shard {} has weight {}: weights are 1 to 1000000",
                                                                     called(server, index), server.weight));
    }
    if (server.weight == 1 || preset.weights) return {};
    return support::failure(ExitCode::configuration,
                            fmt::format("shard {} has weight {}, and sharding preset '{}' knows no weights",
                                        called(server, index), server.weight, preset.name),
                            "leave the weight out, or name the preset that the application really uses");
}

/// The places of the servers in the order in which the library sees them.
std::vector<std::size_t> ordered(const Preset& preset, const Options& options, std::span<const Server> servers) {
    std::vector<std::string> identities;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < servers.size(); ++i) {
        const auto own = preset.positional ? nodes::name_or_address(servers[i], i) : preset.node(servers[i], i);
        identities.push_back(servers[i].label.value_or(own.value_or("")));
        places.push_back(i);
    }
    const ServerOrder order = options.order.value_or(preset.order);
    if (order == ServerOrder::configured) return places;
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
        const std::string& left = identities[a];
        const std::string& right = identities[b];
        if (order == ServerOrder::length && left.size() != right.size()) return left.size() < right.size();
        return left < right;
    });
    return places;
}

Result<std::vector<Member>> members_of(const Preset& preset, const Options& options, std::span<const Server> servers) {
    std::vector<Member> members;
    std::map<std::string, std::size_t> seen;
    for (const std::size_t i : ordered(preset, options, servers)) {
        const Server& server = servers[i];
        if (const auto weight = check_weight(preset, server, i); !weight) return tl::make_unexpected(weight.error());
        auto label = server.label ? server.label : preset.node(server, members.size());
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
        members.push_back({i, std::move(*label), server.weight, server.slots});
    }
    return members;
}

/// Every slot has one owner, or no server names any.
Result<void> check_slots(const Preset& preset, std::span<const Server> servers) {
    const std::uint32_t slots = preset.buckets ? preset.buckets->slots : 0;
    std::vector<std::size_t> owners(slots, servers.size());
    std::uint64_t owned = 0;
    for (std::size_t i = 0; i < servers.size(); ++i) {
        for (const SlotRange& range : servers[i].slots) {
            if (slots == 0) {
                return support::failure(ExitCode::configuration,
                                        fmt::format("shard {} has slots, and sharding preset '{}' knows none",
                                                    called(servers[i], i), preset.name),
                                        "leave the slots out, or name the preset that the application really uses");
            }
            if (range.last >= slots || range.first > range.last) {
                return support::failure(ExitCode::configuration,
                                        fmt::format("shard {} has the slots {}-{}: there are 0 to {}",
                                                    called(servers[i], i), range.first, range.last, slots - 1));
            }
            for (std::uint32_t slot = range.first; slot <= range.last; ++slot, ++owned) {
                const std::size_t other = std::exchange(owners[slot], i);
                if (other == servers.size()) continue;
                return support::failure(ExitCode::configuration,
                                        fmt::format("slot {} belongs to shard {} and to shard {}", slot,
                                                    called(servers[other], other), called(servers[i], i)));
            }
        }
    }
    if (owned == 0 || owned == slots) return {};
    const auto lost = std::find(owners.begin(), owners.end(), servers.size());
    return support::failure(
        ExitCode::configuration,
        fmt::format("slot {} belongs to no shard ({} of {} are given away)", lost - owners.begin(), owned, slots),
        "name every slot, or none: then the ranges are as even as redis-cli makes them");
}

Result<KeyTag> tag_of(const Preset& preset, const Options& options) {
    if (!options.key_tag) return KeyTag{preset.tag};
    return parse_key_tag(*options.key_tag);
}

bool is_prime(std::uint32_t number) {
    for (std::uint32_t divisor = 2; divisor <= number / divisor; ++divisor) {
        if (number % divisor == 0) return false;
    }
    return number > 1;
}

Result<void> check_table_size(const Preset& preset, const Options& options) {
    if (!options.table_size || !preset.buckets || is_prime(*options.table_size)) return {};
    return support::failure(
        ExitCode::configuration,
        fmt::format("table_size: {} is not a prime number, and a maglev table's size is one", *options.table_size));
}

/// The hash of ring points: named, the preset's own, or the one that belongs to the key's hash.
Result<HashFunction> point_hash_of(const Preset& preset, const NamedHash& hash, const Options& options) {
    if (!preset.ring) return nullptr;
    const auto with_sign = [&options](const NamedHash& named) {
        return !options.signed_chars.value_or(true) && named.unsigned_chars != nullptr ? named.unsigned_chars
                                                                                       : named.hash;
    };
    if (!options.point_hash) {
        if (preset.ring->point_hash != nullptr) return preset.ring->point_hash;
        return hash.points != nullptr ? hash.points : with_sign(hash);
    }
    std::vector<std::string> names;
    for (const NamedHash& named : preset.ring->point_hashes) {
        if (named.name == *options.point_hash) return with_sign(named);
        names.emplace_back(named.name);
    }
    std::string hint = support::did_you_mean(*options.point_hash, names);
    return support::failure(
        ExitCode::configuration,
        fmt::format("sharding preset '{}' has no point hash '{}'", preset.name, *options.point_hash),
        hint.empty() ? listed(names) : hint);
}

}  // namespace

Result<Fitted> fit(const Options& options, std::span<const Server> servers) {
    if (servers.empty()) return support::failure(ExitCode::configuration, "there is no shard to place keys on");
    const auto preset = preset_of(options);
    if (!preset) return tl::make_unexpected(preset.error());
    const auto hash = hash_of(**preset, options);
    if (!hash) return tl::make_unexpected(hash.error());
    const auto tag = tag_of(**preset, options);
    if (!tag) return tl::make_unexpected(tag.error());
    for (const auto& check :
         {check_options(**preset, options), check_table_size(**preset, options), check_slots(**preset, servers)}) {
        if (!check) return tl::make_unexpected(check.error());
    }
    const auto point_hash = point_hash_of(**preset, *hash, options);
    if (!point_hash) return tl::make_unexpected(point_hash.error());
    auto members = members_of(**preset, options, servers);
    if (!members) return tl::make_unexpected(members.error());
    const bool unsigned_chars = !options.signed_chars.value_or(true) && hash->unsigned_chars != nullptr;
    return Fitted{*preset,     *hash, unsigned_chars ? hash->unsigned_chars : hash->hash,
                  *point_hash, *tag,  std::move(*members)};
}

std::unique_ptr<Placement> place(Fitted parts, const Options& options) {
    const Preset& preset = *parts.preset;
    if (preset.buckets) return make_buckets(*preset.buckets, parts.members, options.table_size);
    if (preset.rendezvous) return make_rendezvous(*preset.rendezvous, parts.members);
    const RingOptions ring{.point_hash = parts.point_hash,
                           .points = options.points.value_or(preset.ring->points),
                           .points_per_label = options.points_per_label.value_or(4),
                           .smallest = options.table_size};
    return make_ring(*preset.ring, ring, std::move(parts.members));
}

}  // namespace ratectl::sharding
