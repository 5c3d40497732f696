// The rows of an operation that is to be taken back: from the journal, and what that has not heard of from the servers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "commands/write/consent.h"
#include "commands/write/unresolved_entries.h"

namespace ratectl::commands {

/// The status of rows whose keys are not known.
inline constexpr std::string_view kClientUnknown = "client-unknown";

/// The operation is not known, and these servers could not be asked for it.
struct PerhapsUnknown : support::Failure {
    PerhapsUnknown(support::Error error, std::vector<store::NodeFailure> unasked)
        : Failure(std::move(error)), failures(std::move(unasked)) {}
    std::vector<store::NodeFailure> failures;
};

/// The operation has turned a feature of Flipper, and the keys of this deployment are windows.
struct TurnedFeature : support::Failure {
    using Failure::Failure;
};

class UndoSource {
public:
    /// `rows`: only these; empty: all. Throws Failure: attention (the operation is not known, or such a row of it;
    /// PerhapsUnknown where servers did not answer), guard (it cannot be taken back, or, without `force`, belongs to
    /// another deployment; TurnedFeature where it is to be taken back as one of features). `clients`: whose windows
    /// they may be, for keys that the journal has without their clients and no server has any more.
    UndoSource(Context& context, const std::string& operation, std::set<std::uint64_t> rows, bool force,
               std::vector<std::string> clients);

    const journal::OperationHead& head() const { return head_; }
    /// All rows of the operation are meant.
    bool is_whole() const { return rows_.empty(); }
    /// The numbers of its calls, as far as they are meant.
    const std::set<std::uint64_t>& calls() const { return calls_; }
    /// How many rows there will be.
    std::uint64_t count() const { return count_; }
    /// What consent is asked for: the windows that were, or may have been, changed.
    const WritePlan& plan() const { return plan_; }
    /// Up to 5,000 rows, in order, with what became of each as far as it is known; empty at the end. The last ones come
    /// first, and before all others those that only the servers know: what was changed last is taken back first.
    std::vector<HistoryRow> next();
    /// Numbers of calls that have no record, though a later one has: `1, 4 to 6`. Empty: none, or the journal knows.
    std::string missing_calls() const;
    /// Servers that could not be asked.
    std::vector<store::NodeFailure> failures() const;

private:
    void find_on_servers(const std::string& operation);
    void find_written_elsewhere();
    void tell_unasked();
    bool is_behind_proxies() const;
    void refuse_reshard(const std::string& operation) const;
    std::optional<support::Error> several_operations() const;
    void name_people();
    std::vector<HistoryRow> next_of_journal();
    bool is_named_so(const std::string& key) const;
    void name_clients(std::vector<HistoryRow>& rows);
    void check_head(bool force) const;
    void check_layout(const journal::Intent& intent) const;
    void take_for_plan(const HistoryRow& row);
    bool is_counted(const HistoryRow& row);
    journal::Question question() const;

    Context& context_;
    std::set<std::uint64_t> rows_;
    journal::OperationHead head_;
    bool in_journal_ = true;
    OperationsOnServers on_servers_;
    std::set<std::uint64_t> calls_;
    UnresolvedEntries open_;
    std::vector<std::string> clients_;
    WritePlan plan_;
    std::map<std::string, bool, std::less<>> throttles_;  // that were deleted; true: the plan counts it
    std::uint64_t count_ = 0;
    std::uint64_t last_row_ = 0;         // that there is
    std::uint64_t left_in_journal_ = 0;  // the last row that was not handed out
};

}  // namespace ratectl::commands
