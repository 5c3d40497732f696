// What a watch waits for, such as `below:80%`. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "domain/window_change.h"
#include "support/error.h"

namespace ratectl::domain {

struct WindowGoal {
    enum class Kind {
        ended,      // the window is over: its reset has passed, or it was removed; also where none was open at first
        exhausted,  // used has reached the limit
        below,      // fewer than `count` are used; none where there is no window
        below_percent,  // less than `percent` of the limit is
        absent,         // there is no window
        changed         // anything happened since the first look
    };
    Kind kind = Kind::ended;
    std::int64_t count = 0;
    double percent = 0;

    bool needs_limit() const { return kind == Kind::exhausted || kind == Kind::below_percent; }
};
/// `ended`, `exhausted`, `below:100`, `below:80%`, `absent`, `changed`.
support::Result<WindowGoal> parse_window_goal(std::string_view text);

/// What has happened to a window since the first look.
struct WindowPast {
    bool ended = false;
    bool changed = false;

    void note(WindowEvent event);
};
/// What a window is now and has been against a goal; one that needs the limit does not hold where that is unknown.
/// `now`: null where no look has shown what it is now, then only its past counts.
bool holds(const WindowGoal& goal, const SeenWindow* now, const WindowPast& past);

}  // namespace ratectl::domain
