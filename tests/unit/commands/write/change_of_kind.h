// A change of a kind, of one request where it counts any.
#pragma once

#include "commands/change/changes.h"
#include "commands/write/change.h"

namespace ratectl::test {

inline std::unique_ptr<commands::Change> change_of_kind(domain::WriteKind kind, const config::Settings& settings) {
    if (kind == domain::WriteKind::count) return commands::make_increment(1, settings);
    if (kind == domain::WriteKind::refund) return commands::make_refund(std::nullopt, false);
    return commands::make_reset();
}

}  // namespace ratectl::test
