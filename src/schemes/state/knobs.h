// Knobs of a throttle, in a hash of their own: how many requests a second, how much of that at once, and how long its
// windows are. Source: limitlion 1.1, throttle.lua and throttle.py.
#pragma once

#include <array>

#include "domain/knobs.h"
#include "schemes/state/state_scheme.h"

namespace ratectl::schemes::knobs {

/// What is behind the name of a throttle.
inline constexpr std::string_view kSuffix = ":knobs";
inline constexpr auto kFields = domain::kKnobNames;

/// Nothing is counted in them: they are looked at, put in place, removed and put back.
class KnobsScheme final : public state::StateScheme {
public:
    KnobsScheme();

    std::string layout() const override { return "knobs"; }
    std::span<const Part> parts() const override;
    std::string_view uncountable(const domain::WindowLook& /*look*/) const override { return "read-only"; }
    /// Without a TTL they stay, which is no fault of theirs.
    domain::Window judge(const domain::WindowLook& look, support::Instant now,
                         std::optional<std::int64_t> limit) const override;
    std::vector<domain::Finding> diagnose(const domain::WindowLook& look,
                                          const domain::Circumstances& around) const override;
    std::optional<domain::Knobs> knobs_in(const domain::WindowLook& look) const override;
    std::string state_with(const domain::Knobs& knobs) const override;
    /// `used` is what people read: `rps 9, burst 1, window 5`.
    domain::StoredWindow stored(const domain::WindowLook& look) const override;

private:
    support::Instant end_after(const domain::WindowLook& /*look*/, support::Instant now,
                               std::int64_t /*requests*/) const override {
        return now;
    }
    std::optional<state::Meaning> meaning(const domain::WindowLook& look, const Texts& texts, std::int64_t now_ns,
                                          std::optional<std::int64_t> limit) const override;
    std::vector<std::string> terms(const std::string& /*key*/) const override { return {}; }
};

/// What a look shows of them; null: nothing.
std::optional<domain::Knobs> read(const domain::StoredKey& key);

/// Embedded from lua/state/ at build, behind knobs.lua.
extern const redis::Script kCountScript;
extern const redis::Script kRefundScript;
extern const redis::Script kResetScript;
extern const redis::Script kRestoreScript;
extern const redis::Script kPutScript;

}  // namespace ratectl::schemes::knobs
