// Named keys that a filter leaves out, or a stopped command: counted, listed, and said at the end, a line a filter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/context.h"
#include "output/row_sink.h"

namespace ratectl::commands {

class Outcome;

/// For a command that is refused as a whole: the key of what was named under one policy is another's, which comes
/// before it.
support::Error taken_fault(std::string_view key, const std::string& policy, const std::string& taker);

/// What was named is never left out in silence, and the command that did it ends with 9.
class LeftOut {
public:
    /// The context outlives it.
    explicit LeftOut(Context& context) : context_(context) {}

    /// What a filter made of one look at a named key: the flag that leaves it out, empty: none. The looks at one key
    /// come one after the other, and one that is let through is enough. `why`: in words, where the key alone does not
    /// tell it (a state).
    void note(std::string_view key, std::string_view flag, std::string why = {});
    /// The key of a named client under one policy is another's, which comes before it.
    void note_taken(std::string_view key, const std::string& policy, const std::string& taker);
    /// No policy is for this client.
    void note_client(std::string_view client);
    /// This one is not, which --policy names beside others that are.
    void note_client(std::string_view client, const std::string& policy);
    /// A policy that --policy names gives no key.
    void note_policy(const support::Error& why);
    /// No policy that --policy names has windows of organisations.
    void note_organisation(std::string_view organisation);
    /// A policy whose keys cannot be built from what was given, which has been said: nothing named is left out by that.
    void note_unbuilt(std::string why) { unbuilt_.push_back({{}, "--set", std::move(why)}); }
    /// For --exit-status, which tells nothing of what was not looked at.
    void tell_unbuilt(Outcome& outcome) const;
    const std::vector<output::LeftOutRow>& unbuilt() const { return unbuilt_; }
    /// No server told of that key, for a reason that has been said.
    void note_missing(const std::string& key, const support::Error& error);
    std::uint64_t missing() const { return missing_; }
    /// One error a node does not tell how much of the answer it took with it. `asked`: keys, the missing among them.
    /// A key that was asked for again and again is named once.
    void tell_missing(std::uint64_t asked) const;
    /// So many were not come to before the command was stopped. `more`: others may have been on their way.
    void note_untried(std::uint64_t keys, bool more);
    /// Says what was left out since the last time, which the outcome lists. `with_names`: keys may be named.
    void tell(Outcome& outcome, bool with_names = true);
    /// Anything ever was left out.
    bool any() const { return any_; }

private:
    struct Group {
        std::string flag;   // or what else
        std::string first;  // the key
        std::string why;
        std::uint64_t keys = 1;
    };
    void settle();
    void leave_client_out(const char* by, std::string why);
    void leave_out(const std::string& key, const std::string& by, std::string why);
    void tell_untried(Outcome& outcome);
    void list(output::LeftOutRow row);
    std::string why_of(std::string_view key, std::string_view flag) const;

    Context& context_;
    std::vector<output::LeftOutRow> unbuilt_;
    std::string key_;  // of the looks at hand
    bool let_through_ = true;
    std::string flag_;
    std::string why_;
    std::vector<Group> groups_;
    std::vector<support::Error> others_;
    std::vector<output::LeftOutRow> rows_;  // the first of them
    std::uint64_t count_ = 0;
    std::uint64_t clients_ = 0;
    std::vector<output::LeftOutRow> missing_rows_;  // the first of them
    std::uint64_t missing_ = 0;
    std::optional<std::uint64_t> untried_;
    bool more_untried_ = false;
    bool any_ = false;
};

}  // namespace ratectl::commands
