// One coroutine a shard; one script call of it in flight. Nothing is ever sent twice.
#include "store/writes.h"

#include <numeric>
#include <utility>

#include "redis/reply_class.h"
#include "store/conversation.h"
#include "store/info_text.h"
#include "store/slices.h"
#include "store/tasks.h"

namespace ratectl::store {
namespace {

using support::ExitCode;

// A channel that idled longer may be closed at the other end, which a write would learn only after it was sent.
constexpr support::Milliseconds kWriteMaxIdle{500};

struct Job {
    std::shared_ptr<Core> core;
    const WriteRequest* request = nullptr;
    std::vector<WriteResult> results;
    bool broken_off = false;  // an observer threw: start nothing more
};
using SharedJob = std::shared_ptr<Job>;
using Items = std::vector<std::size_t>;

WriteResult result_of(const domain::Node& node, const redis::Fault& fault) {
    WriteResult result;
    result.node = node;
    result.error = fault.error;
    if (fault.maybe_executed) {
        result.status = WriteStatus::unknown;
        result.error->code = ExitCode::unknown;
        result.error->message += "; whether it was carried out is unknown";
        if (result.error->hint.empty()) result.error->hint = "look at the keys before you repeat anything";
        return result;
    }
    result.status = WriteStatus::failed;
    if (fault.error.code == ExitCode::write_refused || fault.error.code == ExitCode::access) {
        result.status = WriteStatus::refused;
        result.reason = fault.error.code == ExitCode::access ? "no-permission" : "server-refuses";
    }
    return result;
}

void set_all(Job& job, std::span<const std::size_t> items, const WriteResult& result) {
    for (const std::size_t item : items) job.results[item] = result;
}

std::string first_quoted(std::string_view text) {
    const auto open = text.find('\'');
    if (open == std::string_view::npos) return {};
    text.remove_prefix(open + 1);
    return std::string(text.substr(0, text.find('\'')));
}

redis::Fault fault_of_reply(const redis::Reply& reply, std::string_view where, std::string_view script) {
    if (redis::classify_error(reply.text) != redis::ReplyClass::unknown_command) {
        return redis::fault_from_reply(reply.text, where, script);
    }
    auto fault = redis::fault_from_reply(reply.text, where, first_quoted(reply.text));
    fault.error.message += "; nothing was written";
    return fault;
}

void take_answers(Job& job, const domain::Node& node, const Items& items, schemes::WriteAnswers answers) {
    const auto written_at = job.core->now();
    for (std::size_t i = 0; i < items.size(); ++i) {
        auto& answer = answers.windows[i];
        auto& result = job.results[items[i]];
        result.status = answer.status;
        result.node = node;
        result.reason = std::move(answer.reason);
        result.before = std::move(answer.before);
        result.after = std::move(answer.after);
        result.taken = answer.taken;
        result.written_at = written_at;
        if (!answer.error) continue;
        result.error = std::move(answer.error);
        result.error->message =
            where(node) + ": " + job.request->at(items[i]).key + ": " + result.error->message + "; nothing was written";
    }
}

// True when the shard may go on.
bool take_reply(Job& job, const domain::Node& node, const Items& items,
                redis::Outcome<std::vector<redis::Reply>> replies) {
    if (replies && (*replies)[0].is_error()) {
        replies = redis::fault(fault_of_reply((*replies)[0], where(node), job.request->name));
    }
    if (!replies) {
        set_all(job, items, result_of(node, replies.error()));
        return false;
    }
    auto answers = job.core->scheme->decode_writes(items.size(), std::move((*replies)[0]));
    if (!answers) {
        support::Error error = answers.error();
        error.message = where(node) + ": " + error.message;
        set_all(job, items, result_of(node, redis::Fault{std::move(error), true, false}));
        return false;
    }
    take_answers(job, node, items, std::move(*answers));
    return true;
}

asio::awaitable<std::string> primary_of_replica(redis::Channel& channel, support::Deadline deadline) {
    redis::Request request;
    request.add({"ROLE"});
    auto replies = co_await channel.exchange(request, deadline);
    const auto role = replies ? parse_role((*replies)[0]) : RoleReply{};
    co_return role.primary ? "a replica of " + role.primary->text() : "a replica";
}

// Why this server must not be written to, before anything is sent.
asio::awaitable<std::optional<WriteResult>> unfit(redis::Channel& channel, domain::Node node,
                                                  support::Deadline deadline) {
    const auto& facts = channel.facts();
    WriteResult result;
    result.status = WriteStatus::refused;
    result.node = node;
    if (facts.role == domain::Role::replica) {
        const auto words = co_await primary_of_replica(channel, deadline);
        result.reason = "replica";
        result.error = support::Error{ExitCode::write_refused, where(node) + ": is " + words + "; nothing was written",
                                      "the configuration names it as the shard's primary"};
        co_return result;
    }
    if (facts.version && !facts.at_least(6)) {
        result.reason = "old-server";
        result.error = support::Error{ExitCode::write_refused,
                                      where(node) + ": runs Redis " + domain::to_string(*facts.version) +
                                          ", and writes need 6.0 or later; nothing was written",
                                      "older servers are read only"};
        co_return result;
    }
    co_return std::nullopt;
}

asio::awaitable<void> write_shard(SharedJob job, std::size_t shard, Items items) {
    const auto node = job->core->primary(shard);
    const auto slices = slice(items, [&](std::size_t i) -> std::string_view { return job->request->at(i).key; });
    for (const auto& part : slices) {
        if (job->core->stopping() || job->broken_off) co_return;
        // What stops the first call stops all; later ones leave alone what has been answered already.
        const std::span<const std::size_t> stopped = &part == &slices.front() ? items : part;
        const auto deadline = job->core->exchange_deadline();
        auto lease = co_await open_channel(job->core, node, kWriteMaxIdle, deadline);
        if (!lease) {
            // Nothing of this call left; and the next one would only wait for the same server.
            lease.error().maybe_executed = false;
            set_all(*job, stopped, result_of(node, lease.error()));
            co_return;
        }
        auto refusal = co_await unfit(**lease, node, deadline);
        if (refusal) {
            set_all(*job, stopped, *refusal);
            co_return;
        }
        if (job->core->stopping() || job->broken_off) co_return;
        const std::vector<redis::ScriptCall> calls{job->request->call(part)};
        auto replies = co_await redis::call_scripts(**lease, calls, deadline);
        const bool go_on = take_reply(*job, node, part, std::move(replies));
        if (!go_on) co_return;
    }
}

}  // namespace

std::vector<WriteResult> write(const std::shared_ptr<Core>& core, const WriteRequest& request) {
    auto job = std::make_shared<Job>();
    job->core = core;
    job->request = &request;
    job->results.resize(request.items);
    std::vector<Items> items_of(core->topology.shards.size());
    for (std::size_t i = 0; i < request.items; ++i) {
        const auto shard = request.at(i).shard;
        items_of.at(shard).push_back(i);
        job->results[i].node = core->primary(shard);
    }
    Tasks tasks(core);
    for (std::size_t shard = 0; shard < items_of.size(); ++shard) {
        if (!items_of[shard].empty()) tasks.add(write_shard(job, shard, std::move(items_of[shard])));
    }
    tasks.finish();
    return std::move(job->results);
}

}  // namespace ratectl::store
