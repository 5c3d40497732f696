// Records writes: intents and outcomes, from the store's slices to the journal's rows and the audit log's lines.
#include "commands/write/write_record.h"

#include <utility>

#include "commands/report/fields/history_fields.h"
#include "commands/report/key_mask.h"
#include "commands/report/pasted_flags.h"
#include "output/formats/json_row.h"
#include "store/directory.h"

namespace ratectl::commands {
namespace {

using support::Failure;

/// The whole record on one line, ASCII: a reader of the log needs nothing else.
std::string audit_line(const HistoryRow& row) {
    static const auto columns = output::columns_of(history_fields());
    output::JsonRow json(output::SinkOptions{}, columns);
    output::Row cells;
    output::fill_row(output::Fields<HistoryRow>(history_fields().begin(), history_fields().end()), row, cells);
    std::string line;
    json.append(line, cells);
    return line;
}

/// The same failure with what it means for the data.
Failure with_words(const Failure& failure, const std::string& words) {
    support::Error error = failure.error();
    error.message += words;
    return Failure(std::move(error));
}

}  // namespace

journal::OperationHead start_operation(Context& context, domain::WriteKind kind, std::string_view command,
                                       const std::optional<std::string>& op_id,
                                       const std::optional<std::string>& reason) {
    if (op_id) support::value_or_throw(domain::check_operation_id(*op_id));
    const auto identity = context.identity();
    journal::OperationHead head;
    head.operation = {op_id ? *op_id : context.new_operation_id(), identity.actor, identity.host, reason.value_or("")};
    head.kind = kind;
    head.command = command;
    head.deployment = context.settings().deployment;
    head.started_at = context.wall_clock();
    return head;
}

std::string recorded_address(const domain::Endpoint& endpoint) {
    return endpoint.address() + (endpoint.db == 0 ? "" : "/" + std::to_string(endpoint.db));
}

WriteRecord::WriteRecord(Context& context, journal::OperationHead head) : context_(context), head_(std::move(head)) {
    const auto& log = context.options().audit;
    if (log && *log != "syslog")
        throw Failure(ExitCode::usage, "--audit '" + *log + "' is not a log", "--audit syslog");
    audits_ = log.has_value();
}

void WriteRecord::begin() {
    if (begun_) return;
    context_.journal().begin(head_);
    begun_ = true;
}

void WriteRecord::before(std::span<const store::SliceAt> slices) {
    try {
        begin();
        const auto now = context_.wall_clock();
        const auto& limiter = limiter_of(context_.settings());
        intents_.resize(next_.size());
        std::size_t used = 0;
        for (const auto& at : slices) {
            const auto address = recorded_address(at.node.endpoint);
            for (const std::size_t i : at.slice->items) {
                const auto& item = next_.at(i);
                auto& intent = intents_.at(used++);
                intent.row = item.row;
                intent.slice = at.slice->number;
                intent.shard = at.node.shard;
                intent.node = address;
                intent.run_id = at.run_id;
                intent.key = recorded_key(item.key, context_.settings());
                intent.layout = limiter.of(item.key).layout();
                intent.fingerprint = at.slice->fingerprint;
                intent.amount = item.amount;
                intent.at = now;
            }
        }
        intents_.resize(used);
        record();
        if (audits_) audit_all();
    } catch (const Failure& failure) {
        throw with_words(failure, "; nothing was sent");
    }
    begun_items_.push_back(std::exchange(next_, {}));
}

void WriteRecord::record() {
    try {
        context_.journal().record(head_.operation.id, held_, intents_);
        held_.clear();
    } catch (const Failure&) {
        flush();  // by themselves they may still find room
        throw;
    }
}

/// What the log does not take is not sent, and then the journal must not wait for its end, either.
void WriteRecord::audit_all() {
    try {
        for (const auto& intent : intents_) audit(intent, std::nullopt);
    } catch (const Failure&) {
        std::vector<journal::Outcome> outcomes(intents_.size());
        for (std::size_t i = 0; i < intents_.size(); ++i) {
            outcomes[i].row = intents_[i].row;
            outcomes[i].status = domain::WriteStatus::not_attempted;
        }
        context_.journal().conclude(head_.operation.id, outcomes);
        throw;
    }
}

void WriteRecord::after(std::span<const store::SliceAt> slices, std::span<const store::WriteResult> results) {
    const auto items = std::move(begun_items_.front());
    begun_items_.pop_front();
    const auto first = held_.size();
    for (const auto& at : slices) {
        for (const std::size_t i : at.slice->items) hold(items.at(i).row, results[i]);
    }
    const std::vector<journal::Outcome> to_audit(
        audits_ ? held_.begin() + static_cast<std::ptrdiff_t>(first) : held_.end(), held_.end());
    if (!holds_) flush();
    if (!audits_ || failure_) return;
    try {
        auto outcome = to_audit.begin();
        for (const auto& at : slices) {
            for (const std::size_t i : at.slice->items) {
                const auto& item = items.at(i);
                audit({item.row,
                       at.slice->number,
                       at.node.shard,
                       recorded_address(at.node.endpoint),
                       at.run_id,
                       recorded_key(item.key, context_.settings()),
                       {},
                       item.amount,
                       context_.wall_clock()},
                      *outcome++);
            }
        }
    } catch (const Failure& failure) {
        fail(failure);
    }
}

void WriteRecord::flush() {
    if (held_.empty()) return;
    try {
        context_.journal().conclude(head_.operation.id, held_);
    } catch (const Failure& failure) {
        fail(failure);
    }
    held_.clear();
}

void WriteRecord::fail(const Failure& failure) {
    if (failure_) return;
    failure_ = with_words(failure, "; what was written just now is not recorded").error();
    if (failure_->hint.empty())
        failure_->hint = "`" + pasted(context_, "history " + head_.operation.id) + "` asks the servers";
}

void WriteRecord::hold(std::uint64_t row, const store::WriteResult& result) {
    auto& outcome = held_.emplace_back();
    outcome.row = row;
    outcome.status = result.status;
    outcome.reason = result.reason;
    outcome.before = result.before;
    outcome.after = result.after;
    outcome.taken = result.taken;
    outcome.at = result.written_at == support::WallTime{} ? context_.wall_clock() : result.written_at;
}

void WriteRecord::audit(const journal::Intent& intent, const std::optional<journal::Outcome>& outcome) {
    context_.audit(audit_line({head_, intent, outcome, outcome ? domain::name_of(outcome->status) : "intent", ""}));
}

}  // namespace ratectl::commands
