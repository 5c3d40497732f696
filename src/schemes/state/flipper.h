// Features that are on for a share of their actors, a hash each whose fields are the gates. Source: flipper 1.x,
// adapters/redis.rb.
#pragma once

#include <array>

#include "domain/rollout.h"
#include "schemes/state/settings_scheme.h"

namespace ratectl::schemes::flipper {

/// Nothing is counted in them: they are looked at, and their gates put in place and put back.
class FlipperScheme final : public state::SettingsScheme {
public:
    FlipperScheme();

    std::string layout() const override { return "flipper"; }
    std::span<const Part> parts() const override;
    std::optional<domain::FeatureGates> gates_in(const domain::WindowLook& look) const override;
    std::string state_with(const domain::FeatureGates& gates) const override;

private:
    std::optional<std::string> settings_in(const domain::WindowLook& look) const override;
};

/// Embedded from lua/state/ at build, behind flipper.lua.
extern const Scripts kScripts;

}  // namespace ratectl::schemes::flipper
