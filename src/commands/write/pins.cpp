// Makes a write's guards: a window is known by its end; a key that is not a window only by its bytes.
#include "commands/write/pins.h"

#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::commands {

namespace {

/// The scripts take longer values for no half of a window, whatever is in them; one byte more is never equal to one.
constexpr std::size_t kEnough = 64 * 1024 + 1;

/// By which the window is known; null: by its bytes alone, as one whose end moves.
std::optional<support::Instant> window_end(const domain::StoredWindow& seen) {
    if (seen.state) return std::nullopt;
    if (!seen.used || !support::parse_decimal(*seen.used) || !seen.reset_at) return std::nullopt;
    const auto second = support::parse_unsigned(*seen.reset_at, support::kMaxExactInteger);
    return second ? std::optional{support::from_epoch(static_cast<std::int64_t>(*second))} : std::nullopt;
}

std::optional<std::string> enough_of(const std::optional<std::string>& bytes) {
    return bytes ? std::optional{bytes->substr(0, kEnough)} : std::nullopt;
}

/// What was there has an end, and was a window all the same only where both halves made one.
bool was_no_window(const input::SeenWindow& seen) {
    using enum domain::WindowState;
    const auto state = domain::window_state_from(seen.state);
    if (state) return state == orphan_counter || state == orphan_expiry || state == corrupt;
    return seen.stored && !window_end(*seen.stored);
}

}  // namespace

void pin(PlannedKey& planned, const domain::StoredWindow& seen, bool over, const PlanRules& rules) {
    const auto end = window_end(seen);
    if (end && (!over || rules.takes_closed)) {
        planned.if_reset = end;
    } else if (end) {
        planned.if_stored = domain::StoredWindow{};
    } else {
        planned.if_stored = domain::StoredWindow{enough_of(seen.used), enough_of(seen.reset_at), {}, seen.state};
    }
}

void pin(PlannedKey& planned, const domain::WindowLook& look, support::Moment now, const PlanRules& rules) {
    const auto seen = domain::stored_window(look, now);
    pin(planned, seen, !domain::open_until(look, now), rules);
}

void pin(PlannedKey& planned, const input::SeenWindow& seen, support::Moment now, const PlanRules& rules) {
    if (seen.reset_at && !was_no_window(seen)) {
        planned.if_reset = seen.reset_at;
        return;
    }
    const auto state = domain::window_state_from(seen.state);
    planned.whole = seen.is_look || (state && seen.layout.empty() && !was_no_window(seen));
    if (seen.stored) {
        const auto end = window_end(*seen.stored);
        const bool over = (end && *end < now) || state == domain::WindowState::closed;
        return pin(planned, *seen.stored, over, rules);
    }
    if (!state && !seen.is_placed) return;
    if (state != domain::WindowState::absent) {
        throw support::Failure(
            ExitCode::usage,
            "the row of key " + support::quoted(planned.key) + (state ? " says " + seen.state : " names its shard") +
                ", but not what was stored, so it cannot be told whether it is still that",
            "give all columns of the rows, or only their keys (-o name) if they are meant as they are now");
    }
    planned.if_stored = domain::StoredWindow{};
}

void fit_pin(PlannedKey& planned, const domain::Limiter& limiter) {
    auto& stored = planned.if_stored;
    if (stored->state || limiter.used_part()) return;
    const auto end = support::parse_decimal(stored->reset_at.value_or(""));
    if (!stored->reset_at) {
        stored->state = stored->used;
    } else if (end && !stored->used) {
        planned.if_reset = support::from_epoch(*end);
        stored.reset();
    }
}

std::optional<Refusal> take_whole(PlannedKey& planned, const domain::WindowLook& look, support::Moment now,
                                  const PlanRules& rules) {
    using enum domain::WindowState;
    if (look.limiter->parts().size() < 2) return std::nullopt;
    const auto state = domain::judge(look, now, std::nullopt).state;
    if (state == orphan_counter || state == orphan_expiry || state == corrupt) {
        return refused(planned, "not-whole",
                       "is no whole window here (" + std::string(domain::name_of(state)) +
                           "), and its row does not say how it was stored: it may be another limiter's",
                       "give the rows with their column layout, or only their keys (-o name) if they are meant as they "
                       "are now");
    }
    // Requests of one key are counted one after the other.
    if (!rules.opens && !planned.if_reset && !planned.if_stored) pin(planned, look, now, rules);
    return std::nullopt;
}

}  // namespace ratectl::commands
