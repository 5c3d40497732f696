// Carries repairs out: one question for all, then chunks so small that every key gets a full look before it is written.
#include "commands/doctor/repairs.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "commands/doctor/classes.h"
#include "commands/doctor/servers.h"
#include "commands/report/pasted_flags.h"
#include "commands/write/change.h"
#include "commands/write/pins.h"
#include "commands/write/write_chunk.h"
#include "support/number_text.h"

namespace ratectl::commands::doctor {
namespace {

using domain::Repair;

/// The two changes that repairs consist of. Each judges the window anew, right before it is written, and spares what is
/// not as planned.
class RepairChange : public Change {
public:
    RepairChange(const Classes& to_fix, const Surroundings& surroundings, Context& context)
        : to_fix_(to_fix), surroundings_(surroundings), context_(context) {}

    PlanRules rules() const override { return {}; }
    std::optional<std::int64_t> amount_of(const Subject&) const override { return std::nullopt; }

protected:
    /// The circumstances of the window as it is now.
    domain::Circumstances around(const Subject& subject) const {
        return surroundings_.of(subject.meaning, context_.directory().primary(subject.planned.shard),
                                context_.wall_clock());
    }
    /// It still has a fault that this change is for.
    template <class IsMine>
    bool is_faulty(const Subject& subject, IsMine is_mine) const {
        const auto findings = domain::diagnose(subject.look, around(subject));
        return std::any_of(findings.begin(), findings.end(), [&](const domain::Finding& finding) {
            return to_fix_.has(finding.what) && is_mine(finding.repair());
        });
    }

    /// Faulty, too, but not as it was when consent was asked for.
    static Refusal another_fault(const Subject& subject) {
        auto refusal =
            refused(subject.planned, "window-changed", "is no longer what was found", "look again and decide anew");
        refusal.status = RowStatus::window_changed;
        return refusal;
    }

private:
    const Classes& to_fix_;
    const Surroundings& surroundings_;
    Context& context_;
};

class ExpiryRepair final : public RepairChange {
public:
    using RepairChange::RepairChange;

    domain::WriteKind kind() const override { return domain::WriteKind::repair; }
    std::string asked() const override { return "repair"; }
    std::string verb() const override { return "set the expiries of"; }

    std::optional<Refusal> prepare(const Subject& subject) override {
        if (auto refusal = refusal_of(subject)) return refusal;
        items_.push_back(item_for(subject));
        return std::nullopt;
    }

    Forecast forecast(const Subject& subject) const override {
        if (auto refusal = refusal_of(subject)) return {std::move(refusal), {}, {}};
        const auto item = item_for(subject);
        auto after = domain::stored_window(subject.look);
        after.expires = item.wanted;
        return {std::nullopt, std::move(after), {}};
    }

    void send(store::WriteStream& stream, store::WriteOrder order) override {
        stream.submit(std::exchange(items_, {}), std::move(order));
    }

private:
    std::optional<Refusal> refusal_of(const Subject& subject) const {
        if (!is_mine(subject)) return skipped("sound-now");
        if (item_for(subject).if_reset != subject.planned.if_reset) return another_fault(subject);
        return std::nullopt;
    }

    bool is_mine(const Subject& subject) const {
        return domain::right_expiry_ms(subject.look) &&
               is_faulty(subject, [](Repair repair) { return repair == Repair::set_expiries; });
    }

    domain::RepairItem item_for(const Subject& subject) const {
        const auto right = domain::right_expiry_ms(subject.look);
        return {{subject.planned.key, subject.planned.shard},
                *domain::judge(subject.look, domain::kWhenever, std::nullopt).reset_at,
                domain::expiries_of(subject.look, around(subject).server_now),
                {right, right}};
    }

    std::vector<domain::RepairItem> items_;
};

class Removal final : public RepairChange {
public:
    using RepairChange::RepairChange;

    domain::WriteKind kind() const override { return domain::WriteKind::reset; }
    std::string asked() const override { return "doctor"; }
    std::string verb() const override { return "remove"; }

    std::optional<Refusal> prepare(const Subject& subject) override {
        if (auto refusal = refusal_of(subject)) return refusal;
        const auto& planned = subject.planned;
        items_.push_back({{planned.key, planned.shard}, std::nullopt, std::nullopt, planned.if_stored});
        return std::nullopt;
    }

    Forecast forecast(const Subject& subject) const override { return {refusal_of(subject), {}, {}}; }

    void send(store::WriteStream& stream, store::WriteOrder order) override {
        stream.submit(std::exchange(items_, {}), std::move(order));
    }

private:
    std::optional<Refusal> refusal_of(const Subject& subject) const {
        if (!is_mine(subject)) return skipped("sound-now");
        if (!is_still_stored(subject)) return another_fault(subject);
        return std::nullopt;
    }

    bool is_mine(const Subject& subject) const {
        return is_faulty(subject,
                         [](Repair repair) { return repair == Repair::remove || repair == Repair::remove_if_named; });
    }

    std::vector<domain::ResetItem> items_;
};

/// Sets both expiries to one second after the window's end. Needs a full look.
std::unique_ptr<Change> make_expiry_repair(const Classes& to_fix, const Surroundings& surroundings, Context& context) {
    return std::make_unique<ExpiryRepair>(to_fix, surroundings, context);
}

/// Removes exactly the bytes that were seen. Needs a full look.
std::unique_ptr<Change> make_removal(const Classes& to_fix, const Surroundings& surroundings, Context& context) {
    return std::make_unique<Removal>(to_fix, surroundings, context);
}

constexpr std::size_t kAtOnce = 100;  // ChunkWriter looks fully at so many
constexpr std::size_t kShownKeys = 5;

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
    const auto repair = row.finding.repair();
    if (!row.key || repair == Repair::none || !to_fix_.has(row.finding.what)) return false;
    if (jobs_.size() == kMostRepairs) {
        ++turned_away_;
        return false;
    }
    jobs_.push_back({std::move(row), shard, repair != Repair::set_expiries});
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
                key.if_stored = domain::StoredWindow{seen.used, seen.reset_at, {}, seen.state};
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
                                   return job->row.finding.what == domain::FindingClass::expiry_past;
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
        text += (i == 0 ? "; to take it back: " : ", ") + pasted(context_, "undo " + operations_[i]);
    }
    return text;
}

}  // namespace ratectl::commands::doctor
