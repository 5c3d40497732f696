// Looks at the keys that a selection names, in their order, on the shard that has each.
#pragma once

#include <functional>

#include "commands/request/selection.h"
#include "domain/node.h"
#include "domain/window.h"

namespace ratectl::commands {

struct NamedQuestion {
    domain::ReadFrom from;
    domain::LookDepth depth = domain::LookDepth::light;
    bool as_script = false;
    std::size_t full_first = 0;  // of a light question: so many keys get the full look all the same
    bool any_window = false;     // the receiver of the looks asks the filter what it makes of windows
};
/// As is usual: the full look for the first kFullLookUpTo keys, wherever they come from, and for all where the filter
/// asks for states, which a light look may mistake.
NamedQuestion question_of_named(const Filter& filter, const config::Settings& settings);

/// What becomes of each answer.
struct LookReceiver {
    std::function<void(const SeenLook&)> take;
    std::function<void(const domain::Node&, const support::Error&)> fail;
    /// A key was found on several shards, which has been said already; may be unset.
    std::function<void()> duplicate = {};
    /// Called before waiting for more standard input: show what is there.
    std::function<void()> idle;
};

/// Where a key is looked for: in one place, or in all when no rule says how several share keys.
std::vector<store::Place> places_to_ask(std::string_view key, Context& context);

/// One notice where every shard is asked because it is not said how keys are shared out.
void say_home_unknown(Context& context);

/// Constant memory, whatever the number of keys. Keys that the filter's policies, classes and shards exclude are not
/// asked for, windows that it excludes are not handed on; keys.left_out() has noted both. Stops early at the stop
/// signal. Throws Failure (configuration) where the filter needs a limit that is unknown.
void look_at_named(KeyStream& keys, const NamedQuestion& question, const Filter& filter, Context& context,
                   const LookReceiver& receiver);

}  // namespace ratectl::commands
