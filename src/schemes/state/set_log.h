// Logs in sorted sets: microseconds, which are the scores.
#pragma once

#include "schemes/state/log.h"

namespace ratectl::schemes::set_log {

class SetLogScheme final : public log::LogScheme {
public:
    SetLogScheme(log::Rules rules, const domain::Policy* policy);

    std::string layout() const override { return "sorted set of microseconds"; }
    std::span<const Part> parts() const override;
    std::size_t texts_a_request() const override { return 2; }

private:
    std::optional<std::vector<double>> times_in(std::string_view text) const override;
    double time_at(std::int64_t now_ms) const override;
    bool counts(double at, double now, std::int64_t period) const override;
    std::int64_t free_at(double at, std::int64_t period) const override;
};

/// Embedded from lua/state/ at build, behind set_log.lua and log.lua.
extern const redis::Script kCountScript;
extern const redis::Script kRefundScript;
extern const redis::Script kResetScript;
extern const redis::Script kRestoreScript;

}  // namespace ratectl::schemes::set_log
