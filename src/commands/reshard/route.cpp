// Finds a window's old and new shard from two directories and a table of servers that both deployments have.
#include "commands/reshard/route.h"

#include "domain/write.h"

namespace ratectl::commands::reshard {

bool Router::is_at_home(std::string_view key, std::size_t found_on) const {
    if (from_.has_slots()) return true;
    const auto home = from_.place_of(key);
    return !home || home->shard == found_on;
}

Route Router::route_of(std::string_view key, std::string_view new_key, std::size_t found_on) const {
    const std::size_t to = to_.place_of(new_key).value().shard;
    const ServerMatch match = match_.empty() ? ServerMatch::other : match_.at(found_on).at(to);
    if (!is_at_home(key, found_on))
        return {match == ServerMatch::same ? MoveDecision::arrived : MoveDecision::misplaced, to};
    switch (match) {
        case ServerMatch::same: return {MoveDecision::stays, to};
        case ServerMatch::other: return {MoveDecision::moves, to};
        case ServerMatch::unproven: break;
    }
    return {MoveDecision::unproven, to};
}

Standing standing_of(const domain::WindowLook& look, domain::WindowState state, support::Moment now) {
    using domain::WindowState;
    switch (state) {
        case WindowState::open:
        case WindowState::exhausted:
        case WindowState::negative: return Standing::live;
        case WindowState::leaked:
            if (domain::open_until(look, now)) return Standing::live;
            return domain::stored_window(look).reset_at ? Standing::closed : Standing::endless;
        case WindowState::orphan_counter:
        case WindowState::orphan_expiry: return Standing::orphan;
        case WindowState::corrupt: return Standing::corrupt;
        case WindowState::absent:
        case WindowState::closed: break;
    }
    return Standing::closed;
}

}  // namespace ratectl::commands::reshard
