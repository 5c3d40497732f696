// Compares two looks at a window: first whether each shows an open window, then whether it is the same one.
#include "domain/window_change.h"

#include <algorithm>
#include <array>

#include "domain/diagnosis/look_difference.h"
#include "domain/limiter.h"
#include "domain/write.h"
#include "support/number_text.h"

namespace ratectl::domain {
namespace {

using support::Instant;

/// When what counts ends that nothing ever ends.
constexpr Instant kNever = Instant::max();

std::optional<Instant> end_of(const SeenWindow& seen) {
    const auto end = open_until(seen.look, seen.now);
    return !end && counts_at(seen.window, seen.now) ? kNever : end;
}

std::optional<std::int64_t> integer_in(const std::optional<std::string>& text) {
    return text ? support::parse_decimal(*text) : std::nullopt;
}

/// Of a look that shows an open window.
std::int64_t used(const SeenWindow& seen) { return seen.window.used.value_or(0); }

std::optional<std::int64_t> difference(const SeenWindow& before, const SeenWindow& after) {
    const auto was = domain::counted(before.look, before.now);
    const auto is = domain::counted(after.look, after.now);
    return was && is ? std::optional{difference_of(*is, *was)} : std::nullopt;
}

bool same_values(const StoredKey& a, const StoredKey& b) { return a.value == b.value && a.type == b.type; }

bool is_stored_the_same(const SeenWindow& before, const SeenWindow& after) {
    return std::equal(before.look.parts.begin(), before.look.parts.end(), after.look.parts.begin(),
                      after.look.parts.end(), same_values);
}

/// It ends, and as the stored values say when another one does.
bool ends_the_same(const WindowLook& a, const WindowLook& b) {
    const auto end = stored_window(a).reset_at;
    return end && end == stored_window(b).reset_at;
}

bool is_nothing(const SeenWindow& seen) {
    return seen.window.state == WindowState::absent || seen.window.state == WindowState::closed;
}

class Changes {
    using enum WindowEvent;

public:
    Changes(const SeenWindow& before, const SeenWindow& after, std::optional<support::Seconds> period)
        : before_(before), after_(after), period_(period), was_(end_of(before)), is_(end_of(after)) {}

    std::vector<WindowChange> find() {
        if (is_older_elsewhere()) {
            add(stale, difference(before_, after_));
        } else if (was_ && is_) {
            both();
        } else if (was_) {
            gone();
        } else if (is_) {
            come();
        } else {
            neither();
        }
        return std::move(found_);
    }

private:
    void add(WindowEvent event, std::optional<std::int64_t> delta, bool shown = true) {
        found_.push_back({event, delta, shown});
    }

    // What no stored second ends does so in the midst of its last one.
    bool has_passed() const {
        const auto* limiter = before_.look.limiter;
        const bool in_its_last = limiter != nullptr && !limiter->reset_part();
        return *was_ < after_.now || (in_its_last && *was_ <= after_.now);
    }

    // A server never goes back by itself; another one may be behind.
    bool is_older_elsewhere() const {
        if (before_.node == after_.node || !was_ || has_passed()) return false;
        return !is_ || *is_ < *was_ || (*is_ == *was_ && used(after_) < used(before_));
    }

    void both() {
        if (before_.look.limiter->end_moves()) {
            move();
        } else if (*is_ == *was_) {
            count();
        } else if (has_passed() || is_replaced()) {
            add(has_passed() ? ended : removed, difference_of(0, used(before_)), false);
            open();
        } else {
            add(changed, 0);
            count();
        }
    }

    // Than if nothing had been stored since.
    bool is_less() const {
        auto before = before_.look;
        before.server_ms = after_.look.server_ms;
        const auto was = integer_in(stored_window(before).used);
        const auto is = integer_in(stored_window(after_.look).used);
        return was && is && *is < *was;
    }

    // How many of those counted since are free again already is not known.
    void move() {
        if (is_stored_the_same(before_, after_)) return;
        add(*is_ < *was_ || (*is_ == *was_ && is_less()) ? refunded : counted, std::nullopt);
        if (!before_.window.exhausted) reach_limit();
    }

    // A window that began after the look before, or one that has counted less. One that gets an end, or loses it, goes
    // on.
    bool is_replaced() const {
        const bool end = *was_ != kNever && *is_ != kNever;
        const bool began_since = period_ && end && *is_ - *period_ >= before_.now;
        return began_since || used(after_) < used(before_);
    }

    void count() {
        const auto delta = difference_of(used(after_), used(before_));
        if (delta != 0) add(delta > 0 ? WindowEvent::counted : refunded, delta);
        const bool leaks = before_.window.state == WindowState::leaked;
        if (*is_ == *was_ && leaks != (after_.window.state == WindowState::leaked)) add(changed, 0);
        if (!before_.window.exhausted) reach_limit();
    }

    void open() {
        add(opened, used(after_));
        reach_limit();
    }

    void reach_limit() {
        if (after_.window.exhausted) add(exhausted, 0);
    }

    void gone() {
        const auto taken = difference_of(0, used(before_));
        if (has_passed()) {
            add(ended, taken);
            if (!is_nothing(after_)) add(changed, 0);
        } else if (after_.window.state == WindowState::absent) {
            add(removed, taken);
        } else {
            add(changed, difference(before_, after_));
        }
    }

    // The same end that was over before is open again only because a clock went back, or its other half was missing.
    void come() {
        if (!ends_the_same(before_.look, after_.look)) return open();
        add(changed, difference(before_, after_));
        reach_limit();
    }

    void neither() {
        if (is_nothing(before_) && is_nothing(after_)) {
            if (came_and_went()) add(ended, 0);
        } else if (before_.window.state != after_.window.state || !is_stored_the_same(before_, after_)) {
            add(changed, difference(before_, after_));
        }
    }

    bool came_and_went() const {
        if (!stored_window(after_.look).reset_at || ends_the_same(after_.look, before_.look)) return false;
        return open_until(after_.look, before_.now).has_value();
    }

    const SeenWindow& before_;
    const SeenWindow& after_;
    std::optional<support::Seconds> period_;
    std::optional<Instant> was_;
    std::optional<Instant> is_;
    std::vector<WindowChange> found_;
};

}  // namespace

std::string_view name_of(WindowEvent event) {
    constexpr std::array<std::string_view, 11> names{"first",     "counted", "refunded", "ended",  "opened", "removed",
                                                     "exhausted", "changed", "stale",    "failed", "back"};
    return names.at(static_cast<std::size_t>(event));
}

std::vector<WindowChange> changes_between(const SeenWindow& before, const SeenWindow& after,
                                          std::optional<support::Seconds> period) {
    return Changes(before, after, period).find();
}

bool is_behind(const SeenTwice& replica, const SeenTwice& primary) {
    const auto had = end_of(primary.before);
    const auto has = end_of(primary.now);
    if (had != has) return false;  // too young for a replica to be blamed
    const auto shows = end_of(replica.now);
    if (!had) return shows && shows == end_of(replica.before);
    if (!shows) return *had >= replica.now.now;
    if (*shows != *had) return *shows < *had;
    return used(replica.now) < std::min(used(primary.before), used(primary.now));
}

}  // namespace ratectl::domain
