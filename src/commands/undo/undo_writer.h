// One batch of rows that are to be taken back, on its way to result rows: judged, known as undone, forecast or sent.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "commands/undo/undo_items.h"
#include "commands/write/change.h"
#include "commands/write/consent.h"
#include "commands/write/operation_writer.h"
#include "commands/write/rows_before.h"
#include "commands/write/unresolved_entries.h"
#include "commands/write/written_servers.h"

namespace ratectl::commands {

class UndoWriter {
public:
    /// Orders, consent and context outlive it. `undone`: the operation that is taken back.
    UndoWriter(const Orders& orders, const Consent& consent, UndoTerms terms, const journal::OperationHead& undone,
               Context& context);

    /// One row each, in order. Throws Failure where nothing of this batch was sent.
    std::vector<WriteRow> write(const std::vector<HistoryRow>& batch);
    /// Not attempted.
    WriteRow fresh_row(const HistoryRow& entry) const;
    /// The outcomes that could not be recorded: nothing more may be sent.
    const std::optional<support::Error>& record_failure() const { return writer_.record_failure(); }

private:
    /// A row that is to be sent.
    struct Task {
        const HistoryRow* entry = nullptr;
        WriteRow* row = nullptr;
        std::size_t shard = 0;
    };
    using Tasks = std::vector<Task>;
    struct Earlier {
        domain::StoredWindow before;
        domain::StoredWindow after;
        std::string because;    // the reason of that undo
        bool doubtful = false;  // it may have been taken back, and nothing tells
    };

    std::optional<std::size_t> shard_of(const HistoryRow& entry);
    std::optional<Refusal> refusal_of(const HistoryRow& entry, std::optional<std::size_t> shard);
    std::optional<Refusal> refusal_of_server(const HistoryRow& entry, std::size_t shard);
    std::optional<Refusal> refusal_of_untold(std::size_t shard, const support::Error& error) const;

    /// As call_of_row() has it.
    std::uint64_t call_for(const HistoryRow& entry) const;
    /// Takes the tasks out that an earlier undo has done, on whichever machine it ran, or may have done.
    void leave_out_undone(Tasks& tasks);
    std::map<std::uint64_t, Earlier> undone_in_journal(const Tasks& tasks);
    /// A window that is put back as it was refuses to be put back twice.
    bool is_harmless_twice() const { return undone_.kind == domain::WriteKind::reset && !terms_.merge; }
    void ask_servers(Tasks& tasks, std::map<std::uint64_t, Earlier>& undone);
    /// Of a call of this very undo.
    void take_record(const domain::OperationRecord& record, std::size_t shard, const Tasks& tasks,
                     std::map<std::uint64_t, Earlier>& undone);
    /// What it says was done to these rows is noted, and returned as the journal wants it.
    std::vector<journal::Outcome> take_done(const domain::OperationRecord& record, const Tasks& tasks,
                                            std::map<std::uint64_t, Earlier>& undone);

    void forecast(const Tasks& tasks);
    void foretell(const Task& task, const store::LookAnswer& answer);
    void send(Tasks& tasks);
    std::vector<store::Slice> cut(const Tasks& tasks) const;
    std::string fingerprint(const Tasks& tasks, const std::vector<std::size_t>& items) const;
    std::vector<store::WriteResult> call(const Tasks& tasks, const store::WriteOrder& order);
    domain::RepairItem repair_of(const Task& task) const { return repair_item(*task.entry, task.shard, limiter_); }

    const Orders& orders_;
    const Consent& consent_;
    UndoTerms terms_;
    const journal::OperationHead& undone_;
    Context& context_;
    const domain::Limiter& limiter_;
    OperationWriter writer_;
    bool has_sent_ = false;
    RowsBefore before_{context_.new_operation_id()};  // of a dry run
    OpenedWindows opened_;                            // by the rows of this batch
    std::set<std::string> removed_;                   // since, of this batch
    WrittenServers servers_;
    std::set<std::pair<std::size_t, std::uint64_t>>
        used_slices_;  // shard and number of calls that an undo has made before
};

}  // namespace ratectl::commands
