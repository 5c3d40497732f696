// LimitLion's throttles: a bucket of tokens in a hash under K, filled with each whole window of time that has passed,
// and beside it a hash of knobs (K:knobs) that people and governors turn. Source: limitlion 1.1, throttle.lua.
#pragma once

#include "schemes/state/knobs.h"
#include "schemes/state/state_scheme.h"

namespace ratectl::schemes::limitlion {

/// As soon as the knobs say how many a second, all that counts is theirs: rps, burst and window. Else it is the
/// policy's: `limit` tokens come back with each window, which is `period` long, and `burst` is the capacity (else as
/// much as `limit`). A write of a throttle never touches its knobs, and a reset leaves them.
class LimitlionScheme final : public state::StateScheme {
public:
    explicit LimitlionScheme(const domain::Policy* policy);

    /// Knobs have a scheme of their own.
    const Scheme& of(std::string_view key) const override;
    std::string layout() const override { return "bucket filled by windows"; }
    std::span<const Part> parts() const override;
    std::string part_key(std::string_view key, std::size_t part) const override;
    std::string part_glob(std::string_view glob, std::size_t part) const override { return part_key(glob, part); }
    std::optional<PartOf> part_of(std::string_view stored) const override;
    std::optional<std::string_view> window_of(std::string_view scanned) const override;
    std::optional<support::Instant> next_end(std::string_view key, support::Instant now,
                                             std::optional<support::Seconds> period) const override;
    std::optional<domain::Knobs> knobs_in(const domain::WindowLook& look) const override {
        return look.parts.size() > 1 ? knobs::read(look.parts[1]) : std::nullopt;
    }
    std::string_view uncountable(const domain::WindowLook& look) const override;
    std::int64_t most_let_through(std::int64_t limit) const override;

private:
    support::Instant end_after(const domain::WindowLook& look, support::Instant now,
                               std::int64_t requests) const override;
    std::optional<state::Meaning> meaning(const domain::WindowLook& look, const Texts& texts, std::int64_t now_ns,
                                          std::optional<std::int64_t> limit) const override;
    bool is_later(const domain::WindowLook& look, const domain::WindowLook& then,
                  const domain::StoredWindow& was) const override;
    std::vector<std::string> terms(const std::string& key) const override;
    std::string fault_in(const Texts& texts) const override;

    knobs::KnobsScheme knobs_;

    struct Rates {
        double rps = 0;
        double window = 0;    // in seconds
        double capacity = 0;  // whole
        bool by_knobs = false;

        bool stopped() const { return !unlimited() && !(rps > 0 && window > 0 && capacity > 0); }
        bool unlimited() const { return by_knobs && rps == -1; }
        /// So many tokens have come back after so many windows.
        double back_after(double windows) const;
        /// The moment in which this many lack no more.
        std::int64_t end_ns(double at, double lacking) const;
    };
    /// Of what the knobs say (null: they say nothing, and the policy does) or would be broken by.
    std::optional<Rates> rates(const std::optional<std::string_view>& knobs, std::optional<std::int64_t> limit) const;
};

/// Embedded from lua/state/ at build, behind limitlion.lua.
extern const Scripts kScripts;

}  // namespace ratectl::schemes::limitlion
