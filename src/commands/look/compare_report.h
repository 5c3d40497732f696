// What compare found on its way out: rows for everyone, sentences for people, and what it means for the exit code.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "commands/context.h"
#include "commands/look/compare_fields.h"
#include "commands/looks/node_views.h"
#include "commands/outcome.h"
#include "commands/report/row_writer.h"

namespace ratectl::commands {

class CompareReport {
public:
    /// `only_differing`: windows that are the same everywhere are counted and not shown.
    CompareReport(Context& context, bool only_differing, const ColumnOrder& order);

    /// One window on one shard; `strays`: on other shards, where its own does not have it.
    void take(const WindowViews& window, std::span<const StrayWindow> strays, support::Moment now);
    /// Something was said that is worth the exit code of a difference.
    void call_attention() { outcome_.attend(); }
    void flush() { rows_.flush(); }

    std::uint64_t windows() const { return windows_; }
    std::uint64_t differing() const { return differing_; }
    /// Of the whole command, which adds to it what is not about windows.
    Outcome& outcome() { return outcome_; }
    /// Ends the output, says the summary and how the command ends.
    ExitCode finish(bool complete);

private:
    using Counts = std::array<std::uint64_t, static_cast<std::size_t>(domain::Cause::unknown) + 1>;

    void write(const WindowViews& window, std::size_t i, const domain::WindowLook* look, bool is_script,
               support::Moment now);
    void take_impossible(const WindowViews& window, const support::Error& error);
    void write_stray(const WindowViews& home, const StrayWindow& stray, support::Moment now);
    void tell(const WindowViews& window);
    void tell_stray(const WindowViews& home, const StrayWindow& stray, support::Moment now);
    void tell_answers(const WindowViews& window);
    void tell_causes(const WindowViews& window);
    void tell_standing(const WindowViews& window);
    std::string untold_words() const;
    static std::string of_several_shards(const std::set<std::pair<std::string, std::string>>& nodes);
    std::string same_or_not() const;
    std::string summary(bool complete) const;

    Context& context_;
    RowWriter<CompareRow> rows_;
    bool only_differing_;
    bool names_only_ = false;
    bool for_people_ = false;
    Outcome outcome_;
    std::set<std::pair<std::string, std::string>> nodes_;   // shard and node of those that were asked
    std::set<std::pair<std::string, domain::Cause>> told_;  // of nodes, whatever the window
    std::set<domain::Cause> advised_;
    Counts causes_{};
    std::uint64_t windows_ = 0;
    std::map<domain::Cause, std::uint64_t> unshown_;  // of them, by any node
    std::uint64_t alone_ = 0;  // of them, shown by one of several nodes: by nothing to compare with
    std::uint64_t differing_ = 0;
    std::uint64_t told_windows_ = 0;
};

}  // namespace ratectl::commands
