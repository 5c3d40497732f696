// Asks every primary which slots it has, which of them leave it, and which come to it.
#include "store/cluster/questions.h"

#include <algorithm>
#include <bitset>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "domain/cluster/slot_faults.h"
#include "redis/outcome.h"
#include "sharding/cluster_slots.h"
#include "store/nodes/conversation.h"
#include "store/tasks.h"

namespace ratectl::store {
namespace {

asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> cluster_nodes(redis::Channel& channel,
                                                                         support::Deadline deadline) {
    redis::Request request;
    request.add({"CLUSTER", "NODES"});
    co_return co_await channel.exchange(request, deadline);
}

asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> cluster_nodes_and_counts(redis::Channel& channel,
                                                                                    support::Deadline deadline) {
    redis::Request request;
    request.add({"INFO", "commandstats"});
    request.add({"CLUSTER", "NODES"});
    request.add({"INFO", "commandstats"});
    request.add({"INFO", "replication"});
    auto replies = co_await channel.exchange(request, deadline);
    if (!replies) co_return replies;
    // A server that hides its counts is only doubted more.
    for (const std::size_t i : {0U, 2U, 3U}) {
        if (replies->at(i).is_error()) replies->at(i) = {};
    }
    co_return replies;
}

constexpr std::string_view kMayBeMissing = "; windows that moved meanwhile may be missing";

// One that is handed over meanwhile may be seen at neither end.
constexpr int kMostLooks = 3;

struct Asked {
    OpenSlots open;
    std::bitset<sharding::kClusterSlots> had;
};

asio::awaitable<void> ask_primary_for_slots(std::shared_ptr<Core> core, std::shared_ptr<Asked> asked,
                                            std::size_t place) {
    const auto own = co_await ask_own_slots(core, core->directory->primary(place));
    if (!own) {
        asked->open.silent.push_back(place);
        co_return;
    }
    for (const auto slot : own->leaving) asked->open.slots[slot].from = place;
    for (const auto slot : own->arriving) asked->open.slots[slot].to = place;
    for (const auto& [first, last] : own->slots) {
        for (std::size_t slot = first; slot <= last; ++slot) asked->had.set(slot);
    }
}

/// Nor is it at a primary that has not told.
bool is_ownerless(const Core& core, const Asked& asked, std::uint16_t slot) {
    if (asked.had.test(slot)) return false;
    if (!core.directory->has_owner(slot)) return true;
    const auto place = core.directory->place_of("{" + sharding::tag_of_slot(slot) + "}");
    return !place || std::ranges::find(asked.open.silent, place->shard) == asked.open.silent.end();
}

OpenSlots ask_primaries(const std::shared_ptr<Core>& core) {
    const auto asked = std::make_shared<Asked>();
    Tasks tasks(core);
    for (std::size_t place = 0; place < core->directory->places().size(); ++place)
        tasks.add(ask_primary_for_slots, core, asked, place);
    if (!tasks.finish_or_stop()) throw support::Failure(core->interrupted());
    auto open = asked->open;
    for (std::uint16_t slot = 0; slot < sharding::kClusterSlots; ++slot) {
        if (is_ownerless(*core, *asked, slot)) open.slots[slot] = {};
    }
    return open;
}

asio::awaitable<void> learn_anew(std::shared_ptr<Core> core) {
    const redis::Redirect silent{redis::Redirect::Kind::silent};
    co_await core->directory->redirected(core, Place{}, silent);
}

/// `5, 77-90`
std::string text_of(const std::vector<std::uint16_t>& slots) {
    constexpr std::size_t most = 8;
    std::string text;
    std::size_t ranges = 0;
    for (std::size_t first = 0; first < slots.size(); ++ranges) {
        if (ranges == most) return text + " ...";
        std::size_t last = first;
        while (last + 1 < slots.size() && slots[last + 1] == slots[last] + 1) ++last;
        text += fmt::format("{}{}", text.empty() ? "" : ", ", slots[first]);
        if (last > first) text += fmt::format("-{}", slots[last]);
        first = last + 1;
    }
    return text;
}

}  // namespace

std::vector<std::uint16_t> OpenSlots::ownerless() const {
    std::vector<std::uint16_t> found;
    for (const auto& [slot, way] : slots) {
        if (!way.from && !way.to) found.push_back(slot);
    }
    return found;
}

std::optional<support::Error> OpenSlots::hole() const {
    const auto lost = ownerless();
    if (lost.empty()) return std::nullopt;
    const bool one = lost.size() == 1;
    return support::Error{
        support::ExitCode::partial,
        fmt::format("no node of the Redis Cluster has {} {}: windows there are neither shown nor changed, nor is any "
                    "other one under cluster-require-full-coverage, the default",
                    one ? "slot" : "the slots", text_of(lost)),
        "CLUSTER ADDSLOTS gives a slot to the node that has its keys; `redis-cli --cluster check` says more"};
}

asio::awaitable<std::optional<OwnSlots>> ask_own_slots(std::shared_ptr<Core> core, domain::Node node) {
    const auto reading = co_await read_from(core, node, "CLUSTER NODES", cluster_nodes);
    if (!reading || reading->replies.empty()) co_return std::nullopt;
    co_return read_own_slots(reading->replies.front().text);
}

support::Error tells_no_slots(const domain::Node& node) {
    return {support::ExitCode::partial,
            where(node) + ": does not tell which slots it has (CLUSTER NODES)" + std::string(kMayBeMissing),
            "`ratectl acl reader` prints all rights that are needed"};
}

support::Error takes_no_slot_in(const domain::Node& node, std::uint16_t slot) {
    return {
        support::ExitCode::unavailable,
        fmt::format("{}: does not take in slot {}, and the node that has the slot sends its clients here", where(node),
                    slot),
        "CLUSTER SETSLOT with IMPORTING here lets the move end (`redis-cli --cluster fix`); STABLE there would leave "
        "behind what has come here",
        domain::kKeysApart};
}

// One that is not heard has refused nothing.
asio::awaitable<support::Result<OwnSlots>> ask_slots_and_counts(std::shared_ptr<Core> core, domain::Node node) {
    auto reading = co_await read_from(core, node, "CLUSTER NODES", cluster_nodes_and_counts);
    if (!reading) {
        auto error = std::move(reading.error().error);
        if (error.code != support::ExitCode::unavailable) co_return tl::make_unexpected(tells_no_slots(node));
        error.message += kMayBeMissing;
        co_return tl::make_unexpected(std::move(error));
    }
    const auto& replies = reading->replies;
    auto own = read_own_slots(replies[1].text);
    if (!own) co_return tl::make_unexpected(tells_no_slots(node));
    own->sent = read_keys_sent(replies[3].text, replies[0].text, replies[2].text);
    co_return *std::move(own);
}

OpenSlots find_open_slots(const std::shared_ptr<Core>& core) {
    if (!core->directory->has_slots()) return {};
    auto open = ask_primaries(core);
    for (int looks = 1; looks < kMostLooks && open.hole(); ++looks) {
        // There may have been a failover, or a node may have come.
        Tasks tasks(core);
        tasks.add(learn_anew, core);
        if (!tasks.finish_or_stop()) throw support::Failure(core->interrupted());
        auto now = ask_primaries(core);
        const auto before = open.ownerless();
        for (const auto slot : now.ownerless()) {
            if (!std::ranges::binary_search(before, slot)) now.slots.erase(slot);
        }
        open = std::move(now);
    }
    return open;
}

}  // namespace ratectl::store
