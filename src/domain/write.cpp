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

}  // namespace ratectl::domain
