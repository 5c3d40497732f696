// A feature of Flipper where its Redis keeps it: looked at, and its share of actors turned.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/request/feature_context.h"
#include "domain/rollout.h"
#include "store/store.h"

namespace ratectl::commands::rollout {

/// What one server says; the gates are null where it has none of that name.
struct SeenFeature {
    domain::Node node;
    support::Result<std::optional<domain::FeatureGates>> gates;
    bool stale = false;  // a replica that had lost its primary
};
/// Which server has a key of Flipper's. Throws Failure (configuration) where nothing says how keys are shared out.
store::Place place_of_feature(const std::string& key, FeatureContext& context);
/// One answer, or of `all` one a node; nodes in whose place another one answered are among the store's look_failures().
std::vector<SeenFeature> look_at_feature(const std::string& name, const domain::ReadFrom& from,
                                         FeatureContext& context);

/// Flipper's set of all their names.
inline const std::string kNamesOfFeatures = "flipper_features";
/// What that holds on one node (so not of `all`), up to 10,000 of them.
store::HoldingAnswer names_of_features(const domain::ReadFrom& from, FeatureContext& context);
/// Whether its primary names this one there: a feature that is listed and has no gates is off for all.
support::Result<bool> is_listed_feature(const std::string& name, FeatureContext& context);

/// For whom it is on.
struct StoredShare {
    double of_actors = 0;      // the percentage
    std::string besides = {};  // for whom else, in words; empty: for no one
};
/// As it is stored now. Throws Failure: what the look failed by, configuration (no such feature, or what is stored is
/// no percentage).
StoredShare share_of_actors(const std::string& name, Context& context);

}  // namespace ratectl::commands::rollout
