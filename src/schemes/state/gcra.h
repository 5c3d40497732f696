// The generic cell rate algorithm: one string under K holds the moment at which all that was used is free again (the
// theoretical arrival time); a request moves it by period / limit. Source: limiters that are named in schemes/book.cpp.
#pragma once

#include "schemes/state/state_scheme.h"

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
class GcraScheme final : public state::StateScheme {
public:
    GcraScheme(Rules rules, const domain::Policy* policy);

    std::string layout() const override;
    std::span<const Part> parts() const override;
    std::optional<support::Instant> next_end(std::string_view key, support::Instant now,
                                             std::optional<support::Seconds> period) const override;
    std::int64_t most_let_through(std::int64_t limit) const override;
    /// The script has moved the moment from that of the server's clock, or on from where it was: to the nanosecond, or
    /// as exactly as a double of seconds holds it.
    bool has_other_terms(std::string_view key, const Counted& counted) const override;

private:
    support::Instant end_after(const domain::WindowLook& look, support::Instant now,
                               std::int64_t requests) const override;
    std::optional<state::Meaning> meaning(const domain::WindowLook& look, const Texts& texts, std::int64_t now_ns,
                                          std::optional<std::int64_t> limit) const override;
    bool is_later(const domain::WindowLook& look, const domain::WindowLook& then,
                  const domain::StoredWindow& was) const override;
    std::vector<std::string> terms(const std::string& key) const override;
    /// How far one request moves it, in nanoseconds; null: the period is not known, or nothing passes.
    std::optional<double> per_request(std::optional<std::int64_t> limit) const;

    Rules rules_;
};

/// Embedded from lua/state/ at build, behind gcra.lua.
extern const Scripts kScripts;

}  // namespace ratectl::schemes::gcra
