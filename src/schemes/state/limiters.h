// The limiters that are kept by what is stored, the policy and the time: how each is made. Its layout, its source and
// its class are in the file of its name. `policy`, everywhere: whose windows it has; null: all of them, and then most
// limiters can say that something is used, and not how much.
#pragma once

#include <memory>
#include <optional>

#include "domain/policy.h"
#include "schemes/counter/buckets.h"
#include "schemes/state/state_scheme.h"

namespace ratectl::schemes {

using Made = std::unique_ptr<Scheme>;

namespace gcra {
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
Made make(Rules rules, const domain::Policy* policy);
}  // namespace gcra

namespace bucket {
Made make(state::Clock clock, const domain::Policy* policy);
}
namespace steps {
Made make(const domain::Policy* policy);
}
namespace limitlion {
Made make(const domain::Policy* policy);
}
namespace lease {
Made make(const domain::Policy* policy);
}
namespace flipper {
Made make();
}

namespace log {
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
Made make(Rules rules, const domain::Policy* policy);
}  // namespace log

namespace sliding {
/// Periods by TTL.
Made make();
/// Periods by number. Without buckets nothing says when a period is over, and so how many requests count.
Made make(const domain::Policy* policy, std::optional<counter::Buckets> buckets);
}  // namespace sliding

namespace opaque {
/// What only its own limiter can write, and what its text means.
struct Reader;
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
Made make(const Reader& reader, const domain::Policy* policy);
}  // namespace opaque

}  // namespace ratectl::schemes
