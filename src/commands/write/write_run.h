// What increment, refund, reset and apply share: plan the keys, ask, look, write, print a row a key, and count until
// the sum is the plan.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "commands/write/change.h"
#include "commands/write/consent.h"
#include "commands/write/planned_keys.h"
#include "commands/write/planned_slices.h"
#include "commands/write/write_order.h"

namespace ratectl::commands {

/// A change and the keys that it is about.
struct WriteTask {
    Orders orders;
    std::unique_ptr<PlannedKeys> keys;
    std::vector<domain::WindowState> states;  // that were named: such windows are meant, sound or not
    bool all = false;                         // --all
    std::size_t chunk = kChunk;
};

/// For commands that select what they change.
ExitCode run_change(const Selection& selection, const ConsentFlags& consent, const OrderFlags& order, Change& change,
                    Context& context);
ExitCode run_task(WriteTask task, const ConsentFlags& consent, Change& change, Context& context);

}  // namespace ratectl::commands
