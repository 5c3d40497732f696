// Of a client's window and the one that its organisation shares, those that refuse first.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commands/looks/named_looks.h"

namespace ratectl::commands {

/// A look that waits for those it is compared with.
struct WaitingLook {
    domain::WindowLook look;
    std::optional<domain::Node> node;
    support::WallTime read_at{};
    bool stale = false;
};

/// Throws Failure (usage) where --org or --path has not one single client to compare with.
void check_organisation(const Selection& selection);
/// Which limits stand against one another: those that a client and its organisation have under one policy, or all that
/// one request meets.
enum class Stack { policy, request };
/// A request is meant where its path is named.
inline Stack stack_of(const Selection& selection) { return selection.path ? Stack::request : Stack::policy; }
/// All looks before any is given on, whatever the filter says of them. Throws Failure (usage) for --from all.
std::vector<WaitingLook> look_at_all(KeyStream& keys, const NamedQuestion& question, const Filter& filter,
                                     Context& context, const LookReceiver& receiver);
/// For each look whether it binds its client: of a stack every limit that is used up, and where none is, those with the
/// fewest requests left. Null where that cannot be told: a limit is unknown, or the client's own window or the shared
/// one was not looked at. An exempt client's own window never refuses.
std::vector<std::optional<bool>> binding_of(std::span<const WaitingLook> looks, Stack stack,
                                            const config::Settings& settings);
/// For each look whether a client is told of it: of those of a stack that bind, the one that keeps the client out
/// longest; where none is known to bind, the client's own.
std::vector<bool> told_of(std::span<const WaitingLook> looks, Stack stack, const config::Settings& settings);
using TellBinding = std::function<void(const std::string& key, std::optional<bool> binding)>;
/// Takes all looks before it gives the first on, and tells before each whether it binds. Throws Failure (usage) for
/// --from all.
void look_at_stack(Stack stack, KeyStream& keys, const NamedQuestion& question, const Filter& filter, Context& context,
                   const LookReceiver& receiver, const TellBinding& bind);
/// With --org or --path only the looks that a client is told of (see told_of()). Else all of them, at once.
void look_at_what_is_told(const Selection& selection, KeyStream& keys, const NamedQuestion& question,
                          const Filter& filter, Context& context, const LookReceiver& receiver);
/// What the client calls the windows of a policy, shared or its own; empty: no policy.
std::string_view resource_of(const KeyMeaning& meaning);

}  // namespace ratectl::commands
