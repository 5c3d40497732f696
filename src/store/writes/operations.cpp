// Finds operation keys: by GET of their names, or by SCAN and then GET and PTTL.
#include "store/redis_answers.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "redis/reply_class.h"
#include "schemes/operation_key.h"
#include "store/cluster/questions.h"
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

// The sweep of one primary. Restarts when another process answers: its cursors mean nothing to the next.
class OperationSweep {
public:
    OperationSweep(std::shared_ptr<Core> core, std::shared_ptr<FoundOperations> into, domain::Node node,
                   std::optional<std::string> operation)
        : core_(std::move(core)), into_(std::move(into)), node_(std::move(node)), operation_(std::move(operation)) {}

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

    void finish() {
        std::move(found_.begin(), found_.end(), std::back_inserter(into_->found));
        std::move(odd_.begin(), odd_.end(), std::back_inserter(into_->failures));
        found_.clear();
        odd_.clear();
    }

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
        found_.clear();
        odd_.clear();
    }

    asio::awaitable<bool> take_keys(const std::vector<redis::Reply>& scanned) {
        std::vector<domain::SliceId> slices;
        for (const auto& key : scanned) {
            auto slice = key.is_text() ? schemes::operation_of(key.text) : std::nullopt;
            if (!slice || (operation_ && slice->operation != *operation_) || !seen_.insert(key.text).second) continue;
            slices.push_back(*std::move(slice));
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
        const auto reading =
            co_await read_from(core_, node_, "GET", taking_refusals(std::move(request), false, &says_elsewhere));
        if (!reading) {
            fail(reading.error().error);
            co_return false;
        }
        std::vector<domain::SliceId> gone;
        for (std::size_t i = 0; i < slices.size(); ++i) {
            const auto& value = reading->replies[2 * i];
            const auto& ttl = reading->replies[2 * i + 1];
            if (value.kind == redis::Reply::Kind::status) gone.push_back(slices[i]);
            if (!value.is_text()) continue;  // it has expired since, or gone with its slot
            const bool is_told = ttl.kind == redis::Reply::Kind::integer && ttl.integer >= 0;
            take_value(slices[i], value.text,
                       is_told ? std::optional(support::Milliseconds(ttl.integer)) : std::nullopt);
        }
        if (gone.empty()) co_return true;
        const bool taken = co_await take_gone(std::move(gone));
        co_return taken;
    }

    // Their slots have left since they were scanned: the node that they went to may have been past them by then.
    asio::awaitable<bool> take_gone(std::vector<domain::SliceId> slices) {
        std::vector<std::string> names;
        names.reserve(slices.size());
        for (const auto& slice : slices) names.push_back(schemes::operation_key(slice));
        const auto values = co_await read_keys(core_, names);
        if (!values) {
            fail(at_node(node_, values.error()));
            co_return false;
        }
        for (std::size_t i = 0; i < slices.size(); ++i) {
            if ((*values)[i]) take_value(slices[i], *(*values)[i], std::nullopt);
        }
        co_return true;
    }

    void take_value(const domain::SliceId& slice, std::string_view value,
                    std::optional<support::Milliseconds> expires_in) {
        auto record = read_record(*core_, slice, value);
        if (!record) {
            odd_.push_back({node_, at_node(node_, record.error())});
        } else {
            found_.push_back({node_, std::move(*record), expires_in});
        }
    }

    std::shared_ptr<Core> core_;
    std::shared_ptr<FoundOperations> into_;
    domain::Node node_;
    std::optional<std::string> operation_;
    std::optional<std::string> run_id_;
    CursorGuard guard_;
    std::unordered_set<std::string> seen_;
    std::vector<FoundOperation> found_;
    std::vector<NodeFailure> odd_;
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
                                std::optional<std::string> operation) {
    OperationSweep sweep(std::move(core), std::move(into), std::move(node), std::move(operation));
    co_await sweep.run();
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
    Tasks tasks(core);
    for (std::size_t shard = 0; shard < core->directory->places().size(); ++shard) {
        of_shards.push_back(std::make_shared<FoundOperations>());
        tasks.add(sweep_one, core, of_shards.back(), core->directory->primary(shard), operation);
    }
    const bool finished = tasks.finish_or_stop();
    FoundOperations all;
    for (std::size_t shard = 0; shard < of_shards.size(); ++shard) {
        auto found = std::move(of_shards[shard]->found);
        std::sort(found.begin(), found.end(), [](const FoundOperation& a, const FoundOperation& b) {
            return std::tie(a.record.id.operation, a.record.id.number) <
                   std::tie(b.record.id.operation, b.record.id.number);
        });
        std::move(found.begin(), found.end(), std::back_inserter(all.found));
        auto& failures = of_shards[shard]->failures;
        std::move(failures.begin(), failures.end(), std::back_inserter(all.failures));
    }
    if (core->directory->has_slots()) drop_second_sightings(all.found);
    if (finished && core->directory->has_slots()) {
        if (auto hole = find_open_slots(core).hole()) all.failures.push_back({{}, *std::move(hole)});
    }
    if (!finished && all.failures.empty() && !of_shards.empty()) {
        all.failures.push_back({core->directory->primary(0), core->interrupted()});
    }
    return all;
}

}  // namespace ratectl::store
