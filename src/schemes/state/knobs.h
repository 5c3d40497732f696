// Knobs of a throttle, in a hash of their own: how many requests a second, how much of that at once, and how long its
// windows are. Source: limitlion 1.1, throttle.lua and throttle.py.
#pragma once

#include <array>

#include "domain/knobs.h"
#include "schemes/state/settings_scheme.h"

namespace ratectl::schemes::knobs {

/// What is behind the name of a throttle.
inline constexpr std::string_view kSuffix = ":knobs";
inline constexpr auto kFields = domain::kKnobNames;

/// Nothing is counted in them: they are looked at, put in place, removed and put back.
class KnobsScheme final : public state::SettingsScheme {
public:
    KnobsScheme();

    std::string_view layout() const override { return "knobs"; }
    std::span<const Part> parts() const override;
    std::optional<domain::Knobs> knobs_in(const domain::WindowLook& look) const override;
    std::string state_with(const domain::Knobs& knobs) const override;

private:
    std::optional<std::string> settings_in(const domain::WindowLook& look) const override;
};

/// What a look shows of them; null: nothing.
std::optional<domain::Knobs> read(const domain::StoredKey& key);

/// Embedded from lua/state/ at build, behind knobs.lua.
extern const Scripts kScripts;

}  // namespace ratectl::schemes::knobs
