// One entry of the journal, or of the servers' operation keys, and the columns that print it; the audit log has the
// same.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "journal/journal.h"
#include "output/field.h"

namespace ratectl::commands {

/// What is known of one window's change.
struct HistoryRow {
    journal::OperationHead head;
    journal::Intent intent;
    std::optional<journal::Outcome> outcome;
    /// Static: the outcome's status; `intent` (audit: about to be sent), `no-outcome`, `not-applied` or `unknown`
    /// without one.
    std::string_view status;
    std::string_view source;     // static: `journal` or `server`: who knows the status
    bool numbered = true;        // false: intent.row is no number that any other machine would understand
    std::string undone_by = {};  // the operation that took it back since; empty: none, as far as is known
    support::WallTime undone_at{};
};

HistoryRow history_row(const journal::Entry& entry);

std::span<const output::Field<HistoryRow>> history_fields();
/// The default columns of the table.
inline constexpr std::string_view kHistoryTable =
    "time,op,command,deployment,key,status,change,undone_by,actor,because";

}  // namespace ratectl::commands
