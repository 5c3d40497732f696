// Counts the rows of a change and tells each to the outcome.
#include "commands/write/write_tally.h"

#include <numeric>

namespace ratectl::commands {

namespace {

constexpr RowStatus kInOrder[] = {RowStatus::applied, RowStatus::already_applied, RowStatus::planned,
                                  RowStatus::skipped, RowStatus::window_changed,  RowStatus::refused,
                                  RowStatus::failed,  RowStatus::unknown,         RowStatus::not_attempted};

}  // namespace

void WriteTally::add(const WriteRow& row) {
    ++counts_[static_cast<std::size_t>(row.status)];
    switch (row.status) {
        case RowStatus::applied:
        case RowStatus::already_applied:
        case RowStatus::planned:
        case RowStatus::skipped: outcome_.answer(); break;
        case RowStatus::window_changed:
        case RowStatus::refused:
        case RowStatus::failed: fail(row, ExitCode::guard); break;
        case RowStatus::unknown:
            outcome_.add(ExitCode::unknown);
            fail(row, ExitCode::unknown);
            break;
        case RowStatus::not_attempted: outcome_.leave_undone(); break;
    }
    const bool is_there = row.status == RowStatus::applied || row.status == RowStatus::already_applied;
    if (wait_replicas_ == 0 || !is_there) return;
    if (row.acknowledged.value_or(0) >= wait_replicas_) return;
    ++(row.acknowledged ? unacknowledged_ : untold_);
    outcome_.add(ExitCode::partial);
}

void WriteTally::fail(const WriteRow& row, ExitCode otherwise) {
    if (!row.error) return outcome_.fail(otherwise);
    outcome_.fail({row.shard, row.node, static_cast<int>(row.error->code), row.error->message, row.error->hint});
}

void WriteTally::add_not_attempted(std::uint64_t number) {
    counts_[static_cast<std::size_t>(RowStatus::not_attempted)] += number;
    if (number > 0) outcome_.leave_undone();
}

std::uint64_t WriteTally::rows() const { return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0}); }

void WriteTally::conclude() {
    if (applied() + before() + planned() == 0) outcome_.attend();
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
