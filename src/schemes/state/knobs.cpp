// Reads a throttle's knobs.
#include "schemes/state/knobs.h"

#include <algorithm>

#include "schemes/packed.h"

namespace ratectl::schemes::knobs {
KnobsScheme::KnobsScheme() : SettingsScheme(kScripts) {}

std::span<const domain::Limiter::Part> KnobsScheme::parts() const {
    static constexpr std::array<Part, 1> all{{{"knobs", "knobs", "hash", kFields, false, false, true}}};
    return all;
}

std::optional<domain::Knobs> KnobsScheme::knobs_in(const domain::WindowLook& look) const {
    return read(look.parts.front());
}

std::optional<std::string> KnobsScheme::settings_in(const domain::WindowLook& look) const {
    const auto knobs = knobs_in(look);
    return knobs ? std::optional(domain::words_of(*knobs)) : std::nullopt;
}

std::string KnobsScheme::state_with(const domain::Knobs& knobs) const {
    std::string state;
    for (const auto& text : knobs.texts) append_packed(state, text);
    return state;
}

std::optional<domain::Knobs> read(const domain::StoredKey& key) {
    auto texts = key.value ? fields_of(*key.value, kFields.size()) : std::nullopt;
    if (!texts) return std::nullopt;
    domain::Knobs knobs;
    std::ranges::move(*texts, knobs.texts.begin());
    return knobs;
}

}  // namespace ratectl::schemes::knobs
