// Works out a server's clock: ours, and the skew that was measured when the command began.
#include "commands/doctor/surroundings.h"

#include "commands/request/selection.h"

namespace ratectl::commands::doctor {

domain::Circumstances Surroundings::of(const std::optional<domain::PolicyMatch>& match, const domain::Node& node,
                                       support::WallTime read_at) const {
    domain::Circumstances around;
    around.now = settings_.now.value_or(support::to_instant(read_at));
    around.server_now = read_at + servers_.skew_of(node);
    around.period = period_of({match, {}, {}}, settings_);
    around.is_ours = match.has_value();
    return around;
}

}  // namespace ratectl::commands::doctor
