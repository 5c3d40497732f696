// Checks the server of a shard's writes by ROLE, version, run_id, and the marks of a lost operation key.
#include "store/writes/write_target.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "store/nodes/info_text.h"
#include "store/writes/write_results.h"

namespace ratectl::store {
namespace {

using support::ExitCode;
using Clock = std::chrono::steady_clock;

// A channel that idled longer may be closed at the other end, which a write would learn only after it was sent.
constexpr support::Milliseconds kWriteMaxIdle{500};
// Evictions go on all the time on some servers; older marks would make every lost reply an unknown outcome there.
constexpr support::Milliseconds kMarksAge{1000};
constexpr std::string_view kIsReplica = "replica";

WriteResult refused(const domain::Node& node, std::string_view reason, support::Error error) {
    WriteResult result;
    result.status = WriteStatus::refused;
    result.node = node;
    result.reason = reason;
    result.error = std::move(error);
    return result;
}

asio::awaitable<std::string> primary_of_replica(redis::Channel& channel, support::Deadline deadline) {
    redis::Request request;
    request.add({"ROLE"});
    auto replies = co_await channel.exchange(request, deadline);
    const auto role = replies ? parse_role((*replies)[0]) : RoleReply{};
    co_return role.primary ? "a replica of " + role.primary->text() : "a replica";
}

WriteResult old_server(const Core& core, const domain::Node& node, const domain::ServerVersion& version) {
    return refused(node, "old-server",
                   {ExitCode::write_refused,
                    fmt::format("{}: runs Redis {}, and writes need 6.0 or later{}", where(node),
                                domain::to_string(version), nothing_written(core, node)),
                    "older servers are read only"});
}

WriteResult replica(const Core& core, const domain::Node& node, const std::string& words) {
    const auto teller = core.directory->teller();
    return refused(
        node, kIsReplica,
        {ExitCode::write_refused, where(node) + ": is " + words + nothing_written(core, node),
         teller.empty()
             ? "the configuration names it as the shard's primary"
             : fmt::format("{} tell that it is the shard's primary; try again when the failover is over", teller)});
}

asio::awaitable<std::optional<WriteResult>> unfit(const Core& core, redis::Channel& channel, const domain::Node& node,
                                                  support::Deadline deadline) {
    const auto& facts = channel.facts();
    if (facts.role == domain::Role::replica) {
        const auto words = co_await primary_of_replica(channel, deadline);
        co_return replica(core, node, words);
    }
    if (facts.version && !facts.at_least(6)) co_return old_server(core, node, *facts.version);
    co_return std::nullopt;
}

// What is known of this very process; another one starts anew.
WrittenServer& known_server(Core& core, const WriteTarget& target) {
    auto& known = core.written[target.shard];
    if (known.run_id != target.run_id) known = {target.run_id, target.node.endpoint.db, {}, {}, {}, 1};
    return known;
}

asio::awaitable<redis::Outcome<void>> read_marks(Core& core, WriteTarget& target, support::Deadline deadline) {
    auto& known = known_server(core, target);
    const bool fresh = known.marks && Clock::now() - known.marks_read_at < kMarksAge;
    if (!fresh) {
        redis::Request request;
        ask_eviction_marks(request);
        const auto replies = co_await target.channel->exchange(request, deadline);
        if (!replies) co_return redis::fault(replies.error());
        known.marks = read_eviction_marks(*replies);
        known.marks_read_at = Clock::now();
    }
    target.marks = known.marks;
    co_return redis::Outcome<void>();
}

asio::awaitable<redis::Outcome<void>> prepare_once(std::shared_ptr<Core> core, WriteTarget& target, bool with_marks,
                                                   support::Milliseconds max_idle) {
    const auto deadline = core->exchange_deadline();
    auto lease = co_await open_channel(core, target.node, max_idle, deadline);
    if (!lease) co_return redis::fault(std::move(lease.error()));
    target.channel = std::move(*lease);
    target.run_id = target.channel->facts().run_id.value_or("");
    target.refusal = co_await unfit(*core, *target.channel, target.node, deadline);
    if (target.refusal || !with_marks || target.run_id.empty()) co_return redis::Outcome<void>();
    co_return co_await read_marks(*core, target, deadline);
}

/// Those who tell which server it is are asked once more first where there was a doubt, or some time ago: they may know
/// better by now. A primary that has a successor takes writes until it hears of it, and then loses them.
asio::awaitable<void> ask_again(std::shared_ptr<Core> core, WriteTarget& target) {
    if (!core->directory->doubt(target.shard) && core->directory->is_known(target.shard, false)) co_return;
    const auto directory = core->directory;
    co_await directory->learn(core, target.shard);
    target.node = core->directory->primary(target.shard);
    target.epoch = core->directory->epoch();
}

std::optional<WriteResult> doubtful(const Core& core, const domain::Node& node, std::size_t shard) {
    auto doubt = core.directory->doubt(shard);
    if (!doubt) return std::nullopt;
    doubt->message = where(node) + ": " + doubt->message;
    return not_written(core, node, redis::Fault{std::move(*doubt)});
}

asio::awaitable<void> find_fit(std::shared_ptr<Core> core, std::shared_ptr<WriteTarget> target, bool with_marks) {
    auto done = co_await prepare_once(core, *target, with_marks, kWriteMaxIdle);
    // The channel from the pool may have been closed at the other end; these were only questions.
    if (!done && done.error().transient && target->channel) {
        target->channel = {};
        done = co_await prepare_once(core, *target, with_marks, support::Milliseconds(0));
    }
    const Place place{target->shard};
    bool moved = false;
    if (!done) {
        moved = co_await has_successor(core, place, target->node, done.error());
    } else if (target->refusal && target->refusal->reason == kIsReplica) {
        moved = co_await has_successor(core, place, target->node, redis::Redirect::Kind::read_only);
    }
    if (moved) {
        target->channel = {};
        target->node = core->directory->primary(target->shard);
        done = co_await prepare_once(core, *target, with_marks, support::Milliseconds(0));
    }
    if (done) co_return;
    target->channel = {};
    target->refusal = not_written(*core, target->node, std::move(done.error()));
}

}  // namespace

asio::awaitable<void> prepare(std::shared_ptr<Core> core, std::shared_ptr<WriteTarget> target, bool with_marks) {
    co_await ask_again(core, *target);
    co_await find_fit(core, target, with_marks);
    if (!target->fit()) co_return;
    target->refusal = doubtful(*core, target->node, target->shard);
    if (target->refusal) target->channel = {};
}

void refuse_same_server(Core& core, std::span<const std::shared_ptr<WriteTarget>> targets) {
    for (const auto& target : targets) {
        if (target->fit() && !target->run_id.empty()) known_server(core, *target);
    }
    for (const auto& target : targets) {
        if (!target->fit() || target->run_id.empty()) continue;
        for (const auto& [shard, known] : core.written) {
            if (shard == target->shard || known.run_id != target->run_id || known.db != target->node.endpoint.db)
                continue;
            target->refusal =
                refused(target->node, "same-server",
                        {ExitCode::configuration,
                         fmt::format("{} and {} are the same server (run_id {}); nothing was written there",
                                     where(target->node), where(core.directory->primary(shard)), target->run_id),
                         "the configuration names one server as two shards"});
        }
    }
}

std::optional<std::string> changed_since(const redis::ServerFacts& facts, const WriteTarget& target) {
    if (target.run_id.empty() || !facts.run_id) return "the server does not say which process it is (INFO run_id)";
    if (*facts.run_id != target.run_id)
        return "another process answers by now: it was restarted, or a failover has put another server in its place";
    if (facts.role == domain::Role::replica) return "it has become a replica";
    return std::nullopt;
}

asio::awaitable<std::optional<std::string>> recognise(std::shared_ptr<Core> core, redis::Channel& channel,
                                                      WriteTarget& target) {
    auto change = changed_since(channel.facts(), target);
    const auto& facts = channel.facts();
    if (!change || !target.marks || !facts.run_id || facts.role != domain::Role::primary) co_return change;
    redis::Request request;
    ask_eviction_marks(request);
    const auto replies = co_await channel.exchange(request, core->exchange_deadline());
    const auto marks = replies ? read_eviction_marks(*replies) : std::nullopt;
    if (!marks || !marks->history.has_all_of(target.marks->history)) co_return change;
    target.run_id = *facts.run_id;
    target.marks = marks;
    auto& known = known_server(*core, target);
    known.marks = marks;
    known.marks_read_at = Clock::now();
    co_return std::nullopt;
}

}  // namespace ratectl::store
