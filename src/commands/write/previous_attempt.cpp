// Finds out what an earlier attempt of the same operation has done.
// A repeated command must find out what it has done before it looks: after a reset a look only says `absent`.
#include "commands/write/previous_attempt.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "commands/report/key_mask.h"
#include "commands/report/pasted_flags.h"
#include "commands/write/unresolved_entries.h"
#include "support/quote.h"

namespace ratectl::commands {

namespace {

using domain::WriteKind;
using domain::WriteStatus;

/// As kSurelyThere, where the window lasts so long.
constexpr support::Seconds kAtMostThere{23 * 60 * 60};

/// Every operation begins with the same numbers; calls that changed nothing are not on record.
constexpr std::uint64_t kFirstCalls = 20;

bool is_open(const journal::Entry& entry) { return !entry.outcome || entry.outcome->status == WriteStatus::unknown; }

/// It is not carried out anew.
bool is_decided(const journal::Entry& entry) {
    return is_open(entry) || domain::wrote(entry.outcome->status) || entry.outcome->status == WriteStatus::skipped;
}

std::string used_id_hint(const Orders& orders, bool in_journal) {
    return "`ratectl history " + std::string(in_journal ? "" : "--on-servers ") + orders.id() + "` tells which; " +
           (orders.head.command == "apply" ? "a new plan has an id of its own" : "leave --op-id out for a new one");
}

/// Of the same kind: so it may be this very operation, and only its rows have changed places.
[[noreturn]] void refuse_other_rows(const Orders& orders, const std::string& where, bool in_journal = false) {
    throw support::Failure(
        ExitCode::guard,
        "operation id '" + orders.id() + "' belongs to another operation, " + where +
            ", or is this one's, and its rows come in another order than before; nothing was written",
        used_id_hint(orders, in_journal) + ", or give all rows in the order that they had");
}

[[noreturn]] void refuse_other_rows_on(const Orders& orders, const std::string& shard, bool same_kind) {
    const std::string where = "on shard '" + shard + "'";
    if (same_kind) refuse_other_rows(orders, where);
    refuse_used_id(orders, where);
}

[[noreturn]] void refuse_sweep(const Orders& orders, const std::string& where, bool in_journal, Context& context) {
    const std::string& id = orders.id();
    const auto history = pasted(context, (in_journal ? "history " : "history --on-servers ") + id);
    throw support::Failure(
        ExitCode::guard,
        "operation '" + id + "' has been begun before, " + where +
            ": it changed what its sweep found then, and a sweep finds other windows, in another order, when it is "
            "repeated, so it cannot be resumed under its id; nothing was written",
        "`" + history + "` tells what was changed, `" + pasted(context, "undo " + id) +
            "` takes it back; leave --op-id out to change what is there now; " +
            std::string(what_resumes(orders.head.command)));
}

/// What the journal has under this id; throws where that is something else.
std::optional<journal::OperationHead> own_head(journal::Journal* journal, const Orders& orders, WriteKind kind,
                                               const std::string& deployment) {
    auto head = journal == nullptr ? std::nullopt : journal->find(orders.id());
    if (head && (head->kind != kind || head->deployment != deployment))
        refuse_used_id(orders, "in the journal: " + head->command + " in deployment '" + head->deployment + "'", true);
    return head;
}

/// How many of these windows it has taken back.
std::size_t count_taken_back(const domain::OperationRecord& undo, std::span<const PlannedKey> chunk,
                             const PlannedSlice& slice) {
    std::set<std::string_view> keys;
    for (const auto& window : undo.windows)
        if (domain::wrote(window.status)) keys.insert(window.key);
    const auto is_among = [&](std::size_t i) { return keys.contains(chunk[i].key); };
    return static_cast<std::size_t>(std::ranges::count_if(slice.keys, is_among));
}

}  // namespace

void refuse_used_id(const Orders& orders, const std::string& where, bool in_journal) {
    throw support::Failure(
        ExitCode::guard,
        "operation id '" + orders.id() + "' belongs to another operation, " + where + "; nothing was written",
        used_id_hint(orders, in_journal));
}

Refusal refuse_left_out(const PlannedKey& planned, const Orders& orders) {
    return refused(
        planned, "left-out",
        "was left out when this operation was carried out, and its call is not made a second time; nothing "
        "was written to it",
        orders.head.command == "apply" ? "make a new plan of what is left" : "change it under a new operation id");
}

void refuse_repeated_sweep(const Orders& orders, domain::WriteKind kind, Context& context) {
    if (!orders.repeatable) return;
    const std::string& id = orders.id();
    if (own_head(context.existing_journal(), orders, kind, context.settings().deployment))
        refuse_sweep(orders, "as the journal knows", true, context);
    if (!orders.op_keys) return;
    const bool by_slot = context.directory().has_slots();
    const auto calls = first_calls(id, by_slot, kFirstCalls);
    const auto& places = context.directory().places();
    // Where the number of a call says its slot, each is asked for at its own shard.
    const std::size_t shards = by_slot ? 1 : places.size();
    for (std::size_t shard = 0; shard < shards && !context.stop(); ++shard) {
        const auto records = context.store().recall(shard, calls);
        if (!records) continue;  // the sweep will tell what is wrong with that server
        for (const auto& record : *records) {
            if (!record) continue;
            const std::string where = by_slot ? "the Redis Cluster" : "shard '" + places[shard].name + "'";
            if (record->kind != kind) refuse_used_id(orders, "on " + where);
            refuse_sweep(orders, "as " + where + " knows", false, context);
        }
    }
}

PreviousAttempt::PreviousAttempt(const Orders& orders, const Change& change, Context& context)
    : orders_(orders),
      change_(change),
      kind_(change.kind()),
      context_(context),
      journal_(orders.dry ? context.existing_journal() : &context.journal()),
      servers_(context) {
    own_head(journal_, orders_, kind_, context_.settings().deployment);
}

PreviousAttempt::Known PreviousAttempt::of(std::span<const PlannedKey> chunk, std::span<const PlannedSlice> slices,
                                           std::uint64_t first_row) {
    Known known(chunk.size());
    if (orders_.op_keys && first_row == 1) look_for_another(slices);
    if (orders_.op_keys) ask_servers(chunk, slices, known);
    ask_journal(chunk, slices, first_row, known);
    return known;
}

/// Every operation begins with the same numbers, and has each of them on one shard. So one that stands where this one
/// has none is of another, of other keys, perhaps from another machine.
void PreviousAttempt::look_for_another(std::span<const PlannedSlice> slices) const {
    const auto& places = context_.directory().places();
    if (context_.directory().has_slots()) return look_for_other_slots(slices);
    for (std::size_t shard = 0; shard < places.size() && !context_.stop(); ++shard) {
        std::vector<domain::SliceId> ids;
        for (const auto& slice : slices)
            if (slice.shard != shard) ids.push_back({orders_.id(), slice.number});
        if (ids.empty()) continue;
        const auto records = context_.store().recall(shard, ids);
        if (!records) continue;  // a shard that is not written to need not answer
        for (const auto& record : *records)
            if (record) refuse_other_rows_on(orders_, places[shard].name, record->kind == kind_);
    }
}

/// The same where the number says the slot: another operation has begun in another one.
void PreviousAttempt::look_for_other_slots(std::span<const PlannedSlice> slices) const {
    std::set<std::uint64_t> own;
    for (const auto& slice : slices) own.insert(slice.number);
    // Calls behind those of this chunk may be its own, too.
    const auto behind = domain::number_in_slot(slices.size() + 1, 0);
    auto ids = first_calls(orders_.id(), true);
    std::erase_if(ids, [&](const domain::SliceId& id) { return id.number >= behind || own.contains(id.number); });
    const auto records = context_.store().recall(0, ids);
    if (!records) return;
    for (const auto& record : *records) {
        if (!record) continue;
        if (record->kind == kind_) refuse_other_rows(orders_, "on the Redis Cluster");
        refuse_used_id(orders_, "on the Redis Cluster");
    }
}

void PreviousAttempt::ask_servers(std::span<const PlannedKey> chunk, std::span<const PlannedSlice> slices,
                                  Known& known) {
    std::map<std::size_t, std::vector<const PlannedSlice*>> of_shard;
    for (const auto& slice : slices) of_shard[slice.shard].push_back(&slice);
    for (const auto& [shard, parts] : of_shard) {
        if (context_.stop()) return;
        std::vector<domain::SliceId> ids;
        for (const auto* part : parts) ids.push_back({orders_.id(), part->number});
        const auto records = context_.store().recall(shard, ids);
        if (!records) continue;  // the look that follows will tell what is wrong with that server
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if ((*records)[i]) take_record(chunk, *parts[i], *(*records)[i], known);
        }
        const auto undone = context_.store().recall_undone(shard, ids);
        for (std::size_t i = 0; undone && i < parts.size(); ++i) {
            const auto& list = (*undone)[i];
            const auto count = list ? count_taken_back(*list, chunk, *parts[i]) : 0;
            if (count == 0) continue;
            taken_back_.rows += count;
            taken_back_.by = fmt::format("{} on {}", list->actor, list->host);
        }
    }
}

void PreviousAttempt::take_record(std::span<const PlannedKey> chunk, const PlannedSlice& slice,
                                  const domain::OperationRecord& record, Known& known) const {
    if (record.fingerprint != slice.fingerprint || record.kind != kind_) refuse_other_call(chunk, slice, record);
    std::map<std::string_view, const domain::OperationRecord::WindowAnswer*> by_key;
    for (const auto& answer : record.windows) by_key[answer.key] = &answer;
    for (const auto i : slice.keys) {
        const auto found = by_key.find(chunk[i].key);
        const bool gone = found != by_key.end() && found->second->status == WriteStatus::skipped;
        // A plan names a window: that may be there again, and then it is not `absent`.
        if (found == by_key.end() || (gone && chunk[i].slice != 0)) {
            known[i] = EarlierWrite{EarlierWrite::Kind::left_out, {}};
        } else {
            known[i] = EarlierWrite{EarlierWrite::Kind::answered, *found->second, record.reason, {}, record.at};
        }
    }
}

void PreviousAttempt::ask_journal(std::span<const PlannedKey> chunk, std::span<const PlannedSlice> slices,
                                  std::uint64_t first_row, Known& known) {
    if (journal_ == nullptr) return;
    std::vector<journal::Outcome> ended;
    journal::Question question;
    question.operation = orders_.id();
    question.from_row = first_row;
    question.to_row = first_row + chunk.size() - 1;
    journal_->entries(question, [&](const journal::Entry& entry) {
        const auto i = static_cast<std::size_t>(entry.intent.row - first_row);
        if (recorded_key(entry.intent.key, context_.settings()) != recorded_key(chunk[i].key, context_.settings()))
            refuse_other_rows(orders_, "in the journal: its row " + std::to_string(entry.intent.row), true);
        auto& one = known[i];
        // What is on record there has been compared with all that was asked for.
        if (!one) {
            refuse_other_amount(chunk[i], entry);
            refuse_other_terms(slices, entry);
        }
        if (one && one->kind == EarlierWrite::Kind::answered) {
            const auto& a = one->answer;
            if (is_open(entry)) {
                ended.push_back({entry.intent.row, a.status, a.why, a.before, a.after, a.taken, one->at});
            } else if (domain::wrote(a.status) && domain::wrote(entry.outcome->status)) {
                // How many a state stood for depends on the terms that its policy had then.
                one->answer.before = entry.outcome->before;
                one->answer.after = entry.outcome->after;
            }
        } else if (entry.outcome && domain::wrote(entry.outcome->status)) {
            const auto& o = *entry.outcome;
            auto lost = servers_.may_have_lost(entry.intent, o, chunk[i].shard);
            one = EarlierWrite{lost ? EarlierWrite::Kind::lost : EarlierWrite::Kind::answered,
                               {chunk[i].key, WriteStatus::applied, {}, o.before, o.after, o.taken},
                               entry.head.operation.reason,
                               lost.value_or("")};
        } else if (!one && entry.outcome && entry.outcome->status == WriteStatus::skipped && chunk[i].slice == 0) {
            one = EarlierWrite{EarlierWrite::Kind::answered,
                               {chunk[i].key, WriteStatus::skipped, entry.outcome->reason, {}, {}, 0},
                               entry.head.operation.reason};
        } else if (is_open(entry) && !one && is_doubtful(chunk[i], entry)) {
            one = EarlierWrite{EarlierWrite::Kind::doubtful, {}};
        }
        return true;
    });
    if (!ended.empty() && !orders_.dry) journal_->conclude(orders_.id(), ended);
}

void PreviousAttempt::refuse_other_call(std::span<const PlannedKey> chunk, const PlannedSlice& slice,
                                        const domain::OperationRecord& record) const {
    const std::string where = "on shard '" + context_.directory().name_of(slice.shard) + "'";
    if (record.kind != kind_) refuse_used_id(orders_, where);
    auto at = slice.keys.begin();
    for (const auto& window : record.windows) {
        at = std::find_if(at, slice.keys.end(), [&](std::size_t i) { return chunk[i].key == window.key; });
        if (at == slice.keys.end()) refuse_other_rows(orders_, where);
        const auto asked = asked_amount(chunk[*at++]);
        const auto done = domain::amount_in(kind_, window.before, window.after, window.taken);
        if (!domain::wrote(window.status) || !asked || !done || asked == done) continue;
        refuse_used_id(orders_, fmt::format("{}: it {} {} in {}, and {} are asked for now", where,
                                            kind_ == WriteKind::count ? "counted" : "gave back", *done,
                                            support::quoted(window.key), *asked));
    }
    const bool whole = record.windows.size() == slice.keys.size();
    const auto* otherwise =
        ", of the same windows: what was asked of them, or their scheme, was another, or it had more windows or fewer";
    refuse_used_id(orders_, where + (whole ? otherwise : ""));
}

std::optional<std::int64_t> PreviousAttempt::asked_amount(const PlannedKey& planned) const {
    if (!change_.mark().empty()) return std::nullopt;
    const domain::WindowLook nothing_seen;
    const domain::Window no_window;
    const KeyMeaning no_meaning;
    return change_.amount_of({planned, nothing_seen, no_window, no_meaning});
}

void PreviousAttempt::refuse_other_amount(const PlannedKey& planned, const journal::Entry& entry) const {
    const auto amount = is_decided(entry) ? asked_amount(planned) : std::nullopt;
    if (!amount || !entry.intent.amount || amount == entry.intent.amount) return;
    refuse_used_id(orders_,
                   "in the journal: of its row " + std::to_string(entry.intent.row) + " the amount was " +
                       std::to_string(*entry.intent.amount),
                   true);
}

/// A share, --clamp, guards or what is put may be others, and the call may have other windows.
void PreviousAttempt::refuse_other_terms(std::span<const PlannedSlice> slices, const journal::Entry& entry) const {
    const bool same = std::ranges::any_of(slices, [&entry](const PlannedSlice& slice) {
        return slice.number == entry.intent.slice && slice.fingerprint == entry.intent.fingerprint;
    });
    if (same || !is_decided(entry)) return;
    refuse_used_id(orders_,
                   "in the journal: its row " + std::to_string(entry.intent.row) +
                       " was asked for on other terms, or together with other windows",
                   true);
}

/// Sent again, it might be carried out twice. To remove the very window that was planned is harmless; to count into it
/// is not, but then the operation key outlives it. Without operation keys nothing on the servers could have told, or
/// will.
bool PreviousAttempt::is_doubtful(const PlannedKey& planned, const journal::Entry& entry) const {
    if (kind_ == WriteKind::reset && (planned.if_reset || planned.if_stored)) return false;
    if (!entry.head.op_keys || !orders_.op_keys) return true;
    return context_.wall_clock() - entry.intent.at > (planned.if_reset ? kAtMostThere : kSurelyThere);
}

}  // namespace ratectl::commands
