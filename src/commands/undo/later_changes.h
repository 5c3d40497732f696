// What came behind an operation: undos, which are known as such in their own records alone, and resets of windows whose
// ends move, which nothing that is stored tells for sure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "commands/context.h"
#include "commands/report/fields/history_fields.h"
#include "commands/write/unresolved_entries.h"
#include "journal/journal.h"

namespace ratectl::commands {

/// Looks up, row by row, what this machine's journal has of later undos. Rows of one operation come together, in their
/// order or against it; memory does not grow with them.
class LaterUndos {
public:
    explicit LaterUndos(journal::Journal& journal) : journal_(journal) {}

    /// The same row, and what took its change back, if anything did.
    HistoryRow told(HistoryRow row);

private:
    struct Undone {
        std::string key;
        std::string by;
        support::WallTime at{};
    };
    /// What is known of one operation.
    struct Operation {
        std::string id;
        std::vector<journal::OperationHead> undos;
        std::uint64_t block = 0;
        std::map<std::uint64_t, Undone> undone = {};  // of that block, by row
    };
    void read(std::uint64_t block);

    journal::Journal& journal_;
    Operation last_;
};

/// The same of rows by servers' records, which may be these: by those `among` them that are undos. Of several rows of
/// one key each was written by a call of its own, and the number of the undo's call says which of them it took back.
void mark_undone(std::vector<HistoryRow>& rows, const std::vector<HistoryRow>& among, Context& context);

/// What took changes of one operation back since: by the journal, and by what its servers have of undos from whatever
/// machine.
class OperationUndos {
public:
    /// The context outlives it.
    explicit OperationUndos(Context& context);

    /// Fills in what took these rows' changes back.
    void tell(std::vector<HistoryRow>& rows, bool ask_servers);
    /// One of them that is shown.
    void note(const HistoryRow& row);
    /// Says `operation 'OP' was undone by 'UNDO', 2026-01-01T00:00:00.000Z`, of those that were noted, or of the one
    /// row that was asked for; and which servers do not tell.
    void say(std::optional<std::uint64_t> row) const;

private:
    void tell_by_servers(std::vector<HistoryRow>& rows);
    bool is_any_listed(const std::vector<HistoryRow>& rows);

    Context& context_;
    std::optional<LaterUndos> journal_;
    std::optional<OperationsOnServers> all_;  // asked for where anything was taken back
    std::vector<store::NodeFailure> failures_;
    // Of the rows that were noted:
    std::string id_;
    std::uint64_t changes_ = 0;
    std::uint64_t undone_ = 0;
    std::string by_;
    bool by_several_ = false;
    support::WallTime last_{};
};

/// The keys, as records have them, of those windows whose end moves that this machine's journal knows were removed
/// since these rows of one operation were written, and not put back.
std::set<std::string> removed_since(std::span<const HistoryRow> rows, Context& context);

}  // namespace ratectl::commands
