// reshard apply: asks consent for both deployments, then moves batch after batch; the counts add up to the plan.
#include "commands/reshard/reshard_request.h"

#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "commands/outcome.h"
#include "commands/report/row_writer.h"
#include "commands/reshard/mover.h"
#include "commands/reshard/survey.h"
#include "commands/write/key_spool.h"
#include "commands/write/planned_keys.h"
#include "commands/write/write_tally.h"
#include "support/quote.h"

namespace ratectl::commands::reshard {
namespace {

using support::Failure;

/// The windows that have to move, as planned keys: found by a survey of the old deployment's primaries, a page at a
/// time.
class Movements final : public PlannedKeys {
public:
    Movements(const DeploymentPair& deployments, std::vector<domain::WindowState> states, Context& context);

    std::vector<PlannedKey> next(std::size_t most) override;
    std::vector<store::NodeFailure> failures() const override { return survey_.failures(); }
    bool is_sweep() const override { return true; }

    const LeftBehind& left_behind() const { return survey_.left_behind(); }
    std::uint64_t stay() const { return stay_; }

private:
    Survey survey_;
    std::deque<PlannedKey> found_;
    std::uint64_t stay_ = 0;
};

Movements::Movements(const DeploymentPair& deployments, std::vector<domain::WindowState> states, Context& context)
    : survey_(deployments, std::move(states), {domain::ReadFrom::Which::primary, {}}, context) {}

std::vector<PlannedKey> Movements::next(std::size_t most) {
    const auto take = [this](const Surveyed& found) {
        if (!found.goes_along) return;
        if (found.stays()) {
            ++stay_;
            return;
        }
        PlannedKey key;
        key.key = found.look.key;
        key.shard = found.from;
        found_.push_back(std::move(key));
    };
    while (found_.empty()) {
        if (!survey_.next(take)) return {};
    }
    std::vector<PlannedKey> keys;
    while (!found_.empty() && keys.size() < most) {
        keys.push_back(std::move(found_.front()));
        found_.pop_front();
    }
    return keys;
}

constexpr std::size_t kBatch = 500;

/// The rules of both: whatever one of them forbids or asks for.
config::Settings stricter(const config::Settings& from, const config::Settings& to) {
    config::Settings both = from;
    both.writes = std::max(from.writes, to.writes);
    both.read_only = from.read_only || to.read_only;
    both.require_reason = from.require_reason || to.require_reason;
    both.max_keys = std::min(from.max_keys, to.max_keys);
    both.protect.insert(both.protect.end(), to.protect.begin(), to.protect.end());
    return both;
}

class Apply {
public:
    Apply(const ApplyRequest& request, DeploymentPair& deployments, Context& context)
        : deployments_(deployments),
          context_(context),
          orders_{request.op_id ? *request.op_id : context.new_operation_id(), request.consent.reason, request.op_keys,
                  request.merge},
          rules_(stricter(deployments.from.settings, deployments.to.settings)),
          rules_context_(context, rules_, deployments.from.store->directory()),
          consent_(request.consent, rules_context_),
          router_(deployments),
          renaming_(deployments.from.settings, deployments.to.settings),
          table_(move_table(renaming_.renames(), request.consent.reason.has_value())),
          mover_(deployments, orders_, request.states, context),
          problems_(context),
          writer_(context, move_fields(), "ratectl.reshard.v1", table_, true, request.order),
          outcome_(context),
          tally_(outcome_) {
        auto movements = std::make_unique<Movements>(deployments, request.states, context);
        movements_ = movements.get();
        keys_.emplace(std::move(movements), context.temporary_folder(), context.stop());
    }

    ExitCode run() {
        keys_->read_ahead(consent_.keys_to_know());
        auto plan = keys_->plan(deployments_.from.store->directory());
        plan.verb = "move to " + deployments_.to_name;
        report_blind_shards();  // before the question: the plan is not the whole truth then
        if (!context_.stop()) consent_.require(plan);
        std::optional<support::Error> broken;
        while (!context_.stop() && !broken) {
            const auto batch = keys_->next(kBatch, true);
            if (batch.empty()) break;
            const auto rows = process(batch);
            broken = mover_.failure();
            for (const auto& row : rows) count(row);
            print(rows);
            say_progress();
        }
        if (broken) outcome_.list(failure_row(*broken));
        finish();
        if (broken) outcome_.end_by(*broken);
        return outcome_.code();
    }

private:
    std::vector<MoveRow> process(const std::vector<PlannedKey>& batch) {
        std::vector<MoveRow> rows(batch.size());
        std::vector<PlannedMove> moves;
        std::vector<std::size_t> of_move;
        for (std::size_t i = 0; i < batch.size(); ++i) {
            auto new_key = renaming_.name_of(batch[i].key).key;
            const Route route = router_.route_of(batch[i].key, new_key, batch[i].shard);
            ++rows_;
            rows[i].key = batch[i].key;
            rows[i].new_key = new_key;
            rows[i].from = deployments_.from.store->directory().name_of(batch[i].shard);
            rows[i].to = deployments_.to.store->directory().name_of(route.to);
            if (refuse(route, rows[i])) continue;
            moves.push_back({batch[i].key, std::move(new_key), batch[i].shard, route.to, rows_});
            of_move.push_back(i);
        }
        auto moved = context_.options().dry_run ? mover_.rehearse(moves) : mover_.move(moves);
        for (std::size_t i = 0; i < moved.size(); ++i) rows[of_move[i]] = std::move(moved[i]);
        if (orders_.reason) {
            for (auto& row : rows) row.because = *orders_.reason;
        }
        return rows;
    }

    /// What is not moved whatever stands there.
    bool refuse(const Route& route, MoveRow& row) const {
        const auto say = [&row](RowStatus status, std::string reason, support::Error error) {
            row.status = status;
            row.reason = std::move(reason);
            error.message =
                fmt::format("key {}: {}; nothing was written to it", support::quoted(row.key), error.message);
            row.error = std::move(error);
            return true;
        };
        if (consent_.is_protected(row.key)) {
            return say(RowStatus::refused, "protected", {ExitCode::guard, "it is protected by the configuration", ""});
        }
        if (route.decision != MoveDecision::unproven) return false;
        for (const auto* silent : {&deployments_.silent_sources, &deployments_.silent_targets}) {
            for (const auto& failure : *silent) {
                if (failure.node.shard != (silent == &deployments_.silent_sources ? row.from : row.to)) continue;
                row.status = RowStatus::failed;
                row.reason = "no-server";
                row.error = failure.error;
                row.error->message += "; nothing was written there";
                return true;
            }
        }
        return say(RowStatus::refused, "no-run-id",
                   {ExitCode::guard,
                    fmt::format("'{}' and '{}' do not say which servers they are, and removing a window from the one "
                                "might remove it from the other",
                                row.from, row.to),
                    "the login needs INFO on both"});
    }

    void count(const MoveRow& row) {
        WriteRow counted;
        counted.shard = row.from;
        counted.status = row.status;
        counted.error = row.error;
        tally_.add(counted);
        if (row.status == RowStatus::skipped && row.reason == "window-there") ++there_;
        if (row.error) problems_.tell(*row.error, row.from, "");
    }

    void print(const std::vector<MoveRow>& rows) {
        if (output_gone_ || wants_no_rows(context_.options())) return;
        try {
            for (const auto& row : rows) writer_.write(row);
        } catch (const Failure& failure) {
            output_gone_ = failure.error();
        }
        if (output_gone_) end_without_output();
    }

    /// What was moved is told all the same.
    [[noreturn]] void end_without_output() {
        say_summary();
        tally_.conclude();
        outcome_.end_by(*output_gone_);
    }

    /// Shards whose windows could not all be seen; each once.
    void report_blind_shards() {
        const auto failures = keys_->source().failures();
        for (; blind_ < failures.size(); ++blind_) {
            const auto& [node, error] = failures[blind_];
            problems_.tell(error, node.shard, node.name());
            outcome_.fail(failure_row(node, error));
        }
    }

    void finish() {
        context_.messages().clear_progress();
        report_blind_shards();
        movements_->left_behind().tell_nameless(context_.messages(), deployments_);
        if (keys_->known() > tally_.rows()) tally_.add_not_attempted(keys_->known() - tally_.rows());
        ExitCode left_out = ExitCode::done;
        try {
            auto footer = outcome_.footer();
            footer.not_attempted = tally_.not_attempted();
            left_out = writer_.end(footer);
            context_.out().flush();
        } catch (const Failure& failure) {
            output_gone_ = failure.error();
        }
        if (output_gone_) end_without_output();
        say_summary();
        tally_.conclude();
        outcome_.add(left_out);
        if (!movements_->left_behind().nameless.empty()) outcome_.leave_undone();
    }

    void say_summary() {
        std::string text = tally_.rows() == 0 ? std::string("nothing has to move") : tally_.words();
        if (movements_->stay() > 0)
            text += movements_->stay() == 1 ? "; 1 stays on its server"
                                            : fmt::format("; {} stay on their server", movements_->stay());
        if (const auto words = movements_->left_behind().words(); !words.empty()) text += "; left behind: " + words;
        if (there_ > 0) {
            text += fmt::format("; {} of the skipped found another window there, and both stand", there_);
        }
        if (context_.options().dry_run) text += " (dry run: nothing was written)";
        auto counts = tally_.counts();
        counts.emplace_back("stay", static_cast<std::int64_t>(movements_->stay()));
        for (auto& each : movements_->left_behind().counts()) counts.push_back(std::move(each));
        context_.messages().summary(text, counts);
        if (!context_.options().dry_run && tally_.wrote() && outcome_.code() != ExitCode::done)
            context_.messages().notice("what is left is moved by the same command again");
    }

    void say_progress() {
        const auto now = context_.wall_clock();
        if (now - last_progress_ < output::kProgressEvery || context_.stdout_is_terminal()) return;
        last_progress_ = now;
        context_.messages().progress(fmt::format("{} of {} windows", tally_.rows(), keys_->known()));
    }

    DeploymentPair& deployments_;
    Context& context_;
    MoveOrders orders_;
    config::Settings rules_;
    DeploymentContext rules_context_;
    Consent consent_;
    Router router_;
    Renaming renaming_;
    std::string table_;
    Mover mover_;
    ProblemTeller problems_;
    RowWriter<MoveRow> writer_;
    Movements* movements_ = nullptr;  // of keys_
    std::optional<KeySpool> keys_;
    Outcome outcome_;
    WriteTally tally_;
    std::optional<support::Error> output_gone_;
    std::uint64_t rows_ = 0;
    std::uint64_t there_ = 0;
    std::size_t blind_ = 0;  // shards that are told
    support::WallTime last_progress_{};
};

}  // namespace

ExitCode apply(const ApplyRequest& request, DeploymentPair& deployments, Context& context) {
    // Each by its own name, so that a refusal says whose rule it is.
    DeploymentContext from(context, deployments.from.settings, deployments.from.store->directory());
    DeploymentContext to(context, deployments.to.settings, deployments.to.store->directory());
    const Consent rules_from(request.consent, from);
    const Consent rules_to(request.consent, to);
    auto own = request;
    if (own.op_id && !context.options().dry_run) own.op_id = id_to_go_on_under(*own.op_id, deployments, context);
    return Apply(own, deployments, context).run();
}

}  // namespace ratectl::commands::reshard
