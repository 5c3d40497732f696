// What a look showed, a write demands: the guards of keys that a filter, a sweep, a plan or the row of a pipe has
// chosen.
#pragma once

#include "commands/write/change.h"
#include "commands/write/planned_keys.h"
#include "domain/limiter.h"
#include "domain/window.h"

namespace ratectl::commands {

/// To the window that was seen, if both halves make one; else to exactly these halves, and where there was none, to
/// that. A window that was over is as good as none for a change that does not take such windows.
void pin(PlannedKey& planned, const domain::StoredWindow& seen, bool over, const PlanRules& rules);
void pin(PlannedKey& planned, const domain::WindowLook& look, support::Moment now, const PlanRules& rules);
/// To what an input row tells; a row that tells of no look is a name and nothing else. The end alone is compared only
/// of a whole window: an orphan expiry has one, too, and a window may have come of it. Throws Failure (usage) for a row
/// that tells a state or a place, as commands print them, and nothing that could be compared.
void pin(PlannedKey& planned, const input::SeenWindow& seen, support::Moment now, const PlanRules& rules);
/// Rows and plans have no column for a state: what is none is shown as used, and one that is known has its end.
void fit_pin(PlannedKey& planned, const domain::Limiter& limiter);
/// Of PlannedKey::whole: to what the look shows, or the refusal of what is half a window there.
std::optional<Refusal> take_whole(PlannedKey& planned, const domain::WindowLook& look, support::Moment now,
                                  const PlanRules& rules);

}  // namespace ratectl::commands
