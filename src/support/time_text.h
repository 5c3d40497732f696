// Durations and times to and from text, strictly, and what the zones of the machine make of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "support/error.h"
#include "support/time.h"

namespace ratectl::support {

/// `500ms 90s 15m 1h30m 2d`, units descending, each at most once, positive. A bare number is an error with a hint.
Result<Milliseconds> parse_duration(std::string_view text);
/// `1h30m`, `12m31s`, `0s`, `-3s`, `250ms`; the two largest units, so that it fits a column.
std::string format_duration(Milliseconds d);

/// `1767225600`, RFC 3339 (`2026-01-01T00:00:00Z`, offsets allowed), `+15m`, `-15m`, `now`; a day's beginning, UTC:
/// `2026-01-01`, `today`, `yesterday`.
Result<Instant> parse_time(std::string_view text, Instant now);
/// `2026-01-01T00:00:00Z`; zone: an IANA name or `local` that check_zone() took, or empty for UTC; other zones carry
/// their offset. Years outside 0000-9999 print as epoch seconds.
std::string format_time(Instant t, const std::string& zone = {});
/// The same with milliseconds: `2026-01-01T00:00:00.123Z`.
std::string format_wall_time(WallTime t);
/// Empty when the zone is known to this machine, else an error (usage) that says so.
Result<void> check_zone(const std::string& zone);

/// Of a flag that takes a duration, such as --every 2s. Throws Failure (usage) that names the flag.
Milliseconds duration_of(std::string_view flag, const std::string& text);

/// The name of the machine's own zone, /etc/localtime.
inline constexpr const char* kLocalZone = "local";

/// False, too, for names that lead out of the database.
bool has_zone(const std::string& name);

/// What the clocks of a zone that this machine has are ahead of UTC at `t`. The C library has one zone at a time and
/// reads it from TZ, so another one than before is asked for while the process has one thread.
Seconds offset_at(Instant t, const std::string& zone);

}  // namespace ratectl::support
