// One zone of the system's time zone database, read from its file (TZif, RFC 9636).
//
// The date library reads these files too, but Debian has it as a shared library only, which brings libstdc++ as one: a single check then
// takes 0.72 of the time of redis-cli GET, and without the two 0.56 (the bound is 0.6).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/time.h"
#include "support/zone_rule.h"

namespace ratectl::support {

/// The name of the machine's own zone, /etc/localtime.
inline constexpr const char* kLocalZone = "local";

class TimeZone {
public:
    /// Null when this machine has no zone of that name, or cannot read it.
    static std::optional<TimeZone> find(const std::string& name);
    /// Null for bytes that are no such file.
    static std::optional<TimeZone> parse(std::string_view file);

    /// What the zone's clocks are ahead of UTC at `t`.
    Seconds offset_at(Instant t) const;

private:
    struct Change {
        std::int64_t at = 0;  // epoch second
        std::uint8_t kind = 0;
    };

    std::vector<Change> changes_;   // by time
    std::vector<Seconds> offsets_;  // of each kind; never empty, the first is for times before all changes
    std::optional<ZoneRule> rule_;  // for times from the last change on
};

}  // namespace ratectl::support
