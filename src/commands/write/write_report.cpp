// Reports a change: counts each row before it is printed, so that the summary adds up.
#include "commands/write/write_report.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "commands/report/pasted_flags.h"
#include "commands/report/window_report.h"
#include "commands/report/wording.h"
#include "commands/request/throttle_names.h"
#include "support/quote.h"
#include "support/time_text.h"

namespace ratectl::commands {
namespace {

using support::Failure;

constexpr std::string_view kAbsent = "absent";
constexpr std::size_t kRowsBetween = 500;
constexpr support::Milliseconds kNoProgressFor{500};  // what is done sooner needs none

constexpr std::size_t kMostKeys = 100;

/// Where a server did not tell how many replicas have its writes, none is said not to have them.
void say_unacknowledged(const WriteTally& tally, const Orders& orders, Context& context) {
    const bool one = orders.wait_replicas == 1;
    const auto warn = [&](std::uint64_t keys, const std::string& words) {
        if (keys == 0) return;
        context.messages().warning(
            fmt::format("{}: {} of {}", words, keys, tally.applied() + tally.before()),
            "the writes stand on the primaries; a replica that is promoted without them loses them");
    };
    warn(tally.unacknowledged(),
         fmt::format("written keys that {} replica{} did not acknowledge within {}", orders.wait_replicas,
                     one ? "" : "s", support::format_duration(orders.wait_timeout)));
    warn(tally.untold(), fmt::format("written keys of which it is not known whether {} replica{} them",
                                     orders.wait_replicas, one ? " has" : "s have"));
}

}  // namespace

WriteReport::WriteReport(const Orders& orders, Context& context)
    : orders_(orders),
      context_(context),
      writer_(context, write_fields(), "ratectl.writes.v1",
              orders.head.operation.reason.empty() ? kWriteTable : kReasonedWriteTable, true, orders.rows),
      outcome_(context),
      tally_(outcome_, orders.dry ? 0 : orders.wait_replicas),
      meant_(context, throttle::changes_throttles(orders.head.command)),
      problems_(context),
      started_at_(context.wall_clock()) {}

void WriteReport::take(const std::vector<WriteRow>& rows, const std::function<void()>& between) {
    for (const auto& row : rows) count(row);
    try {
        std::size_t printed = 0;
        for (const auto& row : rows) {
            if (is_only_counted(row)) {
                only_counted_ = true;
            } else if (!wants_no_rows(context_.options())) {
                writer_.write(row);
            }
            if (between && ++printed % kRowsBetween == 0) between();
        }
    } catch (const Failure&) {
        output_gone_ = true;
        throw;
    }
}

/// What Ctrl-C has kept from being tried would push everything else off a terminal.
bool WriteReport::is_only_counted(const WriteRow& row) const {
    const auto& style = writer_.options();
    const bool for_people = style.format == output::Format::table || style.format == output::Format::wide;
    return row.status == RowStatus::not_attempted && context_.stop() && style.terminal && for_people &&
           tally_.rows() > 1;
}

/// No user waits for single rows of a dry run, and those that come together align.
void WriteReport::flush() {
    if (orders_.dry) return;
    try {
        writer_.flush();
    } catch (const Failure&) {
        output_gone_ = true;
        throw;
    }
}

void WriteReport::count(const WriteRow& row) {
    tally_.add(row);
    if (row.reason == kAbsent) meant_.note_absent(row.key);
    if (row.error) problems_.tell(*row.error, row.shard, row.node);
}

void WriteReport::take_blind(const std::vector<store::NodeFailure>& failures) {
    for (; blind_ < failures.size(); ++blind_) {
        const auto& [node, error] = failures[blind_];
        auto row = failure_row(node, error);
        problems_.tell(error, row.shard, row.node);
        outcome_.fail(std::move(row));
    }
}

void WriteReport::progress(std::uint64_t total) {
    const auto done = tally_.rows();
    const auto now = context_.wall_clock();
    if (done == total || now - started_at_ < kNoProgressFor || now - last_progress_ < output::kProgressEvery) return;
    last_progress_ = now;
    const auto elapsed = std::max<std::int64_t>((now - started_at_).count(), 1);
    const auto rate = done * 1000 / static_cast<std::uint64_t>(elapsed);
    std::string text = total > 0 ? fmt::format("{} of {} keys", done, total) : fmt::format("{} keys", done);
    text += fmt::format(", {} a second", rate);
    if (total > done && rate > 0)
        text += ", " + support::format_duration(support::Seconds((total - done) / rate)) + " to go";
    context_.messages().progress(text);
}

void WriteReport::break_off(const support::Error& error, std::uint64_t known) {
    if (context_.stop() && !output_gone_) return;  // waiting for input ends so, too
    if (output_gone_) {
        settle(known);
        end_without_output(error);
    }
    outcome_.list(failure_row(error));
    if (!tally_.wrote()) {
        const bool has_rows = tally_.rows() > 0;
        settle(known);
        complete_ = false;
        const bool has_counts = tally_.rows() > 0 && writer_.options().format == output::Format::json;
        if (has_rows || has_counts) end_output();
        if (tally_.rows() > 0) say_summary();
        throw Failure(error);
    }
    auto told = error;
    told.message += "; what came before it was carried out: " + tally_.words();
    if (told.hint.empty()) told.hint = command("history") + " lists what was done";
    context_.messages().error(told);
    outcome_.add(error.code == ExitCode::local_io ? error.code : ExitCode::partial);
    complete_ = false;
}

/// What was written is told all the same, and nothing that went wrong with it hides behind a full disk or a closed
/// pipe.
void WriteReport::end_without_output(support::Error error) {
    if (tally_.rows() > 0) say_summary();
    tally_.conclude();
    if (error.hint.empty() && tally_.applied() > 0) error.hint = command("history") + " lists what was done";
    outcome_.end_by(std::move(error));
}

void WriteReport::settle(std::uint64_t known) {
    if (known <= tally_.rows()) return;
    only_counted_ = true;
    tally_.add_not_attempted(known - tally_.rows());
}

/// Not while --show-replicas has still to look at them, or the plan's file is not there.
bool WriteReport::is_all_done(std::uint64_t known, bool all_known) const {
    return complete_ && all_known && tally_.rows() == known && tally_.are_all_decided() &&
           (plan_written_ || !orders_.plan) && !orders_.show_replicas;
}

ExitCode WriteReport::finish(std::uint64_t known, bool all_known, TakenBack taken_back) {
    if (is_all_done(known, all_known)) context_.stop().come_too_late();
    settle(known);
    end_output();
    say_unacknowledged(tally_, orders_, context_);
    if (stopped(context_.stop()) != ExitCode::done && !plan_written_) say_stopped(all_known);
    say_taken_back(std::move(taken_back));
    say_summary();
    tally_.conclude();
    return outcome_.code();
}

void WriteReport::end_output() {
    try {
        auto footer = outcome_.footer(complete_);
        footer.not_attempted = tally_.not_attempted();
        outcome_.add(writer_.end(footer));
        context_.out().flush();
    } catch (const Failure& failure) {
        end_without_output(failure.error());
    }
}

std::string WriteReport::summary_words() const {
    std::string text = tally_.words();
    if (plan_written_) return text + ": " + pasted(context_, "apply " + as_argument(*orders_.plan));
    if (orders_.plan) return text + (tally_.planned() > 0 ? "; the plan was not written" : "");
    if (orders_.dry) return text + " (dry run: nothing was written)";
    const auto there = tally_.applied() + tally_.before();
    if (orders_.wait_replicas > 0 && tally_.untold() < there) {
        text += fmt::format(", {} of {} acknowledged by {} replica{}", tally_.acknowledged(), there,
                            orders_.wait_replicas, orders_.wait_replicas == 1 ? "" : "s");
    }
    if (there == 0 || undone_ || orders_.head.undoes) return text;
    return text + "; to take it back: " + command("undo");
}

std::string WriteReport::command(std::string_view what) const {
    return pasted(context_, std::string(what) + " " + orders_.id());
}

void WriteReport::say_stopped(bool all_known) {
    std::string hint = "the same command again does the rest, and repeats nothing";
    if (orders_.dry) {
        hint.clear();
    } else if (!orders_.resumable) {
        hint = what_resumes(orders_.head.command);
        if (tally_.wrote())
            hint = fmt::format("`{}` tells what was changed, `{}` takes it back; {}", command("history"),
                               command("undo"), what_resumes(orders_.head.command));
    } else if (only_counted_) {
        hint += "; " + command("history") + " lists what was done";
    }
    std::string text = "stopped before the end; ";
    text += tally_.unknown() > 0 ? "of what was begun some is unknown"
            : tally_.wrote()     ? "what was begun is finished"
                                 : "nothing was written";
    if (only_counted_) text += ", what was not attempted is only counted";
    if (!all_known) text += "; how many more keys would have come is unknown, and they are not counted";
    context_.messages().notice(text, hint);
}

/// What was carried out under this id before may have been taken back since, wholly or in part, and it is not done
/// again.
void WriteReport::say_taken_back(TakenBack what) {
    const auto before = tally_.before();
    if (before == 0 || orders_.dry) return;
    auto& journal = context_.journal();
    std::set<std::uint64_t> rows;
    for (const auto& undo : journal.undone_by(orders_.id())) {
        const auto taken = journal.applied_rows(undo.operation.id, 0, std::numeric_limits<std::uint64_t>::max());
        if (taken.empty()) continue;
        rows.insert(taken.begin(), taken.end());
        what.by = support::quoted(undo.operation.id);
    }
    what.rows = std::max<std::uint64_t>(what.rows, rows.size());  // the servers know of those as long as they keep it
    if (what.rows == 0) return;
    undone_ = what.rows >= before;
    outcome_.attend();
    context_.messages().warning(
        undone_ ? fmt::format("operation '{}' was carried out before and taken back by {}, and is not done again",
                              orders_.id(), what.by)
                : fmt::format("operation '{}' was carried out before, {} of its {} changes {} taken back, by {}, and "
                              "nothing of it is done again",
                              orders_.id(), what.rows, before, what.rows == 1 ? "was" : "were", what.by),
        orders_.head.command == "apply" ? "a new plan does it anew" : "another --op-id does it anew");
}

void WriteReport::say_summary() {
    auto& messages = context_.messages();
    // One key that nothing was done to has said so in its row.
    const bool silent = tally_.rows() == 1 && tally_.applied() == 0 && !orders_.plan;
    if (silent && !messages.options().json) return;
    std::vector<std::pair<std::string, std::string>> facts;
    if (!orders_.dry || orders_.plan) facts.emplace_back("operation", orders_.id());
    messages.summary(summary_words(), tally_.counts(), facts);
}

void ReplicaTable::note(std::span<const PlannedKey> chunk, std::span<const WriteRow> rows) {
    if (!wanted_) return;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].status != RowStatus::applied && rows[i].status != RowStatus::already_applied) continue;
        too_many_ = keys_.size() == kMostKeys;
        if (too_many_) return;
        keys_.push_back({chunk[i].key, chunk[i].shard});
    }
}

ExitCode ReplicaTable::print(Context& context) {
    if (keys_.empty()) return ExitCode::done;
    if (too_many_) context.messages().notice("--show-replicas shows the first 100 keys");
    const Selection everything;
    const Filter filter(everything, context.settings(), context.directory());
    context.out().write("\n");
    WindowReport report(context, filter, {}, Attention::limited, kWindowColumnsWithNode);
    const auto answers =
        context.store().look({keys_, {domain::ReadFrom::Which::all, {}}, domain::LookDepth::full, false});
    for (const auto& answer : answers) {
        if (!answer.look) {
            report.outcome().fail_once(answer.node, answer.look.error());
        } else {
            const auto meaning = meaning_of(*answer.look, context.settings());
            report.take({*answer.look, meaning, &answer.node, answer.read_at, answer.stale});
        }
    }
    return report.finish(!context.stop());
}

}  // namespace ratectl::commands
