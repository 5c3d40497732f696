// The columns of rollout who and rollout show: for which actors a feature is on, and for whom as it is stored.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "domain/node.h"
#include "domain/policy.h"
#include "domain/rollout.h"
#include "domain/window.h"
#include "output/field.h"

namespace ratectl::commands {

/// A view of the actor.
struct RolloutRow {
    std::string_view actor;
    std::uint32_t bucket = 0;
    bool on = false;
    std::optional<bool> then;  // at the other percentage, where one was named
};

std::span<const output::Field<RolloutRow>> rollout_fields();

/// A view of the name.
struct FeatureRow {
    std::string_view feature;
    const domain::Node& node;  // that was asked
    std::string_view shard;    // its, as it is shown
    bool stale = false;
    bool answered = false;
    std::optional<domain::FeatureGates> gates;  // null: no such feature
};

std::span<const output::Field<FeatureRow>> feature_fields();
/// Of the table where others than primaries are asked.
inline constexpr std::string_view kFeatureColumnsWithNode =
    "feature,node,role,state,percentage_of_actors,percentage_of_time,stored,shard";

/// Views of what outlives the row.
struct RolloutPair {
    std::string_view key;
    std::optional<domain::PolicyMatch> match;  // null: no policy knows the key
    std::string actor;                         // with a fingerprint where the client is secret; empty: not known
    std::optional<std::uint32_t> bucket;       // null, as the next two: the actor is not known
    std::optional<bool> moved;                 // the new deployment serves it
    std::string_view served_by;
    std::optional<domain::Window> old_window;  // null: no answer
    std::optional<domain::Window> new_window;
    std::string_view standing;               // static: how the two are to one another; empty: not known
    std::optional<std::int64_t> given_anew;  // requests that it may make once more because it moves, or has moved
    std::optional<std::int64_t> limit;
};

std::span<const output::Field<RolloutPair>> rollout_compare_fields();

}  // namespace ratectl::commands
