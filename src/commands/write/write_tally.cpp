// Counts the rows of a change and finds the exit code that follows from them.
#include "commands/write/write_tally.h"

#include <algorithm>
#include <numeric>
#include "commands/stopped.h"

namespace ratectl::commands {

namespace {

using support::ExitCode;

constexpr RowStatus kInOrder[] = {RowStatus::applied, RowStatus::already_applied, RowStatus::planned,
                                  RowStatus::skipped, RowStatus::window_changed,  RowStatus::refused,
                                  RowStatus::failed,  RowStatus::unknown,         RowStatus::not_attempted};

}  // namespace

void WriteTally::add(const WriteRow& row) {
    ++counts_[static_cast<std::size_t>(row.status)];
    const bool problem =
        row.status == RowStatus::window_changed || row.status == RowStatus::refused || row.status == RowStatus::failed;
    if (problem) add_problem(row.error ? row.error->code : ExitCode::guard);
    if (wait_replicas_ == 0 || row.status != RowStatus::applied) return;
    const int replicas = row.acknowledged.value_or(0);
    acknowledged_ = std::min(acknowledged_.value_or(replicas), replicas);
    if (replicas < wait_replicas_) ++unacknowledged_;
}

void WriteTally::add_not_attempted(std::uint64_t number) {
    counts_[static_cast<std::size_t>(RowStatus::not_attempted)] += number;
}

void WriteTally::add_problem(ExitCode code) {
    ++problems_;
    gravest_ = support::graver(gravest_, code);
}

std::uint64_t WriteTally::rows() const { return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0}); }

ExitCode WriteTally::conclude(const support::StopSignal& stop) const {
    const std::uint64_t well = count(RowStatus::applied) + count(RowStatus::already_applied) +
                               count(RowStatus::planned) + count(RowStatus::skipped);
    ExitCode code = ExitCode::done;
    if (problems_ > 0) code = well > 0 ? support::graver(ExitCode::partial, gravest_) : gravest_;
    if (unacknowledged_ > 0) code = support::graver(code, ExitCode::partial);
    if (count(RowStatus::unknown) > 0) code = support::graver(code, ExitCode::unknown);
    if (count(RowStatus::not_attempted) > 0 && !stop) code = support::graver(code, ExitCode::partial);
    code = support::graver(code, stopped(stop));
    if (code == ExitCode::done &&
        count(RowStatus::applied) + count(RowStatus::already_applied) + count(RowStatus::planned) == 0)
        code = ExitCode::attention;
    return code;
}

std::string WriteTally::words() const {
    std::string text;
    for (const RowStatus status : kInOrder) {
        if (count(status) == 0) continue;
        if (!text.empty()) text += ", ";
        text += std::to_string(count(status)) + " " + std::string(name_of(status));
    }
    return text.empty() ? "no key was selected" : text;
}

std::vector<std::pair<std::string, std::int64_t>> WriteTally::counts() const {
    std::vector<std::pair<std::string, std::int64_t>> result;
    for (const RowStatus status : kInOrder) {
        std::string name(name_of(status));
        for (char& c : name) c = c == '-' ? '_' : c;
        result.emplace_back(std::move(name), static_cast<std::int64_t>(count(status)));
    }
    return result;
}

}  // namespace ratectl::commands
