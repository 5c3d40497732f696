// What the servers' operation keys know: the end of entries that the journal could not end, and operations of other
// machines.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "commands/context.h"
#include "commands/report/fields/history_fields.h"
#include "commands/write/written_servers.h"

namespace ratectl::commands {

/// What an undo's fingerprints begin with; the operation that it takes back follows, then another colon.
inline constexpr std::string_view kUndoFingerprint = "undo:";
/// What a reshard's begin with.
inline constexpr std::string_view kReshardFingerprint = "reshard:";
/// What those of windows that are copied from another deployment begin with, and what the journal calls that.
inline constexpr std::string_view kCopyFingerprint = "copy:";
inline constexpr std::string_view kCopyCommand = "rollout copy";
/// What those begin with of a command that the kind of its writes does not tell.
std::string command_mark(std::string_view command);
/// What fingerprints end with where windows are not stored as ratectl's default has it: an operation that is found on a
/// server tells by that how they were.
std::string layout_mark(std::string_view layout);
/// What the journal calls every step of a reshard.
inline constexpr std::string_view kReshardCommand = "reshard apply";

/// Operation keys live at least ten minutes; servers' clocks and ours need not agree to the minute.
inline constexpr support::Seconds kSurelyThere{9 * 60};

/// False: of a memcached, whose writes the journal of the machine alone tells of; it is not to be asked for them.
bool leaves_operation_keys(Context& context);

struct OperationsOnServers {
    /// Oldest operation first; its rows in the order of its calls, and not numbered: operation keys do not hold what
    /// the command has counted, nor how many calls there were. Who and why is said call by call.
    std::vector<HistoryRow> rows;
    std::vector<store::NodeFailure> failures;
};
/// Which windows the rows of this operation are is not known here.
support::Error unknown_rows(const journal::OperationHead& head);
/// Every operation whose keys are still there, or one of them; from any machine.
OperationsOnServers operations_on_servers(Context& context, const std::optional<std::string>& operation);

/// Asks for the end of entries without one. One a command: a server that fails is told of once.
class UnresolvedEntries {
public:
    explicit UnresolvedEntries(Context& context) : context_(context), servers_(context) {}

    /// Rows of one operation of this deployment. Those without an outcome, or with an unknown one, get what the servers
    /// know (`server`): the outcome, which the journal then knows as well; or `not-applied`; or `unknown`, where that
    /// cannot be told (any more).
    void resolve(std::vector<HistoryRow>& rows);
    /// Rows of one operation of this deployment that were carried out at a server which is another one now, and whose
    /// server has no record of them, get the status `unknown`: that write may be lost.
    void doubt_lost(std::vector<HistoryRow>& rows);
    /// The keys that the servers have of these rows' operation, by what the journal may have of them: as they are, or
    /// with fingerprints, whatever the policies want today.
    std::map<std::string, std::string> keys_by_record(const std::vector<HistoryRow>& rows);
    /// Servers that could not be asked.
    const std::vector<store::NodeFailure>& failures() const { return failures_; }

private:
    using Indices = std::vector<std::size_t>;
    std::optional<std::size_t> shard_of(const HistoryRow& row);
    void resolve_shard(std::size_t shard, const Indices& open, std::vector<HistoryRow>& rows);
    bool surely_absent(std::size_t shard, const HistoryRow& row);
    void remember(const std::string& operation, const std::vector<HistoryRow>& rows, const Indices& resolved);

    Context& context_;
    WrittenServers servers_;
    std::vector<store::NodeFailure> failures_;
};

}  // namespace ratectl::commands
