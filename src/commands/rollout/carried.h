// What has been carried into windows so far, as the operation keys on the servers tell: of any machine, and of runs
// that were killed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "commands/context.h"
#include "commands/report/fields/history_fields.h"

namespace ratectl::commands::rollout {

/// The operation key of a copy, and of what is taken back of one, stays as long as the windows that it wrote. Of a
/// window of which none tells (it was not copied, or the server has evicted the operation key), nothing is known; nor
/// of one that copies have only added to, as far as is known: there was one before them.
class CarriedOver {
public:
    struct Into {
        support::Instant reset{};         // the window
        std::int64_t used = 0;            // how many requests of it were carried over
        std::optional<std::string> left;  // what was used there when the latest of them had been
        bool is_whole = false;            // the copy that opened it is among them
    };

    /// Asks all servers anew.
    void learn(Context& context);
    /// Those that could not be asked.
    const std::vector<store::NodeFailure>& silent() const { return silent_; }
    /// Why nothing is known of the windows of this shard, on which their operation keys are, too; null: it is known.
    const support::Error* silence_of(std::string_view shard) const;
    /// Null: nothing is known to have been carried into that window.
    const Into* into(std::string_view key, support::Instant reset) const;

private:
    void take_copy(const HistoryRow& row);
    void take_undo(const HistoryRow& row);

    std::map<std::string, Into, std::less<>> windows_;
    std::vector<store::NodeFailure> silent_;
};

}  // namespace ratectl::commands::rollout
