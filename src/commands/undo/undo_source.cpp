// Hands out an operation's rows: counts first, for the question; a million rows use constant memory.
#include "commands/undo/undo_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "commands/request/feature_context.h"
#include "commands/request/operation_ref.h"
#include "commands/request/throttle_names.h"
#include "commands/write/change.h"
#include "commands/write/planned_slices.h"
#include "config/url_deployment.h"
#include "store/directory.h"
#include "support/digest.h"
#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::commands {

namespace {

using support::Failure;

/// As the slices of changes are cut, so that a slice is seldom handed out in two parts.
constexpr std::uint64_t kRowsPerBlock = 5000;

/// From 0 on, of the block that the last of so many rows is in.
std::uint64_t block_of_last(std::uint64_t rows) { return (rows - 1) / kRowsPerBlock; }

constexpr std::string_view kReshardBack =
    "`ratectl reshard apply TO FROM`, the other way round, takes a reshard back; with --merge also what was counted "
    "anew "
    "meanwhile";

bool may_have_written(const HistoryRow& row) {
    if (!row.outcome) return true;
    const auto status = row.outcome->status;
    return status == domain::WriteStatus::applied || status == domain::WriteStatus::already_applied ||
           status == domain::WriteStatus::unknown;
}

std::string person_of(const journal::OperationHead& head) { return head.operation.actor + "@" + head.operation.host; }

std::string listed(const std::set<std::string>& texts) {
    std::string joined;
    for (const auto& text : texts) joined += (joined.empty() ? "" : ", ") + text;
    return joined;
}

}  // namespace

UndoSource::UndoSource(Context& context, const std::string& operation, std::set<std::uint64_t> rows, bool force,
                       std::vector<std::string> clients)
    : context_(context), rows_(std::move(rows)), open_(context), clients_(std::move(clients)) {
    if (auto head = context.journal().find(operation)) {
        head_ = std::move(*head);
        check_head(force);
        context.journal().entries(question(), [this](const journal::Entry& entry) {
            take_for_plan(history_row(entry));
            return !context_.stop();
        });
        left_in_journal_ = last_row_;
        find_written_elsewhere();
    } else {
        in_journal_ = false;
        find_on_servers(operation);
        check_head(force);
    }
    if (count_ < rows_.size() || count_ == 0) {
        throw Failure(ExitCode::attention,
                      "operation '" + operation + "' (" + head_.command + ") sent nothing for " +
                          (rows_.empty() ? "any window" : "one of the named rows") + "; nothing was written",
                      "`ratectl history " + operation + "` lists its rows");
    }
    plan_.named_one = (throttles_.empty() ? count_ : throttles_.size()) == 1 && plan_.parts.empty();
}

void UndoSource::find_on_servers(const std::string& operation) {
    if (leaves_operation_keys(context_)) on_servers_ = operations_on_servers(context_, operation);
    if (on_servers_.rows.empty()) {
        refuse_reshard(operation);
        auto error = unknown_operation(operation, context_, true);
        if (on_servers_.failures.empty()) throw Failure(std::move(error));
        throw PerhapsUnknown(std::move(error), std::move(on_servers_.failures));
    }
    head_ = on_servers_.rows.front().head;
    if (auto several = several_operations()) throw Failure(*std::move(several));
    name_people();
    if (!is_whole()) {
        auto error = unknown_rows(head_);
        error.message += "; nothing was written";
        throw Failure(std::move(error));
    }
    for (const auto& row : on_servers_.rows) take_for_plan(row);
}

/// Another machine may have carried out a part of an operation whose id was chosen, or that a plan names: its calls are
/// not in this journal. Where an id stands for several operations, the journal has the one that is meant.
void UndoSource::find_written_elsewhere() {
    const std::string& id = head_.operation.id;
    if (!is_whole() || (head_.command != "apply" && looks_made({id, std::nullopt}))) return;
    if (!leaves_operation_keys(context_) || is_behind_proxies()) return;
    on_servers_ = operations_on_servers(context_, id);
    tell_unasked();
    auto& rows = on_servers_.rows;
    if (several_operations()) rows.clear();
    std::erase_if(rows, [this](const HistoryRow& row) { return calls_.contains(row.intent.slice); });
    const auto known = plan_.keys;
    for (auto& row : rows) {
        row.intent.row = last_row_ + 1;
        take_for_plan(row);
    }
    name_people();
    if (plan_.keys == known) return;
    context_.messages().notice(
        fmt::format("operation '{}' was carried out in part from another machine: what the servers have on record of "
                    "that is taken back, too ({})",
                    id, support::counted(plan_.keys - known, plan_.counted_as.what)));
}

/// What the journal has of the operation is nowhere near such a shard, whose rows need not fail for it.
void UndoSource::tell_unasked() {
    std::erase_if(on_servers_.failures, [this](store::NodeFailure& failure) {
        if (plan_.keys_per_shard.contains(failure.node.shard)) {
            failure.error.message += fmt::format(
                "; whether another machine has done more there under the id '{}' is not known", head_.operation.id);
            return false;
        }
        context_.messages().notice(
            fmt::format("{}; what this machine's journal has of operation '{}' is not there, and what another machine "
                        "may have done there under the same id stays as it is",
                        failure.error.message, head_.operation.id));
        return true;
    });
}

/// No sweep goes through one: what another machine may have done is not looked for, and that is said.
bool UndoSource::is_behind_proxies() const {
    const auto& places = context_.directory().places();
    if (!std::ranges::all_of(places, [](const auto& place) { return place.primary.proxied; })) return false;
    context_.messages().notice("what this machine's journal has of operation '" + head_.operation.id +
                               "' is taken back; what another machine may have done under the same id cannot be found "
                               "through a proxy");
    return true;
}

/// A reshard has no operation of its own name, but those of its steps: copies on servers of the one deployment,
/// removals on those of the other.
void UndoSource::refuse_reshard(const std::string& operation) const {
    const bool by_slot = context_.directory().has_slots();
    auto steps = first_calls(operation + "-copy", by_slot);
    std::ranges::move(first_calls(operation + "-remove", by_slot), std::back_inserter(steps));
    const auto head = context_.journal().find(steps[0].operation);
    bool is_reshard = head && head->command == kReshardCommand;
    const auto shards = on_servers_.failures.empty() ? context_.directory().places().size() : 0;
    for (std::size_t shard = 0; shard < shards && !is_reshard; ++shard) {
        const auto records = context_.store().recall(shard, steps);
        if (!records) continue;
        for (const auto& record : *records)
            is_reshard = is_reshard || (record && record->fingerprint.starts_with(kReshardFingerprint));
    }
    if (!is_reshard) return;
    throw Failure(ExitCode::guard,
                  "operation '" + operation + "' is a reshard, which cannot be taken back by undo; nothing was written",
                  std::string(kReshardBack));
}

/// An id that people choose may have been chosen twice. One operation numbers its calls over all shards, and all of
/// them are of one kind.
std::optional<support::Error> UndoSource::several_operations() const {
    const std::string& id = head_.operation.id;
    std::map<std::uint64_t, std::string> shard_of_call;
    std::set<std::string> changes;
    bool several = false;
    for (const auto& row : on_servers_.rows) {
        const auto& head = row.head;
        const auto& intent = row.intent;
        changes.insert(head.command + " by " + person_of(head) + " on shard '" + intent.shard + "'");
        const auto& shard = shard_of_call.emplace(intent.slice, intent.shard).first->second;
        several = several || shard != intent.shard || head.kind != head_.kind || head.undoes != head_.undoes;
    }
    if (!several) return std::nullopt;
    return support::Error{ExitCode::guard,
                          "the servers have several operations under the id '" + id + "' (" + listed(changes) +
                              "), and nothing says which is meant; nothing was written",
                          "undo it on the machine where it was made: its journal knows which windows it changed"};
}

/// Where several were at it, the question says so.
void UndoSource::name_people() {
    std::set<std::string> people{person_of(head_)};
    for (const auto& row : on_servers_.rows) people.insert(person_of(row.head));
    if (people.size() > 1) plan_.parts = "changed by " + listed(people);
}

std::string UndoSource::missing_calls() const {
    constexpr std::size_t shown = 3;
    if (in_journal_ || !on_servers_.failures.empty()) return {};
    std::string words;
    std::uint64_t gaps = 0;
    std::uint64_t next = 1;
    for (const auto number : calls_) {
        if (number > next && ++gaps <= shown) {
            words += (words.empty() ? "" : ", ") + std::to_string(next);
            if (number > next + 1) words += " to " + std::to_string(number - 1);
        }
        next = number + 1;
    }
    return words + (gaps > shown ? " ..." : "");
}

void UndoSource::check_head(bool force) const {
    const std::string& id = head_.operation.id;
    const bool copies = head_.kind == domain::WriteKind::restore;
    if (head_.command == kReshardCommand && (copies || !force)) {
        throw Failure(ExitCode::guard,
                      "operation '" + id + "' is " +
                          (copies ? "a reshard's copies, and cannot be taken back"
                                  : "a reshard's removal of windows that stand on another shard now, and putting them "
                                    "back would leave two windows of one key") +
                          "; nothing was written",
                      std::string(kReshardBack) + (copies ? "" : "; --force puts them back all the same"));
    }
    if (head_.undoes || copies) {
        throw Failure(ExitCode::guard,
                      "operation '" + id + "' put windows back itself" +
                          (head_.undoes ? ", as the undo of '" + *head_.undoes + "'" : "") +
                          ", and cannot be taken back; nothing was written",
                      "`ratectl history " + id + "` lists its keys; change them anew");
    }
    const auto& deployment = context_.settings().deployment;
    if (!force && head_.deployment != deployment) {
        throw Failure(
            ExitCode::guard,
            "operation '" + id + "' changed deployment '" + head_.deployment + "', and this is '" + deployment +
                "'; nothing was written",
            config::words_to_name(head_.deployment) + "; or --force if it is the same one under another name");
    }
}

void UndoSource::check_layout(const journal::Intent& intent) const {
    auto other = other_layout("operation '" + head_.operation.id + "' changed " + support::quoted(intent.key),
                              intent.layout, intent.key, context_.settings());
    if (!other) return;
    if (intent.layout == store::limiter_of({std::string(kFeatureScheme), ""}).layout())
        throw TurnedFeature(*std::move(other));
    throw Failure(*std::move(other));
}

void UndoSource::take_for_plan(const HistoryRow& row) {
    if (!rows_.empty() && !rows_.contains(row.intent.row)) return;
    check_layout(row.intent);
    ++count_;
    last_row_ = std::max(last_row_, row.intent.row);
    calls_.insert(row.intent.slice);
    if (!is_counted(row)) return;
    ++plan_.keys;
    ++plan_.keys_per_shard[row.intent.shard];
    if (plan_.first_keys.size() < kShownKeys) plan_.first_keys.push_back(row.intent.key);
}

/// A throttle is one, as where it was deleted, however many of its keys were.
bool UndoSource::is_counted(const HistoryRow& row) {
    if (throttle::changes_throttles(head_.command)) plan_.counted_as.what = "throttle";
    if (head_.command != throttle::kDeleteCommand) return may_have_written(row);
    bool& is_known = throttles_[std::string(throttle::throttle_of(row.intent.key))];
    return may_have_written(row) && !std::exchange(is_known, true);
}

journal::Question UndoSource::question() const {
    journal::Question question;
    question.operation = head_.operation.id;
    if (!rows_.empty()) question.from_row = *rows_.begin();
    if (!rows_.empty()) question.to_row = *rows_.rbegin();
    return question;
}

std::vector<HistoryRow> UndoSource::next() {
    auto& found = on_servers_.rows;
    if (found.empty()) return in_journal_ ? next_of_journal() : std::vector<HistoryRow>{};
    const auto first = found.begin() + static_cast<std::ptrdiff_t>(block_of_last(found.size()) * kRowsPerBlock);
    std::vector<HistoryRow> batch(std::make_move_iterator(first), std::make_move_iterator(found.end()));
    found.erase(first, found.end());
    return batch;
}

std::vector<HistoryRow> UndoSource::next_of_journal() {
    std::vector<HistoryRow> batch;
    if (left_in_journal_ == 0) return batch;
    auto all = question();
    all.newest_first = true;
    all.to_row = left_in_journal_;
    std::optional<std::uint64_t> block;
    left_in_journal_ = 0;
    context_.journal().entries(all, [&](const journal::Entry& entry) {
        const auto row = entry.intent.row;
        if (!rows_.empty() && !rows_.contains(row)) return true;
        if (!block) block = block_of_last(row);
        if (block_of_last(row) != *block) {
            left_in_journal_ = row;
            return false;
        }
        batch.push_back(history_row(entry));
        return true;
    });
    std::ranges::reverse(batch);
    open_.resolve(batch);
    name_clients(batch);
    return batch;
}

/// Whether the user says that this is not a fingerprint, but the name of a client of a policy that is not secret.
bool UndoSource::is_named_so(const std::string& key) const {
    const auto match = context_.settings().policies.match(key);
    return match && !match->policy->secret && std::ranges::find(clients_, match->client) != clients_.end();
}

/// The journal keeps no client of a secret policy, but the operation keys on the servers do, and so may the user. Rows
/// of which neither knows anything get the status kClientUnknown.
void UndoSource::name_clients(std::vector<HistoryRow>& rows) {
    std::vector<HistoryRow*> nameless;
    for (auto& row : rows)
        if (support::holds_fingerprint(row.intent.key)) nameless.push_back(&row);
    if (nameless.empty()) return;
    const auto known = open_.keys_by_record(rows);
    for (HistoryRow* row : nameless) {
        std::string& key = row->intent.key;
        if (const auto found = known.find(key); found != known.end()) {
            key = found->second;
            continue;
        }
        if (is_named_so(key)) continue;
        std::optional<std::string> named;
        for (auto client = clients_.begin(); client != clients_.end() && !named; ++client)
            named = context_.settings().policies.unmasked(key, *client);
        if (named) key = *named;
        if (!named) row->status = kClientUnknown;
    }
}

std::vector<store::NodeFailure> UndoSource::failures() const {
    auto all = on_servers_.failures;
    all.insert(all.end(), open_.failures().begin(), open_.failures().end());
    return all;
}

}  // namespace ratectl::commands
