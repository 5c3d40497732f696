// Notes which servers answer in each round; one that is not heard of in a round keeps its state.
#include "commands/watch/server_health.h"

#include <algorithm>

namespace ratectl::commands::watch {
namespace {

std::string name_of(const domain::Node& node) { return node.shard + '\n' + node.name(); }

}  // namespace

ServerHealth::Server& ServerHealth::server(const domain::Node& node) {
    auto& found = servers_[name_of(node)];
    found.node = node;
    return found;
}

void ServerHealth::begin_round() {
    for (auto& [name, one] : servers_) {
        one.answered = one.stale = false;
        one.error.reset();
    }
}

void ServerHealth::note_answer(const domain::Node& node, bool stale) {
    Server& one = server(node);
    one.answered = true;
    one.stale = one.stale || stale;
}

void ServerHealth::note_failure(const domain::Node& node, const support::Error& error) {
    Server& one = server(node);
    if (!one.error) one.error = error;
}

ServerHealth::State ServerHealth::state_of(const Server& server) {
    if (server.answered) return server.stale ? State::stale : State::well;
    return server.error ? State::failed : server.said;
}

std::vector<ServerHealth::Change> ServerHealth::end_round() {
    std::vector<Change> changes;
    for (auto& [name, one] : servers_) {
        const State now = state_of(one);
        if (now == one.said) continue;
        using enum domain::WindowEvent;
        if (now == State::failed) {
            changes.push_back({one.node, failed, one.error});
        } else {
            changes.push_back({one.node, now == State::stale ? stale : back, {}});
        }
        one.said = now;
    }
    return changes;
}

bool ServerHealth::has_answered(const domain::Node& node) const {
    const auto found = servers_.find(name_of(node));
    return found != servers_.end() && found->second.answered;
}

std::vector<ServerHealth::Failing> ServerHealth::failing() const {
    std::vector<Failing> failing;
    for (const auto& [name, one] : servers_) {
        if (!one.answered && one.error) failing.push_back({one.node, *one.error});
    }
    return failing;
}

bool ServerHealth::anyone_answers() const {
    return std::ranges::any_of(servers_, [](const auto& entry) { return entry.second.answered; });
}

}  // namespace ratectl::commands::watch
