// Prints findings; examples wait until the end, to stand in the order of their classes, the rest is written at once.
#include "commands/doctor/report.h"

#include <algorithm>

#include <fmt/format.h>

namespace ratectl::commands::doctor {
namespace {

constexpr std::uint64_t kExamples = 5;

}  // namespace

FindingReport::FindingReport(Context& context, const Classes& wanted, const Showing& showing)
    : context_(context), wanted_(wanted), outcome_(context) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i].what = static_cast<domain::FindingClass>(i);
    if (showing.repairs && wants_no_rows(context.options())) return;
    if (showing.summary) {
        summary_.emplace(context, finding_count_fields(), "ratectl.finding-counts.v1", std::string_view{}, true,
                         showing.order);
        return;
    }
    rows_.emplace(context, finding_fields(), "ratectl.findings.v1", showing.repairs ? kRepairTable : kFindingTable,
                  true, showing.order);
    const auto format = rows_->options().format;
    const bool for_people = format == output::Format::table || format == output::Format::wide;
    if (!for_people || showing.all) return;
    most_ = showing.examples;
    // Under -q nothing would say that there are more.
    if (!most_ && !context.options().quiet) most_ = kExamples;
}

void FindingReport::take(FindingRow row) {
    if (!wanted_.has(row.finding.what)) return;
    const auto what = static_cast<std::size_t>(row.finding.what);
    if (row.finding.repair() == domain::Repair::remove_if_named) ++left_to_name_.at(what);
    auto& count = counts_.at(what);
    if (++count.count == 1) count.example = row.key ? *row.key : row.node;
    if (!rows_) return;
    if (!most_) {
        rows_->write(row);
    } else if (count.count <= *most_) {
        examples_.push_back(std::move(row));
    }
}

void FindingReport::finish(bool complete) {
    const auto footer = outcome_.footer(complete);
    if (summary_) {
        for (const auto& count : counts_) {
            if (count.count > 0) summary_->write(count);
        }
        return outcome_.add(summary_->end(footer));
    }
    if (!rows_) return;
    std::stable_sort(examples_.begin(), examples_.end(),
                     [](const FindingRow& a, const FindingRow& b) { return a.finding.what < b.finding.what; });
    for (const auto& row : examples_) rows_->write(row);
    outcome_.add(rows_->end(footer));
    const auto hidden = total() - examples_.size();
    if (most_ && hidden > 0) {
        context_.messages().notice(fmt::format("{} more of them {} not shown", hidden, hidden == 1 ? "is" : "are"),
                                   "--all-findings shows every one, and so does -o ndjson");
    }
}

std::uint64_t FindingReport::total() const {
    std::uint64_t total = 0;
    for (const auto& count : counts_) total += count.count;
    return total;
}

std::string FindingReport::words() const {
    std::string words;
    for (const auto& count : counts_) {
        if (count.count == 0) continue;
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", count.count, domain::name_of(count.what));
    }
    return words;
}

std::vector<std::pair<std::string, std::int64_t>> FindingReport::numbers() const {
    std::vector<std::pair<std::string, std::int64_t>> numbers;
    for (const auto& count : counts_) {
        if (count.count > 0) numbers.emplace_back(domain::name_of(count.what), static_cast<std::int64_t>(count.count));
    }
    return numbers;
}

}  // namespace ratectl::commands::doctor
