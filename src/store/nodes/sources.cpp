// Chooses the node to read: by the health of replicas, and what to read when none is fit.
#include "store/nodes/sources.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include "store/nodes/conversation.h"
#include "store/nodes/freshness.h"
#include "store/tasks.h"
#include "support/time_text.h"

namespace ratectl::store {
namespace {

using Clock = std::chrono::steady_clock;

/// What a replica that stands before others may take longer than a healthy one of them: that, and as long again.
constexpr support::Milliseconds kGrace{50};

}  // namespace

struct ReplicaCandidate {
    domain::Node node;
    bool answered = false;
    bool is_replica = false;
    bool link_up = false;
    bool healthy = false;
    bool foreign = false;  // has the data of another primary
    bool untold = false;   // it does not say what it is
    std::optional<Clock::time_point> shown_from = {};
    std::string doubt = {};
    std::optional<redis::Fault> fault = {};
};

/// The replicas of a shard while they are asked; held by every question that is under way.
struct ReplicaCandidates {
    explicit ReplicaCandidates(const std::shared_ptr<Core>& core) : changed(core->loop.executor()) {}

    Clock::time_point patient_until() const {
        return first_healthy ? *first_healthy + (*first_healthy - asked) + kGrace : Clock::time_point::max();
    }
    /// The one to take, null: none is healthy, or not known to be the first one.
    const ReplicaCandidate* healthy() const {
        const bool patient = Clock::now() < patient_until();
        for (const auto& one : replicas) {
            if (one.healthy) return &one;
            if (!one.answered && patient) return nullptr;
        }
        return nullptr;
    }
    bool all_answered() const {
        return std::all_of(replicas.begin(), replicas.end(), [](const auto& one) { return one.answered; });
    }
    /// Linked before cut off; replicas before what is none; never the data of another shard.
    const ReplicaCandidate* best() const {
        const auto rank = [](const ReplicaCandidate& one) { return (one.link_up ? 2 : 0) + (one.is_replica ? 1 : 0); };
        const ReplicaCandidate* found = nullptr;
        for (const auto& one : replicas) {
            if (!one.fault && !one.foreign && (found == nullptr || rank(one) > rank(*found))) found = &one;
        }
        return found;
    }

    std::vector<ReplicaCandidate> replicas;
    Clock::time_point asked{};
    std::optional<Clock::time_point> first_healthy;
    asio::steady_timer changed;
};

namespace {

/// Why one that answers is no healthy replica, by what it says of itself: a clause about `it`.
std::string unfit(const redis::ServerFacts& facts) {
    if (!facts.role) return "role unknown, as it does not tell this login (ROLE)";
    if (facts.role == domain::Role::primary) return "it acts as a primary itself, and follows none";
    return facts.link_up ? "its link to its primary is down" : "it does not say whether its link to its primary is up";
}

asio::awaitable<void> ask_candidate(std::shared_ptr<Core> core, std::shared_ptr<ReplicaCandidates> all,
                                    std::size_t shard, std::size_t i, std::shared_ptr<const PrimaryWord> word) {
    ReplicaCandidate& one = all->replicas[i];
    auto facts = co_await probe(core, one.node);
    bool healthy = false;
    if (facts) {
        one.is_replica = facts->role == domain::Role::replica;
        one.link_up = facts->link_up == true;
        healthy = one.is_replica && one.link_up;
        one.untold = !facts->role;
        if (!healthy) one.doubt = unfit(*facts);
    } else {
        one.fault = std::move(facts.error());
    }
    if (facts && word) {
        auto shown = co_await show_replica(core, one.node, *word, *core->options.max_staleness);
        healthy = shown.from.has_value();
        one.shown_from = shown.from;
        one.doubt = std::move(shown.doubt);
        one.fault = std::move(shown.fault);
    } else if (healthy) {
        auto doubt = co_await foreign_history(core, shard, one.node, *facts);
        one.foreign = doubt.has_value();
        one.doubt = std::move(doubt).value_or("");
        healthy = !one.foreign;
    }
    one.healthy = healthy;
    if (one.healthy && !all->first_healthy) all->first_healthy = Clock::now();
}

/// Returns as soon as it is known which replica to take, or that there is none.
asio::awaitable<void> ask_replicas(std::shared_ptr<Core> core, std::shared_ptr<ReplicaCandidates> all,
                                   std::size_t shard) {
    std::shared_ptr<const PrimaryWord> word;
    if (core->options.max_staleness && !all->replicas.empty())
        word = std::make_shared<const PrimaryWord>(co_await ask_primary(core, shard));
    all->asked = Clock::now();
    for (std::size_t i = 0; i < all->replicas.size(); ++i) {
        const auto answered = [all, i](const std::exception_ptr&) {
            all->replicas[i].answered = true;
            all->changed.cancel();
        };
        core->loop.spawn(answered, ask_candidate, core, all, shard, i, word);
    }
    while (!core->stopping() && !all->all_answered() && all->healthy() == nullptr) {
        all->changed.expires_at(all->patient_until());
        std::error_code woken;
        co_await all->changed.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    }
}

std::string doubts(const ReplicaCandidates& all) {
    std::string text;
    for (const auto& one : all.replicas) {
        const auto doubt = one.fault ? after_colon(one.fault->error.message, one.node) : one.doubt;
        if (doubt.empty()) continue;
        text += (text.empty() ? "" : "; ") + one.node.name() + ": " + doubt;
    }
    return text.empty() ? text : " (" + text + ")";
}

std::string why_no_replica(const Core& core, const ReplicaCandidates& all) {
    if (all.replicas.empty()) return "there is no replica";
    const auto& most = core.options.max_staleness;
    return most ? "no replica is shown to be at most " + support::format_duration(*most) + " behind" + doubts(all)
                : "no healthy replica" + doubts(all);
}

/// The primary as it is known, as what it says it is.
std::string primary_as_it_said(const domain::Node& node, const redis::ServerFacts& facts) {
    if (facts.role == domain::Role::primary) return "its primary";
    return node.name() +
           (facts.role ? ", known as its primary and a replica now," : ", known as its primary (role unknown),");
}

std::string rights_hint(const ReplicaCandidates& all) {
    const bool untold = std::ranges::any_of(all.replicas, &ReplicaCandidate::untold);
    return untold ? "grant +role; `ratectl acl reader` prints all that is needed" : "";
}

void say_primary_is_read(Core& core, const domain::Node& primary, const redis::ServerFacts& facts,
                         const ReplicaCandidates& all) {
    core.notice({support::ExitCode::unavailable,
                 "shard '" + primary.shard + "': " + why_no_replica(core, all) + "; " +
                     primary_as_it_said(primary, facts) + " is read instead",
                 rights_hint(all)});
}

/// A replica was asked for by hand: another answer than a replica's would be taken for one.
support::Error no_replica(const Core& core, const std::string& shard, const ReplicaCandidates& all) {
    std::string hint = "--from primary";
    for (const auto& one : all.replicas) {
        if (!one.fault && !one.foreign) hint += ", or --from " + one.node.name() + " for that replica as it is";
    }
    return {support::ExitCode::unavailable,
            "shard '" + shard + "': " + why_no_replica(core, all) +
                ", and --from replica reads no primary; it was not read",
            std::move(hint)};
}

}  // namespace

asio::awaitable<Choice> choose_replica(std::shared_ptr<Core> core, std::size_t shard, bool strictly) {
    auto all = std::make_shared<ReplicaCandidates>(core);
    for (const auto& node : core->directory->nodes(shard)) {
        if (node.role == domain::Role::replica) all->replicas.emplace_back().node = node;
    }
    co_await ask_replicas(core, all, shard);
    if (const auto* chosen = all->healthy()) co_return Choice{Source{chosen->node, false, chosen->shown_from}, {}};
    const auto primary = core->directory->nodes(shard).front();
    auto facts = co_await probe(core, primary);
    if (facts && strictly) co_return Choice{{}, {{primary, no_replica(*core, primary.shard, *all)}}};
    if (facts) {
        if (!all->replicas.empty()) say_primary_is_read(*core, primary, *facts, *all);
        co_return Choice{Source{primary, false}, {}};
    }
    Choice choice;
    choice.failures.push_back({primary, facts.error().error});
    if (const auto* best = all->best()) {
        choice.source = Source{best->node, true};
        if (core->options.max_staleness && !best->doubt.empty()) core->notice(too_old(*core, best->node, best->doubt));
        co_return choice;
    }
    for (const auto& one : all->replicas) {
        if (one.fault) choice.failures.push_back({one.node, one.fault->error});
        if (one.foreign) choice.failures.push_back({one.node, foreign(one.node, one.doubt)});
    }
    co_return choice;
}

domain::Node as_it_said(domain::Node node, const redis::ServerFacts& facts) {
    node.role = facts.role.value_or(node.role);
    return node;
}

bool is_lost_primary(const domain::Node& node, const redis::ServerFacts& facts) {
    return node.role == domain::Role::primary && facts.role == domain::Role::replica;
}

void note_lost_primary(Core& core, const domain::Node& node, const redis::ServerFacts& facts,
                       const domain::ReadFrom& from) {
    const bool wanted =
        from.which == domain::ReadFrom::Which::primary || from.which == domain::ReadFrom::Which::replica;
    if (!wanted || !is_lost_primary(node, facts)) return;
    const auto teller = core.directory->teller();
    const auto followed = facts.primary_address ? " of " + *facts.primary_address : "";
    core.notice(
        {support::ExitCode::unavailable,
         where(node) +
             (teller.empty() ? ": configured as the primary" : fmt::format(": {} call it the primary", teller)) +
             ", and it is a replica" + followed + " now; what it answers may be older than what applications see",
         teller.empty()
             ? "name the new primary in the configuration; `ratectl nodes` shows every server's role"
             : "they name another one when the failover is over; `ratectl nodes` shows every server's role"});
}

void find_nodes(const std::shared_ptr<Core>& core, std::span<const std::size_t> shards, bool with_replicas) {
    std::vector<std::size_t> all(core->directory->places().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    Tasks tasks(core);
    for (const std::size_t shard : shards.empty() ? std::span<const std::size_t>(all) : shards) {
        if (core->directory->is_known(shard, with_replicas)) continue;
        tasks.add(&Directory::learn, core->directory, core, shard);
    }
    if (!tasks.ended()) tasks.finish_or_stop();
}

std::vector<domain::Node> named_nodes(const Core& core, std::size_t shard, const domain::ReadFrom& from) {
    if (from.which == domain::ReadFrom::Which::primary) return {core.directory->primary(shard)};
    const auto& nodes = core.directory->nodes(shard);
    if (from.which == domain::ReadFrom::Which::all) return nodes;
    for (const auto& node : nodes) {
        if (node.name() == from.node) return {node};
    }
    return {};
}

support::Error no_such_node(const Core& core, std::size_t shard, const domain::ReadFrom& from) {
    std::string known;
    for (const auto& node : core.directory->nodes(shard)) known += (known.empty() ? "" : ", ") + node.name();
    return {support::ExitCode::usage, "shard '" + core.directory->name_of(shard) + "' has no node " + from.node,
            "its nodes: " + known};
}

}  // namespace ratectl::store
