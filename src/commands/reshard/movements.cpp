// Hands out the windows that have to move, a page of the survey at a time.
#include "commands/reshard/movements.h"

namespace ratectl::commands::reshard {

Movements::Movements(const DeploymentPair& deployments, std::vector<domain::WindowState> states, Context& context)
    : survey_(deployments, std::move(states), {domain::ReadFrom::Which::primary, {}}, context) {}

std::vector<PlannedKey> Movements::next(std::size_t most) {
    const auto take = [this](const Surveyed& found) {
        if (found.route.decision == MoveDecision::stays) {
            ++stay_;
            return;
        }
        PlannedKey key;
        key.key = found.look.key;
        key.shard = found.from;
        found_.push_back(std::move(key));
    };
    while (found_.empty()) {
        if (!survey_.next(take)) return {};
    }
    std::vector<PlannedKey> keys;
    while (!found_.empty() && keys.size() < most) {
        keys.push_back(std::move(found_.front()));
        found_.pop_front();
    }
    return keys;
}

}  // namespace ratectl::commands::reshard
