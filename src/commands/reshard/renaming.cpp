// Renames keys by the policies of both deployments: the holes of the one's template fill those of the other's.
#include "commands/reshard/renaming.h"

#include <fmt/format.h>

#include "commands/context.h"
#include "sharding/cluster_slots.h"

namespace ratectl::commands::reshard {
namespace {

using domain::KeyTemplate;
using domain::Policy;
using support::Failure;

/// Every filter of a hole makes something of its own of it.
constexpr std::string_view kProbe = "Ab1";

bool same_filters(const KeyTemplate& a, const KeyTemplate& b, std::string_view hole) {
    return a.filtered(hole, kProbe) == b.filtered(hole, kProbe);
}

/// What the old keys hold of it is enough to make the new ones.
bool can_fill(const KeyTemplate& to, const KeyTemplate& from, std::string_view hole) {
    if (!from.holds(hole)) return false;
    if (same_filters(from, to, hole)) return true;
    return !from.holds_digest(hole) && to.filtered(hole, from.filtered(hole, kProbe)) == to.filtered(hole, kProbe);
}

std::string renamed(const Policy& from, const Policy& to, std::string_view key) {
    auto held = from.key.match(key).value_or(domain::Captures{});
    for (auto& [hole, bytes] : held) {
        if (!same_filters(from.key, to.key, hole)) bytes = to.key.filtered(hole, bytes);
    }
    return to.key.assemble(held);
}

bool is_cluster(const config::Settings& settings) { return settings.kind == config::DeploymentKind::cluster; }

std::string_view scheme_of(const Policy& policy, const config::Settings& settings) {
    return policy.scheme.empty() ? std::string_view(settings.layout.scheme) : std::string_view(policy.scheme);
}

std::string sample_key(const Policy& policy) {
    domain::Captures held;
    for (const auto& hole : policy.key.placeholders()) held[hole] = "1";
    return policy.key.assemble(held);
}

}  // namespace

Renaming::Renaming(const config::Settings& from, const config::Settings& to)
    : from_(from), to_(to), renames_(is_cluster(from) || is_cluster(to)) {}

void Renaming::check(const std::string& from_name, const std::string& to_name) const {
    if (!renames_) return;
    for (const auto& policy : from_.policies.policies()) {
        const Policy* other = to_.policies.find(policy.name);
        if (other == nullptr) continue;
        const auto refuse = [&](std::string_view what, std::string hint) {
            throw Failure(
                ExitCode::configuration,
                fmt::format("policy '{}' of {} and of {}: {}; nothing was done", policy.name, from_name, to_name, what),
                std::move(hint));
        };
        for (const auto& hole : other->key.placeholders()) {
            if (can_fill(other->key, policy.key, hole)) continue;
            refuse(fmt::format("keys '{}' do not say what hole '{}' of '{}' holds", policy.key.text(), hole,
                               other->key.text()),
                   "the same holes in both templates, with the same filters");
        }
        for (const auto& hole : policy.key.placeholders()) {
            if (other->key.holds(hole)) continue;
            refuse(fmt::format("keys '{}' leave out hole '{}' of '{}', so several windows would become one",
                               other->key.text(), hole, policy.key.text()),
                   "the same holes in both templates");
        }
        if (scheme_of(policy, from_) != scheme_of(*other, to_)) {
            refuse(fmt::format("windows are kept as '{}' in the one and as '{}' in the other", scheme_of(policy, from_),
                               scheme_of(*other, to_)),
                   "the same scheme in both");
        }
        if (policy.secret && !other->secret)
            refuse("its clients are secret in the one and not in the other", "secret = true in both");
        if (const auto key = sample_key(*other); is_cluster(to_) && falls_apart(key)) {
            refuse(fmt::format("keys like '{}' have the parts of one window in different slots of the Redis Cluster, "
                               "so they are no window there",
                               other->key.text()),
                   fmt::format("a tag keeps them in one slot: key = \"{{{{{}}}}}\", if the application writes it so",
                               other->key.text()));
        }
    }
}

Renaming::Name Renaming::name_of(std::string_view key) const {
    const auto match = from_.policies.match(key);
    if (!renames_) {
        // Copies are recorded under the keys that they have in the new deployment, and hidden as that hides them.
        const auto there = to_.policies.match(key);
        if (!match || !match->policy->secret || (there && there->policy->secret)) return {std::string(key), {}, {}};
        return {{},
                fmt::format("of policy '{}', whose clients no policy of the new deployment keeps secret",
                            match->policy->name),
                "a policy with the same keys there, too, and secret = true"};
    }
    if (!match) return checked(std::string(key), nullptr);
    const Policy* other = to_.policies.find(match->policy->name);
    if (other == nullptr) {
        return {{},
                fmt::format("of policy '{}', which the new deployment does not have", match->policy->name),
                "a policy of this name there, with the keys that the application will use"};
    }
    return checked(renamed(*match->policy, *other, key), other);
}

/// `policy`: whose keys it is one of; null: none's.
Renaming::Name Renaming::checked(std::string key, const Policy* policy) const {
    const auto match = to_.policies.match(key);
    const Policy* taken_for = match ? match->policy : nullptr;
    if (policy != nullptr && taken_for != policy) {
        return {{},
                fmt::format("of policy '{}', whose new keys belong to {}", policy->name,
                            taken_for == nullptr ? "no policy" : "policy '" + taken_for->name + "'"),
                "the first policy that a key matches has it"};
    }
    if (is_cluster(to_) && falls_apart(key)) {
        return {{},
                fmt::format("{}, and both keys of one would be in different slots of the Redis Cluster",
                            policy == nullptr ? std::string("of no policy") : "of policy '" + policy->name + "'"),
                "a policy of one name in both deployments says what a key becomes"};
    }
    return {std::move(key), {}, {}};
}

bool Renaming::falls_apart(std::string_view key) const {
    const auto& limiter = limiter_of(to_).of(key);
    const auto slot = sharding::cluster_slot(key);
    for (std::size_t part = 1; part < limiter.parts().size(); ++part) {
        if (sharding::cluster_slot(limiter.part_key(key, part)) != slot) return true;
    }
    return false;
}

}  // namespace ratectl::commands::reshard
