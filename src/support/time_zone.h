// One zone of the system's time zone database, as the C library reads it.
#pragma once

#include <string>

#include "support/time.h"

namespace ratectl::support {

/// The name of the machine's own zone, /etc/localtime.
inline constexpr const char* kLocalZone = "local";

/// False, too, for names that lead out of the database.
bool has_zone(const std::string& name);

/// What the clocks of a zone that this machine has are ahead of UTC at `t`. The C library has one zone at a time and
/// reads it from TZ, so another one than before is asked for while the process has one thread.
Seconds offset_at(Instant t, const std::string& zone);

}  // namespace ratectl::support
