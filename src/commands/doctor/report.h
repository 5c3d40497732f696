// Findings on their way out: every one for machines, some examples of each class for people, and counts.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/doctor/classes.h"
#include "commands/outcome.h"
#include "commands/report/fields/finding_fields.h"
#include "commands/report/row_writer.h"

namespace ratectl::commands::doctor {

/// How findings are shown.
struct Showing {
    bool all = false;                            // --all-findings: every one, whatever the format
    bool summary = false;                        // --summary: a row a class instead
    std::optional<std::uint64_t> examples = {};  // of each class, for people
    bool repairs = false;                        // the table has what became of each
    ColumnOrder order = {};
};

class FindingReport {
public:
    FindingReport(Context& context, const Classes& wanted, const Showing& showing);

    /// Counts it, and shows it where its class is wanted and has not been shown often enough.
    void take(FindingRow row);
    /// Of the whole command, which adds to it what is not about findings.
    Outcome& outcome() { return outcome_; }
    /// Ends the output.
    void finish(bool complete);

    std::uint64_t total() const;
    /// Of this class, those that are removed where it is named.
    std::uint64_t left_to_name(domain::FindingClass what) const {
        return left_to_name_.at(static_cast<std::size_t>(what));
    }
    /// `3 leaked, 1 misplaced`; empty where nothing was found.
    std::string words() const;
    std::vector<std::pair<std::string, std::int64_t>> numbers() const;
    /// Rows are written as they come.
    bool streams() const { return rows_ && !most_; }

private:
    static constexpr auto kClasses = static_cast<std::size_t>(domain::FindingClass::masked_keys) + 1;
    using Counts = std::array<FindingCountRow, kClasses>;

    Context& context_;
    const Classes& wanted_;
    std::optional<std::uint64_t> most_;  // of each class are shown; null: all
    Counts counts_;
    std::array<std::uint64_t, kClasses> left_to_name_{};
    std::vector<FindingRow> examples_;
    std::optional<RowWriter<FindingRow>> rows_;
    std::optional<RowWriter<FindingCountRow>> summary_;
    Outcome outcome_;
};

}  // namespace ratectl::commands::doctor
