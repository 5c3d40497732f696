// What pasted rate-limit headers claim of a window, and whether that can be true.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/time.h"

namespace ratectl::domain {

class Limiter;

/// One response's headers. What they did not say is null.
struct HeaderClaim {
    std::optional<support::Instant> date;  // the server's, from Date
    std::optional<std::string> resource;
    std::optional<std::int64_t> limit;
    std::optional<std::int64_t> remaining;
    std::optional<std::int64_t> used;
    std::optional<support::Instant> reset_at;     // said as a time
    std::optional<support::Seconds> reset_in;     // said as seconds from then
    std::optional<support::Seconds> retry_after;  // likewise, beside a refusal
    std::optional<support::Seconds> period;

    bool says_something() const { return limit || remaining || used || reset_at || reset_in || retry_after; }
};

enum class ClaimVerdict {
    now,             // what a client is told at this moment
    earlier,         // what it was told earlier in this window, or before it was opened
    earlier_window,  // of a window that is over
    stale_replica,   // what a replica says that should not be believed
    if_changed,      // true only if the window was removed, or requests were given back, since
    never,           // no window under this configuration makes an application say that
    too_little,      // the headers name neither a count nor a reset
};
/// `now`, `earlier`, `earlier-window`, `stale-replica`, `if-changed`, `never`, `too-little`.
std::string_view name_of(ClaimVerdict verdict);
/// Whether an application that works can have said it.
inline bool is_sound(ClaimVerdict verdict) { return verdict <= ClaimVerdict::earlier_window; }

/// The window as one node has it at `now`; null halves: no window, or one that is over.
struct ClaimView {
    std::string_view node;  // as messages name it
    std::optional<std::int64_t> used;
    std::optional<support::Instant> reset_at;  // also of a window that is over, if it is still there
    bool corrupt = false;
    std::int64_t carried = 0;  // what a window that is opened there begins with
};

struct ClaimSurroundings {
    support::Instant now{};
    std::string_view key;                     // of the window
    const Limiter* limiter = nullptr;         // what keeps it; null: what ends just as it is told, after its limit
    std::vector<std::int64_t> limits;         // that the client may have; empty: none is known
    std::vector<std::string_view> resources;  // that it may be told of; empty: none is known
    bool exempt = false;                      // it is told no such headers at all
    std::optional<support::Seconds> period;
    bool has_begun = true;  // false: a numbered window of the future
    ClaimView truth;        // the node that counts
    std::vector<ClaimView> others;
};

struct ClaimJudgement {
    ClaimVerdict verdict = ClaimVerdict::too_little;
    std::string detail;               // why, in a sentence, with figures
    std::optional<std::string> node;  // stale_replica: which
};

/// Why this client cannot have been told that, whatever its windows hold; null: it can, or that is not known.
std::optional<std::string> foreign_claim(const HeaderClaim& claim, const ClaimSurroundings& around);

/// Total over any claim. A reset said in seconds is precise to one second where there is a Date, since both ends round;
/// without one it only says when the window ended at the latest, as the headers are older than now.
ClaimJudgement judge_claim(const HeaderClaim& claim, const ClaimSurroundings& around);

}  // namespace ratectl::domain
