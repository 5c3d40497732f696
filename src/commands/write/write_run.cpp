// One loop for all changes: a chunk of keys at a time, so that a million of them use constant memory.
#include "commands/write/write_run.h"

#include "commands/request/refused_flags.h"
#include "commands/write/key_spool.h"
#include "commands/write/previous_attempt.h"
#include "commands/write/write_chunk.h"
#include "commands/write/write_report.h"

namespace ratectl::commands {

namespace {

using support::Failure;

/// Chunks that the servers have while another one is planned and one is printed.
constexpr std::size_t kOnTheirWay = 2;
/// How often a window that has changed behind its look is looked at again: each time that is less likely, since fewer
/// are looked at together.
constexpr int kSecondLooks = 5;

class WriteRun {
public:
    WriteRun(WriteTask task, const ConsentFlags& flags, Change& change, Context& context)
        : task_(std::move(task)),
          context_(context),
          settings_(context.settings()),
          consent_(flags, context, task_.orders.dry),
          change_(change),
          keys_(std::move(task_.keys), context.temporary_folder(), context.stop()),
          report_(task_.orders, context),
          chunk_(task_.orders, consent_, task_.states, change, context),
          replicas_(task_.orders.show_replicas) {}

    ExitCode run() {
        const auto counted_as = change_.counted_as();
        auto needed = consent_.keys_to_know();
        if (needed) *needed *= counted_as.keys;
        keys_.read_ahead(needed);
        auto plan = keys_.plan(context_.directory(), counted_as);
        plan.verb = change_.verb();
        plan.all = task_.all;
        plan.incomplete = !keys_.source().failures().empty();
        report_.take_blind(keys_.source().failures());  // before the question: the plan is not the whole truth then
        keys_.source().tell_left_out(report_.outcome());
        if (!context_.stop()) consent_.require(plan);
        keys_.read_what_comes();
        try {
            write_all();
        } catch (const Failure& failure) {
            report_.break_off(failure.error(), keys_.known());
        }
        report_.take_blind(keys_.source().failures());
        keys_.source().tell_left_out(report_.outcome());
        report_.finish(keys_.known(), keys_.all_known(), chunk_.taken_back());
        report_.outcome().add(replicas_.print(context_));
        return report_.outcome().code();
    }

private:
    void write_all() {
        try {
            write_chunks();
            report_all(false);
        } catch (const Failure&) {
            count_what_was_begun();
            throw;
        }
        if (context_.stop()) return tell_not_attempted();
        if (chunk_.planned() == 0) return;
        chunk_.finish();
        report_.note_plan_written();
    }

    void write_chunks() {
        // A repeated operation must be cut as it was the first time, however slowly its keys come.
        const bool wholly = task_.orders.repeatable || task_.orders.plan || keys_.all_known();
        for (std::size_t number = 0; !context_.stop(); ++number) {
            const auto most = chunk_size(number, task_.chunk);
            // Nothing is on its way while we wait for other input: the servers' answers would not be taken.
            auto keys = keys_.next(most, wholly, [this] { report_all(true); });
            if (keys.empty()) return;
            if (context_.stop()) return void(not_sent_ = std::move(keys));
            const bool whole = keys.size() == most;
            // What is looked at again stands alone.
            const auto on_their_way = change_.looks_again() ? 0 : kOnTheirWay;
            if (chunk_.pending() == kOnTheirWay) chunk_.await();
            chunk_.submit(std::move(keys));
            if (!whole) report_all(true);
            if (chunk_.pending() > on_their_way) report_oldest();
            if (chunk_.record_failure()) throw Failure(*chunk_.record_failure());
        }
    }

    /// Keys that are known have their rows; a second signal leaves them counted.
    void tell_not_attempted() {
        for (auto keys = std::move(not_sent_); context_.stop().count() < 2; keys.clear()) {
            if (keys.empty()) keys = keys_.next_known(kChunk);
            if (keys.empty()) return;
            report_.take(chunk_.fresh_rows(keys));
        }
    }

    void report_oldest() {
        auto chunk = chunk_.take();
        try {
            look_again(chunk);
        } catch (const Failure&) {
            report(chunk);
            throw;
        }
        report(chunk);
    }

    /// Nothing was written to those that were no longer what was seen. Not where an id was named: its calls have to be
    /// the same ones whenever it is repeated.
    void look_again(WrittenChunk& chunk) {
        if (!change_.looks_again() || task_.orders.repeatable) return;
        for (int look = 0; look < kSecondLooks && !context_.stop() && !chunk_.record_failure(); ++look) {
            std::vector<std::size_t> changed;
            std::vector<PlannedKey> keys;
            for (std::size_t i = 0; i < chunk.rows.size(); ++i) {
                if (chunk.rows[i].status != RowStatus::window_changed) continue;
                changed.push_back(i);
                keys.push_back(chunk.keys[i]);
            }
            if (keys.empty()) return;
            auto rows = chunk_.write(keys);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                if (rows[i].status != RowStatus::not_attempted) chunk.rows[changed[i]] = std::move(rows[i]);
            }
        }
    }

    void report(const WrittenChunk& chunk) {
        replicas_.note(chunk.keys, chunk.rows);
        report_.take(chunk.rows, [this] { chunk_.poll(); });
        report_.progress(keys_.all_known() ? keys_.known() : 0);
    }

    void report_all(bool flush) {
        const bool prints = flush && chunk_.pending() > 0;
        while (chunk_.pending() > 0) {
            chunk_.await_oldest();
            report_oldest();
        }
        chunk_.await_all();  // also what was reported chunk by chunk is recorded
        if (prints) report_.flush();
        if (chunk_.record_failure()) throw Failure(*chunk_.record_failure());
    }

    /// Something broke off while chunks were on their way: they are finished, recorded and counted all the same.
    void count_what_was_begun() {
        chunk_.await_all();
        while (chunk_.pending() > 0) {
            try {
                report(chunk_.take());
            } catch (const Failure&) {  // only the output, and that is told already
            }
        }
    }

    WriteTask task_;
    Context& context_;
    const config::Settings& settings_;
    Consent consent_;
    Change& change_;
    KeySpool keys_;
    WriteReport report_;
    ChunkWriter chunk_;
    ReplicaTable replicas_;
    std::vector<PlannedKey> not_sent_;  // taken from keys_ when the signal came
};

/// It narrows only what asks for it.
void say_limit_counts_nothing(const Selection& selection, Context& context) {
    if (!may_mean_rows_by_limit(context) || !selection.states.empty() || selection.min_used) return;
    context.messages().notice(
        "--limit is the limit of windows, and no number of keys: every key that is named is changed",
        "--max-keys N refuses a change of more keys");
}

}  // namespace

ExitCode run_change(const Selection& selection, const ConsentFlags& consent, const OrderFlags& order, Change& change,
                    Context& context) {
    if (answer_columns_help(context, output::columns_of(write_fields()))) return ExitCode::done;
    say_limit_counts_nothing(selection, context);
    WriteTask task;
    task.orders = orders_of(order, consent, change.kind(), change.command(), context);
    task.states = Filter(selection, context.settings(), context.directory()).states();
    task.all = selection.all;
    const Consent before_anything(consent, context, task.orders.dry);
    task.keys = plan_keys(selection, change.rules(), context);
    if (task.keys->are_given())
        task.orders.named =
            selection.keys.size() + selection.clients.size() + (selection.exact ? selection.exact->size() : 0);
    if (task.keys->are_chosen_by_look()) task.orders.resumable = false;
    if (task.keys->is_sweep()) refuse_repeated_sweep(task.orders, change.kind(), context);
    return run_task(std::move(task), consent, change, context);
}

ExitCode run_task(WriteTask task, const ConsentFlags& consent, Change& change, Context& context) {
    return WriteRun(std::move(task), consent, change, context).run();
}

}  // namespace ratectl::commands
