// The yearly rule at the end of a time zone file: `CET-1CEST,M3.5.0,M10.5.0/3`, as POSIX writes it.
#pragma once

#include <optional>
#include <string_view>

#include "support/time.h"

namespace ratectl::support {

/// The day and the wall-clock time of a yearly change.
struct ZoneChange {
    enum class Day { of_week, of_year, of_year_without_leap_day };

    Day day = Day::of_week;
    unsigned month = 1;    // of_week: in this month
    unsigned week = 1;     // of_week: 1 to 4, 5 is the last
    unsigned weekday = 0;  // of_week: 0 is Sunday
    int number = 0;        // of_year: from 0; without the leap day: from 1
    Seconds time{7200};    // from midnight of that day; may lie on another day
};

/// What a zone's clocks are ahead of UTC after its last listed change.
class ZoneRule {
public:
    /// Null for text that is no such rule.
    static std::optional<ZoneRule> parse(std::string_view text);

    Seconds offset_at(Instant t) const;

private:
    Seconds standard_{0};
    std::optional<Seconds> summer_;
    ZoneChange begin_;  // of summer time
    ZoneChange end_;
};

}  // namespace ratectl::support
