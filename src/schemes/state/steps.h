// A bucket of tokens in one hash under K: `tokens` were there, and `refilledAt` is the millisecond up to which it has
// been filled. At the end of every whole `period` from there `limit` of them come back at once, until it is full.
// Source: the limiter that is named in schemes/book.cpp.
#pragma once

#include "schemes/state/tokens.h"

namespace ratectl::schemes::steps {

class StepsScheme final : public tokens::TokensScheme {
public:
    explicit StepsScheme(const domain::Policy* policy);

    std::string layout() const override { return "bucket filled in steps"; }
    std::span<const Part> parts() const override;
    std::optional<support::Instant> next_end(std::string_view key, support::Instant now,
                                             std::optional<support::Seconds> period) const override;

private:
    support::Instant end_after(const domain::WindowLook& look, support::Instant now,
                               std::int64_t requests) const override;
    std::optional<state::Meaning> meaning(const domain::WindowLook& look, const Texts& texts, std::int64_t now_ns,
                                          std::optional<std::int64_t> limit) const override;
    bool is_later(const domain::WindowLook& look, const domain::WindowLook& then,
                  const domain::StoredWindow& was) const override;
};

/// Embedded from lua/state/ at build, behind steps.lua.
extern const Scripts kScripts;

}  // namespace ratectl::schemes::steps
