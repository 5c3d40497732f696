// A feature of Flipper where its Redis keeps it: looked at, and its share of actors turned.
#pragma once

#include <optional>
#include <string>

#include "commands/request/feature_context.h"
#include "domain/rollout.h"
#include "store/store.h"

namespace ratectl::commands::rollout {

/// What its server says; the gates are null where it has none of that name.
struct SeenFeature {
    domain::Node node;
    support::Result<std::optional<domain::FeatureGates>> gates;
};
/// Which server has a key of Flipper's. Throws Failure (configuration) where nothing says how keys are shared out.
store::Place place_of_feature(const std::string& key, FeatureContext& context);
SeenFeature look_at_feature(const std::string& name, FeatureContext& context);

/// Flipper's set of all their names.
inline const std::string kNamesOfFeatures = "flipper_features";
/// What that holds, up to 10,000 of them.
store::HoldingAnswer names_of_features(FeatureContext& context);
/// Whether it is there, can be read, and names this one: a feature that is listed and has no gates is off for all.
bool is_listed_feature(const std::string& name, FeatureContext& context);

/// For whom it is on.
struct StoredShare {
    double of_actors = 0;      // the percentage
    std::string besides = {};  // for whom else, in words; empty: for no one
};
/// As it is stored now. Throws Failure: what the look failed by, configuration (no such feature, or what is stored is
/// no percentage).
StoredShare share_of_actors(const std::string& name, Context& context);

}  // namespace ratectl::commands::rollout
