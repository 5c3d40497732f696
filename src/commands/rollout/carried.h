// What has been carried into windows so far, as the operation keys on the servers tell: of any machine, and of runs
// that were killed.
#pragma once

#include <cstddef>
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
        bool has_gaps = false;            // something was counted between two of them, perhaps by one that is not known
    };

    /// Asks all servers anew.
    void learn(Context& context);
    /// Those that could not be asked.
    const std::vector<store::NodeFailure>& silent() const { return silent_; }
    /// Why nothing is known of the windows of this shard, on which their operation keys are, too; null: it is known.
    const support::Error* silence_of(std::string_view shard) const;
    /// Null: nothing is known to have been carried into that window.
    const Into* into(std::string_view key, support::Instant reset) const;
    /// Of a window with so many used: what was counted there beside the copies that are known may be a copy's, too,
    /// because the server of its shard has evicted keys, or does not tell.
    bool may_lack_some(const Into& into, const std::optional<std::string>& used, std::size_t shard) const {
        return (into.has_gaps || into.left != used) && evicting_.contains(shard);
    }

private:
    void learn_evicting(Context& context);
    void take_copy(const HistoryRow& row);
    void take_undo(const HistoryRow& row);

    std::map<std::string, Into, std::less<>> windows_;
    std::set<std::size_t> evicting_;  // shards
    std::vector<store::NodeFailure> silent_;
};

}  // namespace ratectl::commands::rollout
