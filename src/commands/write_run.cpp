// One loop for all changes: a chunk of keys at a time, so that a million of them use constant memory.
#include "commands/write_run.h"

#include <algorithm>

#include "commands/key_homes.h"
#include "commands/key_spool.h"
#include "commands/row_writer.h"
#include "commands/write_tally.h"
#include "support/decimal.h"
#include "support/time_text.h"

namespace ratectl::commands {

namespace {

using support::Failure;

constexpr std::size_t kChunk = 1000;
constexpr std::size_t kFullLookUpTo = 100;
constexpr std::uint64_t kShownProblems = 20;

bool is_sound(domain::WindowState state) {
    using domain::WindowState;
    return state == WindowState::absent || state == WindowState::open || state == WindowState::exhausted ||
           state == WindowState::closed || state == WindowState::negative;
}

RowStatus row_status(domain::WriteStatus status) {
    switch (status) {
        case domain::WriteStatus::applied:
            return RowStatus::applied;
        case domain::WriteStatus::already_applied:
            return RowStatus::already_applied;
        case domain::WriteStatus::nothing_to_do:
            return RowStatus::skipped;
        case domain::WriteStatus::window_changed:
            return RowStatus::window_changed;
        case domain::WriteStatus::refused:
            return RowStatus::refused;
        case domain::WriteStatus::failed:
            return RowStatus::failed;
        case domain::WriteStatus::unknown:
            return RowStatus::unknown;
        case domain::WriteStatus::not_attempted:
            break;
    }
    return RowStatus::not_attempted;
}

void take_result(WriteRow& row, store::WriteResult result) {
    row.status = row_status(result.status);
    row.node = result.node.name();
    row.reason = std::move(result.reason);
    row.error = std::move(result.error);
    if (row.status == RowStatus::failed || row.status == RowStatus::unknown || row.status == RowStatus::not_attempted)
        return;
    row.before = std::move(result.before);
    row.after = std::move(result.after);
    row.written_at = result.written_at;
    if (row.status != RowStatus::applied) row.written_at.reset();
}

void take_refusal(WriteRow& row, Refusal refusal) {
    row.status = refusal.status;
    row.reason = std::move(refusal.reason);
    row.error = std::move(refusal.error);
}

class Run {
public:
    Run(const Selection& selection, const ConsentFlags& flags, Change& change, Context& context)
        : context_(context),
          settings_(context.settings()),
          consent_(flags, context),
          change_(change),
          states_(Filter(selection, settings_).states()),
          selection_(selection),
          keys_(plan_keys(selection, change.rules(), context)),
          writer_(context, write_fields(), "ratectl.writes.v1", kWriteTable) {}

    ExitCode run() {
        keys_.read_ahead(consent_.keys_to_know(), context_.stop());
        auto plan = keys_.plan(settings_);
        plan.verb = change_.verb();
        plan.all = selection_.all;
        output::Footer footer;
        report_blind_shards(footer);  // before the question: the plan is not the whole truth then
        if (!context_.stop()) consent_.require(plan);
        try {
            while (!context_.stop()) {
                const auto chunk = keys_.next(kChunk);
                if (chunk.empty()) break;
                process(chunk);
            }
        } catch (const Failure& failure) {
            broke_off(failure.error(), footer);
        }
        return finish(footer);
    }

private:
    void process(const std::vector<PlannedKey>& chunk) {
        std::vector<WriteRow> rows;
        rows.reserve(chunk.size());
        for (const auto& planned : chunk) rows.push_back(fresh_row(planned));
        std::vector<std::size_t> to_look;
        for (std::size_t i = 0; i < chunk.size(); ++i) {
            if (auto refusal = refuse_unseen(chunk[i])) {
                take_refusal(rows[i], std::move(*refusal));
            } else {
                to_look.push_back(i);
            }
        }
        const auto sent = look_and_prepare(chunk, to_look, rows);
        if (!sent.empty()) {
            auto results = change_.send(context_.store());
            for (std::size_t i = 0; i < sent.size(); ++i) {
                const auto taken = results[i].taken;
                take_result(rows[sent[i]], std::move(results[i]));
                if (change_.op() == "refund" && rows[sent[i]].status == RowStatus::applied) rows[sent[i]].taken = taken;
            }
        }
        // Counted before printed: what was written is told even if standard output is gone.
        for (const auto& row : rows) count(row);
        print(rows);
    }

    void print(const std::vector<WriteRow>& rows) {
        try {
            for (const auto& row : rows) writer_.write(row);
            if (rows.size() < kChunk) writer_.flush();
        } catch (const Failure&) {
            output_gone_ = true;
            throw;
        }
    }

    WriteRow fresh_row(const PlannedKey& planned) const {
        const auto& shard = settings_.shards.at(planned.shard).shard;
        WriteRow row;
        row.key = planned.key;
        row.deployment = settings_.deployment;
        row.op = change_.op();
        if (planned.home != Home::known) return row;
        row.shard = shard.name;
        row.node = shard.primary.address();
        return row;
    }

    std::optional<Refusal> refuse_unseen(const PlannedKey& planned) const {
        if (planned.home != Home::known) return refuse_homeless(planned, change_.rules().opens, settings_);
        const auto& suffix = settings_.expiry_suffix;
        if (planned.key.ends_with(suffix)) {
            return refused(
                planned, "expiry-key", "ends in '" + suffix + "', so it is half a window and no window",
                "name the counter's key: '" + planned.key.substr(0, planned.key.size() - suffix.size()) + "'");
        }
        if (consent_.is_protected(planned.key))
            return refused(planned, "protected", "is protected by the configuration");
        if (planned.misplaced) {
            return refused(planned, "misplaced", "was found on a shard where the application does not look for it",
                           "--shard names one shard whose windows are meant wherever they belong");
        }
        return std::nullopt;
    }

    /// The indices of the keys that change_ has taken, in order.
    std::vector<std::size_t> look_and_prepare(const std::vector<PlannedKey>& chunk,
                                              const std::vector<std::size_t>& to_look, std::vector<WriteRow>& rows) {
        std::vector<store::KeyAt> question;
        bool full = to_look.size() <= kFullLookUpTo;
        for (const auto i : to_look) {
            question.push_back({chunk[i].key, chunk[i].shard});
            full = full || !settings_.policies.match(chunk[i].key);
        }
        if (question.empty()) return {};
        const auto answers = context_.store().look({question,
                                                    {domain::ReadFrom::Which::primary, {}},
                                                    full ? domain::LookDepth::full : domain::LookDepth::light,
                                                    false});
        const auto now = context_.now();
        std::vector<std::size_t> taken;
        for (const auto& answer : answers) {
            const auto i = to_look.at(answer.key);
            rows[i].node = answer.node.name();
            if (!answer.look) {
                take_lost_look(rows[i], answer.look.error());
            } else if (prepare(chunk[i], *answer.look, now, rows[i])) {
                taken.push_back(i);
            }
        }
        return taken;
    }

    void take_lost_look(WriteRow& row, const support::Error& error) const {
        if (context_.stop()) return;  // stays not-attempted
        row.status = RowStatus::failed;
        row.reason = "no-look";
        row.error = error;
        row.error->message += "; nothing was written";
    }

    /// True when the change has taken it.
    bool prepare(const PlannedKey& planned, const domain::WindowLook& look, support::Instant now, WriteRow& row) {
        const auto meaning = meaning_of(planned.key, settings_);
        const auto window = domain::judge(look, now, meaning.limit);
        const Subject subject{planned, look, window, meaning, now};
        row.before = {look.counter.value, look.expiry.value, {}, {}};
        row.amount = change_.amount_of(subject);
        if (auto refusal = refuse_unsound(subject)) {
            take_refusal(row, std::move(*refusal));
            return false;
        }
        if (context_.options().dry_run) {
            take_forecast(row, change_.forecast(subject));
            return false;
        }
        auto refusal = change_.prepare(subject);
        if (!refusal) return true;
        take_refusal(row, std::move(*refusal));
        return false;
    }

    /// Half, leaked and corrupt keys are changed only when somebody said that they are windows.
    std::optional<Refusal> refuse_unsound(const Subject& subject) const {
        const auto state = subject.window.state;
        const bool named = std::find(states_.begin(), states_.end(), state) != states_.end();
        if (is_sound(state) || subject.meaning.match || named) return std::nullopt;
        return refused(
            subject.planned, "not-a-window",
            "is not a window (" + std::string(domain::name_of(state)) + "), and no policy says it should be one",
            "--state " + std::string(domain::name_of(state)) + " if it is meant all the same");
    }

    static void take_forecast(WriteRow& row, Forecast forecast) {
        if (forecast.refusal) return take_refusal(row, std::move(*forecast.refusal));
        row.status = RowStatus::planned;
        row.after = std::move(forecast.after);
        row.taken = forecast.taken;
    }

    void count(const WriteRow& row) {
        tally_.add(row);
        if (!row.error) return;
        if (tally_.problems() <= kShownProblems || row.status == RowStatus::unknown) {
            context_.messages().error(*row.error, row.shard, row.node);
        } else if (tally_.problems() == kShownProblems + 1) {
            context_.messages().warning("further problems are only counted; every key has its row");
        }
    }

    /// Input that breaks off after something was written is no longer the plain failure that it would have been at first.
    void broke_off(const support::Error& error, output::Footer& footer) {
        if (context_.stop()) return;  // waiting for input ends so, too
        if (output_gone_) end_without_output(error);
        if (!tally_.wrote()) {
            if (tally_.rows() > 0) say_summary();
            throw Failure(error);
        }
        context_.messages().error(error);
        if (error.code == ExitCode::local_io) {
            input_ended_ = error.code;
        } else {
            tally_.add_problem(ExitCode::partial);
        }
        footer.complete = false;
    }

    /// What was written is told all the same, and nothing that went wrong with it hides behind a full disk or a closed pipe.
    [[noreturn]] void end_without_output(support::Error error) {
        if (tally_.rows() > 0) say_summary();
        error.code = support::graver(error.code, tally_.conclude(context_.stop()));
        throw Failure(std::move(error));
    }

    ExitCode finish(output::Footer& footer) {
        report_blind_shards(footer);
        if (keys_.known() > tally_.rows()) tally_.add_not_attempted(keys_.known() - tally_.rows());
        footer.complete = footer.complete && footer.failures.empty() && !context_.stop();
        const auto left_out = end_output(footer);
        say_summary();
        return support::graver(support::graver(tally_.conclude(context_.stop()), input_ended_), left_out);
    }

    ExitCode end_output(const output::Footer& footer) {
        try {
            const auto left_out = writer_.end(footer);
            context_.out().flush();
            return left_out;
        } catch (const Failure& failure) {
            end_without_output(failure.error());
        }
    }

    /// Shards that a sweep could not see; each once.
    void report_blind_shards(output::Footer& footer) {
        const auto failures = keys_.source().failures();
        for (std::size_t i = footer.failures.size(); i < failures.size(); ++i) {
            context_.messages().error(failures[i].error, failures[i].node.shard, failures[i].node.name());
            tally_.add_problem(failures[i].error.code);
            footer.failures.push_back(failure_row(failures[i].node, failures[i].error));
        }
    }

    void say_summary() {
        if (tally_.rows() == 1 && !context_.messages().options().json) return;
        const std::string mode = context_.options().dry_run ? " (dry run: nothing was written)" : "";
        context_.messages().summary(tally_.words() + mode, tally_.counts());
    }

    Context& context_;
    const config::Settings& settings_;
    Consent consent_;
    Change& change_;
    std::vector<domain::WindowState> states_;
    const Selection& selection_;
    KeySpool keys_;
    RowWriter<WriteRow> writer_;
    WriteTally tally_;
    bool output_gone_ = false;
    ExitCode input_ended_ = ExitCode::done;  // how, when it broke off after something was written
};

}  // namespace

ExitCode run_change(const Selection& selection, const ConsentFlags& consent, Change& change, Context& context) {
    if (answer_columns_help(context, output::columns_of(write_fields()))) return ExitCode::done;
    return Run(selection, consent, change, context).run();
}

Refusal refused(const PlannedKey& planned, std::string reason, const std::string& what, std::string hint,
                ExitCode code) {
    return {RowStatus::refused, std::move(reason),
            support::Error{code, "key '" + planned.key + "' " + what + "; nothing was written", std::move(hint)}};
}

Refusal skipped(std::string reason) { return {RowStatus::skipped, std::move(reason), std::nullopt}; }

support::Instant parse_guard(const std::string& text, support::Instant now) {
    const auto time = support::parse_time(text, now);
    if (!time) throw Failure(ExitCode::usage, "--if-window: " + time.error().message, time.error().hint);
    return *time;
}

std::optional<domain::ModelWindow> model_of(const domain::WindowLook& look) {
    const auto used = look.counter.value ? support::parse_decimal(*look.counter.value) : std::nullopt;
    const auto reset_at = look.expiry.value ? support::parse_decimal(*look.expiry.value) : std::nullopt;
    if (!used || !reset_at) return std::nullopt;
    return domain::ModelWindow{*used, support::from_epoch(*reset_at)};
}

domain::StoredWindow stored_of(const std::optional<domain::ModelWindow>& window) {
    if (!window) return {};
    return {std::to_string(window->used), std::to_string(support::epoch_seconds(window->reset_at)), {}, {}};
}

}  // namespace ratectl::commands
