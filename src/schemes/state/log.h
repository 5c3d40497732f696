// The times of requests under one key: each of them is free again a period later, so that the window moves with the
// clock. Source: limiters that are named in schemes/book.cpp.
#pragma once

#include "schemes/state/state_scheme.h"

namespace ratectl::schemes::log {

/// What limiters of this layout do differently.
struct Rules {
    /// In a sorted set, whose scores are microseconds; else in a list, in seconds and the newest first.
    bool in_set = false;
    /// No more than the limit are stored: the oldest give way.
    bool trims = true;
    /// Seconds without a fraction; the keys live for two periods, and of a list that is longer than the limit the
    /// oldest time decides.
    bool whole = false;
    /// What tells entries apart is random, and not their time.
    bool random = false;
    /// Its keys end in `/100/1/minute`.
    bool names_quota = false;
};

/// The application's clock counts. Without a period the times are known, and not how long they count.
class LogScheme final : public state::StateScheme {
public:
    LogScheme(Rules rules, const domain::Policy* policy);

    std::string layout() const override;
    std::span<const Part> parts() const override;
    std::size_t texts_a_request() const override { return rules_.in_set ? 2 : 1; }
    std::optional<Quota> quota_in(std::string_view key) const override;
    std::optional<support::Instant> next_end(std::string_view key, support::Instant now,
                                             std::optional<support::Seconds> period) const override;
    domain::StoredWindow foreseen(const domain::WindowLook& look, support::Instant now, std::int64_t requests,
                                  std::int64_t used) const override;
    std::string_view uncountable(const domain::WindowLook& look) const override;

private:
    /// The times as they are stored, the newest first; null: something else.
    std::optional<std::vector<double>> times_in(std::string_view text) const;
    /// The time of a request that comes at that millisecond.
    double time_at(std::int64_t now_ms) const;
    bool counts(double at, double now, std::int64_t period) const;
    /// The first second at which it does not count.
    std::int64_t free_at(double at, std::int64_t period) const;
    support::Instant end_after(const domain::WindowLook& look, support::Instant now,
                               std::int64_t requests) const override;
    std::optional<state::Meaning> meaning(const domain::WindowLook& look, const Texts& texts, std::int64_t now_ns,
                                          std::optional<std::int64_t> limit) const override;
    std::vector<std::string> terms(const std::string& key) const override;
    bool is_countable(std::int64_t limit) const override { return limit > 0; }
    std::optional<std::int64_t> limit_of(std::string_view key) const override;
    std::optional<support::Seconds> period_of(std::string_view key) const;
    /// Those that are stored then, the newest first.
    std::vector<double> times_after(const domain::WindowLook& look, double at, std::int64_t requests) const;
    std::int64_t used_in(const std::vector<double>& times, double now, std::int64_t period,
                         std::optional<std::int64_t> limit) const;
    std::int64_t end_of(const std::vector<double>& times, std::int64_t period) const;
    /// Of those that are stored, which one the limiter asks for.
    std::size_t deciding(std::size_t stored, std::int64_t limit) const;

    Rules rules_;
};

}  // namespace ratectl::schemes::log

/// Embedded from lua/state/ at build, behind list_log.lua and log.lua.
namespace ratectl::schemes::list_log {
extern const Scripts kScripts;
}

/// Embedded from lua/state/ at build, behind set_log.lua and log.lua.
namespace ratectl::schemes::set_log {
extern const Scripts kScripts;
}
