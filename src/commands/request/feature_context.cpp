// Opens a store of its own for features, whose keys are all features.
#include "commands/request/feature_context.h"

#include <utility>

#include <fmt/format.h>

#include "store/directory.h"

namespace ratectl::commands {
namespace {

support::Failure no_redis(const domain::Shard& shard) {
    return support::Failure(
        ExitCode::usage,
        fmt::format("Flipper keeps its features in Redis, and {} is a memcached", shard.primary.address()),
        "-d or -u names the deployment that has them");
}

}  // namespace

std::unique_ptr<FeatureContext::Features> FeatureContext::features_of(Context& base) {
    auto features = std::make_unique<Features>();
    features->settings = base.settings();
    features->settings.layout = {std::string(kFeatureScheme), ""};
    features->settings.policies = {};
    features->settings.limiter = &store::limiter_of(features->settings.layout);
    features->store = base.store_of(features->settings);
    features->options = base.options();
    features->options.overrides.scheme = kFeatureScheme;
    const auto& place = features->store->directory().places().front();
    if (place.primary.protocol == domain::Protocol::memcached) throw no_redis(place);
    return features;
}

FeatureContext::FeatureContext(Context& base) : FeatureContext(base, features_of(base)) {}

FeatureContext::FeatureContext(Context& base, std::unique_ptr<Features> features)
    : DeploymentContext(base, features->settings, features->store->directory(), features->store.get()),
      features_(std::move(features)) {}

}  // namespace ratectl::commands
