// Leases in a sorted set under K: a request that begins adds a member of its own, whose score is the second, and takes
// it away when it ends. Whose end was lost counts until the lease is over. Source: limiters that are named in
// schemes/book.cpp.
#pragma once

#include "schemes/state/state_scheme.h"

namespace ratectl::schemes::lease {

/// The limit is how many may be in use at a time, and `period` is how long a lease lasts (a minute where that is not
/// said). The application's clock counts. The limiter removes what is over at its next check, so that the last leases
/// of a client that stays away stay for good.
class LeaseScheme final : public state::StateScheme {
public:
    explicit LeaseScheme(const domain::Policy* policy);

    std::string layout() const override { return "leases"; }
    std::span<const Part> parts() const override;
    std::size_t texts_a_request() const override { return 2; }
    bool limits_rate() const override { return false; }
    bool stays_for_good() const override { return true; }
    std::string words_of(const domain::WindowLook& look, support::Instant now) const override;
    std::string remark(const domain::WindowLook& look, support::Instant now) const override;
    std::optional<support::Instant> next_end(std::string_view key, support::Instant now,
                                             std::optional<support::Seconds> period) const override;

private:
    support::Instant end_after(const domain::WindowLook& look, support::Instant now,
                               std::int64_t requests) const override;
    std::optional<state::Meaning> meaning(const domain::WindowLook& look, const Texts& texts, std::int64_t now_ns,
                                          std::optional<std::int64_t> limit) const override;
    std::vector<std::string> terms(const std::string& key) const override;
    std::string_view uncountable(const domain::WindowLook& /*look*/) const override { return ""; }
    bool is_countable(std::int64_t limit) const override { return limit > 0; }
    support::Seconds lasts() const;
};

/// Embedded from lua/state/ at build, behind lease.lua.
extern const Scripts kScripts;

}  // namespace ratectl::schemes::lease
