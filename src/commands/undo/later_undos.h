// What was taken back since: an undo is known as one in its own record alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commands/report/fields/history_fields.h"
#include "journal/journal.h"

namespace ratectl::commands {

/// Looks up, row by row, what this machine's journal has of later undos. Rows of one operation come together, in their
/// order or against it; memory does not grow with them.
class LaterUndos {
public:
    explicit LaterUndos(journal::Journal& journal) : journal_(journal) {}

    /// The same row, and what took its change back, if anything did.
    HistoryRow told(HistoryRow row);
    /// `operation 'OP' was undone by 'UNDO', 2026-01-01T00:00:00.000Z`, of the last one, or of the one row of it that
    /// was told of. Empty: none of its rows was.
    std::string words(std::optional<std::uint64_t> row) const;

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
        // Of the rows that were told of:
        std::uint64_t changes = 0;
        std::uint64_t undone_changes = 0;
        std::string by = {};
        bool by_several = false;
        support::WallTime last{};
    };
    void read(std::uint64_t block);

    journal::Journal& journal_;
    Operation last_;
};

/// The same of rows from servers, by those among them that are undos.
void tell_later_undos(std::vector<HistoryRow>& rows);

}  // namespace ratectl::commands
