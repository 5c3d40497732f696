// Asks replicas until they show a write.
// At full speed at first; the longer it takes, the longer the pauses: a fiftieth of what has passed.
#include "store/nodes/replica_watch.h"

#include <algorithm>
#include <string>
#include <utility>

#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include "redis/reply_class.h"
#include "store/nodes/conversation.h"
#include "store/nodes/sources.h"
#include "store/tasks.h"

namespace ratectl::store {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr microseconds kBeforeWrite{200};  // between two questions while nothing has been sent
constexpr microseconds kShortestPause{100};

struct Watched {
    domain::Node node;
    std::size_t count = 0;      // which of the counts
    Clock::time_point asked{};  // the last question that did not find it, if there was one
    std::optional<Clock::time_point> shown;
    std::optional<support::Error> error;
    bool answered = false;
    bool is_done() const { return shown || error; }
};

struct WatchState {
    std::shared_ptr<Core> core;
    std::vector<AwaitedCount> counts;
    std::vector<Watched> replicas;
    std::optional<Clock::time_point> sent;
    std::optional<Clock::time_point> answered;
    bool cancelled = false;  // the watch is gone

    bool over() const { return cancelled || core->stopping(); }
};

asio::awaitable<redis::Outcome<bool>> shows(WatchState& state, redis::Channel& channel, const AwaitedCount& count) {
    const auto& core = *state.core;
    const std::span<const std::string> key(&count.at.key, 1);
    constexpr auto depth = domain::LookDepth::light;
    redis::Request request;
    core.scheme->ask_looks(request, key, depth, channel.facts());
    const auto replies = co_await channel.exchange(request, core.exchange_deadline());
    if (!replies) co_return redis::fault(replies.error());
    for (const auto& reply : *replies) {
        if (reply.is_error()) co_return redis::fault(redis::fault_from_reply(reply.text, channel.where(), "MGET"));
    }
    const auto looks = core.scheme->decode_looks(key, *replies, depth, channel.facts());
    co_return looks.front() && stored_used(*looks.front()).value == count.used;
}

asio::awaitable<void> pause(std::shared_ptr<WatchState> state) {
    const auto now = Clock::now();
    const auto length =
        state->sent ? std::chrono::duration_cast<microseconds>(now - *state->sent) / 50 : microseconds(kBeforeWrite);
    if (length < kShortestPause) co_return;
    asio::steady_timer timer(state->core->loop.executor(), now + length);
    co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<void> watch_replica(std::shared_ptr<WatchState> state, std::size_t i) {
    Watched& replica = state->replicas[i];
    const auto& core = state->core;
    auto channel = co_await open_channel(core, replica.node, kReadMaxIdle, core->exchange_deadline());
    if (!channel) replica.error = channel.error().error;
    while (!replica.is_done() && !state->over()) {
        const auto asked = Clock::now();
        const auto found = co_await shows(*state, **channel, state->counts[replica.count]);
        replica.answered = true;
        if (!found) {
            replica.error = found.error().error;
        } else if (*found) {
            replica.shown = Clock::now();
        } else {
            replica.asked = asked;
            co_await pause(state);
        }
    }
}

class Watch final : public ReplicaWatch {
public:
    Watch(const std::shared_ptr<Core>& core, std::span<const AwaitedCount> counts) : tasks_(core) {
        state_->core = core;
        state_->counts.assign(counts.begin(), counts.end());
        for (std::size_t i = 0; i < counts.size(); ++i) {
            for (const auto& node : core->directory->nodes(counts[i].at.place.shard)) {
                if (node.role != domain::Role::replica) continue;
                Watched& replica = state_->replicas.emplace_back();
                replica.node = node;
                replica.count = i;
            }
        }
        for (std::size_t i = 0; i < state_->replicas.size(); ++i) tasks_.add(watch_replica, state_, i);
        tasks_.run_until([this] {
            return std::ranges::all_of(state_->replicas, [](const auto& r) { return r.answered || r.is_done(); });
        });
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() override { state_->cancelled = true; }

    void sent() override { state_->sent = Clock::now(); }
    void answered() override { state_->answered = Clock::now(); }

    std::vector<Sighting> await(support::Milliseconds patience) override {
        const auto until = state_->sent.value_or(Clock::now()) + patience;
        tasks_.run_until([&] {
            return Clock::now() >= until ||
                   std::ranges::all_of(state_->replicas, [](const auto& r) { return r.is_done(); });
        });
        std::vector<Sighting> sightings;
        for (const auto& replica : state_->replicas) sightings.push_back(sighting_of(replica));
        return sightings;
    }

private:
    Sighting sighting_of(const Watched& replica) const {
        Sighting sighting{replica.node, {}, {}, replica.error};
        if (!replica.shown || !state_->sent) return sighting;
        const auto since_sent = [this](Clock::time_point at) {
            return std::chrono::ceil<microseconds>(std::max(at - *state_->sent, Clock::duration::zero()));
        };
        const auto delay = since_sent(*replica.shown);
        const auto least = since_sent(replica.asked) - since_sent(state_->answered.value_or(*replica.shown));
        sighting.delay = delay;
        sighting.blind = delay - std::max(least, microseconds::zero());
        return sighting;
    }

    std::shared_ptr<WatchState> state_ = std::make_shared<WatchState>();
    Tasks tasks_;
};

/// The server answers a WAIT no sooner, and nothing else can be asked on its connection.
struct StoppableWait {
    std::shared_ptr<Core> core;
    redis::Channel* channel = nullptr;  // null: it is over
};

asio::awaitable<void> end_at_stop(std::shared_ptr<StoppableWait> wait) {
    constexpr std::chrono::milliseconds between{20};
    asio::steady_timer timer(wait->core->loop.executor());
    while (wait->channel != nullptr && !wait->core->stopping()) {
        timer.expires_after(between);
        co_await timer.async_wait(asio::use_awaitable);
    }
    if (wait->channel != nullptr) wait->channel->close();
}

asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> exchange_until_stop(std::shared_ptr<Core> core,
                                                                               redis::Channel& channel,
                                                                               const redis::Request& request,
                                                                               support::Deadline deadline) {
    const auto wait = std::make_shared<StoppableWait>(StoppableWait{core, &channel});
    core->loop.spawn([](const std::exception_ptr&) {}, end_at_stop, wait);
    auto replies = co_await channel.exchange(request, deadline);
    wait->channel = nullptr;
    const bool is_stopped = !replies && core->stopping();
    if (is_stopped) replies.error().error = core->interrupted();
    co_return replies;
}

}  // namespace

void say_replicas_unknown(Core& core, support::Error why) {
    why.message += "; so it is not known how many replicas have the writes";
    core.notice(why);
}

std::unique_ptr<ReplicaWatch> start_watch(const std::shared_ptr<Core>& core, std::span<const AwaitedCount> counts) {
    std::vector<std::size_t> shards;
    for (const auto& count : counts) shards.push_back(count.at.place.shard);
    find_nodes(core, shards, true);
    return std::make_unique<Watch>(core, counts);
}

asio::awaitable<std::optional<int>> wait_for_replicas(std::shared_ptr<Core> core, redis::Channel& channel, int replicas,
                                                      support::Milliseconds timeout) {
    if (core->options.deadline) {
        const auto left = std::chrono::floor<support::Milliseconds>(*core->options.deadline - Clock::now());
        timeout = std::min(timeout, left);
    }
    const bool was_stopped = core->stopping();
    if (was_stopped) timeout = {};
    // 0 would mean: forever.
    timeout = std::max(timeout, support::Milliseconds(1));
    redis::Request request;
    request.add({"WAIT", std::to_string(replicas), std::to_string(timeout.count())});
    auto deadline = Clock::now() + timeout + core->options.timeout;
    if (core->options.deadline) deadline = std::min(deadline, *core->options.deadline);
    auto exchanged =
        was_stopped ? channel.exchange(request, deadline) : exchange_until_stop(core, channel, request, deadline);
    auto replies = co_await std::move(exchanged);
    if (!replies) {
        say_replicas_unknown(*core, std::move(replies.error().error));
        co_return std::nullopt;
    }
    const auto& reply = replies->front();
    if (reply.kind == redis::Reply::Kind::integer)
        co_return static_cast<int>(std::clamp<std::int64_t>(reply.integer, 0, 1'000'000));
    if (reply.is_error()) {
        say_replicas_unknown(*core, redis::fault_from_reply(reply.text, channel.where(), "WAIT").error);
    } else {
        say_replicas_unknown(*core, {support::ExitCode::protocol, channel.where() + ": unexpected reply to WAIT", ""});
    }
    co_return std::nullopt;
}

}  // namespace ratectl::store
