// Which limiter wrote a key, how sure that is, and what it means now. Pure: looks come in, words go out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/identify/holding.h"
#include "support/time.h"

namespace ratectl::domain {

/// certain: name, type, value and time to live agree in what no chance explains. likely: they agree, and another
/// writer could have chosen the same. unsure: they do not contradict it.
enum class Sureness { unsure, likely, certain };
std::string_view name_of(Sureness sureness);

/// What a policy of such keys would say.
struct PolicyHint {
    std::string key = {};  // a template, the client its hole
    std::optional<std::int64_t> limit = {};
    std::optional<support::Seconds> period = {};
    bool guessed = false;  // where the client begins

    bool operator==(const PolicyHint&) const = default;
};

inline constexpr std::string_view kUnknownSystem = "unknown";
inline constexpr std::string_view kNoSystem = "absent";

struct Origin {
    /// As `scheme` names it, where there is a scheme of that name; kUnknownSystem: no rule knows it; kNoSystem: there
    /// is no such key.
    std::string_view system = kUnknownSystem;
    std::optional<Sureness> sureness = {};  // null: unknown, or absent
    std::string means;                      // for people, a clause or two
    std::optional<std::int64_t> used = {};
    std::optional<support::Instant> reset_at = {};
    std::string_view reset_kind = {};       // `stored`, `ttl`, `computed`: where reset_at comes from
    std::optional<PolicyHint> policy = {};  // only where it is more than a guess
};

Origin origin_of(const Holding& holding);

}  // namespace ratectl::domain
