// May this be written? Every rule of `ratectl help writes` in one place: asked once, before the first write of a
// command.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/context.h"
#include "commands/request/syntax.h"

namespace ratectl::commands {

/// The flags every changing command has, as given.
struct ConsentFlags {
    std::optional<std::string> max_keys;  // --max-keys N
    std::optional<std::string> expect;    // --expect N
    std::optional<std::string> confirm;   // --confirm NAME
    std::optional<std::string> reason;    // --reason TEXT
};
void bind_consent(Syntax syntax, ConsentFlags& flags);

/// How many keys of a plan are named in a question.
inline constexpr std::size_t kShownKeys = 5;

/// What people name, and count, where they name keys: a throttle has its knobs beside its bucket.
struct CountedAs {
    std::string_view what = "window";
    std::uint64_t keys = 1;  // of each
};

/// What a command is about to write, as far as it is known.
struct WritePlan {
    std::string verb;   // `reset`, `refund`, `count requests in`: "about to VERB 41 windows"
    std::string parts;  // what becomes of how many, where that differs: `3 get other expiries, 2 are removed`
    std::uint64_t keys = 0;
    CountedAs counted_as = {};
    std::map<std::string, std::uint64_t> keys_per_shard;
    std::vector<std::string> first_keys;  // at most kShownKeys
    bool named_one = false;               // one that was named, not found by a sweep
    bool all = false;                     // --all
    bool more_to_come = false;            // streamed: `keys` have been read, others will follow
    bool incomplete = false;              // a server could not be asked which others there are

    /// What is counted, in the place of its keys.
    std::uint64_t count() const { return (keys + counted_as.keys - 1) / counted_as.keys; }
};

/// The rules for one command, with its flags checked.
class Consent {
public:
    /// Throws Failure: usage for bad numbers; guard where nothing may be written at all (--read-only, writes = "deny",
    /// a reason that is required and missing). A dry run is asked nothing, and refused only what its own flags forbid:
    /// --max-keys, --expect, --confirm. `dry`: for a command that writes nothing even without -n.
    Consent(const ConsentFlags& flags, Context& context, bool dry = false);

    /// How many keys, or what else is counted, have to be read before require() can be asked; null: all of them, 0:
    /// none.
    std::optional<std::uint64_t> keys_to_know() const;
    /// Returns if the plan may be carried out, asking on the terminal where that is the rule (the plan is shown on
    /// standard error first); else throws Failure (guard) that names the flag which answers. Nothing to write needs no
    /// consent.
    void require(const WritePlan& plan);
    /// A glob of `protect` matches it, or the key of the window that it is a part of, such as a throttle's for its
    /// knobs: nothing may change this key.
    bool is_protected(std::string_view key) const;

private:
    void check_counts(const WritePlan& plan) const;
    bool needs_name(const WritePlan& plan) const;
    void show(const WritePlan& plan) const;
    void ask_for_name(const WritePlan& plan) const;
    void ask_yes(const WritePlan& plan) const;

    Context& context_;
    bool dry_;
    std::optional<std::uint64_t> max_keys_;
    std::optional<std::uint64_t> expect_;
    std::optional<std::string> confirm_;
};

}  // namespace ratectl::commands
