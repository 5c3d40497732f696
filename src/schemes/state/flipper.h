// Features that are on for a share of their actors, a hash each whose fields are the gates. Source: flipper 1.x,
// adapters/redis.rb.
#pragma once

#include <array>

#include "domain/rollout.h"
#include "schemes/state/state_scheme.h"

namespace ratectl::schemes::flipper {

/// Nothing is counted in them: they are looked at, and their gates put in place and put back.
class FlipperScheme final : public state::StateScheme {
public:
    FlipperScheme();

    std::string layout() const override { return "flipper"; }
    std::span<const Part> parts() const override;
    std::string_view uncountable(const domain::WindowLook& /*look*/) const override { return "read-only"; }
    /// They never expire.
    bool stays_for_good() const override { return true; }
    domain::Window judge(const domain::WindowLook& look, support::Instant now,
                         std::optional<std::int64_t> limit) const override;
    std::vector<domain::Finding> diagnose(const domain::WindowLook& look,
                                          const domain::Circumstances& around) const override;
    std::optional<domain::FeatureGates> gates_in(const domain::WindowLook& look) const override;
    std::string state_with(const domain::FeatureGates& gates) const override;
    /// `used` is what people read: `25 % of actors`.
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

/// Embedded from lua/state/ at build, behind flipper.lua.
extern const redis::Script kCountScript;
extern const redis::Script kRefundScript;
extern const redis::Script kResetScript;
extern const redis::Script kRestoreScript;
extern const redis::Script kPutScript;

}  // namespace ratectl::schemes::flipper
