// What has been carried into windows so far, as the operation keys on the servers tell: of any machine, and of runs
// that were killed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "commands/context.h"
#include "commands/report/fields/history_fields.h"

namespace ratectl::commands::rollout {

/// An operation key stays for as long as the windows that it wrote, so what is not there any more is of windows that
/// are over (where a server evicts keys, windows and operation keys alike may be gone).
class CarriedOver {
public:
    struct Into {
        support::Instant reset{};         // the window
        std::int64_t used = 0;            // how many requests of it were carried over
        std::optional<std::string> left;  // what was used there when the latest of them had been
    };

    /// Asks all servers. Throws Failure of the first one that cannot be asked: without its answer requests might be
    /// carried over twice.
    void learn(Context& context);
    /// Null: nothing was carried into that window.
    const Into* into(std::string_view key, support::Instant reset) const;

private:
    void take_copy(const HistoryRow& row);
    void take_undo(const HistoryRow& row);

    std::map<std::string, Into, std::less<>> windows_;
};

}  // namespace ratectl::commands::rollout
