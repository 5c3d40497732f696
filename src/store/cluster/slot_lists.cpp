// Asks for the keys of slots, and between two questions which slots a node has: right before and right behind its list.
// What was elsewhere then is listed again.
#include "store/cluster/slot_lists.h"

#include <fmt/format.h>

#include "store/cluster/questions.h"
#include "store/nodes/conversation.h"
#include "store/tasks.h"

namespace ratectl::store {
namespace {

constexpr int kMostIdleRounds = 20;

asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> ask_for_keys(redis::Channel& channel,
                                                                        support::Deadline deadline,
                                                                        std::vector<std::uint16_t> slots) {
    redis::Request request;
    request.add({"CLUSTER", "NODES"});
    for (const auto slot : slots)
        request.add({"CLUSTER", "GETKEYSINSLOT", std::to_string(slot), std::to_string(kMostKeysOfSlot)});
    request.add({"CLUSTER", "NODES"});
    co_return co_await channel.exchange(request, deadline);
}

std::optional<std::size_t> place_left(const SlotStanding& standing) {
    return standing.from ? standing.from : standing.owner;
}

asio::awaitable<void> list_at(std::shared_ptr<Core> core, std::shared_ptr<SlotList> into, std::size_t place,
                              std::vector<std::uint16_t> slots, bool where_it_goes) {
    const auto node = core->directory->primary(place);
    auto reading = co_await list_slots(core, node, slots);
    if (!reading) {
        if (!into->failure) into->failure = NodeFailure{node, reading.error().error};
        co_return;
    }
    if (auto around = own_slots_around(*reading)) {
        auto& own = where_it_goes ? into->where_they_go : into->where_they_were;
        own.insert_or_assign(place, *std::move(around));
    } else {
        into->failure = NodeFailure{node, tells_no_slots(node)};
    }
    for (auto& reply : reading->replies) {
        into->cut = into->cut || reply.elements.size() >= kMostKeysOfSlot;
        for (auto& name : reply.elements) into->names.push_back(std::move(name.text));
    }
}

}  // namespace

asio::awaitable<redis::Outcome<Reading>> list_slots(std::shared_ptr<Core> core, domain::Node node,
                                                    std::vector<std::uint16_t> slots) {
    const Talk talk = [slots](redis::Channel& channel, support::Deadline deadline) {
        return ask_for_keys(channel, deadline, slots);
    };
    co_return co_await read_from(core, node, "CLUSTER GETKEYSINSLOT", talk);
}

std::optional<OwnThen> own_slots_around(const Reading& list) {
    auto before = read_own_slots(list.replies.front().text);
    auto after = read_own_slots(list.replies.back().text);
    if (!before || !after) return std::nullopt;
    return OwnThen{*std::move(before), *std::move(after)};
}

bool SlotList::has_all_of(std::uint16_t slot, const SlotStanding& standing) const {
    const auto was = where_they_were.find(place_left(standing).value_or(SIZE_MAX));
    if (was == where_they_were.end()) return false;
    if (was->second.kept(slot)) return true;
    const auto goes = where_they_go.find(standing.to.value_or(SIZE_MAX));
    return was->second.before.has(slot) && goes != where_they_go.end() && goes->second.took(slot);
}

std::shared_ptr<const SlotList> SlotLists::next(std::size_t most_slots) {
    const auto list = std::make_shared<SlotList>();
    for (const auto slot : todo_) {
        if (list->slots.size() < most_slots) list->slots.emplace(slot, watch_->standing_of(slot));
    }
    for (const bool where_it_goes : {false, true}) {
        std::map<std::size_t, std::vector<std::uint16_t>> of_place;
        for (const auto& [slot, standing] : list->slots) {
            const auto place = where_it_goes ? standing.to : place_left(standing);
            if (place) of_place[*place].push_back(slot);
        }
        Tasks tasks(core_);
        for (auto& [place, its] : of_place) tasks.add(list_at, core_, list, place, std::move(its), where_it_goes);
        if (!tasks.finish_or_stop()) return std::make_shared<SlotList>();
    }
    return list;
}

std::vector<std::uint16_t> SlotLists::settle(const SlotList& list, const std::set<std::uint16_t>& not_yet) {
    std::vector<std::uint16_t> whole;
    for (const auto& [slot, standing] : list.slots) {
        if (list.has_all_of(slot, standing) && !not_yet.contains(slot) && todo_.erase(slot) > 0) whole.push_back(slot);
    }
    std::size_t settled = whole.size();
    if (settled < list.slots.size()) SlotWatch::look(watch_);
    for (const auto& [slot, standing] : list.slots) {
        if (standing.is_nowhere() && watch_->standing_of(slot).is_nowhere()) settled += todo_.erase(slot);
    }
    if (settled == 0) ++idle_rounds_;
    return whole;
}

std::string SlotLists::left_words() const {
    if (left() == 1) return fmt::format("slot {} of the Redis Cluster goes", *todo_.begin());
    return fmt::format("{} slots of the Redis Cluster (slot {} is one of them) go", left(), *todo_.begin());
}

bool SlotLists::are_restless() const { return left() > 0 && idle_rounds_ > kMostIdleRounds; }

}  // namespace ratectl::store
