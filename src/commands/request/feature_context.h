// Features of Flipper in the place of windows: a deployment whose keys are looked at, turned and put back as such.
#pragma once

#include <memory>

#include "commands/deployment_context.h"

namespace ratectl::commands {

/// How they are stored.
inline constexpr std::string_view kFeatureScheme = "flipper";

/// The deployment at hand, on which features are all there is.
class FeatureContext final : public DeploymentContext {
public:
    /// Throws Failure (usage): it has a memcached.
    explicit FeatureContext(Context& base);

    const GlobalOptions& options() const override { return features_->options; }

private:
    struct Features {
        config::Settings settings;
        std::unique_ptr<store::Store> store;
        GlobalOptions options;  // with --scheme, so that what is pasted means features, too
    };
    static std::unique_ptr<Features> features_of(Context& base);
    FeatureContext(Context& base, std::unique_ptr<Features> features);

    std::unique_ptr<Features> features_;
};

}  // namespace ratectl::commands
