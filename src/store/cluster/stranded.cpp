// Lists the keys of slots that a primary neither has nor takes in: what a slot's way that was broken off left behind,
// and what is left of slots that no node has any more.
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "sharding/cluster_slots.h"
#include "store/cluster/questions.h"
#include "store/cluster/slot_lists.h"
#include "store/stranded.h"
#include "store/tasks.h"

namespace ratectl::store {
namespace {

using Slots = std::vector<std::uint16_t>;

/// Never the node's own meanwhile, nor its primary's: a view may be older than a failover.
bool is_foreign(const OwnThen& own, std::uint16_t slot) {
    return !own.after.is_replica() && !own.before.has(slot) && !own.after.has(slot);
}

/// `keys`: of this slot, as the node listed them.
void note_windows(const Core& core, StrandedWindows& into, const domain::Node& node, std::uint16_t slot,
                  const redis::Reply& keys) {
    std::map<std::string, StrandedWindow> windows;
    for (const auto& name : keys.elements) {
        const auto scanned = core.scheme->scanned_as(name.text);
        if (!scanned) continue;
        auto& window = windows[std::string(scanned->window)];
        window.names.push_back(name.text);
    }
    for (auto& [key, window] : windows) {
        window.key = key;
        window.slot = slot;
        window.node = node;
        into.windows.push_back(std::move(window));
    }
}

/// What a node lists of some slots, and what it says of its own ones before and behind that.
struct Listed {
    OwnThen own;
    std::vector<redis::Reply> replies;
};

asio::awaitable<support::Result<Listed>> list(std::shared_ptr<Core> core, domain::Node node, Slots slots) {
    auto reading = co_await list_slots(core, node, std::move(slots));
    if (!reading) co_return tl::make_unexpected(std::move(reading.error().error));
    auto own = own_slots_around(*reading);
    if (!own) co_return tl::make_unexpected(tells_no_slots(node));
    co_return Listed{*std::move(own), std::move(reading->replies)};
}

asio::awaitable<void> list_foreign(std::shared_ptr<Core> core, std::shared_ptr<StrandedWindows> into, domain::Node node,
                                   std::shared_ptr<const Slots> asked) {
    const auto told = co_await list(core, node, {});
    if (!told) {
        into->failures.push_back({node, told.error()});
        co_return;
    }
    Slots foreign;
    std::ranges::copy_if(*asked, std::back_inserter(foreign), [&](auto slot) { return is_foreign(told->own, slot); });
    for (std::size_t first = 0; first < foreign.size() && !core->stopping(); first += kSlotsAtOnce) {
        const auto some = std::span(foreign).subspan(first, std::min(kSlotsAtOnce, foreign.size() - first));
        Slots these(some.begin(), some.end());
        const auto listed = co_await list(core, node, std::move(these));
        if (!listed) {
            into->failures.push_back({node, listed.error()});
            co_return;
        }
        for (std::size_t i = 0; i < some.size(); ++i) {
            if (is_foreign(listed->own, some[i])) note_windows(*core, *into, node, some[i], listed->replies.at(1 + i));
        }
    }
}

using Told = std::map<std::string, OwnSlots>;  // by node

asio::awaitable<void> ask_again(std::shared_ptr<Core> core, std::shared_ptr<Told> told,
                                std::shared_ptr<StrandedWindows> into, domain::Node node) {
    auto listed = co_await list(core, node, {});
    if (listed) {
        told->insert_or_assign(channel_name(node), std::move(listed->own.after));
    } else {
        into->failures.push_back({node, listed.error()});
    }
}

/// A node that has the slot sends no client to this one: not while the slot is on its way there. Told behind the lists:
/// keys that had come with their slot are their node's own by then.
bool is_lost(const StrandedWindow& window, const Told& told) {
    const auto here = told.find(channel_name(window.node));
    if (here == told.end() || here->second.is_replica() || here->second.has(window.slot)) return false;
    return window.ownerless || std::ranges::any_of(told, [&](const auto& one) {
               const OwnSlots& own = one.second;
               return own.has(window.slot) && !(own.is_leaving(window.slot) && here->second.is_arriving(window.slot));
           });
}

}  // namespace

StrandedWindows find_stranded(const std::shared_ptr<Core>& core, std::span<const std::uint16_t> slots) {
    if (!core->directory->has_slots()) return {};
    const auto asked = std::make_shared<Slots>(slots.begin(), slots.end());
    for (std::uint16_t slot = 0; slots.empty() && slot < sharding::kClusterSlots; ++slot) asked->push_back(slot);
    std::ranges::sort(*asked);
    asked->erase(std::unique(asked->begin(), asked->end()), asked->end());
    const auto found = std::make_shared<StrandedWindows>();
    auto nodes = core->directory->strays();
    std::erase_if(nodes, [](const auto& node) { return node.role != domain::Role::primary; });
    for (std::size_t place = 0; place < core->directory->places().size(); ++place)
        nodes.push_back(core->directory->primary(place));
    const auto told = std::make_shared<Told>();
    Tasks lists(core);
    for (const auto& node : nodes) lists.add(list_foreign, core, found, node, std::shared_ptr<const Slots>(asked));
    if (!lists.finish_or_stop()) throw support::Failure(core->interrupted());
    std::erase_if(nodes, [&found](const auto& node) {
        const auto is_its = [&node](const auto& one) { return channel_name(one.node) == channel_name(node); };
        return std::ranges::any_of(found->failures, is_its);
    });
    Tasks questions(core);
    if (!found->windows.empty())
        for (const auto& node : nodes) questions.add(ask_again, core, told, found, node);
    if (!questions.finish_or_stop()) throw support::Failure(core->interrupted());
    for (auto& window : found->windows) {
        const auto has_it = [&window](const auto& one) { return one.second.has(window.slot); };
        window.ownerless = !core->directory->has_owner(window.slot) && std::ranges::none_of(*told, has_it);
    }
    std::erase_if(found->windows, [&told](const auto& window) { return !is_lost(window, *told); });
    std::ranges::sort(found->windows, {}, &StrandedWindow::key);
    return std::move(*found);
}

}  // namespace ratectl::store
