// The words of write statuses.
#include "domain/write.h"

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

void set_expiries(StoredWindow& window, const Expiries& expiries) {
    window.counter_expires_at_ms = expiries.counter_ms;
    window.expiry_expires_at_ms = expiries.expiry_ms;
}

}  // namespace ratectl::domain
