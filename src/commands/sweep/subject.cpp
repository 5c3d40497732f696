// One decision for all sweeps: by the pattern, by the name, by the look.
#include "commands/sweep/subject.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands/request/throttle_names.h"

namespace ratectl::commands {
namespace {

/// Counters alone are asked for: as such, or among corrupt ones, where policies tell what a counter is.
bool names_lone_counters(const Filter& filter, const config::Settings& settings) {
    const auto names = [&](domain::WindowState state) {
        return std::ranges::find(filter.states(), state) != filter.states().end();
    };
    return names(domain::WindowState::orphan_counter) ||
           (names(domain::WindowState::corrupt) && !settings.policies.empty());
}

bool has_kept(const domain::Limiter& limiter) {
    return std::ranges::any_of(limiter.parts(), &domain::Limiter::Part::kept);
}

}  // namespace

SweepSubject::SweepSubject(SubjectRules rules, const Filter& filter, const config::Settings& settings)
    : rules_(std::move(rules)), filter_(filter), settings_(settings) {
    rules_.orphans = rules_.orphans || names_lone_counters(filter, settings);
    pattern_ = rules_.glob ? *rules_.glob : common_pattern();
}

// What the keys of all wanted policies have in common. With none named, and several there, the keys that none of them
// matches are counted.
std::string SweepSubject::common_pattern() const {
    std::vector<const domain::Policy*> wanted;
    for (const domain::Policy& policy : settings_.policies.policies()) {
        if (filter_.accepts_policy(policy)) wanted.push_back(&policy);
    }
    const bool narrows =
        !filter_.policies().empty() || (rules_.others == SubjectRules::Others::unlisted && wanted.size() == 1);
    if (!narrows || wanted.empty()) return "*";
    if (wanted.size() == 1) return wanted.front()->key.glob(filter_.known_of(*wanted.front()));
    std::string_view common = wanted.front()->key.beginning();
    for (const domain::Policy* policy : wanted) {
        const auto differ = std::ranges::mismatch(common, policy->key.beginning());
        common = common.substr(0, static_cast<std::size_t>(differ.in1 - common.begin()));
    }
    return domain::escape_glob(common) + "*";
}

store::ScanQuestion SweepSubject::question() {
    store::ScanQuestion scan;
    scan.glob = pattern_;
    scan.shards = filter_.shards();
    if (rules_.orphans || finds_idle()) {
        scan.orphan_counters = [this](std::string_view key) {
            if (!(has_kept(limiter_of(settings_).of(key)) ? rules_.idle : rules_.orphans)) return false;
            const KeyMeaning meaning = meaning_of(key, settings_);
            return meaning.match && filter_.accepts_listed(meaning);
        };
    }
    // The pattern has seen to it where there is but one policy, and all of its keys are meant.
    const bool pattern_tells = settings_.policies.policies().size() == 1 && pattern_ != "*";
    const bool policies_tell = part_of(KeyMeaning{}) == Part::unknown;
    if (filter_.judges_names() || (policies_tell && !pattern_tells))
        scan.is_meant = [this](std::string_view key) { return takes(meaning_of(key, settings_)); };
    return scan;
}

void SweepSubject::check_orphans() const {
    if (!rules_.orphans || !settings_.policies.empty()) return;
    throw support::Failure(ExitCode::usage,
                           "counters without an expiry half are known by a policy's template, and there is no policy",
                           "give --key, for example --key 'core:{client}'");
}

SweepSubject::Part SweepSubject::part_of(const KeyMeaning& meaning) const {
    const bool others = rules_.glob || settings_.policies.empty() || rules_.others == SubjectRules::Others::meant;
    if (!meaning.match && !others) return Part::unknown;
    return filter_.accepts_listed(meaning) ? Part::meant : Part::excluded;
}

/// Some window that is meant may be known by what stands beside it alone.
bool SweepSubject::finds_idle() const {
    return rules_.idle && std::ranges::any_of(settings_.policies.policies(), [this](const domain::Policy& policy) {
               return filter_.accepts_policy(policy) && throttle::is_of_throttles(policy, settings_);
           });
}

bool SweepSubject::is_idle(const domain::WindowLook& look, const KeyMeaning& meaning) {
    return domain::is_absent(look) &&
           domain::judge(look, domain::kWhenever, meaning.limit).state == domain::WindowState::absent;
}

// Nothing but the pair itself says that they are a window.
bool SweepSubject::is_half(const domain::WindowLook& look) const {
    if (rules_.glob || !settings_.policies.empty() || !filter_.states().empty()) return false;
    const auto has_value = [](const domain::StoredKey& part) { return part.value.has_value(); };
    return rules_.lone_keys ? std::ranges::none_of(look.parts, has_value) : lacks_a_value(look);
}

bool SweepSubject::counted(Part part) {
    if (part == Part::unknown) ++unknown_;
    if (part == Part::excluded) ++excluded_;
    return part == Part::meant;
}

void SweepSubject::leave_out(domain::WindowState state) {
    if (state != domain::WindowState::absent) ++left_out_[state];  // it went between its name and the look
}

std::string SweepSubject::left_out_words() const {
    std::string words;
    std::uint64_t keys = 0;
    for (const auto& [state, count] : left_out_) {
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", count, name_of(state));
        keys += count;
    }
    if (words.empty()) return words;
    return fmt::format("{} key{} left out: {}", keys, keys == 1 ? "" : "s", words);
}

std::string unknown_keys_are(std::uint64_t keys, std::string_view what) {
    return keys == 1 ? fmt::format("1 key that no policy matches is {}", what)
                     : fmt::format("{} keys that no policy matches are {}", keys, what);
}

}  // namespace ratectl::commands
