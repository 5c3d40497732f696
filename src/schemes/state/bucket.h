// A bucket of tokens in two strings: K (`x.tokens`) has how many there were, and `x.timestamp` beside it the second of
// the last request. So many a second come back until the bucket is full. Source: limiters that are named in
// schemes/book.cpp.
#pragma once

#include "schemes/state/tokens.h"

namespace ratectl::schemes::bucket {

class BucketScheme final : public tokens::TokensScheme {
public:
    BucketScheme(state::Clock clock, const domain::Policy* policy);

    std::string layout() const override { return "bucket"; }
    std::span<const Part> parts() const override;
    std::string part_key(std::string_view key, std::size_t part) const override;
    std::string part_glob(std::string_view glob, std::size_t part) const override { return part_key(glob, part); }
    std::optional<PartOf> part_of(std::string_view stored) const override;
    std::optional<std::string_view> window_of(std::string_view scanned) const override;
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

/// Embedded from lua/state/ at build, behind bucket.lua.
extern const Scripts kScripts;

}  // namespace ratectl::schemes::bucket
