// The windows that have to move, as planned keys: found by a survey of the old deployment's primaries.
#pragma once

#include <deque>

#include "commands/reshard/survey.h"
#include "commands/write/planned_keys.h"

namespace ratectl::commands::reshard {

class Movements final : public PlannedKeys {
public:
    Movements(const DeploymentPair& deployments, std::vector<domain::WindowState> states, Context& context);

    std::vector<PlannedKey> next(std::size_t most) override;
    std::vector<store::NodeFailure> failures() const override { return survey_.failures(); }
    bool is_sweep() const override { return true; }

    const LeftBehind& left_behind() const { return survey_.left_behind(); }
    std::uint64_t stay() const { return stay_; }

private:
    Survey survey_;
    std::deque<PlannedKey> found_;
    std::uint64_t stay_ = 0;
};

}  // namespace ratectl::commands::reshard
