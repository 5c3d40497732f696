// Shows that a replica is fresh.
// It asks INFO replication of the primary, then of the replica: bytes that were written later do not matter.
#include "store/nodes/freshness.h"

#include <algorithm>
#include <utility>

#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include "store/nodes/conversation.h"
#include "store/nodes/info_text.h"
#include "support/time_text.h"

namespace ratectl::store {
namespace {

using Clock = std::chrono::steady_clock;
using support::Milliseconds;

constexpr Milliseconds kFirstReplicaPause{1};
constexpr Milliseconds kLongestReplicaPause{50};
constexpr Milliseconds kPatience{5000};  // before a replica that was too old is asked again

domain::NodeFacts facts_in(const Reading& reading) {
    domain::NodeFacts facts;
    facts.role = reading.facts.role;
    facts.link_up = reading.facts.link_up;
    if (reading.replies.front().is_text()) add_info_facts(InfoText(reading.replies.front().text), facts);
    return facts;
}

}  // namespace

asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> ask_replication(redis::Channel& channel,
                                                                           support::Deadline deadline) {
    redis::Request request;
    request.add({"INFO", "replication"});
    auto replies = co_await channel.exchange(request, deadline);
    if (replies && replies->front().is_error()) replies->front() = {};
    co_return replies;
}

std::string after_colon(const std::string& message, const domain::Node& node) {
    const std::string start = where(node) + ": ";
    return message.starts_with(start) ? message.substr(start.size()) : message;
}

asio::awaitable<PrimaryWord> ask_primary(std::shared_ptr<Core> core, std::size_t shard) {
    PrimaryWord word;
    const auto primary = core->directory->primary(shard);
    const Talk talk = [&word](redis::Channel& channel, support::Deadline deadline) {
        word.asked = Clock::now();
        return ask_replication(channel, deadline);
    };
    const auto reading = co_await read_from(core, primary, "INFO", talk);
    if (reading) {
        word.facts = facts_in(*reading);
        const auto& reply = reading->replies.front();
        if (reply.is_text()) word.history = history_in(InfoText(reply.text));
    } else {
        word.silence =
            "its primary " + primary.name() + " was not heard: " + after_colon(reading.error().error.message, primary);
    }
    co_return word;
}

asio::awaitable<Shown> show_replica(std::shared_ptr<Core> core, domain::Node replica, const PrimaryWord& word,
                                    Milliseconds most) {
    const auto until = std::min(word.asked + std::min(most, core->options.timeout), core->exchange_deadline());
    for (auto pause = kFirstReplicaPause;; pause = std::min(2 * pause, kLongestReplicaPause)) {
        auto reading = co_await read_from(core, replica, "INFO", ask_replication);
        if (!reading) co_return Shown{{}, {}, std::move(reading.error())};
        auto standing = domain::standing_of(word.facts, facts_in(*reading));
        const auto now = Clock::now();
        if (standing.kind == domain::ReplicaStanding::Kind::doubtful) {
            const bool silent = !word.facts && reading->facts.link_up != false;
            if (silent) standing.why = word.silence;
            co_return Shown{{}, std::move(standing.why), {}};
        }
        const auto took = std::chrono::ceil<Milliseconds>(now - word.asked);
        if (standing.kind == domain::ReplicaStanding::Kind::has_all) {
            if (took <= most) co_return Shown{word.asked, {}, {}};
            co_return Shown{{}, "to find out took " + support::format_duration(took), {}};
        }
        if (now + pause >= until || core->stopping()) {
            co_return Shown{{}, standing.why + " " + support::format_duration(took) + " before", {}};
        }
        asio::steady_timer timer(core->loop.executor(), now + pause);
        co_await timer.async_wait(asio::use_awaitable);
    }
}

asio::awaitable<std::optional<std::string>> foreign_history(std::shared_ptr<Core> core, std::size_t shard,
                                                            domain::Node node, redis::ServerFacts facts) {
    const auto& shards = core->directory->places();
    const auto& followed = facts.primary_address;
    const bool linked = facts.role == domain::Role::replica && facts.link_up == true;
    if (node.role != domain::Role::replica || !linked || !followed) co_return std::nullopt;
    if (*followed == core->directory->primary(shard).name() || shards[shard].discover_replicas) co_return std::nullopt;

    domain::NodeFacts replica;
    replica.primary_address = followed;
    if (auto reading = co_await read_from(core, node, "INFO", ask_replication)) replica = facts_in(*reading);
    const auto word = co_await ask_primary(core, shard);
    if (word.facts && word.facts->replication_id && replica.replication_id) {
        if (!domain::follows_another_history(*word.facts, replica)) co_return std::nullopt;
        co_return domain::words_of_another_history(replica);
    }
    for (std::size_t other = 0; other < shards.size(); ++other) {
        if (core->directory->primary(other).name() != *followed) continue;
        co_return "it follows " + *followed + ", the primary of shard '" + shards[other].name + "'";
    }
    co_return std::nullopt;
}

support::Error foreign(const domain::Node& node, const std::string& doubt) {
    return {support::ExitCode::unavailable,
            where(node) + ": " + doubt + "; what it answers are no windows of this shard",
            "--from primary asks the primary; `ratectl nodes` shows every link"};
}

support::Error too_old(const Core& core, const domain::Node& node, const std::string& doubt) {
    return {support::ExitCode::unavailable,
            where(node) + ": not shown to be at most " + support::format_duration(*core.options.max_staleness) +
                " behind: " + doubt + "; what it answers may be old",
            "--from primary asks the primary; `ratectl nodes` shows every link"};
}

void Freshness::watch(const domain::Node& node, const redis::ServerFacts& facts,
                      std::optional<Clock::time_point> shown_from) {
    node_.reset();
    doubt_.reset();
    shown_from_ = shown_from;
    const bool is_replica = node.role == domain::Role::replica || facts.role == domain::Role::replica;
    if (!core_->options.max_staleness || !is_replica) return;
    node_ = node;
    due_ = shown_from_ ? *shown_from_ + *core_->options.max_staleness / 2 : Clock::time_point::min();
}

asio::awaitable<void> Freshness::renew() {
    const auto most = *core_->options.max_staleness;
    const auto word = co_await ask_primary(core_, shard_);
    auto shown = co_await show_replica(core_, *node_, word, most);
    if (shown.from) {
        shown_from_ = shown.from;
        doubt_.reset();
        due_ = *shown.from + most / 2;
        co_return;
    }
    doubt_ = shown.fault ? after_colon(shown.fault->error.message, *node_) : std::move(shown.doubt);
    due_ = Clock::now() + std::min(most, kPatience);
}

domain::Asked Freshness::stamp() const {
    if (!node_) return {};
    return {Clock::now(), core_->loop.paused(), shown_from_};
}

bool Freshness::covers(const domain::Asked& asked) const {
    if (!node_) return true;
    const auto age = domain::oldest_answer(asked, Clock::now(), core_->loop.paused());
    return age && *age <= *core_->options.max_staleness;
}

support::Error Freshness::too_old() const {
    return store::too_old(*core_, *node_, doubt_.value_or("its answer took too long"));
}

}  // namespace ratectl::store
