// Carries repairs out: one question for all, then chunks so small that every key gets a full look before it is written.
#include "commands/doctor/repairs.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "commands/doctor/repair_changes.h"
#include "commands/write/pins.h"
#include "commands/write/write_chunk.h"

namespace ratectl::commands::doctor {
namespace {

constexpr std::size_t kAtOnce = 100;  // ChunkWriter looks fully at so many
constexpr std::size_t kShownKeys = 5;

domain::Repair repair_of(const FindingRow& row) { return domain::kind_of(row.what).repair; }

}  // namespace

Repairs::Repairs(const Classes& to_fix, const ConsentFlags& consent, const OrderFlags& order, const Servers& servers,
                 FindingReport& report, Context& context)
    : to_fix_(to_fix),
      consent_flags_(consent),
      order_flags_(order),
      servers_(servers),
      report_(report),
      context_(context),
      dry_(context.options().dry_run),
      consent_(consent, context, dry_),
      surroundings_(context.settings(), servers_),
      outcome_(context),
      tally_(outcome_),
      problems_(context) {}

bool Repairs::take(FindingRow& row, std::size_t shard) {
    if (!row.key || !to_fix_.has(row.what)) return false;
    if (jobs_.size() == kMostRepairs) {
        ++turned_away_;
        return false;
    }
    const bool removes = repair_of(row) != domain::Repair::set_expiries;
    jobs_.push_back({std::move(row), shard, removes});
    return true;
}

void Repairs::ask() {
    WritePlan plan;
    const auto removals = std::count_if(jobs_.begin(), jobs_.end(), [](const Job& job) { return job.removes; });
    const auto expiries = static_cast<std::ptrdiff_t>(jobs_.size()) - removals;
    if (removals == 0) {
        plan.verb = "set the expiries of";
    } else if (expiries == 0) {
        plan.verb = "remove";
    } else {
        plan.verb = "repair";
        plan.parts = fmt::format("{} get{} other expiries, {} {} removed", expiries, expiries == 1 ? "s" : "", removals,
                                 removals == 1 ? "is" : "are");
    }
    plan.keys = jobs_.size();
    for (const auto& job : jobs_) {
        ++plan.keys_per_shard[job.row.shard];
        if (plan.first_keys.size() < kShownKeys) plan.first_keys.push_back(*job.row.key);
    }
    consent_.require(plan);
}

ExitCode Repairs::carry_out() {
    if (jobs_.empty()) return ExitCode::done;
    ask();
    write(false);
    write(true);
    leave();
    tally_.conclude();
    return outcome_.code();
}

void Repairs::leave() {
    for (auto& job : jobs_) {
        if (job.row.status) continue;  // handed over
        tally_.add_not_attempted(1);
        FindingRow row = std::move(job.row);
        job.row.status = row.status = RowStatus::not_attempted;
        report_.take(std::move(row));
    }
}

void Repairs::write(bool removals) {
    std::vector<Job*> jobs;
    for (auto& job : jobs_) {
        if (job.removes == removals) jobs.push_back(&job);
    }
    if (jobs.empty()) return;
    const auto change = removals ? make_removal(to_fix_, surroundings_, context_)
                                 : make_expiry_repair(to_fix_, surroundings_, context_);
    const auto orders = orders_of(order_flags_, consent_flags_, change->kind(), "doctor", context_);
    ChunkWriter writer(orders, consent_, {}, *change, context_);
    const auto applied_before = tally_.applied();
    for (std::size_t first = 0; first < jobs.size() && !context_.stop(); first += kAtOnce) {
        const auto chunk = std::span(jobs).subspan(first, std::min(kAtOnce, jobs.size() - first));
        std::vector<PlannedKey> keys;
        for (const auto* job : chunk) {
            auto& key = keys.emplace_back();
            key.key = *job->row.key;
            key.shard = job->shard;
            key.meant = true;
            const auto& seen = job->row.window;
            if (removals) {
                key.if_stored = domain::StoredWindow{seen.used, seen.reset_at, {}, {}};
            } else {
                pin(key, seen, false, change->rules());
            }
        }
        auto rows = writer.write(keys);
        for (std::size_t i = 0; i < chunk.size(); ++i) hand_over(*chunk[i], std::move(rows[i]));
        if (writer.record_failure()) throw support::Failure(*writer.record_failure());
    }
    // Windows that are over when they are removed are not put back.
    const bool gone_for_good = removals && std::all_of(jobs.begin(), jobs.end(), [](const Job* job) {
                                   return job->row.what == domain::FindingClass::expiry_past;
                               });
    if (tally_.applied() > applied_before && !gone_for_good) operations_.push_back(orders.id());
}

void Repairs::hand_over(Job& job, WriteRow result) {
    tally_.add(result);
    if (result.error) problems_.tell(*result.error, result.shard, result.node);
    job.row.status = result.status;
    job.row.reason = std::move(result.reason);
    job.row.error = std::move(result.error);
    job.row.op_id = std::move(result.op_id);
    FindingRow row = std::move(job.row);
    job.row.status = row.status;  // moved from: it only says that it was handed over
    report_.take(std::move(row));
}

std::string Repairs::words() const {
    if (jobs_.empty()) return "nothing to repair";
    std::string text = tally_.words();
    if (dry_) return text + " (dry run: nothing was written)";
    for (std::size_t i = 0; i < operations_.size(); ++i) {
        text += (i == 0 ? "; to take it back: ratectl undo " : ", ratectl undo ") + operations_[i];
    }
    return text;
}

}  // namespace ratectl::commands::doctor
