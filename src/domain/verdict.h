// What a window means for its client's next request: one stable word, and one more for why.
#pragma once

#include <optional>
#include <string_view>

#include "domain/diagnosis/divergence.h"
#include "domain/window.h"
#include "support/time.h"

namespace ratectl::domain {

enum class Verdict {
    allowed,        // the next request is let through
    limited,        // it is refused
    limit_unknown,  // requests are counted, and it is not said how many are too many
    broken,         // what is stored cannot be counted on
    disagreement,   // servers of one shard, or their clocks and ours, decide differently
    unknown,        // the server that decides did not answer
};
/// `allowed`, `limited`, `limit-unknown`, `broken`, `disagreement`, `unknown`.
std::string_view name_of(Verdict verdict);
/// Whether a monitor is told of it: the next request is not let through, or nothing tells whether it is. Of a limit
/// that is unknown it is told by another exit code.
bool calls_for_attention(Verdict verdict);

enum class VerdictReason {
    below_limit,
    exempt,       // nothing is ever refused
    no_window,    // nothing is counted at this moment
    window_over,  // what is there is ignored
    half_window,  // so is a counter without an end, or an end without a counter
    limit_used_up,
    limit_is_zero,
    no_limit_known,
    corrupt,
    servers_differ,
    clocks_differ,
    primary_silent,
    nobody_answered,
};
/// `below-limit`, `no-window`, ...
std::string_view name_of(VerdictReason reason);

struct Ruling {
    Verdict verdict = Verdict::unknown;
    VerdictReason reason = VerdictReason::nobody_answered;

    bool operator==(const Ruling&) const = default;
};

/// What a reader of this window would decide at `now`. With an unknown limit that cannot be told, whatever is stored:
/// it may be 0.
Ruling rule_on(const Window& window, support::Moment now);

/// The same of an answer that an application could have got.
Verdict rule_on(const Answer& answer);

/// Over all servers of a shard. `decided`: the ruling on what the view that counts shows; null where no server
/// answered.
Ruling rule_on_all(const std::optional<Ruling>& decided, const Divergence& divergence);

}  // namespace ratectl::domain
