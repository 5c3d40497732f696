// Every window of the old deployment as it goes by, with its route; what is left behind is counted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/context.h"
#include "commands/request/selection.h"
#include "commands/reshard/renaming.h"
#include "commands/reshard/route.h"
#include "commands/sweep/subject.h"
#include "domain/node.h"
#include "output/diagnostics.h"

namespace ratectl::commands::reshard {

/// What the windows come to that are neither moved nor left where both deployments look for them.
struct LeftBehind {
    std::uint64_t closed = 0;
    std::uint64_t endless = 0;
    std::uint64_t orphans = 0;
    std::uint64_t corrupt = 0;
    std::uint64_t misplaced = 0;
    std::uint64_t arrived = 0;
    /// Those that have no name in the new deployment, by the reason.
    struct Nameless {
        std::uint64_t count = 0;
        std::string one;  // of the keys
        std::string hint;
    };
    std::map<std::string, Nameless> nameless;

    /// `5 closed, 2 misplaced`; empty when there are none.
    std::string words() const;
    std::vector<std::pair<std::string, std::int64_t>> counts() const;
    /// One warning for each reason why windows have no name there.
    void tell_nameless(output::Diagnostics& messages, const DeploymentPair& deployments) const;
};

/// A window that is live, or in a state that was named, or counts without an end. Only while it is handed over.
struct Surveyed {
    const domain::WindowLook& look;
    const domain::Window& window;
    const KeyMeaning& meaning;
    std::size_t from = 0;
    std::optional<Route> route;  // stays, moves or unproven; null: it has no name in the new deployment
    bool goes_along = true;      // false: endless or nameless, and so left behind, whatever its client loses by that

    bool stays() const { return route && route->decision == MoveDecision::stays; }
};

class Survey {
public:
    /// `states`: taken beside the live ones. DeploymentPair and context outlive it.
    Survey(const DeploymentPair& deployments, std::vector<domain::WindowState> states, domain::ReadFrom from,
           Context& context);
    /// One page of windows; false at the end, and when the command was told to stop.
    bool next(const std::function<void(const Surveyed&)>& take);
    const std::vector<store::NodeFailure>& failures() const { return stream_->failures(); }
    /// How many shards have been seen wholly.
    std::size_t shards_seen() const;
    const LeftBehind& left_behind() const { return left_; }

private:
    void note_left(Standing standing);
    bool has_home(std::string_view new_key) const;
    void note_nameless(const std::string& key, Renaming::Name name);
    bool is_at_home(const Route& route, bool goes_along);

    const DeploymentPair& deployments_;
    Router router_;
    Renaming renaming_;
    std::vector<domain::WindowState> states_;
    Context& context_;
    Filter everything_;
    SweepSubject subject_;
    std::unique_ptr<store::ScanStream> stream_;
    LeftBehind left_;
};

}  // namespace ratectl::commands::reshard
