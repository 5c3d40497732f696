// The two changes that repairs consist of. Each judges the window anew, right before it is written, and spares what is
// not as planned.
#pragma once

#include <memory>

#include "commands/doctor/classes.h"
#include "commands/doctor/surroundings.h"
#include "commands/write/change.h"

namespace ratectl::commands::doctor {

/// Sets both expiries to one second after the window's end. Needs a full look.
std::unique_ptr<Change> make_expiry_repair(const Classes& to_fix, const Surroundings& surroundings, Context& context);
/// Removes exactly the bytes that were seen. Needs a full look.
std::unique_ptr<Change> make_removal(const Classes& to_fix, const Surroundings& surroundings, Context& context);

}  // namespace ratectl::commands::doctor
