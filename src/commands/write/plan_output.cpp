// Writes a plan file; rows wait until a chunk of them can be cut into slices.
#include "commands/write/plan_output.h"

#include <fmt/format.h>

#include "commands/report/key_mask.h"
#include "support/time_text.h"

namespace ratectl::commands {

namespace {

input::PlanHead head_of(const Orders& orders, const Change& change, const config::Settings& settings) {
    const auto& operation = orders.head.operation;
    input::PlanHead head;
    head.operation = operation.id;
    head.kind = domain::name_of(change.kind());
    head.deployment = settings.deployment;
    head.created_at = support::format_wall_time(orders.head.started_at);
    head.made_by = operation.actor + "@" + operation.host;
    head.reason = operation.reason;
    head.chunk = kChunk;
    head.if_used_at_least = orders.guards.used_at_least;
    change.describe(head);
    return head;
}

}  // namespace

PlanOutput::PlanOutput(const Orders& orders, Change& change, Context& context)
    : context_(context),
      change_(change),
      settings_(context.settings()),
      directory_(context.directory()),
      used_at_least_(orders.guards.used_at_least),
      slicer_({}, limiter_of(context.settings()), context.settings().kind == config::DeploymentKind::cluster,
              store::windows_per_call(context.directory())),
      writer_(orders.plan.value(), head_of(orders, change, context.settings())) {}

std::uint64_t PlanOutput::add(const Subject& subject) {
    const auto& look = subject.look;
    input::PlanRow row;
    row.row = ++rows_;
    row.shard = directory_.name_of(subject.planned.shard);
    row.key = subject.planned.key;
    auto stored = domain::stored_window(look, subject.now);
    row.used = std::move(stored.used);
    row.reset_at = std::move(stored.reset_at);
    row.state = domain::name_of(subject.window.state);
    row.amount = change_.amount_of(subject);
    if (const auto period = change_.period_of(subject)) row.period_s = period->count();
    const auto& least = subject.planned.if_used_at_least;
    if (least != used_at_least_) row.if_used_at_least = least;
    row.follows = subject.planned.follows;
    row.layout = look.limiter->layout();
    if (visible_key(row.key, settings_) != row.key) ++masked_;
    keys_.push_back(subject.planned);
    waiting_.push_back(std::move(row));
    if (waiting_.size() == chunk_size(chunks_, kChunk)) write_chunk();
    return rows_;
}

void PlanOutput::write_chunk() {
    ++chunks_;
    for (const auto& slice : slicer_.cut(keys_)) {
        for (const auto i : slice.keys) waiting_[i].slice = slice.number;
    }
    for (const auto& row : waiting_) writer_.row(row);
    waiting_.clear();
    keys_.clear();
}

void PlanOutput::finish() {
    write_chunk();
    writer_.finish();
    if (masked_ == 0) return;
    context_.messages().notice(
        fmt::format("the plan holds {} of its keys as they are, clients of secret policies included: "
                    "`apply` needs them; only you can read the file",
                    masked_));
}

}  // namespace ratectl::commands
