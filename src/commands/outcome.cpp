// The one place where exit codes are weighed against each other.
#include "commands/outcome.h"

#include <algorithm>
#include <iterator>

#include "domain/cluster/slot_faults.h"

namespace ratectl::commands {
namespace {

constexpr std::size_t kToldProblems = 20;

}  // namespace

using support::graver;

ExitCode stopped(const support::StopSignal& stop) {
    return stop && !stop.is_too_late() ? support::ending_by(stop.signal()) : ExitCode::done;
}

output::FailureRow failure_row(const domain::Node& node, const support::Error& error) {
    if (node.shard.empty() || domain::blames_no_node(error)) return failure_row(error);
    return {node.shard, node.name(), static_cast<int>(error.code), error.message, error.hint};
}

output::FailureRow failure_row(const support::Error& error) {
    return {"", "", static_cast<int>(error.code), error.message, error.hint};
}

void Outcome::fail(const domain::Node& node, const support::Error& error) {
    auto row = failure_row(node, error);
    messages_.error(error, row.shard, row.node);
    fail(std::move(row));
}

void Outcome::fail_once(const domain::Node& node, const support::Error& error) {
    const auto row = failure_row(node, error);
    const bool known = std::ranges::any_of(failures_, [&row](const output::FailureRow& other) {
        return other.shard == row.shard && other.node == row.node && (!row.shard.empty() || other == row);
    });
    if (!known) fail(node, error);
}

void Outcome::fail(output::FailureRow row) {
    fail(static_cast<ExitCode>(row.code));
    list(std::move(row));
}

void Outcome::list(output::FailureRow row) {
    if (failures_.size() < kListed && std::ranges::find(failures_, row) == failures_.end())
        failures_.push_back(std::move(row));
}

support::Failure Outcome::broken_off(const support::Failure& failure, bool answered) {
    auto error = failure.error();
    if (answered && !stop_) error.message += "; what was answered before it stands";
    list(failure_row(error));
    return support::Failure(std::move(error));
}

void Outcome::cannot_tell(const support::Error& error) {
    messages_.error(error);
    list(failure_row(error));
    add(error.code);
}

void Outcome::fail(ExitCode code) { failed_ = graver(failed_, code); }

void Outcome::add(ExitCode code) { least_ = graver(least_, code); }

void Outcome::add(const Outcome& part) {
    add(part.code());
    failures_.insert(failures_.end(), part.failures_.begin(), part.failures_.end());
    if (part.left_out_count_ > 0) leave_out(part.left_out_, part.left_out_count_);
}

void Outcome::leave_out(std::vector<output::LeftOutRow> keys, std::uint64_t count) {
    left_out_count_ += count;
    const auto room = std::min(keys.size(), kListed - left_out_.size());
    std::move(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(room), std::back_inserter(left_out_));
}

output::Footer Outcome::footer(bool complete) const {
    const ExitCode ends = code();
    const bool whole = complete && (ends == ExitCode::done || ends == ExitCode::attention);
    return {failures_, whole, left_out_, left_out_count_, untried_};
}

ExitCode Outcome::code() const {
    ExitCode code = graver(least_, failed_);
    // Where something failed and nothing came of the rest, the failure is all that there is to tell.
    const bool partial = failed_ != ExitCode::done ? answered_ : undone_ && !stop_;
    if (partial) code = graver(code, ExitCode::partial);
    return graver(code, stopped(stop_));
}

ExitCode Outcome::close(std::string_view line, const std::vector<std::pair<std::string, std::int64_t>>& counts,
                        const std::vector<std::pair<std::string, std::string>>& facts) const {
    messages_.summary(line, counts, facts);
    return code();
}

void Outcome::end_by(support::Error error) const {
    error.code = graver(error.code, code());
    throw support::Failure(std::move(error));
}

void ProblemTeller::tell(const support::Error& error, std::string_view shard, std::string_view node) {
    const auto is_same = [&](const std::string& told) {
        return told.starts_with(error.message) || error.message.starts_with(told);
    };
    if (std::ranges::any_of(told_, is_same)) return;
    const bool is_full = told_.size() == kToldProblems;
    if (!is_full) told_.push_back(error.message);
    if (!is_full || error.code == ExitCode::unknown) {
        context_.messages().error(error, shard, node);
    } else if (!said_more_) {
        said_more_ = true;
        context_.messages().warning("further problems are only counted; every key has its row");
    }
}

}  // namespace ratectl::commands
