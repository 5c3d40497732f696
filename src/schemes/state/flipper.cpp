// Features that are on for a share of their actors, a hash each whose fields are the gates. Source: flipper 1.x,
// adapters/redis.rb.
#include "schemes/state/limiters.h"

#include <algorithm>
#include <array>

#include "domain/rollout.h"
#include "schemes/packed.h"
#include "schemes/state/settings_scheme.h"

namespace ratectl::schemes::flipper {

/// Embedded from lua/state/ at build, behind flipper.lua.
extern const Scripts kScripts;

namespace {

/// Nothing is counted in them: they are looked at, and their gates put in place and put back.
class FlipperScheme final : public state::SettingsScheme {
public:
    FlipperScheme();

    std::string_view layout() const override { return "flipper"; }
    std::span<const Part> parts() const override;
    std::optional<domain::FeatureGates> gates_in(const domain::WindowLook& look) const override;
    std::string state_with(const domain::FeatureGates& gates) const override;

private:
    std::optional<std::string> settings_in(const domain::WindowLook& look) const override;
};

}  // namespace

FlipperScheme::FlipperScheme() : SettingsScheme(kScripts) {}

std::span<const domain::Limiter::Part> FlipperScheme::parts() const {
    static constexpr std::array<Part, 1> all{{{"feature", "features", "hash", domain::kGateFields, false, true}}};
    return all;
}

std::optional<domain::FeatureGates> FlipperScheme::gates_in(const domain::WindowLook& look) const {
    const auto& value = look.parts.front().value;
    auto texts = value ? texts_of(*value, domain::kGateFields.size()) : std::nullopt;
    if (!texts) return std::nullopt;
    domain::FeatureGates gates;
    std::ranges::move(*texts, gates.texts.begin());
    return gates;
}

std::optional<std::string> FlipperScheme::settings_in(const domain::WindowLook& look) const {
    const auto gates = gates_in(look);
    return gates ? std::optional(domain::words_of(*gates)) : std::nullopt;
}

std::string FlipperScheme::state_with(const domain::FeatureGates& gates) const {
    std::string state;
    for (const auto& text : gates.texts) append_packed(state, text);
    return state;
}

Made make() { return std::make_unique<FlipperScheme>(); }

}  // namespace ratectl::schemes::flipper
