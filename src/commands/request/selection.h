// SELECTION: which windows a command is about, the same words for every command.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/context.h"
#include "commands/looks/left_out.h"
#include "commands/looks/meant_instead.h"
#include "commands/request/syntax.h"
#include "domain/policy.h"
#include "domain/window.h"
#include "input/key_rows.h"

namespace ratectl::commands {

/// As given. Keys: arguments, `-`, --client, --match; the rest narrows.
struct Selection {
    std::vector<std::string> keys;                  // literal; a single `-` means standard input
    std::optional<std::vector<std::string>> exact;  // keys as they are, never spelled by people: none means standard
                                                    // input or stands in --key-format; may be empty
    std::vector<std::string> clients;               // --client, repeatable; a single `-` means standard input
    bool clients_or_keys = false;                   // the lines for `-` of `clients` may be keys of the one policy, too
    std::optional<std::string> match;               // --match GLOB
    std::optional<std::string> org;                 // --org: the organisation of the clients
    std::vector<std::string> values;                // --set NAME=VALUE, for the other holes of their keys
    std::optional<std::string> path;  // --path: of a request, which says under which policies clients are meant
    bool is_chain = false;            // a policy that cannot be asked for is a gap, also where it is the only one
    std::optional<std::string> only_client;  // a sweep for the windows of this client
    bool all = false;                        // --all
    std::vector<std::string> policies;       // --policy, comma-separated or repeated
    std::vector<std::string> classes;        // --class
    std::vector<std::string> states;         // --state
    std::optional<std::string> min_used;     // N or P%
    std::optional<std::string> resets_within;
    std::vector<std::string> shards;  // --shard
    std::string actor;  // what features call a client, `User;{client}`: rows may name it so; empty: they may not
    const config::Settings* beside = nullptr;  // of another deployment, of whose windows rows may be, too: they name
                                               // keys here, and say nothing more
    std::string input;  // --input keys|ndjson|csv|tsv|json: what `-` holds; empty: what its first line shows
};

/// So many keys that are named get the full look unasked; those behind them a light one.
inline constexpr std::size_t kFullLookUpTo = 100;

/// Throws Failure (usage) for an empty `key`, `client` or what else was named so.
[[noreturn]] void throw_empty(const std::string& what);

/// A single `-`: they stand on standard input.
bool is_dash(const std::vector<std::string>& names);

/// The hole of Selection::actor.
inline constexpr std::string_view kClientHole = "{client}";
/// --actor, whose rows of actors name clients; check_selection() knows its faults.
void bind_actor(Syntax syntax, Selection& selection);
/// --input, for commands that declare the rest of their selection themselves.
void bind_input_format(Syntax syntax, Selection& selection);
/// Whether what was not named one by one may be selected as well.
enum class Sweeps { allowed, refused };
/// KEY..., --client, --input and the filters; --match and --all, where sweeps are allowed.
void bind_selection(Syntax syntax, Selection& selection, Sweeps sweeps = Sweeps::allowed);
/// --org, --set and --path, which say more about clients.
void bind_client_values(Syntax syntax, Selection& selection);
/// --set says what this hole holds.
bool sets(const Selection& selection, std::string_view hole);
/// Only what narrows: --policy, --class, --state, --min-used, --resets-within, --shard.
void bind_filters(Syntax syntax, Selection& selection, Sweeps sweeps = Sweeps::allowed);
/// Throws Failure (usage) when the ways to select exclude each other: keys or clients with --match or --all, `-` twice,
/// `-` among keys.
void check_selection(const Selection& selection);

struct KeyMeaning;

/// The narrowing half, checked once.
class Filter {
public:
    /// Throws Failure (usage) for unknown policies, classes, states, shards, bad numbers, each with a near name. The
    /// settings outlive it.
    Filter(const Selection& selection, const config::Settings& settings, const store::Directory& directory);

    bool accepts_shard(std::size_t shard) const;
    /// The flag that leaves the key out by policy, class or client only, which can be asked before any look; empty:
    /// none does.
    std::string_view refused_by(const std::optional<domain::PolicyMatch>& match) const;
    /// The same of a key that a sweep lists: settings are no client's windows, unless --policy names them.
    bool accepts_listed(const KeyMeaning& meaning) const;
    /// The flag that leaves the window out by what a look shows; empty: none does. Throws Failure (configuration)
    /// naming the key when a percent filter or --state exhausted meets a window whose limit is unknown; that of an
    /// exempt client is known to have none.
    std::string_view refused_by(std::string_view key, const domain::Window& window, support::Moment now) const;
    bool accepts(std::string_view key, const domain::Window& window, support::Moment now) const {
        return refused_by(key, window, now).empty();
    }
    /// False where a name cannot leave anything out.
    bool judges_names() const { return !policies_.empty() || !classes_.empty() || client_; }
    /// False where a look cannot leave anything out.
    bool judges_windows() const { return !states_.empty() || min_used_ || min_percent_ || resets_within_; }
    /// True where a light look can never show a state that is asked for.
    bool needs_full_look() const;
    /// True where the state decides: a light look may show another one than a full look would.
    bool judges_states() const { return !states_.empty(); }
    /// How many requests a window has to have used, else this filter would not have taken it; null: any number will do.
    std::optional<std::int64_t> least_used(const domain::WindowLook& look, const domain::Window& window) const;
    /// Why that flag, which refused_by() gave, leaves the window out: `its state is open`.
    static std::string words_for(std::string_view flag, const domain::Window& window);
    /// True when the whole filter cannot accept a window with this counter, whatever the rest of it is; false where
    /// only the window itself can tell, or an unknown limit is to be complained about.
    bool rules_out(std::string_view counter, std::optional<std::int64_t> limit) const;
    /// Whether rules_out() is ever true.
    bool can_rule_out() const { return min_used_ || min_percent_ || only_exhausted_; }
    const std::vector<std::string>& policies() const { return policies_; }
    /// Whether --policy names it, or nothing. The policy of an organisation's windows has a name of its own.
    bool accepts_policy(const domain::Policy& policy) const;
    /// What is known of the holes of the policy's keys that a sweep for one client looks for.
    domain::Captures known_of(const domain::Policy& policy) const;
    const std::vector<std::size_t>& shards() const { return shards_; }  // empty: all
    const std::vector<domain::WindowState>& states() const { return states_; }

private:
    std::vector<std::string> policies_;
    std::vector<std::string> classes_;
    std::optional<std::string> client_;  // of a sweep for one client: it, and its organisation
    std::optional<std::string> org_;
    std::vector<domain::WindowState> states_;
    std::vector<std::size_t> shards_;
    std::optional<std::int64_t> min_used_;
    std::optional<double> min_percent_;
    const config::Settings& settings_;
    bool exhausted_wanted_ = false;
    bool only_exhausted_ = false;
    std::optional<support::Seconds> resets_within_;
};

/// One key that a selection named, with what came beside it on the input row.
struct NamedKey {
    std::string key;
    std::optional<std::int64_t> amount;
    input::SeenWindow seen = {};  // what the row says was there: its guard
    bool is_request = false;      // of standard input, and tells nothing of a look: no more than a key and an amount
    std::string client = {};      // as it was named, where its key was not: that may hold it in another form
};

/// How keys are written in arguments and lines of standard input, by --key-format; with -0 they are raw.
output::KeyFormat key_format_of(Context& context);

/// Pulls the keys of a selection without --match, in order, a chunk at a time so that a million keys use constant
/// memory. Selection and context outlive it.
class KeyStream {
public:
    /// `read_whole`: for a change, which reads ahead and is refused as a whole where a line can be no key.
    KeyStream(const Selection& selection, Context& context, bool read_whole = false);
    /// Up to `most` keys; empty at the end. Returns early (but never empty) when standard input has nothing ready.
    std::vector<NamedKey> next(std::size_t most);
    /// The same, into strings that are used again and again; the span is of `memory`.
    std::span<NamedKey> next(std::size_t most, std::vector<NamedKey>& memory);
    /// True when next() need not wait for standard input.
    bool ready();
    /// For --exit-status: why the looks at these keys do not tell of all that was meant. Standard input that named
    /// nothing is such a reason.
    void tell_untold(Outcome& outcome) const;
    /// How many keys there are; null for standard input, which tells only at its end.
    std::optional<std::size_t> count() const { return count_; }
    /// The command was stopped before it came to `keys` of those that next() has given, nor to those that it has not.
    void note_untried(std::uint64_t keys) const;
    /// The keys of this stream that filters leave out, to be noted by the caller that asks the filter.
    LeftOut& left_out() const { return *left_out_; }
    /// What may have been meant by these keys, to be told what the looks at them show.
    MeantInstead& meant() const { return *meant_; }

private:
    std::function<std::size_t(std::size_t, std::vector<NamedKey>&)> pull_;
    std::function<bool()> ready_;
    std::function<bool()> named_nothing_;
    std::optional<std::size_t> count_;
    std::size_t given_ = 0;
    std::shared_ptr<LeftOut> left_out_;
    std::shared_ptr<MeantInstead> meant_;
};

/// Whether the filter lets this look at a named key through, which is noted. Throws Failure as Filter::refused_by().
bool lets_through(const Filter& filter, LeftOut& left_out, std::string_view key, const domain::Window& window,
                  support::Moment now);
/// True when the selection names keys, clients or an organisation (so there is no sweep).
bool names_keys(const Selection& selection);
/// The organisation's own windows and no client's: --org alone.
bool names_organisation(const Selection& selection);
/// True when it is about whatever the servers have: --match, --all, a client of unknown keys, or nothing but policies
/// or classes.
bool selects_by_sweep(const Selection& selection);
/// The limit_source of a limit that is stored with a window.
inline constexpr std::string_view kStoredLimit = "stored";
/// The policy match and limit of a key under these settings: what is stored with its window, then --limit, then what
/// the key itself says, then policies. A view of all of them.
struct KeyMeaning {
    std::optional<domain::PolicyMatch> match;
    std::optional<std::int64_t> limit;
    std::string_view
        limit_source;  // `stored`, `flag`, `key`, `policy:core`, `class:enterprise`, `class-file:CLIENT`, `exempt`, ``
    std::optional<support::Seconds> period = {};  // as the key itself says
    bool unlimited = false;                       // as is stored with its window
    bool is_settings = false;                     // they limit nothing

    /// Never limited, so that no limit is known and none is missing.
    bool exempt() const { return is_settings || unlimited || (match && match->exempt && !limit); }
};
/// The policy that a key is under. One that is never a window but a part of one is under that window's, by which it is
/// read, whichever later one has its name.
std::optional<domain::PolicyMatch> match_of(std::string_view key, const config::Settings& settings);
/// As far as the key tells.
KeyMeaning meaning_of(std::string_view key, const config::Settings& settings);
KeyMeaning meaning_of(const domain::WindowLook& look, const config::Settings& settings);
/// One look as commands take it: a view.
struct SeenLook {
    const domain::WindowLook& look;
    const KeyMeaning& meaning;
    const domain::Node* node = nullptr;  // null: every shard was asked, and none has the key
    support::WallTime read_at{};
    bool stale = false;  // from a replica that had lost its primary
};
/// How long a window of that key lasts: --period first, then the key itself, then its policy; null: not said.
std::optional<support::Seconds> period_of(const KeyMeaning& meaning, const config::Settings& settings);

}  // namespace ratectl::commands
