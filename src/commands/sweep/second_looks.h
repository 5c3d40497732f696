// Full looks at what a light sweep found in a state that it cannot be sure of: a window without a TTL looks sound, and
// another type like nothing at all.
#pragma once

#include <functional>
#include <memory>

#include "commands/request/selection.h"
#include "commands/sweep/subject.h"
#include "store/store.h"

namespace ratectl::commands {

/// Its pages with a full look in the place of each light one that the filter would take: where it asks for states, of
/// any; else only of a window of which a half is missing. The node that showed it is asked. Where states were asked
/// for, what it does not answer to is left out of its page, and the node is among the failures. A counter that has no
/// other half is left out where the subject lists none of those. `now_at`: the application's clock at a look. Throws
/// Failure as Filter::refused_by().
std::unique_ptr<store::ScanStream> with_second_looks(std::unique_ptr<store::ScanStream> sweep,
                                                     const SweepSubject& subject, const Filter& filter,
                                                     Context& context,
                                                     std::function<support::Moment(support::WallTime)> now_at);

}  // namespace ratectl::commands
