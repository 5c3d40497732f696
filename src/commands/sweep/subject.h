// What a sweep is about: the pattern that servers are asked for, which of the keys that it lists are meant, and how
// many were passed over.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "commands/request/selection.h"
#include "domain/window.h"
#include "store/store.h"

namespace ratectl::commands {

struct SubjectRules {
    /// Keys that no policy matches, where there are policies and no GLOB: not listed if that can be helped, listed and
    /// counted, or meant, too.
    enum class Others { unlisted, counted, meant };

    std::optional<std::string> glob;  // whatever matches it is meant; null: what some policy's template matches
    Others others = Others::unlisted;
    /// Counters without an expiry half that a policy matches, too; --state orphan-counter means them as well.
    bool orphans = false;
    /// Windows, too, of which nothing is there but what says how they are counted, where that alone makes something of
    /// them: throttles that knobs stop or break.
    bool idle = false;
    /// Without GLOB and policies one key of a window is enough, and not only whole windows are meant.
    bool lone_keys = false;
};

/// All who sweep decide here. What a name tells is known before its values are asked for: an account that may not read
/// the rest is not refused. One SCAN is asked for all policies that are named, with what their keys have in common:
/// each SCAN walks the whole key space, whatever its MATCH is, and is not limited by the key patterns of an account.
class SweepSubject {
public:
    /// What a key is to the sweep; `unknown`: no policy matches it; `excluded`: --policy, --class or the client leaves
    /// it out.
    enum class Part { meant, unknown, excluded };

    /// Filter and settings outlive it.
    SweepSubject(SubjectRules rules, const Filter& filter, const config::Settings& settings);
    SweepSubject(const SweepSubject&) = delete;
    SweepSubject& operator=(const SweepSubject&) = delete;

    /// Pattern, shards, and what is asked about names, which refers to this subject.
    store::ScanQuestion question();
    /// Throws Failure (usage) where orphan counters are wanted, which only policies know, and there is none.
    void check_orphans() const;

    bool lists_orphans() const { return rules_.orphans; }
    const std::string& pattern() const { return pattern_; }
    const std::optional<std::string>& glob() const { return rules_.glob; }
    /// By the name alone.
    Part part_of(const KeyMeaning& meaning) const;
    /// Whether it is meant, by its name or by a look at it; counted if not.
    bool takes(const KeyMeaning& meaning) { return counted(part_of(meaning)); }
    bool takes(const domain::WindowLook& look, const KeyMeaning& meaning) {
        return !is_idle(look, meaning) && counted(is_half(look) ? Part::unknown : part_of(meaning));
    }
    /// One that was meant is not shown for its state.
    void leave_out(domain::WindowState state);
    /// A look has shown that this one is not meant, which no policy knows.
    void pass_over() { ++unknown_; }
    /// Forgets what was counted: another sweep begins.
    void begin() {
        unknown_ = excluded_ = 0;
        left_out_.clear();
    }

    std::uint64_t unknown() const { return unknown_; }
    std::uint64_t passed_over() const { return unknown_ + excluded_; }
    /// `3 keys left out: 1 corrupt, 2 closed`, of those that were not shown for their state; empty: none.
    std::string left_out_words() const;

private:
    std::string common_pattern() const;
    bool is_half(const domain::WindowLook& look) const;
    static bool is_idle(const domain::WindowLook& look, const KeyMeaning& meaning);
    bool finds_idle() const;
    bool counted(Part part);

    SubjectRules rules_;
    const Filter& filter_;
    const config::Settings& settings_;
    std::string pattern_;
    std::uint64_t unknown_ = 0;
    std::uint64_t excluded_ = 0;
    std::map<domain::WindowState, std::uint64_t, std::greater<>> left_out_;  // corrupt first, closed last
};

/// `2 keys that no policy matches are left out`
std::string unknown_keys_are(std::uint64_t keys, std::string_view what);

}  // namespace ratectl::commands
