// Throttles and their knobs by their names: which keys they have under the deployment's policy for them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/context.h"
#include "commands/request/selection.h"
#include "commands/request/syntax.h"
#include "domain/policy.h"

namespace ratectl::commands::throttle {

/// The command that removes throttles with their knobs, as journals have it.
inline constexpr std::string_view kDeleteCommand = "throttle delete";

/// Whether what a command of this name changes are throttles: a name there is no key, and never a pattern.
inline bool changes_throttles(std::string_view command) {
    return command.starts_with("knobs") || command.starts_with("throttle ");
}

/// Which throttles, as given.
struct Names {
    std::vector<std::string> names;
    std::optional<std::string> policy;  // --policy, where several are of throttles
};
/// `reads_input`: a single `-` stands for those on standard input.
void bind_names(Syntax syntax, Names& names, bool reads_input = true);
void bind_policy(Syntax syntax, Names& names);

/// Whether the windows of this policy are throttles.
bool is_of_throttles(const domain::Policy& policy, const config::Settings& settings);
/// Whether a policy says how they are called.
bool has_throttles(const config::Settings& settings);
/// The policy whose windows are throttles. Throws Failure: configuration (there is none), usage (several, or another).
const domain::Policy& policy_of(const Names& names, Context& context);
/// Their buckets, for whatever looks at windows or changes them. Throws Failure (usage) where names make no keys.
Selection buckets_of(const Names& names, Context& context);
/// Of one, by its name alone. Throws Failure: usage as above, partial where the key is an earlier policy's.
std::string key_of(const domain::Policy& policy, std::string_view name, const config::Settings& settings);
/// The keys of their buckets, with what the lines of standard input name in the place of `-`. Throws Failure (usage)
/// where `-` stands beside others, for a fingerprint, for what turns a knob, and where not all lines name throttles of
/// the policy; as key_of() and check_together() do.
std::vector<std::string> keys_of(const Names& names, Context& context);
/// A limiter reads a throttle and its knobs at once, on one server: what is written to knobs on another, or in another
/// slot, turns nothing, and no output would show it. Throws Failure (configuration) where that would be so.
void check_together(const std::string& throttle, Context& context);
/// The key of the knobs of the throttle with this key.
std::string knobs_key(std::string_view throttle);
/// The key of the throttle that has this key or these knobs.
std::string_view throttle_of(std::string_view key);

}  // namespace ratectl::commands::throttle
