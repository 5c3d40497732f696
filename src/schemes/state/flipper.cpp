// Reads and writes the gates of a feature.
#include "schemes/state/flipper.h"

#include <algorithm>

#include "schemes/packed.h"

namespace ratectl::schemes::flipper {
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

}  // namespace ratectl::schemes::flipper
