// The generic cell rate algorithm: one string under K holds the moment at which all that was used is free again (the
// theoretical arrival time); a request moves it by period / limit. Source: limiters that are named in schemes/book.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/policy.h"
#include "redis/script.h"
#include "schemes/single_key_scheme.h"

namespace ratectl::schemes::gcra {

/// What the stored text says: nanoseconds since the epoch, or seconds with a fraction since the epoch or 2017.
enum class Unit { nanoseconds, seconds, seconds_since_2017 };
/// How the library has the key expire: when the moment comes to the millisecond, or in whole seconds before or after.
enum class Life { to_the_millisecond, rounded_down, rounded_up };

struct Rules {
    Unit unit = Unit::nanoseconds;
    Life life = Life::to_the_millisecond;
    /// `burst` is what may come beside the first request (else all that may come at once), and it has to be said.
    bool beside_first = false;
};

/// The server's clock counts. Without a policy the moment is known, and not how many requests it stands for.
class GcraScheme final : public SingleKeyScheme {
public:
    GcraScheme(Rules rules, const domain::Policy* policy);

    std::string layout() const override;
    std::span<const Part> parts() const override;
    std::optional<std::size_t> used_part() const override { return std::nullopt; }
    std::optional<support::Instant> next_end(std::string_view key, support::Instant now,
                                             std::optional<support::Seconds> period) const override;
    bool end_moves() const override { return true; }
    support::Instant moved_end(std::string_view key, support::Instant end, std::int64_t requests) const override;

    std::int64_t most_let_through(std::int64_t limit) const override;
    domain::Window judge(const domain::WindowLook& look, support::Instant now,
                         std::optional<std::int64_t> limit) const override;
    std::optional<support::Instant> open_until(const domain::WindowLook& look, support::Instant now) const override;
    std::string corruption(const domain::WindowLook& look) const override;
    std::string words_of(const domain::WindowLook& look, support::Instant now) const override;
    std::vector<domain::Finding> diagnose(const domain::WindowLook& look,
                                          const domain::Circumstances& around) const override;
    domain::StoredWindow stored(const domain::WindowLook& look) const override;
    domain::WindowLook look_at(std::string key, const domain::StoredWindow& stored) const override;

    redis::ScriptCall count_call(std::span<const domain::CountItem* const> items, const CallHead& head) const override;
    redis::ScriptCall refund_call(std::span<const domain::RefundItem* const> items,
                                  const CallHead& head) const override;
    redis::ScriptCall reset_call(std::span<const domain::ResetItem* const> items, const CallHead& head) const override;
    redis::ScriptCall restore_call(std::span<const domain::RestoreItem* const> items,
                                   const CallHead& head) const override;

private:
    /// Nanoseconds since the epoch; null: nothing is stored, or no moment.
    std::optional<std::int64_t> arrival(const domain::WindowLook& look) const;
    /// Of the policy.
    std::optional<support::Seconds> period() const;
    /// How far one request moves it, in nanoseconds; null: the period is not known, or nothing passes.
    std::optional<double> per_request(std::optional<std::int64_t> limit) const;
    /// The limit of the key by the policy.
    std::optional<std::int64_t> limit_of(std::string_view key) const;
    std::optional<std::int64_t> used(std::int64_t ahead_ns, std::optional<std::int64_t> limit) const;
    /// The first columns of all scripts.
    static constexpr std::size_t kTerms = 4;
    std::array<std::string, kTerms> terms(const std::string& key) const;

    Rules rules_;
    domain::PolicyBook policy_;  // one or none
};

/// Embedded from lua/gcra/ at build.
extern const redis::Script kCountScript;
extern const redis::Script kRefundScript;
extern const redis::Script kResetScript;
extern const redis::Script kRestoreScript;

}  // namespace ratectl::schemes::gcra
