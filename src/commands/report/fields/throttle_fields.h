// The columns of a throttle: its window and its knobs.
#pragma once

#include <optional>
#include <span>

#include "commands/report/fields/window_fields.h"
#include "domain/knobs.h"

namespace ratectl::commands {

/// A view, as WindowRow is one.
struct ThrottleRow {
    const WindowRow& window;
    std::optional<domain::Knobs> knobs;
};

std::span<const output::Field<ThrottleRow>> throttle_fields();
/// The table's columns where knobs are meant.
inline constexpr std::string_view kKnobColumns = "name,rps,burst,window,knobs_expires_at,shard";

}  // namespace ratectl::commands
