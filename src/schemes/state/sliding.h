// Two counters, of the present period and of the one before: the longer ago that is, the fewer of its requests count.
// Source: limiters that are named in schemes/book.cpp.
#pragma once

#include "schemes/counter/buckets.h"
#include "schemes/state/state_scheme.h"

namespace ratectl::schemes::sliding {

/// Whose the periods are. By TTL: Python's limits, K is the present one and lives for two periods, `K/-1` is the one
/// before, and both are moved by the first request of a new period; limit and period are in the key. By number:
/// Upstash's, every period has a key, and a window's second part is that of the number before.
class SlidingScheme final : public state::StateScheme {
public:
    /// By TTL.
    SlidingScheme();
    /// By number. Without buckets nothing says when a period is over, and so how many requests count.
    SlidingScheme(const domain::Policy* policy, std::optional<counter::Buckets> buckets);

    std::string layout() const override { return by_ttl_ ? "sliding counters" : "numbered sliding counters"; }
    std::span<const Part> parts() const override;
    std::string part_key(std::string_view key, std::size_t part) const override;
    std::string part_glob(std::string_view glob, std::size_t part) const override;
    bool parts_are_windows() const override { return true; }
    std::optional<PartOf> part_of(std::string_view stored) const override;
    std::optional<std::string_view> window_of(std::string_view scanned) const override;
    std::optional<Quota> quota_in(std::string_view key) const override;
    domain::Captures holes_at(std::string_view policy, support::Instant now) const override;
    std::string key_at(std::string key, support::Instant now) const override;
    std::optional<support::Instant> next_end(std::string_view key, support::Instant now,
                                             std::optional<support::Seconds> period) const override;
    domain::StoredWindow foreseen(const domain::WindowLook& look, support::Instant now, std::int64_t requests,
                                  std::int64_t used) const override;
    std::string_view uncountable(const domain::WindowLook& look) const override {
        return period_ms(look.key) ? "" : "no-rate";
    }
    std::int64_t floor_of(const domain::WindowLook& look, support::Instant now) const override;

private:
    struct Counters;

    std::size_t own_parts() const override { return 2; }
    std::optional<state::Meaning> meaning(const domain::WindowLook& look, const Texts& texts, std::int64_t now_ns,
                                          std::optional<std::int64_t> limit) const override;
    bool is_later(const domain::WindowLook& look, const domain::WindowLook& then,
                  const domain::StoredWindow& was) const override;
    support::Instant end_after(const domain::WindowLook& look, support::Instant now,
                               std::int64_t requests) const override;
    std::vector<std::string> terms(const std::string& key) const override;
    std::optional<std::int64_t> limit_of(std::string_view key) const override;
    bool is_countable(std::int64_t limit) const override { return limit > 0 && (by_ttl_ || buckets_); }
    std::optional<std::int64_t> needed_until_ns(const domain::WindowLook& look, std::size_t part,
                                                const state::Meaning& meant) const override;
    std::optional<domain::Finding> own_fault(const domain::WindowLook& look,
                                             const domain::Circumstances& around) const override;

    /// Null: the key does not say it, or nothing says how its periods are numbered.
    std::optional<std::int64_t> period_ms(std::string_view key) const;
    /// Null: no such integers are stored, or the period is not known.
    std::optional<Counters> counters_in(const domain::WindowLook& look) const;
    /// The same, after so many requests more.
    std::optional<Counters> counters_after(const domain::WindowLook& look, support::Instant now,
                                           std::int64_t requests) const;

    bool by_ttl_;
    std::optional<counter::Buckets> buckets_;
};

/// Embedded from lua/state/ at build, behind sliding.lua.
extern const Scripts kScripts;

}  // namespace ratectl::schemes::sliding
