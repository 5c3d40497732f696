// Where one window of the old deployment belongs in the new one.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "commands/reshard/deployment_pair.h"
#include "domain/window.h"

namespace ratectl::commands::reshard {

enum class MoveDecision {
    stays,      // its server has it in both deployments
    moves,      // another server has it in the new one
    unproven,   // so it seems, but the two may be one server
    arrived,    // where the old application does not look for it, and the new one does
    misplaced,  // where neither looks for it
};
struct Route {
    MoveDecision decision = MoveDecision::stays;
    std::size_t to = 0;  // its shard in the new deployment
};

class Router {
public:
    /// Where `from` knows no homes, a window is at home where it is found, and so it is where keys have slots, which
    /// may be on their way. `to` knows them. No match: no server is one of both. All outlive the router.
    Router(const store::Directory& from, const store::Directory& to, const std::vector<std::vector<ServerMatch>>& match)
        : from_(from), to_(to), match_(match) {}
    explicit Router(const DeploymentPair& deployments)
        : Router(deployments.from.store->directory(), deployments.to.store->directory(), deployments.match) {}

    /// `new_key`: what it is called in the new deployment.
    Route route_of(std::string_view key, std::string_view new_key, std::size_t found_on) const;
    Route route_of(std::string_view key, std::size_t found_on) const { return route_of(key, key, found_on); }
    /// Its application looks for it there.
    bool is_at_home(std::string_view key, std::size_t found_on) const;

private:
    const store::Directory& from_;
    const store::Directory& to_;
    const std::vector<std::vector<ServerMatch>>& match_;
};

/// Whether a client would miss the window: live ones move, the others are left behind and counted. What counts and
/// nothing ends is missed, too, and would be as wrong where it is moved to.
enum class Standing { live, closed, endless, orphan, corrupt };
Standing standing_of(const domain::WindowLook& look, domain::WindowState state, support::Moment now);

}  // namespace ratectl::commands::reshard
