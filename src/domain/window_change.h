// What happened to a window between two looks at it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/window.h"
#include "support/time.h"

namespace ratectl::domain {

enum class WindowEvent {
    first,      // the first look: how things stand
    counted,    // used grew
    refunded,   // used fell, in the same window
    ended,      // the window's reset passed
    opened,     // there is a window where none was, or another one
    removed,    // the window is gone, and its reset has not passed: it was reset
    exhausted,  // used reached the limit
    changed,    // anything else: the reset moved, a half went missing, the values became corrupt ...
    stale,      // the answer is older than what was seen before
    failed,     // a server did not answer
    back        // one that was stale or failed is well again
};
/// `first`, `counted`, ...
std::string_view name_of(WindowEvent event);

/// One look, with what it took to judge it.
struct SeenWindow {
    WindowLook look;
    Window window;
    support::Moment now{};  // the application's clock at this look
    std::string node;       // the address of the server that showed it

    bool operator==(const SeenWindow&) const = default;
};

struct WindowChange {
    WindowEvent event = WindowEvent::first;
    /// How many requests more are counted because of it; over all changes of a window they sum up to what is used. Null
    /// where one of the two looks shows no number.
    std::optional<std::int64_t> delta;
    /// The look shows the window that this is about; false: another one that came after it.
    bool shown = true;

    bool operator==(const WindowChange&) const = default;
};

/// In the order in which they happened; empty: nothing. Several from one look where a window gave way to another, or
/// reached its limit. `period`: how long a window lasts, if known: tells a window that was replaced from one whose
/// reset was moved.
std::vector<WindowChange> changes_between(const SeenWindow& before, const SeenWindow& after,
                                          std::optional<support::Seconds> period = {});

/// Two looks at one node, a round apart.
struct SeenTwice {
    const SeenWindow& before;
    const SeenWindow& now;
};
/// The replica lacks what its primary had a round ago already.
bool is_behind(const SeenTwice& replica, const SeenTwice& primary);

}  // namespace ratectl::domain
