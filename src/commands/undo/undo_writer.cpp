// Writes batches of an undo.
// An undo happens once, from whatever machine and under whatever id: the servers keep a list of what was taken back of
// each call.
#include "commands/undo/undo_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "commands/report/key_mask.h"
#include "commands/undo/later_changes.h"
#include "commands/undo/undo_source.h"
#include "commands/write/previous_attempt.h"
#include "store/directory.h"
#include "support/fnv.h"

namespace ratectl::commands {

namespace {

using domain::WriteKind;
using domain::WriteStatus;

constexpr std::string_view kAlreadyUndone = "already-undone";
using Records = std::vector<std::optional<domain::OperationRecord>>;

std::vector<domain::SliceId> ids_of(const std::string& operation, const std::set<std::uint64_t>& numbers) {
    std::vector<domain::SliceId> ids;
    ids.reserve(numbers.size());
    for (const auto number : numbers) ids.push_back({operation, number});
    return ids;
}

}  // namespace

UndoWriter::UndoWriter(const Orders& orders, const Consent& consent, UndoTerms terms,
                       const journal::OperationHead& undone, Context& context)
    : orders_(orders),
      consent_(consent),
      terms_(terms),
      undone_(undone),
      context_(context),
      limiter_(limiter_of(context.settings())),
      writer_(orders, {}, context),
      servers_(context) {}

std::vector<WriteRow> UndoWriter::write(const std::vector<HistoryRow>& batch) {
    std::vector<WriteRow> rows;
    rows.reserve(batch.size());
    opened_ = windows_opened_by(batch);
    if (is_counting(undone_.kind) && !terms_.force) removed_ = removed_since(batch, context_);
    Tasks tasks;
    for (const auto& entry : batch) {
        auto& row = rows.emplace_back(fresh_row(entry));
        const auto shard = shard_of(entry);
        if (auto refusal = refusal_of(entry, shard)) {
            take_refusal(row, std::move(*refusal));
            continue;
        }
        const auto& target = context_.directory().primary(*shard);
        row.shard = target.shard;
        row.node = target.name();
        tasks.push_back({&entry, &row, *shard});
    }
    if (!context_.stop()) leave_out_undone(tasks);
    if (!tasks.empty() && !context_.stop()) orders_.dry ? forecast(tasks) : send(tasks);
    writer_.count_replicas(rows);
    return rows;
}

WriteRow UndoWriter::fresh_row(const HistoryRow& entry) const {
    WriteRow row;
    row.key = entry.intent.key;
    row.deployment = context_.settings().deployment;
    row.limiter = &limiter_;
    row.shard = entry.intent.shard;
    row.node = entry.intent.node;
    row.op = "undo";
    row.because = orders_.head.operation.reason;
    row.about_expiries = undone_.kind == domain::WriteKind::repair;
    if (!orders_.dry) row.op_id = entry.numbered ? fmt::format("{}/{}", orders_.id(), entry.intent.row) : orders_.id();
    if (entry.outcome && domain::wrote(entry.outcome->status) && is_counting(undone_.kind))
        row.amount = amount_of(entry);
    return row;
}

std::optional<std::size_t> UndoWriter::shard_of(const HistoryRow& entry) {
    const auto& directory = context_.directory();
    // Its slot may be on another one by now, and a shard may have got another primary, after which it is named.
    if (directory.has_slots()) return directory.place_of(entry.intent.key)->shard;
    if (const auto shard = directory.find(entry.intent.shard)) return shard;
    const auto home = terms_.force ? directory.place_of(entry.intent.key) : std::nullopt;
    return home ? std::optional(home->shard) : std::nullopt;
}

std::optional<Refusal> UndoWriter::refusal_of(const HistoryRow& entry, std::optional<std::size_t> shard) {
    if (entry.status == "unknown" || entry.status == "no-outcome") {
        return refuse_undo(entry, "outcome-unknown",
                           "was perhaps never changed: it is unknown whether that write arrived",
                           "`ratectl history " + undone_.operation.id + "` asks the servers again");
    }
    if (!entry.outcome || !domain::wrote(entry.outcome->status)) return skipped("not-applied");
    if (entry.status == kClientUnknown) {
        return refuse_undo(entry, std::string(kClientUnknown),
                           "is recorded without its client, and no server has the operation's key any more",
                           "say whose window it is: --client ID");
    }
    if (consent_.is_protected(entry.intent.key))
        return refuse_undo(entry, "protected", "is protected by the configuration");
    if (!shard) {
        return refuse_undo(entry, "other-server",
                           "was changed on shard '" + entry.intent.shard + "', which is not configured",
                           "--force takes the shard where the key belongs today");
    }
    const bool as_stored = undone_.kind == domain::WriteKind::reset || undone_.kind == domain::WriteKind::put;
    if (as_stored) return refusal_of_server(entry, *shard);
    const bool counts = is_counting(undone_.kind);
    const auto amount = counts ? amount_of(entry) : std::nullopt;
    if ((counts && !amount) || !window_of(entry))
        return refuse_undo(entry, "no-window", "left nothing by which it could be taken back");
    if (counts && *amount == 0 && !opened_window(entry)) return skipped("nothing-to-take");
    if (removed_.contains(recorded_key(entry.intent.key, context_.settings()))) return refuse_removed(entry);
    auto of_its_end = counts && !terms_.force ? refusal_of_moving_end(entry, context_) : std::nullopt;
    return of_its_end ? std::move(of_its_end) : refusal_of_server(entry, *shard);
}

/// A server that was replaced may never have had the window that was changed; one that has the key of the call that
/// changed it, such as a promoted replica, has had that, too.
std::optional<Refusal> UndoWriter::refusal_of_server(const HistoryRow& entry, std::size_t shard) {
    if (terms_.force) return std::nullopt;
    const auto how = servers_.replaced(entry.intent, shard);
    if (!how) return std::nullopt;
    const auto has = servers_.has_had(undone_, entry.intent, shard);
    if (!has) return refusal_of_untold(shard, has.error());
    if (*has) return std::nullopt;
    return refuse_undo(entry, "other-server", "was changed " + *how,
                       "--force if it holds the same windows all the same");
}

/// What the server did not say is no sign of another one. Once we are told to stop it was not asked, and nothing more
/// is sent: the row stays as it is.
std::optional<Refusal> UndoWriter::refusal_of_untold(std::size_t shard, const support::Error& error) const {
    if (context_.stop()) return std::nullopt;
    auto refusal = lost_look(error);
    refusal.elsewhere = {context_.settings().deployment, context_.directory().primary(shard)};
    return refusal;
}

std::uint64_t UndoWriter::call_for(const HistoryRow& entry) const {
    return call_of_row(entry.intent.slice, entry.intent.key, context_.directory().has_slots());
}

void UndoWriter::leave_out_undone(Tasks& tasks) {
    if (tasks.empty()) return;
    auto undone = undone_in_journal(tasks);
    ask_servers(tasks, undone);
    std::erase_if(tasks, [this, &undone](Task& task) {
        const auto found = undone.find(task.entry->intent.row);
        if (found == undone.end()) return false;
        if (found->second.doubtful) {
            // Once we are told to stop, servers that could have told were perhaps not asked.
            if (!context_.stop()) take_refusal(*task.row, doubt_undo(*task.entry));
            return true;
        }
        task.row->status = RowStatus::already_applied;
        task.row->reason = kAlreadyUndone;
        task.row->error.reset();
        task.row->because = found->second.because;
        task.row->before = found->second.before;
        task.row->after = found->second.after;
        if (task.row->about_expiries) task.row->after.expires = repair_of(task).wanted;
        return true;
    });
}

std::map<std::uint64_t, UndoWriter::Earlier> UndoWriter::undone_in_journal(const Tasks& tasks) {
    std::map<std::uint64_t, std::pair<std::string, std::size_t>> keys;  // with their shards
    const auto& settings = context_.settings();
    for (const auto& task : tasks) {
        const auto& intent = task.entry->intent;
        keys.emplace(intent.row, std::pair{recorded_key(intent.key, settings), task.shard});
    }
    std::map<std::uint64_t, Earlier> undone;
    for (const auto& head : context_.journal().undone_by(undone_.operation.id)) {
        journal::Question question;
        question.operation = head.operation.id;
        question.from_row = keys.begin()->first;
        question.to_row = keys.rbegin()->first;
        context_.journal().entries(question, [&](const journal::Entry& entry) {
            const auto key = keys.find(entry.intent.row);
            if (key == keys.end() || key->second.first != recorded_key(entry.intent.key, settings)) return true;
            const auto& outcome = entry.outcome;
            const bool open = !outcome || outcome->status == WriteStatus::unknown;
            if (!open && !domain::wrote(outcome->status)) return true;
            const bool lost = !open && servers_.may_have_lost(entry.intent, *outcome, key->second.second);
            if (!open && !lost) {
                undone[entry.intent.row] = Earlier{outcome->before, outcome->after, head.operation.reason, false};
            } else if (!is_harmless_twice() && (lost || !head.op_keys)) {
                undone.emplace(entry.intent.row, Earlier{{}, {}, {}, true});
            }
            return true;
        });
    }
    return undone;
}

void UndoWriter::ask_servers(Tasks& tasks, std::map<std::uint64_t, Earlier>& undone) {
    std::map<std::size_t, Tasks> by_shard;
    for (const auto& task : tasks) by_shard[task.shard].push_back(task);
    for (const auto& [shard, part] : by_shard) {
        std::set<std::uint64_t> slices;
        std::set<std::uint64_t> own;
        for (const auto& task : part) {
            slices.insert(task.entry->intent.slice);
            own.insert({task.entry->intent.slice, call_for(*task.entry)});
        }
        // What is wrong with a server that does not answer is told when it is written to.
        const auto lists = context_.store().recall_undone(shard, ids_of(undone_.operation.id, slices));
        for (const auto& list : lists.value_or(Records{}))
            if (list) take_done(*list, part, undone);
        if (!orders_.op_keys) continue;
        const auto records = context_.store().recall(shard, ids_of(orders_.id(), own));
        for (const auto& record : records.value_or(Records{}))
            if (record) take_record(*record, shard, part, undone);
    }
}

void UndoWriter::take_record(const domain::OperationRecord& record, std::size_t shard, const Tasks& tasks,
                             std::map<std::uint64_t, Earlier>& undone) {
    if (!is_undo_of(record, undone_.operation.id)) {
        if (has_sent_) return;  // rows say so
        refuse_used_id(orders_, "on shard '" + context_.directory().name_of(shard) + "'");
    }
    used_slices_.emplace(shard, record.id.number);
    const auto outcomes = take_done(record, tasks, undone);
    // A run that was killed may have left them open.
    if (!orders_.dry && context_.journal().find(orders_.id())) context_.journal().conclude(orders_.id(), outcomes);
}

std::vector<journal::Outcome> UndoWriter::take_done(const domain::OperationRecord& record, const Tasks& tasks,
                                                    std::map<std::uint64_t, Earlier>& undone) {
    std::map<std::string_view, const domain::OperationRecord::WindowAnswer*> done;
    for (const auto& window : record.windows) {
        if (domain::wrote(window.status)) done.emplace(window.key, &window);
    }
    std::vector<journal::Outcome> outcomes;
    for (const auto& task : tasks) {
        const auto& intent = task.entry->intent;
        if (intent.slice != record.id.number && call_for(*task.entry) != record.id.number) continue;
        const auto found = done.find(intent.key);
        if (found == done.end()) continue;
        const auto& a = *found->second;
        undone[intent.row] = Earlier{a.before, a.after, record.reason, false};
        outcomes.push_back({intent.row, a.status, a.why, a.before, a.after, a.taken, record.at});
    }
    return outcomes;
}

void UndoWriter::forecast(const Tasks& tasks) {
    std::vector<store::KeyAt> keys;
    for (const auto& task : tasks) keys.push_back({task.entry->intent.key, task.shard});
    const auto depth = keys.size() <= kFullLookUpTo ? domain::LookDepth::full : domain::LookDepth::light;
    const auto answers = context_.store().look({keys, {domain::ReadFrom::Which::primary, {}}, depth, false});
    // Each is met as those leave it that are taken back before.
    for (const auto& slice : cut(tasks))
        for (const auto i : slice.items) foretell(tasks[i], answers.at(i));
}

void UndoWriter::foretell(const Task& task, const store::LookAnswer& answer) {
    auto& row = *task.row;
    if (!answer.look) {
        take_refusal(row, lost_look(answer.look.error()));
        return take_node(row, answer.node);
    }
    const auto now = context_.now();
    const auto look = look_behind(before_.of(task.shard, row.key), *answer.look, now);
    row.before = domain::stored_window(look, now);
    if (row.about_expiries) row.before.expires = repair_of(task).seen;
    auto forecast = forecast_undo(*task.entry, look, terms_, opened_, now);
    if (forecast.refusal) return take_refusal(row, std::move(*forecast.refusal));
    if (is_counting(undone_.kind))  // of refunds a key has several rows only where ends stand still
        before_.note(task.shard, look.key, forecast.after, -forecast.taken.value_or(0), true);
    row.status = RowStatus::planned;
    row.after = std::move(forecast.after);
    row.taken = forecast.taken;
}

void UndoWriter::send(Tasks& tasks) {
    std::vector<RecordedItem> items;
    for (const auto& task : tasks) items.push_back({task.entry->intent.row, task.row->key, task.row->amount});
    auto results = call(tasks, writer_.order(std::move(items), cut(tasks)));
    has_sent_ = true;
    Tasks beaten;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        auto& row = *tasks[i].row;
        if (results[i].reason == "other-operation") beaten.push_back(tasks[i]);
        const bool end_moves = is_counting(undone_.kind) && limiter_.of(row.key).end_moves();
        take_result(row, std::move(results[i]), opposite_of(undone_.kind),
                    [&](std::string_view reason) { return undo_hint(reason, *tasks[i].entry, terms_, end_moves); });
        const bool is_by_another = row.status == RowStatus::already_applied && row.attempts == 1 && !row.resolved;
        if (is_by_another && row.reason.empty()) row.reason = kAlreadyUndone;
    }
    if (beaten.empty() || context_.stop()) return;
    // Another process takes it back, by another call of this number: what that was not about goes row by row.
    const auto known = used_slices_.size();
    leave_out_undone(beaten);
    if (used_slices_.size() > known && !beaten.empty()) send(beaten);
}

/// The slices of the operation again, under their numbers; but a row alone where only some are meant, or where an
/// earlier undo has done some: its call must not be taken for this one; and where policies have got other schemes
/// since. What was removed comes back in the opposite order: the last may be what those before it are read by. So are
/// counts taken back of a window whose end moves: each is known by what it left.
std::vector<store::Slice> UndoWriter::cut(const Tasks& tasks) const {
    std::map<std::pair<std::size_t, std::uint64_t>, std::set<const domain::Limiter*>> kinds;
    for (const auto& task : tasks)
        kinds[{task.shard, task.entry->intent.slice}].insert(&limiter_.of(task.entry->intent.key));
    std::map<std::pair<std::size_t, std::uint64_t>, std::vector<std::size_t>> calls;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const auto slice = std::pair{tasks[i].shard, tasks[i].entry->intent.slice};
        const bool alone = !terms_.whole || used_slices_.contains(slice) || kinds[slice].size() > 1;
        calls[{slice.first, alone ? call_for(*tasks[i].entry) : slice.second}].push_back(i);
    }
    std::vector<store::Slice> slices;
    for (auto& [call, indices] : calls) {
        auto text = fingerprint(tasks, indices);
        const domain::SliceId undoes{undone_.operation.id, tasks[indices.front()].entry->intent.slice};
        slices.push_back({call.second, std::move(text), std::move(indices), undoes});
    }
    const bool last_first = undone_.kind == WriteKind::reset || std::ranges::any_of(tasks, [this](const Task& task) {
                                return limiter_.of(task.entry->intent.key).end_moves();
                            });
    const auto place = [&tasks](const store::Slice& slice) {
        return std::pair(tasks[slice.items.front()].entry->intent.slice, slice.items.front());
    };
    if (last_first) std::ranges::sort(slices, std::ranges::greater(), place);
    return slices;
}

/// Begins with what is taken back, so that `history --on-servers` can say so.
std::string UndoWriter::fingerprint(const Tasks& tasks, const std::vector<std::size_t>& items) const {
    std::uint64_t one = support::fnv1a_64(terms_.merge ? "merge" : "");
    std::uint64_t two = support::fnv1a_64("undo", one);
    for (const auto i : items) {
        const auto& key = tasks[i].entry->intent.key;
        one = support::fnv1a_64(key, support::fnv1a_64(std::to_string(key.size()) + ":", one));
        two = support::fnv1a_64(std::to_string(key.size()) + ";", support::fnv1a_64(key, two));
    }
    // What was taken back of a copy is to be known as long as the copy is.
    const auto mark = undone_.command == kCopyCommand ? kCopyFingerprint : std::string_view();
    return fmt::format("{}{}:{}{:016x}{:016x}", kUndoFingerprint, undone_.operation.id, mark, one, two);
}

std::vector<store::WriteResult> UndoWriter::call(const Tasks& tasks, const store::WriteOrder& order) {
    const auto now = context_.now();
    const auto items = [&tasks](auto make) {
        std::vector<decltype(make(tasks.front()))> made;
        for (const auto& task : tasks) made.push_back(make(task));
        return made;
    };
    const auto asked = [this](auto item) {
        if (terms_.force) item.if_was.reset();
        return item;
    };
    switch (undone_.kind) {
        case domain::WriteKind::count:
            return context_.store().refund(
                items([&](const Task& task) {
                    return asked(refund_item(*task.entry, task.shard, opened_, limiter_, now));
                }),
                order);
        case domain::WriteKind::refund:
            return context_.store().count(
                items([&](const Task& task) { return asked(count_item(*task.entry, task.shard, limiter_, now)); }),
                order);
        case domain::WriteKind::put:
            return context_.store().put(items([](const Task& task) { return put_item(*task.entry, task.shard); }),
                                        order);
        case domain::WriteKind::repair:
            return context_.store().repair(items([this](const Task& task) { return repair_of(task); }), order);
        default:
            return context_.store().restore(
                items([this, now](const Task& task) { return restore_item(*task.entry, task.shard, terms_, now); }),
                order);
    }
}

}  // namespace ratectl::commands
