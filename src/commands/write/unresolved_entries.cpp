// Asks the servers' operation keys how unfinished journal entries ended.
// A key that is there proves what was done. One that is missing proves that nothing was, but only while it would surely
// still be there.
#include "commands/write/unresolved_entries.h"

#include <algorithm>

#include "commands/report/key_mask.h"
#include "commands/write/write_record.h"
#include "store/directory.h"
#include "store/found_operations.h"

namespace ratectl::commands {

namespace {

using domain::OperationRecord;
using domain::WriteStatus;

/// A request may still be carried out until the deadline that it was sent with; beyond that, so much.
constexpr support::Seconds kSurelyOver{1};

bool is_open(const HistoryRow& row) { return !row.outcome || row.outcome->status == WriteStatus::unknown; }

journal::Outcome outcome_of(std::uint64_t row, const OperationRecord::WindowAnswer& answer, support::WallTime at) {
    return {row, answer.status, answer.why, answer.before, answer.after, answer.taken, at};
}

/// `key` as records have it.
const OperationRecord::WindowAnswer* find_window(const OperationRecord& record, const std::string& key,
                                                 const config::Settings& settings) {
    const auto found = std::ranges::find_if(record.windows, [&](const OperationRecord::WindowAnswer& window) {
        return recorded_key(window.key, settings) == key;
    });
    return found == record.windows.end() ? nullptr : &*found;
}

/// Nothing else in a fingerprint has this.
constexpr char kLayout = '@';
constexpr char kCommandEnd = ':';

/// The kind's own word where the fingerprint tells none.
std::string command_of(const OperationRecord& record) {
    const std::string_view fingerprint = record.fingerprint;
    const auto end = fingerprint.find(kCommandEnd);
    const bool is_told = end != std::string_view::npos && end < fingerprint.find(kLayout);
    return std::string(is_told ? fingerprint.substr(0, end) : domain::name_of(record.kind));
}

std::string_view default_layout() { return store::limiter_of({}).layout(); }

std::string layout_in(std::string_view fingerprint) {
    const auto at = fingerprint.find(kLayout);
    return std::string(at == std::string_view::npos ? default_layout() : fingerprint.substr(at + 1));
}

journal::OperationHead head_of(const OperationRecord& record, const std::string& deployment) {
    journal::OperationHead head;
    head.operation = {record.id.operation, record.actor, record.host, record.reason};
    head.kind = record.kind;
    head.command = command_of(record);
    head.deployment = deployment;
    head.started_at = record.at;
    const std::string_view fingerprint = record.fingerprint;
    if (fingerprint.starts_with(kReshardFingerprint)) head.command = kReshardCommand;
    if (fingerprint.starts_with(kCopyFingerprint)) head.command = kCopyCommand;
    if (!fingerprint.starts_with(kUndoFingerprint)) return head;
    head.command = "undo";
    const auto end = fingerprint.find(':', kUndoFingerprint.size());
    head.undoes = std::string(fingerprint.substr(kUndoFingerprint.size(), end - kUndoFingerprint.size()));
    return head;
}

void append_rows(const store::FoundOperation& found, const journal::OperationHead& head, std::uint64_t& row,
                 std::vector<HistoryRow>& rows) {
    for (const auto& window : found.record.windows) {
        ++row;
        HistoryRow made;
        made.head = head;
        made.intent = {row,
                       found.record.id.number,
                       found.node.shard,
                       recorded_address(found.node.endpoint),
                       "",
                       window.key,
                       layout_in(found.record.fingerprint),
                       {},
                       found.record.at};
        made.outcome = outcome_of(row, window, found.record.at);
        made.status = domain::name_of(window.status);
        made.source = "server";
        made.numbered = false;
        rows.push_back(std::move(made));
    }
}

}  // namespace

std::string command_mark(std::string_view command) { return std::string(command) + kCommandEnd; }

std::string layout_mark(std::string_view layout) {
    return layout == default_layout() ? std::string() : kLayout + std::string(layout);
}

bool leaves_operation_keys(Context& context) {
    const auto& places = context.directory().places();
    return places.empty() || places.front().primary.protocol != domain::Protocol::memcached;
}

OperationsOnServers operations_on_servers(Context& context, const std::optional<std::string>& operation) {
    auto answer = context.store().find_operations(operation);
    std::map<std::string, std::vector<const store::FoundOperation*>> calls_of;
    std::map<std::string, support::WallTime> began;
    for (const auto& found : answer.found) {
        const auto& record = found.record;
        calls_of[record.id.operation].push_back(&found);
        const auto [first, fresh] = began.emplace(record.id.operation, record.at);
        if (!fresh) first->second = std::min(first->second, record.at);
    }
    std::vector<std::pair<support::WallTime, std::string>> oldest;
    oldest.reserve(began.size());
    for (const auto& [id, at] : began) oldest.emplace_back(at, id);
    std::ranges::sort(oldest);
    OperationsOnServers result;
    for (const auto& [at, id] : oldest) {
        auto& calls = calls_of[id];
        std::ranges::stable_sort(calls, {}, [](const auto* call) { return call->record.id.number; });
        std::uint64_t row = 0;
        for (const auto* call : calls) {
            // The user who goes on with an operation, or uses its id for another one, need not be the one who began it.
            auto head = head_of(call->record, context.settings().deployment);
            head.started_at = at;
            append_rows(*call, head, row, result.rows);
        }
    }
    result.failures = std::move(answer.failures);
    return result;
}

support::Error unknown_rows(const journal::OperationHead& head) {
    const auto& [id, actor, host, reason] = head.operation;
    return {ExitCode::guard,
            "the servers know the windows of operation '" + id +
                "', but not the numbers of its rows, so which windows its rows are is unknown",
            "only the journal of the machine that made it ('" + host + "') has rows; '" + id +
                "' as a whole is known here, too"};
}

void UnresolvedEntries::resolve(std::vector<HistoryRow>& rows) {
    std::map<std::size_t, Indices> open_on;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!is_open(rows[i])) continue;
        rows[i].status = "unknown";
        const auto shard = rows[i].head.op_keys ? shard_of(rows[i]) : std::nullopt;
        if (shard) open_on[*shard].push_back(i);
    }
    for (const auto& [shard, open] : open_on) {
        if (context_.stop()) return;
        resolve_shard(shard, open, rows);
    }
}

void UnresolvedEntries::doubt_lost(std::vector<HistoryRow>& rows) {
    std::map<std::pair<std::size_t, std::uint64_t>, Indices> lost_of;  // by shard and call
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& row = rows[i];
        if (!row.outcome || !domain::wrote(row.outcome->status) || row.source != "journal") continue;
        const auto shard = shard_of(row);
        if (shard && servers_.may_have_lost(row.intent, *row.outcome, *shard))
            lost_of[{*shard, row.intent.slice}].push_back(i);
    }
    for (const auto& [call, lost] : lost_of) {
        const domain::SliceId id{rows[lost.front()].head.operation.id, call.second};
        const auto records = context_.store().recall(call.first, std::span(&id, 1));
        for (const auto i : lost) {
            auto& row = rows[i];
            const auto key = recorded_key(row.intent.key, context_.settings());
            if (records && records->front() && find_window(*records->front(), key, context_.settings())) continue;
            row.status = "unknown";
            row.source = "server";
            row.outcome->reason = "other-server";
        }
    }
}

std::map<std::string, std::string> UnresolvedEntries::keys_by_record(const std::vector<HistoryRow>& rows) {
    std::map<std::size_t, std::set<std::uint64_t>> slices_of;
    for (const auto& row : rows) {
        const auto shard = row.head.op_keys ? shard_of(row) : std::nullopt;
        if (shard) slices_of[*shard].insert(row.intent.slice);
    }
    std::map<std::string, std::string> keys;
    for (const auto& [shard, slices] : slices_of) {
        std::vector<domain::SliceId> ids;
        for (const auto number : slices) ids.push_back({rows.front().head.operation.id, number});
        const auto records = context_.store().recall(shard, ids);
        if (!records) continue;  // what is wrong with that server is told when it is written to
        for (const auto& record : *records) {
            if (!record) continue;
            for (const auto& window : record->windows) {
                keys.emplace(window.key, window.key);  // a client may be called like a fingerprint
                keys.emplace(fingerprinted_key(window.key, context_.settings()), window.key);
            }
        }
    }
    return keys;
}

std::optional<std::size_t> UnresolvedEntries::shard_of(const HistoryRow& row) {
    const auto& directory = context_.directory();
    // The number of a call says where its record is; the key may be recorded without its client.
    if (directory.has_slots()) return directory.find(row.intent.shard).value_or(0);
    return directory.find(row.intent.shard);
}

void UnresolvedEntries::resolve_shard(std::size_t shard, const Indices& open, std::vector<HistoryRow>& rows) {
    std::map<std::uint64_t, Indices> by_slice;
    for (const auto i : open) by_slice[rows[i].intent.slice].push_back(i);
    const std::string& operation = rows[open.front()].head.operation.id;
    std::vector<domain::SliceId> ids;
    ids.reserve(by_slice.size());
    for (const auto& [number, indices] : by_slice) ids.push_back({operation, number});
    const auto records = context_.store().recall(shard, ids);
    if (!records) {
        failures_.push_back({context_.directory().primary(shard), records.error()});
        return;
    }
    Indices resolved;
    auto record = records->begin();
    for (const auto& [number, indices] : by_slice) {
        for (const auto i : indices) {
            auto& row = rows[i];
            const auto* answer =
                *record ? find_window(**record, recorded_key(row.intent.key, context_.settings()), context_.settings())
                        : nullptr;
            if (answer != nullptr) {
                row.outcome = outcome_of(row.intent.row, *answer, (*record)->at);
                row.status = domain::name_of(answer->status);
                row.source = "server";
                resolved.push_back(i);
            } else if (*record || surely_absent(shard, row)) {
                row.outcome.reset();
                row.status = "not-applied";
                row.source = "server";
            }
        }
        ++record;
    }
    remember(operation, rows, resolved);
}

/// Operation keys expire: what a server knows is kept as soon as it is asked for.
void UnresolvedEntries::remember(const std::string& operation, const std::vector<HistoryRow>& rows,
                                 const Indices& resolved) {
    std::vector<journal::Outcome> outcomes;
    for (const auto i : resolved) outcomes.push_back(*rows[i].outcome);
    context_.journal().conclude(operation, outcomes);
}

bool UnresolvedEntries::surely_absent(std::size_t shard, const HistoryRow& row) {
    const auto age = context_.wall_clock() - row.intent.at;
    if (age < context_.settings().timeout + kSurelyOver || age > kSurelyThere) return false;
    const auto& facts = servers_.facts_of(shard);
    if (!facts || facts->role != domain::Role::primary || facts->run_id != row.intent.run_id) return false;
    return facts->eviction_policy == "noeviction" || facts->evicted_keys == 0;
}

}  // namespace ratectl::commands
