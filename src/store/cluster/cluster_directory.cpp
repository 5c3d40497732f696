// The directory of a Redis Cluster: its map is asked of any node, and put right by what nodes say of single slots.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <asio/awaitable.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include "redis/outcome.h"
#include "sharding/cluster_slots.h"
#include "store/cluster/cluster_view.h"
#include "store/cluster/questions.h"
#include "store/directory.h"
#include "store/nodes/channel_pool.h"
#include "store/nodes/conversation.h"
#include "support/quote.h"

namespace ratectl::store {
namespace {

using support::ExitCode;
using View = std::vector<ClusterShard>;

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
constexpr std::uint16_t kNoOwner = 0xffff;
// Callers hold on to places while more of them come; no cluster has so many.
constexpr std::size_t kPlacesToCome = 1024;
/// For so long replicas are taken to be as they were told of.
constexpr std::chrono::seconds kReplicasFresh{2};
/// Of slots that they know no owner of.
constexpr int kMostTellers = 3;

class ClusterDirectory final : public Directory {
public:
    explicit ClusterDirectory(domain::ClusterAccess access) : access_(std::move(access)) { owners_.fill(kNoOwner); }

    bool knows_places() const override { return !places_.empty(); }
    Awaitable<void> find_places(std::shared_ptr<Core> core) override {
        std::optional<support::Error> why;
        co_await learn_anew(core, {}, &why);
        if (!places_.empty()) co_return;
        if (!why) why = {ExitCode::unavailable, "no node of the Redis Cluster has any slot", ""};
        if (access_.nodes.size() > 1)
            why->message += fmt::format("; no other of the {} configured nodes told of the Redis Cluster either",
                                        access_.nodes.size());
        throw support::Failure(*why);
    }
    std::string_view teller() const override { return "the nodes of the Redis Cluster"; }
    bool has_slots() const override { return true; }
    bool has_owner(std::uint16_t slot) const override { return owners_.at(slot) != kNoOwner; }

    const std::vector<domain::Shard>& places() const override { return places_; }
    bool knows_homes() const override { return true; }
    /// A slot that no node has is asked for at the first place, which says so.
    std::optional<Place> place_of(std::string_view key) const override {
        const auto slot = sharding::cluster_slot(key);
        const std::size_t owner = owners_.at(slot);
        return Place{owner == kNoOwner ? 0 : owner, slot};
    }
    /// A slot that no node has is the first place's here, too.
    const sharding::ShardMap* rule() const override {
        if (rule_ && rule_epoch_ == epoch_) return &*rule_;
        std::vector<sharding::Server> servers;
        for (const auto& place : places_) servers.emplace_back().name = place.name;
        for (std::uint32_t slot = 0; slot < sharding::kClusterSlots; ++slot) {
            auto& ranges = servers.at(owners_.at(slot) == kNoOwner ? 0 : owners_.at(slot)).slots;
            if (!ranges.empty() && ranges.back().last + 1 == slot) {
                ranges.back().last = slot;
            } else {
                ranges.push_back({slot, slot});
            }
        }
        sharding::Options options;
        options.preset = "redis-cluster";
        rule_ = support::value_or_throw(sharding::ShardMap::make(options, servers));
        rule_epoch_ = epoch_;
        return &*rule_;
    }
    std::uint64_t epoch() const override { return epoch_; }
    const std::vector<domain::Node>& nodes(std::size_t place) const override { return nodes_.at(place); }
    std::vector<domain::Node> strays() const override { return strays_; }
    /// Primaries tell who has got their slots; replicas come, go and are promoted without a word.
    bool is_known(std::size_t, bool with_replicas) const override {
        return !with_replicas || (strays_to_ask_.empty() && is_fresh());
    }
    /// For a second after a failover the former primary is told of as one without slots, and knows better itself.
    Awaitable<void> learn(std::shared_ptr<Core> core, std::size_t) override {
        if (!is_fresh()) co_await learn_anew(core, {}, nullptr);
        for (const auto& stray : std::exchange(strays_to_ask_, {})) {
            const auto own = co_await ask_own_slots(core, stray);
            if (own && own->is_replica()) add_follower(stray, *own);
        }
    }

    Awaitable<bool> redirected(std::shared_ptr<Core> core, Place place, redis::Redirect redirect) override {
        using Kind = redis::Redirect::Kind;
        if (redirect.kind == Kind::moved) co_return co_await take_moved(core, place, redirect);
        if (redirect.kind == Kind::ask) co_return co_await take_ask(core, place, redirect);
        const auto before = channel_name(primary(place.shard));
        const std::size_t owner = place.slot ? owners_.at(*place.slot) : place.shard;
        std::optional<domain::Node> first;
        if (redirect.kind == Kind::read_only) first = primary(place.shard);
        co_await learn_anew(core, first, nullptr);
        const std::size_t now = place.slot ? owners_.at(*place.slot) : place.shard;
        co_return now != owner || channel_name(primary(place.shard)) != before;
    }
    std::optional<std::size_t> place_to_ask(const redis::Redirect& redirect) const override {
        const auto found = redirect.address == asked_address_ ? asked_at_ : kNowhere;
        return found == kNowhere ? std::nullopt : std::optional(found);
    }
    Awaitable<WholeSlots> whole_slots(std::shared_ptr<Core> core, std::size_t place) override {
        const auto own = co_await ask_own_slots(core, primary(place));
        co_return [own](std::optional<std::uint16_t> slot) {
            return !slot || (own && own->has(*slot) && !own->is_leaving(*slot));
        };
    }

private:
    // ---- addresses

    domain::Endpoint endpoint_of(domain::HostPort announced, const domain::Endpoint& teller) const {
        if (announced.host.empty()) {
            announced.host = teller.host;
        } else {
            announced = access_.addresses.reached(announced);
        }
        for (const auto& seed : access_.nodes) {
            if (seed.host == announced.host && seed.port == announced.port) return seed;
        }
        domain::Endpoint endpoint = access_.nodes.front();
        endpoint.host = announced.host;
        endpoint.port = announced.port;
        return endpoint;
    }
    /// The endpoint that a redirect names; null: it names none.
    std::optional<domain::Endpoint> target_of(const redis::Redirect& redirect, const domain::Endpoint& teller) const {
        const auto announced = domain::parse_host_port(redirect.address);
        return announced ? std::optional(endpoint_of(*announced, teller)) : std::nullopt;
    }
    /// The place whose primary this is.
    std::size_t primary_at(const domain::Endpoint& endpoint) const {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].front().endpoint.same_server(endpoint)) return i;
        }
        return kNowhere;
    }
    /// The place one of whose nodes this is.
    std::size_t home_of(const domain::Endpoint& endpoint) const {
        const auto is_it = [&](const auto& node) { return node.endpoint.same_server(endpoint); };
        const auto found =
            std::ranges::find_if(nodes_, [&](const auto& nodes) { return std::ranges::any_of(nodes, is_it); });
        return found == nodes_.end() ? kNowhere : static_cast<std::size_t>(found - nodes_.begin());
    }
    bool is_trusted(const domain::Endpoint& endpoint) const {
        const auto is_it = [&](const auto& node) { return node.endpoint.same_server(endpoint); };
        if (home_of(endpoint) != kNowhere || std::ranges::any_of(strays_, is_it)) return true;
        return std::ranges::any_of(access_.networks, [&](const auto& network) { return network.has(endpoint.host); });
    }

    // ---- redirects

    Awaitable<bool> take_moved(const std::shared_ptr<Core>& core, Place place, const redis::Redirect& redirect) {
        const auto target = target_of(redirect, primary(place.shard).endpoint);
        if (!target || !redirect.slot) co_return false;
        const auto to = co_await find_target(core, *target);
        if (to == kNowhere) co_return false;
        if (owners_.at(*redirect.slot) != to) {
            owners_.at(*redirect.slot) = static_cast<std::uint16_t>(to);
            ++epoch_;
        }
        co_return true;
    }
    Awaitable<bool> take_ask(const std::shared_ptr<Core>& core, Place place, const redis::Redirect& redirect) {
        const auto target = target_of(redirect, primary(place.shard).endpoint);
        if (!target) co_return false;
        const auto to = co_await find_target(core, *target);
        asked_address_ = redirect.address;
        asked_at_ = to;
        co_return to != kNowhere;
    }
    /// The place whose primary that server is, by what is known or can be learned; one of its own for a server in one
    /// of `networks`.
    Awaitable<std::size_t> find_target(const std::shared_ptr<Core>& core, const domain::Endpoint& target) {
        if (const auto known = primary_at(target); known != kNowhere) co_return known;
        std::optional<domain::Node> first;
        if (is_trusted(target)) first = domain::Node{target.address(), domain::Role::primary, target};
        co_await learn_anew(core, first, nullptr);
        // Who sends us there may not have heard of a failover.
        if (const auto known = home_of(target); known != kNowhere) co_return known;
        if (!is_trusted(target)) {
            core->notice({ExitCode::protocol,
                          fmt::format("a node of the Redis Cluster sends us to {}, which no node has told of; that "
                                      "server was not asked",
                                      target.address()),
                          "networks = [\"10.0.0.0/8\"] in the configuration says where redirects may lead; address_map "
                          "says where announced servers are reached"});
            co_return kNowhere;
        }
        add_place({domain::Node{target.address(), domain::Role::primary, target}});
        co_return places_.size() - 1;
    }

    // ---- the map

    void add_place(std::vector<domain::Node> nodes) {
        if (places_.empty()) {
            places_.reserve(kPlacesToCome);
            nodes_.reserve(kPlacesToCome);
        }
        places_.push_back({nodes.front().endpoint.address(), nodes.front().endpoint, {}, false});
        for (auto& node : nodes) node.shard = places_.back().name;
        nodes_.push_back(std::move(nodes));
        ids_.emplace_back();
        ++epoch_;
    }

    /// Asks one node after the other until one tells of the whole. Those who come while that goes on wait for it.
    Awaitable<void> learn_anew(std::shared_ptr<Core> core, std::optional<domain::Node> first,
                               std::optional<support::Error>* why) {
        if (learning_) {
            const auto learned = learning_;
            std::error_code woken;
            co_await learned->async_wait(asio::redirect_error(asio::use_awaitable, woken));
            co_return;
        }
        learning_ = std::make_shared<asio::steady_timer>(core->loop.executor(), support::Deadline::max());
        int told = 0;
        for (const auto& node : tellers(first)) {
            if (core->stopping() || told == kMostTellers) break;
            const bool tells = co_await learn_from(core, node, why);
            // One that takes a slot in does not hear of a failover of the node that it comes from.
            if (tells && std::ranges::find(owners_, kNoOwner) == owners_.end()) break;
            told += tells ? 1 : 0;
        }
        learned_at_ = std::chrono::steady_clock::now();
        std::exchange(learning_, nullptr)->cancel();
    }

    std::vector<domain::Node> tellers(const std::optional<domain::Node>& first) const {
        std::vector<domain::Node> all;
        const auto add = [&all](const domain::Node& node) {
            const auto same = [&](const auto& known) { return known.endpoint.same_server(node.endpoint); };
            if (std::ranges::none_of(all, same)) all.push_back(node);
        };
        if (first) add(*first);
        if (last_teller_) add(*last_teller_);  // one that hangs is not waited for each time
        for (const auto& nodes : nodes_) add(nodes.front());
        for (const auto& nodes : nodes_) std::ranges::for_each(nodes, add);
        for (const auto& seed : access_.nodes) add({"", domain::Role::primary, seed});
        return all;
    }

    Awaitable<bool> learn_from(const std::shared_ptr<Core>& core, const domain::Node& teller,
                               std::optional<support::Error>* why) {
        auto reading = co_await read_from(core, teller, "CLUSTER SHARDS", ask_for_view);
        std::optional<View> view;
        std::optional<support::Error> error;
        if (reading && reading->replies.size() == 3) {
            view = read_cluster_shards(reading->replies[0], teller.endpoint.tls);
            if (!view || view->empty()) {
                view = read_cluster_slots(reading->replies[1]);
                for (auto& shard : read_slotless_primaries(reading->replies[2].text))
                    if (view && !view->empty()) view->push_back(std::move(shard));
            }
        }
        if (!reading) {
            error = std::move(reading.error().error);
        } else if (!view || view->empty()) {
            error = {ExitCode::protocol, teller.name() + ": tells of no nodes of its Redis Cluster",
                     "has it been created, with slots for its nodes?"};
        }
        if (error && why != nullptr && !*why) *why = error;
        if (error) co_return false;
        // Right after a failover the former primary is told of beside its successor, without slots: the shard is where
        // the slots are.
        std::stable_partition(view->begin(), view->end(), [](const auto& shard) { return !shard.slots.empty(); });
        take(*view, teller.endpoint);
        last_teller_ = teller;
        co_return true;
    }

    void take(const View& view, const domain::Endpoint& teller) {
        const auto before = std::pair(owners_, names());
        std::vector<std::size_t> places;
        strays_.clear();
        strays_to_ask_.clear();
        for (const auto& shard : view) {
            const bool is_new = shard.slots.empty() && !is_place(shard);
            places.push_back(is_new ? kNowhere : place_for(shard, teller, places));
            if (is_new) add_strays(shard, teller);
        }
        owners_.fill(kNoOwner);
        for (std::size_t i = 0; i < view.size(); ++i) {
            for (const auto& [first, last] : view[i].slots)
                std::fill(owners_.begin() + first, owners_.begin() + last + 1, static_cast<std::uint16_t>(places[i]));
        }
        if (before != std::pair(owners_, names())) ++epoch_;
    }
    void add_strays(const ClusterShard& shard, const domain::Endpoint& teller) {
        const auto primary = endpoint_of(shard.nodes.front().at, teller);
        for (const auto& node : shard.nodes)
            strays_.push_back({primary.address(), node.role, endpoint_of(node.at, teller)});
        if (shard.nodes.front().healthy) strays_to_ask_.push_back(strays_[strays_.size() - shard.nodes.size()]);
    }
    /// A node of the place whose primary has this id.
    void add_follower(const domain::Node& stray, const OwnSlots& own) {
        for (std::size_t place = 0; place < ids_.size(); ++place) {
            if (ids_[place].empty() || ids_[place].front() != own.follows) continue;
            nodes_[place].push_back({places_[place].name, domain::Role::replica, stray.endpoint});
            if (std::ranges::find(ids_[place], own.id) == ids_[place].end()) ids_[place].push_back(own.id);
            ++epoch_;
            std::erase_if(strays_, [&](const auto& node) { return node.endpoint.same_server(stray.endpoint); });
            return;
        }
    }
    /// One that has no slots is no place before one is on its way there.
    bool is_place(const ClusterShard& shard) const {
        return std::ranges::any_of(ids_, [&shard](const auto& ids) {
            return !ids.empty() && !shard.nodes.front().id.empty() && ids.front() == shard.nodes.front().id;
        });
    }
    bool is_fresh() const { return std::chrono::steady_clock::now() - learned_at_ < kReplicasFresh; }
    /// Of all nodes, the primaries first.
    std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const auto& nodes : nodes_) {
            names.push_back(nodes.front().endpoint.url());
            for (auto node = std::next(nodes.begin()); node != nodes.end(); ++node)
                names.push_back(" " + node->endpoint.url());
        }
        return names;
    }

    /// A shard stays the place that it was, whichever of its nodes is its primary.
    std::size_t place_for(const ClusterShard& shard, const domain::Endpoint& teller,
                          const std::vector<std::size_t>& taken) {
        std::vector<domain::Node> nodes;
        std::vector<std::string> ids;
        for (const auto& node : shard.nodes) {
            nodes.push_back({"", node.role, endpoint_of(node.at, teller)});
            ids.push_back(node.id.empty() ? nodes.back().endpoint.url() : node.id);
        }
        const auto is_free = [&](std::size_t i) { return std::ranges::find(taken, i) == taken.end(); };
        const auto has = [](const std::vector<std::string>& all, const std::string& id) {
            return std::ranges::find(all, id) != all.end();
        };
        auto found = kNowhere;
        for (std::size_t i = 0; i < ids_.size() && found == kNowhere; ++i) {
            if (is_free(i) && !ids_[i].empty() && ids_[i].front() == ids.front()) found = i;
        }
        for (std::size_t i = 0; i < ids_.size() && found == kNowhere; ++i) {
            const bool same = !ids_[i].empty() && (has(ids_[i], ids.front()) || has(ids, ids_[i].front()));
            if (is_free(i) && same) found = i;
        }
        if (found == kNowhere) found = primary_at(nodes.front().endpoint);
        if (found == kNowhere || !is_free(found)) {
            add_place(nodes);
            found = places_.size() - 1;
        }
        for (auto& node : nodes) node.shard = places_[found].name;
        // The former primary may come back before it is told of as a replica.
        if (!ids_[found].empty() && !has(ids, ids_[found].front())) ids.push_back(ids_[found].front());
        nodes_[found] = std::move(nodes);
        ids_[found] = std::move(ids);
        return found;
    }

    domain::ClusterAccess access_;
    std::vector<domain::Shard> places_;
    std::vector<std::vector<domain::Node>> nodes_;
    std::vector<domain::Node> strays_;
    std::vector<domain::Node> strays_to_ask_;                      // that may be replicas by now
    std::vector<std::vector<std::string>> ids_;                    // of the nodes of each place, its primary's first
    std::array<std::uint16_t, sharding::kClusterSlots> owners_{};  // small: every key is looked up here
    std::uint64_t epoch_ = 0;
    std::chrono::steady_clock::time_point learned_at_{};
    std::optional<domain::Node> last_teller_;
    mutable std::optional<sharding::ShardMap> rule_;
    mutable std::uint64_t rule_epoch_ = 0;
    std::string asked_address_;  // of the last ask
    std::size_t asked_at_ = kNowhere;
    std::shared_ptr<asio::steady_timer> learning_;  // there while a coroutine asks; its end wakes those who wait
};

}  // namespace

std::shared_ptr<Directory> cluster_directory(domain::ClusterAccess access) {
    return std::make_shared<ClusterDirectory>(std::move(access));
}

}  // namespace ratectl::store
