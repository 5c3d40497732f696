// Finds operation keys: by GET of their names, or by SCAN and then GET and PTTL.
#include "store/redis_answers.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "redis/reply_class.h"
#include "schemes/operation_key.h"
#include "sharding/cluster_slots.h"
#include "store/cluster/questions.h"
#include "store/cluster/slot_lists.h"
#include "store/cursor_guard.h"
#include "store/nodes/conversation.h"
#include "store/tasks.h"
#include "store/writes/write_results.h"

namespace ratectl::store {
namespace {

using support::ExitCode;
using Replies = redis::Outcome<std::vector<redis::Reply>>;

constexpr std::size_t kKeysPerPage = 1000;
constexpr std::size_t kOperationKeysPerRequest = 100;

Talk asking(redis::Request request) {
    return [request = std::move(request)](redis::Channel& channel,
                                          support::Deadline deadline) -> asio::awaitable<Replies> {
        co_return co_await channel.exchange(request, deadline);
    };
}

support::Error at_node(const domain::Node& node, support::Error error) {
    error.message = where(node) + ": " + error.message;
    return error;
}

support::Result<domain::OperationRecord> read_record(const Core& core, const domain::SliceId& id,
                                                     std::string_view value) {
    auto record = schemes::decode_operation(id, value);
    if (!record) return record;
    for (auto& window : record->windows) {
        for (auto* stored : {&window.before, &window.after})
            tell_used(*stored, *core.scheme, window.key, record->at.time_since_epoch().count());
    }
    return record;
}

bool says_elsewhere(std::string_view refusal) {
    const auto fault = redis::fault_from_reply(refusal, {}, "GET");
    return fault.redirect || fault.of_slot;
}

/// What the name of a key tells of; null: it is no operation key, or of another operation than this one.
std::optional<domain::SliceId> asked_for(std::string_view name, const std::optional<std::string>& operation) {
    auto slice = schemes::operation_of(name);
    if (slice && operation && slice->operation != *operation) slice.reset();
    return slice;
}

struct Recall {
    std::vector<std::optional<domain::OperationRecord>> records;
    std::optional<support::Error> error;
};

asio::awaitable<void> recall_all(std::shared_ptr<Core> core, domain::Node node, std::vector<domain::SliceId> slices,
                                 std::vector<std::string> names, std::shared_ptr<Recall> recall) {
    recall->records.resize(slices.size());
    for (std::size_t first = 0; first < slices.size() && !core->stopping(); first += kOperationKeysPerRequest) {
        const auto end = std::min(first + kOperationKeysPerRequest, slices.size());
        redis::Request request;
        for (std::size_t i = first; i < end; ++i) request.add({"GET", names[i]});
        const auto reading = co_await read_from(core, node, "GET", asking(std::move(request)));
        if (!reading) {
            recall->error = reading.error().error;
            co_return;
        }
        for (std::size_t i = first; i < end; ++i) {
            const auto& reply = reading->replies[i - first];
            if (!reply.is_text()) continue;
            auto record = read_record(*core, slices[i], reply.text);
            if (!record) {
                recall->error = at_node(node, record.error());
                co_return;
            }
            recall->records[i] = std::move(*record);
        }
    }
}

/// What stands in an operation key at that node; one that cannot be read is a failure.
void take_record(const Core& core, const domain::Node& node, const domain::SliceId& slice, std::string_view value,
                 FoundOperations& into, std::optional<support::Milliseconds> expires_in = std::nullopt) {
    auto record = read_record(core, slice, value);
    if (record) {
        into.found.push_back({node, *std::move(record), expires_in});
    } else {
        into.failures.push_back({node, at_node(node, record.error())});
    }
}

void append(FoundOperations from, FoundOperations& into) {
    std::move(from.found.begin(), from.found.end(), std::back_inserter(into.found));
    std::move(from.failures.begin(), from.failures.end(), std::back_inserter(into.failures));
}

// The sweep of one primary. Restarts when another process answers: its cursors mean nothing to the next.
class OperationSweep {
public:
    OperationSweep(std::shared_ptr<Core> core, std::shared_ptr<FoundOperations> into, domain::Node node,
                   std::optional<std::string> operation, std::shared_ptr<SlotWatch> watch)
        : core_(std::move(core)),
          into_(std::move(into)),
          node_(std::move(node)),
          operation_(std::move(operation)),
          watch_(std::move(watch)) {}

    asio::awaitable<void> run() {
        for (std::string cursor = "0";;) {
            if (core_->stopping()) co_return fail(core_->interrupted());
            redis::Request request;
            const bool tagged = core_->directory->has_slots();
            request.add({"SCAN", cursor, "MATCH", schemes::operation_pattern(operation_, tagged), "COUNT",
                         std::to_string(kKeysPerPage)});
            auto page = co_await read_from(core_, node_, "SCAN", asking(std::move(request)));
            if (!page) co_return fail(std::move(page.error().error));
            if (is_another_process(page->facts)) {
                if (++restarts_ > kAttempts) co_return fail(another_process());
                start_again();
                if (cursor != "0") {
                    cursor = "0";
                    continue;
                }
            }
            auto& parts = page->replies.front().elements;
            if (parts.size() != 2 || !parts[0].is_text() || !parts[1].is_array()) co_return fail(odd_scan());
            cursor = std::move(parts[0].text);
            if (auto endless = co_await is_endless(cursor)) co_return fail(endless_scan(where(node_), *endless).error);
            const bool taken = co_await take_keys(parts[1].elements);
            if (!taken) co_return;
            if (cursor == "0") break;
        }
        finish();
    }

private:
    void fail(support::Error error) {
        finish();
        into_->failures.push_back({node_, std::move(error)});
    }

    void finish() { append(std::exchange(met_, {}), *into_); }

    support::Error odd_scan() const { return {ExitCode::protocol, where(node_) + ": unexpected reply to SCAN", ""}; }
    support::Error another_process() const {
        return {ExitCode::unavailable, where(node_) + ": it was restarted again and again", ""};
    }

    bool is_another_process(const redis::ServerFacts& facts) {
        if (!facts.run_id) return false;
        const bool another = run_id_ && *run_id_ != *facts.run_id;
        run_id_ = facts.run_id;
        return another;
    }

    asio::awaitable<std::optional<std::string>> is_endless(const std::string& cursor) {
        auto why = guard_.passes(cursor, kKeysPerPage);
        if (why || !guard_.wants_size()) co_return why;
        redis::Request request;
        request.add({"DBSIZE"});
        const auto size = co_await read_from(core_, node_, "DBSIZE", asking(std::move(request)));
        const bool is_known = size && size->replies.front().kind == redis::Reply::Kind::integer;
        co_return guard_.learns_size(is_known ? std::optional(size->replies.front().integer) : std::nullopt);
    }

    void start_again() {
        guard_ = {};
        seen_.clear();
        met_ = {};
    }

    asio::awaitable<bool> take_keys(const std::vector<redis::Reply>& scanned) {
        std::vector<domain::SliceId> slices;
        for (const auto& key : scanned) {
            auto slice = key.is_text() ? asked_for(key.text, operation_) : std::nullopt;
            if (slice && seen_.insert(key.text).second) slices.push_back(*std::move(slice));
        }
        for (std::size_t first = 0; first < slices.size(); first += kOperationKeysPerRequest) {
            const auto end = std::min(first + kOperationKeysPerRequest, slices.size());
            const bool taken = co_await take_values(std::span(slices).subspan(first, end - first));
            if (!taken) co_return false;
        }
        co_return true;
    }

    asio::awaitable<bool> take_values(std::span<const domain::SliceId> slices) {
        redis::Request request;
        for (const auto& slice : slices) {
            const auto key = schemes::operation_key(slice);
            request.add({"GET", key});
            request.add({"PTTL", key});
        }
        auto talk = watch_ ? taking_refusals(std::move(request), false, &says_elsewhere) : asking(std::move(request));
        const auto reading = co_await read_from(core_, node_, "GET", std::move(talk));
        if (!reading) {
            fail(reading.error().error);
            co_return false;
        }
        for (std::size_t i = 0; i < slices.size(); ++i) {
            const auto& value = reading->replies[2 * i];
            const auto& ttl = reading->replies[2 * i + 1];
            if (value.kind == redis::Reply::Kind::status)
                watch_->mark(sharding::cluster_slot(schemes::operation_key(slices[i])));
            if (!value.is_text()) continue;  // it has expired since, or gone with its slot
            const bool is_told = ttl.kind == redis::Reply::Kind::integer && ttl.integer >= 0;
            take_record(*core_, node_, slices[i], value.text, met_,
                        is_told ? std::optional(support::Milliseconds(ttl.integer)) : std::nullopt);
        }
        co_return true;
    }

    std::shared_ptr<Core> core_;
    std::shared_ptr<FoundOperations> into_;
    domain::Node node_;
    std::optional<std::string> operation_;
    std::shared_ptr<SlotWatch> watch_;  // of a Redis Cluster
    std::optional<std::string> run_id_;
    CursorGuard guard_;
    std::unordered_set<std::string> seen_;
    FoundOperations met_;  // since it has begun anew
    int restarts_ = 0;
};

/// Of a key that went with its slot from one sweep to the other.
void drop_second_sightings(std::vector<FoundOperation>& found) {
    std::set<std::pair<std::string, std::uint64_t>> seen;
    std::erase_if(found, [&seen](const FoundOperation& each) {
        return !seen.emplace(each.record.id.operation, each.record.id.number).second;
    });
}

asio::awaitable<void> sweep_one(std::shared_ptr<Core> core, std::shared_ptr<FoundOperations> into, domain::Node node,
                                std::optional<std::string> operation, std::shared_ptr<SlotWatch> watch) {
    OperationSweep sweep(std::move(core), std::move(into), std::move(node), std::move(operation), std::move(watch));
    co_await sweep.run();
}

NodeFailure without_node(std::string message) {
    return {{}, {ExitCode::partial, std::move(message), "ask again when the slots have arrived"}};
}

/// Of a slot that did not stay where it was while its node was swept: read where they are by now.
void take_late_records(const std::shared_ptr<Core>& core, std::span<const std::string> names,
                       const std::optional<std::string>& operation, FoundOperations& into) {
    std::vector<domain::SliceId> slices;
    std::vector<std::string> wanted;
    for (const auto& name : names) {
        auto slice = asked_for(name, operation);
        if (!slice) continue;
        slices.push_back(*std::move(slice));
        wanted.push_back(name);
    }
    const auto values = get_keys(core, wanted);
    if (!values) return into.failures.push_back({{}, values.error()});
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!(*values)[i]) continue;
        const auto shard = core->directory->place_of(wanted[i])->shard;
        take_record(*core, core->directory->primary(shard), slices[i], *(*values)[i], into);
    }
}

/// From before the first record is met.
std::shared_ptr<SlotWatch> watch_all_slots(const std::shared_ptr<Core>& core) {
    auto watch = std::make_shared<SlotWatch>(core);
    SlotWatch::look(watch);
    core->loop.spawn([](const std::exception_ptr&) {}, &SlotWatch::go_on, watch);
    return watch;
}

/// The sweeps have ended.
FoundOperations find_late_operations(const std::shared_ptr<Core>& core, const std::shared_ptr<SlotWatch>& watch,
                                     const std::optional<std::string>& operation) {
    FoundOperations late;
    SlotWatch::look(watch);
    for (const auto& [place, why] : watch->silent()) late.failures.push_back({core->directory->primary(place), why});
    for (SlotLists lists(core, watch, watch->restless()); lists.left() > 0 && !core->stopping();) {
        const auto list = lists.next(kSlotsAtOnce);
        if (list->failure) late.failures.push_back(*list->failure);
        if (list->cut)
            late.failures.push_back(without_node(fmt::format(
                "a slot of the Redis Cluster has more than {} keys, and moved meanwhile", kMostKeysOfSlot)));
        take_late_records(core, list->names, operation, late);
        (void)lists.settle(*list);
        if (lists.are_restless()) {
            late.failures.push_back(
                without_node(lists.left_words() + " on moving, so that records of theirs may be missing"));
        }
        if (!late.failures.empty()) break;
    }
    return late;
}

/// In a Redis Cluster each key's own place has it, whatever the caller takes for that.
support::Result<std::vector<std::optional<domain::OperationRecord>>> recall_by_slot(
    const std::shared_ptr<Core>& core, std::span<const domain::SliceId> slices, std::span<const std::string> names) {
    auto values = get_keys(core, names);
    if (!values) return tl::make_unexpected(values.error());
    std::vector<std::optional<domain::OperationRecord>> records(slices.size());
    for (std::size_t i = 0; i < slices.size(); ++i) {
        if (!(*values)[i]) continue;
        auto record = read_record(*core, slices[i], *(*values)[i]);
        if (!record) return tl::make_unexpected(record.error());
        records[i] = std::move(*record);
    }
    return records;
}

}  // namespace

support::Result<std::vector<std::optional<domain::OperationRecord>>> recall_operations(
    const std::shared_ptr<Core>& core, std::size_t shard, std::span<const domain::SliceId> slices, RecordName name_of) {
    auto recall = std::make_shared<Recall>();
    std::vector<std::string> names;
    for (const auto& slice : slices) names.push_back(name_of(core->named(slice)));
    if (core->directory->has_slots()) return recall_by_slot(core, slices, names);
    Tasks tasks(core);
    tasks.add(recall_all, core, core->directory->primary(shard), std::vector(slices.begin(), slices.end()), names,
              recall);
    const bool finished = tasks.finish_or_stop();
    if (recall->error) return tl::make_unexpected(*recall->error);
    if (!finished || core->stopping()) return tl::make_unexpected(core->interrupted());
    return std::move(recall->records);
}

FoundOperations sweep_for_operations(const std::shared_ptr<Core>& core, const std::optional<std::string>& operation) {
    std::vector<std::shared_ptr<FoundOperations>> of_shards;
    const auto watch = core->directory->has_slots() ? watch_all_slots(core) : nullptr;
    Tasks tasks(core);
    for (std::size_t shard = 0; shard < core->directory->places().size(); ++shard) {
        of_shards.push_back(std::make_shared<FoundOperations>());
        tasks.add(sweep_one, core, of_shards.back(), core->directory->primary(shard), operation, watch);
    }
    const bool finished = tasks.finish_or_stop();
    if (watch) watch->end();
    if (watch && finished)
        of_shards.push_back(std::make_shared<FoundOperations>(find_late_operations(core, watch, operation)));
    FoundOperations all;
    for (const auto& of_shard : of_shards) {
        auto& found = of_shard->found;
        std::sort(found.begin(), found.end(), [](const FoundOperation& a, const FoundOperation& b) {
            return std::tie(a.record.id.operation, a.record.id.number) <
                   std::tie(b.record.id.operation, b.record.id.number);
        });
        append(std::move(*of_shard), all);
    }
    if (watch) drop_second_sightings(all.found);
    if (watch && finished) {
        if (auto hole = find_open_slots(core).hole()) all.failures.push_back({{}, *std::move(hole)});
    }
    if (!finished && all.failures.empty() && !of_shards.empty()) {
        all.failures.push_back({core->directory->primary(0), core->interrupted()});
    }
    return all;
}

}  // namespace ratectl::store
