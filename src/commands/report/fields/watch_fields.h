// The columns of watch: a line per change, each about one look at one window, or about a server.
#pragma once

#include <optional>
#include <span>

#include "commands/report/fields/window_fields.h"
#include "domain/burn_rate.h"
#include "domain/node.h"
#include "domain/window_change.h"
#include "output/field.h"
#include "support/error.h"
#include "support/time.h"

namespace ratectl::commands {

/// A view: everything it points to outlives the row.
struct WatchRow {
    support::WallTime at{};  // our clock at the look, or when the server failed
    domain::WindowChange change;
    const WindowRow* window =
        nullptr;                 // the look; null: the line is about a server, or about a key that could not be read
    std::string_view key;        // of one that could not be read
    std::optional<double> rate;  // requests a second, recently
    std::optional<domain::Exhaustion> exhaustion;  // at that rate
    std::string_view deployment;
    const domain::Node* node = nullptr;     // who showed it or failed; null: no shard has the key
    const support::Error* error = nullptr;  // why it failed
};

std::span<const output::Field<WatchRow>> watch_fields();

}  // namespace ratectl::commands
