// Everything that is known of one window when it is explained: the paragraph and the columns are both made from this.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/diagnosis/divergence.h"
#include "domain/diagnosis/finding.h"
#include "domain/node.h"
#include "domain/verdict.h"
#include "domain/window.h"
#include "domain/write.h"
#include "support/time.h"

namespace ratectl::commands::explain {

/// One server of the shard. Names are as they are shown: with --redact they name no host.
struct ServerFacts {
    std::string name;     // `primary 10.0.0.1:6379`
    std::string address;  // `10.0.0.1:6379`
    std::string shard;
    bool answered = false;
    std::string refusal;   // what it answered in place of the window; empty: nothing, or it answered
    bool decides = false;  // its answer is the one that counts
    bool acts_as_primary = false;
    domain::Cause cause = domain::Cause::none;
    bool differs = false;
    std::string detail;  // why it differs, or soon may, in words
    std::optional<support::Milliseconds> clock_skew;
};

/// An answer that an application could have got, and the servers that give it.
struct AnswerFacts {
    domain::Verdict verdict = domain::Verdict::unknown;
    std::string words;
    std::vector<std::size_t> from;  // servers
    bool through_lua_only = false;
    bool by_their_clock_only = false;
};

/// An operation of this machine that changed this window, step by step.
struct ChangeFacts {
    std::string_view what;   // static: `increment`, `refund`, `reset`, `undo`, `repair`
    std::string command;     // `refund`, `replay`, `apply` ...
    std::string who;         // `alice on web1`; empty with --redact
    std::string operation;   // the id that history and undo take
    support::WallTime at{};  // the last step
    std::uint64_t steps = 0;
    std::uint64_t unknown = 0;    // steps with an outcome that is not known
    domain::StoredWindow before;  // the first step
    domain::StoredWindow after;   // the last one
};

struct WindowFacts {
    std::string key;       // bytes; with --redact the hidden name
    std::string argument;  // how a command line names it: quoted for a shell, or `KEY` with --redact
    std::string pattern;   // the same of a GLOB that only this key matches
    domain::Ruling ruling;
    domain::Window window;                     // as the server that counts shows it
    std::optional<std::int64_t> limit;         // as the policy says it: of the window it may be another one
    bool end_moves = false;                    // with every request
    bool is_pair = false;                      // what is stored of it is two keys: one alone is half of it
    bool limits_rate = true;                   // the limit is so many in a period, else so many at a time
    std::string remark;                        // of its limiter, in sentences
    std::int64_t begins_below = 0;             // the limiter begins its time anew with what is counted below; 0: never
    std::int64_t carried = 0;                  // of no open window: what the next request goes on from
    std::string throttle;                      // how `ratectl knobs` takes it; empty: it has no knobs
    std::string missing_terms;                 // flags that say what is not known: ` --limit N`
    std::optional<support::Instant> ended_at;  // of a window that is over
    std::optional<std::string> stored_used;    // the counter as stored; null with --redact unless it is a number
    std::optional<std::string> stored_reset_at;  // the same of the expiry half
    std::string layout;                          // how its limiter stores it
    support::Moment now{};
    std::optional<support::WallTime> read_at;  // null: no node answered

    std::string policy;
    std::string client;
    std::string client_class;
    std::optional<support::Seconds> period;
    std::string limit_source;

    std::string deployment;
    std::string deployment_flags;  // ` -d NAME`, ` -u URL`: without them a pasted command could mean other servers
    std::string all_shards_flags;  // the same for commands with --all-shards
    std::string shard;             // empty: no shard has the key, and it is not known which one it belongs to
    std::vector<ServerFacts> servers;
    std::vector<AnswerFacts> answers;        // the one that counts first
    std::string bad_key;                     // why its servers have no such key; empty: they can
    bool ownerless = false;                  // no node of a Redis Cluster has the key's slot, nor is it on a shard
    std::vector<std::string> silent_shards;  // may have the key as well: it is not known where it belongs
    domain::Standing standing = domain::Standing::none;
    bool differ = false;

    std::vector<domain::Finding> findings;  // misplaced and duplicate among them
    /// Where the key names a part of another window, as the end of one: what that is called, and that window. Then
    /// nothing is wrong with the key: it is not to be a window.
    std::string part;
    std::string whole;                 // as it is shown
    std::string whole_argument;        // as `argument`
    std::vector<ChangeFacts> changes;  // newest first
};

/// Which of the servers decides; null: none answered.
const ServerFacts* deciding_server(const WindowFacts& facts);
/// The first second at which a client is let through that the server which counts refuses; null where it does not, or
/// that is not known.
std::optional<support::Instant> allowed_from(const WindowFacts& facts);

/// The paragraph, on one line: printable, no trailing space.
std::string paragraph_of(const WindowFacts& facts, const std::string& zone);
/// One sentence or two about a client over all of its windows; empty without any. `client`: as it may be shown.
std::string client_verdict_of(std::span<const WindowFacts> windows, const std::string& client, const std::string& zone);
/// What to do, one step each: commands in backquotes. Empty: nothing.
std::vector<std::string> advice_for(const WindowFacts& facts);

}  // namespace ratectl::commands::explain
