// Windows that are read and never counted into, because only their limiter can write them: one row a limiter says what
// is stored. Looks, resets and their undo do with them what they do with others. Source: limiters that are named in
// schemes/book.cpp.
#pragma once

#include "schemes/state/state_scheme.h"

namespace ratectl::schemes::opaque {

struct Stored {
    std::string_view text;  // of a hash its fields, packed
    std::int64_t now_ns = 0;
    std::optional<std::int64_t> expires_ns;  // null: the key never does, or it was not asked
    bool endless = false;                    // it never does
    std::optional<std::int64_t> limit;       // of the policy
};

/// What a limiter's text means; null: it stores no such thing.
using Decode = std::optional<state::Meaning> (*)(const Stored& stored);

struct Reader {
    std::string_view layout;
    domain::Limiter::Part part;
    state::Clock clock = state::Clock::server;
    Decode decode = nullptr;
};

/// One integer, of django-ratelimit: it lives for its period and five seconds more from its first request on, so that
/// its window ends five seconds before the key at the latest.
extern const Reader kDjango;
/// A hash of start, end and count: Laravel's Redis::throttle.
extern const Reader kLaravelThrottle;
/// A place of several that is taken, by a random word: Laravel's Redis::funnel.
extern const Reader kLaravelFunnel;
/// Bucket4j's state in binary, with its configuration in front of it.
extern const Reader kBucket4j;
/// An object of Symfony's RateLimiter, as PHP serializes it.
extern const Reader kSymfony;

class OpaqueScheme final : public state::StateScheme {
public:
    OpaqueScheme(const Reader& reader, const domain::Policy* policy);

    std::string layout() const override { return std::string(reader_.layout); }
    std::span<const Part> parts() const override { return {&reader_.part, 1}; }
    std::string_view uncountable(const domain::WindowLook& /*look*/) const override { return "read-only"; }

private:
    support::Instant end_after(const domain::WindowLook& /*look*/, support::Instant now,
                               std::int64_t /*requests*/) const override {
        return now;
    }
    std::optional<state::Meaning> meaning(const domain::WindowLook& look, const Texts& texts, std::int64_t now_ns,
                                          std::optional<std::int64_t> limit) const override;
    std::vector<std::string> terms(const std::string& /*key*/) const override { return {}; }
    bool is_countable(std::int64_t limit) const override { return limit > 0; }

    const Reader& reader_;
};

/// Embedded from lua/state/ at build, behind opaque.lua.
extern const Scripts kScripts;

}  // namespace ratectl::schemes::opaque

/// The scripts of opaque windows that are a hash.
namespace ratectl::schemes::opaque_span {

/// Embedded from lua/state/ at build, behind opaque_span.lua.
extern const Scripts kScripts;

}  // namespace ratectl::schemes::opaque_span
