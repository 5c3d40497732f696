// One coroutine a node; at most 200 windows of a node in flight.
#include "store/look.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "store/conversation.h"
#include "store/discover.h"
#include "store/sources.h"
#include "store/tasks.h"

namespace ratectl::store {
namespace {

constexpr std::size_t kWindowsInFlight = 200;
constexpr std::size_t kWindowsPerCommand = 10;
constexpr std::size_t kWindowsPerScript = 100;

struct Job {
    std::shared_ptr<Core> core;
    const LookQuestion* question = nullptr;
    bool abandoned = false;                         // the question is gone
    std::vector<std::vector<std::size_t>> keys_of;  // by shard, in order
    std::vector<LookAnswer> answers;
    std::vector<std::size_t> first_answer;  // of a key
    std::vector<NodeFailure> failures;
};
using SharedJob = std::shared_ptr<Job>;

std::vector<std::vector<std::string>> groups_of(const Job& job, std::span<const std::size_t> keys, std::size_t most) {
    std::vector<std::vector<std::string>> groups;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i % most == 0) groups.emplace_back().reserve(std::min(most, keys.size() - i));
        groups.back().push_back(job.question->keys[keys[i]].key);
    }
    return groups;
}

Talk ask_plainly(const schemes::Scheme& scheme, const std::vector<std::vector<std::string>>& groups,
                 domain::LookDepth depth) {
    return [&scheme, &groups, depth](
               redis::Channel& channel,
               support::Deadline deadline) -> asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> {
        redis::Request request;
        for (const auto& group : groups) scheme.ask_looks(request, group, depth, channel.facts());
        co_return co_await channel.exchange(request, deadline);
    };
}

Talk ask_through_lua(const schemes::Scheme& scheme, const std::vector<std::vector<std::string>>& groups) {
    return
        [&scheme, &groups](redis::Channel& channel,
                           support::Deadline deadline) -> asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> {
            std::vector<redis::ScriptCall> calls;
            calls.reserve(groups.size());
            for (const auto& group : groups) calls.push_back(scheme.script_look_call(group));
            co_return co_await redis::call_scripts(channel, calls, deadline);
        };
}

schemes::Scheme::Looks decode(const Job& job, const std::vector<std::vector<std::string>>& groups, bool as_script,
                              Reading& reading) {
    const auto& scheme = *job.core->scheme;
    schemes::Scheme::Looks looks;
    std::span<redis::Reply> replies(reading.replies);
    for (const auto& group : groups) {
        schemes::Scheme::Looks part;
        if (as_script) {
            part = scheme.decode_script_looks(group, std::move(replies[0]));
            replies = replies.subspan(1);
        } else {
            const auto mine = scheme.look_replies(group.size(), job.question->depth, reading.facts);
            part = scheme.decode_looks(group, replies.first(mine), job.question->depth);
            replies = replies.subspan(mine);
        }
        std::move(part.begin(), part.end(), std::back_inserter(looks));
    }
    return looks;
}

void fail(Job& job, std::span<const std::size_t> keys, std::size_t column, const domain::Node& node,
          const support::Error& error) {
    for (const std::size_t key : keys) {
        auto& answer = job.answers[job.first_answer[key] + column];
        answer.node = node;
        answer.look = tl::make_unexpected(error);
    }
}

void answer(Job& job, std::span<const std::size_t> keys, std::size_t column, const Source& source,
            const std::vector<std::vector<std::string>>& groups, bool as_script, Reading& reading) {
    auto looks = decode(job, groups, as_script, reading);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        auto& answer = job.answers[job.first_answer[keys[i]] + column];
        answer.node = source.node;
        answer.look = std::move(looks[i]);
        if (!answer.look) {
            auto error = answer.look.error();
            error.message = where(source.node) + ": " + error.message;
            answer.look = tl::make_unexpected(std::move(error));
        }
        answer.read_at = reading.read_at;
        answer.stale = source.stale || reading.stale();
    }
}

/// A server that is out of memory queues no transaction, not even one of reads; a script that only reads it runs.
bool refused_to_queue(const redis::Fault& fault) { return fault.error.code == support::ExitCode::write_refused; }

asio::awaitable<void> look_at_node(SharedJob job, std::size_t shard, std::size_t column, Source source) {
    bool as_script = job->question->as_script;
    std::span<const std::size_t> left(job->keys_of[shard]);
    while (!left.empty()) {
        const auto keys = left.first(std::min(left.size(), kWindowsInFlight));
        const auto groups = groups_of(*job, keys, as_script ? kWindowsPerScript : kWindowsPerCommand);
        auto talk = as_script ? ask_through_lua(*job->core->scheme, groups)
                              : ask_plainly(*job->core->scheme, groups, job->question->depth);
        auto reading = co_await read_from(job->core, source.node, as_script ? "the CHECK script" : "MGET", talk);
        if (job->abandoned) co_return;
        if (!reading && !as_script && refused_to_queue(reading.error())) {
            as_script = true;
            continue;
        }
        if (!reading) {
            fail(*job, left, column, source.node, reading.error().error);
            co_return;
        }
        answer(*job, keys, column, source, groups, as_script, *reading);
        left = left.subspan(keys.size());
    }
}

asio::awaitable<void> look_at_replica(SharedJob job, std::size_t shard) {
    auto choice = co_await choose_replica(job->core, shard);
    if (job->abandoned) co_return;
    if (!choice.source) {
        const auto& failure = choice.failures.front();
        fail(*job, job->keys_of[shard], 0, failure.node, failure.error);
        co_return;
    }
    std::move(choice.failures.begin(), choice.failures.end(), std::back_inserter(job->failures));
    co_await look_at_node(job, shard, 0, *choice.source);
}

// Slots for every answer, in the order they are given back; unanswered ones say that we were interrupted.
void lay_out(Job& job, const LookQuestion& question) {
    const auto& core = *job.core;
    const LookAnswer unanswered{0, {}, tl::make_unexpected(core.interrupted()), {}, false};
    job.first_answer.reserve(question.keys.size());
    for (std::size_t i = 0; i < question.keys.size(); ++i) {
        const auto shard = question.keys[i].shard;
        job.keys_of.at(shard).push_back(i);
        job.first_answer.push_back(job.answers.size());
        const bool every = question.from.which == domain::ReadFrom::Which::all;
        for (std::size_t n = 0; n < (every ? core.nodes[shard].size() : 1); ++n) {
            auto& slot = job.answers.emplace_back(unanswered);
            slot.key = i;
            slot.node = n == 0 ? core.primary(shard) : core.nodes[shard][n];
        }
    }
}

void start(const SharedJob& job, Tasks& tasks) {
    const auto& from = job->question->from;
    for (std::size_t shard = 0; shard < job->keys_of.size(); ++shard) {
        if (job->keys_of[shard].empty()) continue;
        if (from.which == domain::ReadFrom::Which::replica) {
            tasks.add(look_at_replica(job, shard));
            continue;
        }
        const auto nodes = named_nodes(*job->core, shard, from);
        for (std::size_t column = 0; column < nodes.size(); ++column) {
            tasks.add(look_at_node(job, shard, column, Source{nodes[column], false}));
        }
        if (nodes.empty()) {
            fail(*job, job->keys_of[shard], 0, job->core->primary(shard), no_such_node(*job->core, shard, from));
        }
    }
}

// A key whose every node failed keeps one answer, its primary's.
void merge_failures(Job& job) {
    if (job.question->from.which != domain::ReadFrom::Which::all) return;
    std::vector<LookAnswer> kept;
    kept.reserve(job.answers.size());
    for (auto first = job.answers.begin(); first != job.answers.end();) {
        const auto last = std::find_if(first, job.answers.end(), [&](const auto& a) { return a.key != first->key; });
        const bool any = std::any_of(first, last, [](const auto& a) { return a.look.has_value(); });
        std::move(first, any ? last : first + 1, std::back_inserter(kept));
        first = last;
    }
    job.answers = std::move(kept);
}

}  // namespace

LookResult look_at(const std::shared_ptr<Core>& core, const LookQuestion& question) {
    std::vector<std::size_t> shards;
    for (const auto& key : question.keys) shards.push_back(key.shard);
    std::sort(shards.begin(), shards.end());
    shards.erase(std::unique(shards.begin(), shards.end()), shards.end());
    if (shards.empty()) return {};
    if (question.from.which != domain::ReadFrom::Which::primary) discover(core, shards);

    auto job = std::make_shared<Job>();
    job->core = core;
    job->question = &question;
    job->keys_of.resize(core->nodes.size());
    lay_out(*job, question);
    Tasks tasks(core);
    start(job, tasks);
    tasks.finish_or_stop();
    merge_failures(*job);
    job->abandoned = true;
    return {std::move(job->answers), std::move(job->failures)};
}

}  // namespace ratectl::store
