// The words of write statuses.
#include "domain/write.h"

#include <utility>

#include "domain/limiter.h"

namespace ratectl::domain {

std::string_view name_of(WriteStatus status) {
    switch (status) {
        case WriteStatus::applied:
            return "applied";
        case WriteStatus::already_applied:
            return "already-applied";
        case WriteStatus::nothing_to_do:
            return "nothing-to-do";
        case WriteStatus::window_changed:
            return "window-changed";
        case WriteStatus::refused:
            return "refused";
        case WriteStatus::failed:
            return "failed";
        case WriteStatus::unknown:
            return "unknown";
        case WriteStatus::not_attempted:
            return "not-attempted";
    }
    return "unknown";
}

bool wrote(WriteStatus status) { return status == WriteStatus::applied || status == WriteStatus::already_applied; }

bool same_bytes(const StoredWindow& a, const StoredWindow& b) { return a.used == b.used && a.reset_at == b.reset_at; }

StoredWindow stored_window(const WindowLook& look) {
    return {stored_used(look).value, stored_reset(look).value, {}, {}};
}

WindowLook light_look(const Limiter& limiter, std::string key, const StoredWindow& stored) {
    WindowLook look{std::move(key), LookDepth::light, &limiter, {}};
    look.parts.resize(limiter.parts().size());
    if (const auto part = limiter.used_part()) look.parts[*part].value = stored.used;
    if (const auto part = limiter.reset_part()) look.parts[*part].value = stored.reset_at;
    return look;
}

void set_expiries(StoredWindow& window, const Expiries& expiries) {
    window.counter_expires_at_ms = expiries.counter_ms;
    window.expiry_expires_at_ms = expiries.expiry_ms;
}

Expiries expiries_of(const WindowLook& look, support::WallTime server_now) {
    return {expires_at(stored_used(look), server_now), expires_at(stored_reset(look), server_now)};
}

}  // namespace ratectl::domain
