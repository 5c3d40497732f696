// Of a client's window and the one that its organisation shares, the one that refuses first.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commands/named_looks.h"

namespace ratectl::commands {

/// A look that waits for those it is compared with.
struct WaitingLook {
    domain::WindowLook look;
    std::optional<domain::Node> node;
    support::WallTime read_at{};
    bool stale = false;
};

/// Throws Failure (usage) where --org has not one single client to compare with.
void check_organisation(const Selection& selection);
/// For each look: whether it has the fewest remaining of those of one policy, the client's own before the shared one; null where
/// a limit is unknown, or one of the two was not looked at. An exempt client's own window never refuses.
std::vector<std::optional<bool>> binding_of(std::span<const WaitingLook> looks, const config::Settings& settings);
using TellBinding = std::function<void(const std::string& key, std::optional<bool> binding)>;
/// Takes all looks before it gives the first on, and tells before each whether it binds. Throws Failure (usage) for --from all.
void look_at_organisation(KeyStream& keys, const NamedQuestion& question, const Filter& filter, Context& context,
                          const LookReceiver& receiver, const TellBinding& bind);
/// With --org only the looks that a client is told of: those that bind, or, where nobody can tell which do, its own. Else all of them, at once.
void look_at_what_is_told(const Selection& selection, KeyStream& keys, const NamedQuestion& question,
                          const Filter& filter, Context& context, const LookReceiver& receiver);
/// What the client calls the windows of a policy, shared or its own; empty: no policy.
std::string_view resource_of(const KeyMeaning& meaning);

}  // namespace ratectl::commands
