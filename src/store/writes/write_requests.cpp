// What differs between kinds of writes: the scheme's call, and when two writes of one key are different ones.
#include "store/writes/write_requests.h"

#include <string>
#include <vector>

#include <fmt/format.h>

namespace ratectl::store {
namespace {

template <class Item>
using CallMaker = redis::ScriptCall (schemes::Scheme::*)(std::span<const Item* const>, const schemes::CallHead&) const;

template <class Item, class Asked>
WriteRequest request_of(const std::shared_ptr<Core>& core, domain::WriteKind kind, std::span<const Item> items,
                        CallMaker<Item> make_call, Asked asked) {
    WriteRequest request;
    request.kind = kind;
    request.items = items.size();
    request.at = [items](std::size_t i) -> const KeyAt& { return items[i].at; };
    request.asked = [items, asked](std::size_t i) -> std::string { return asked(items[i]); };
    request.call = [core, items, make_call](std::span<const std::size_t> chosen, const schemes::CallHead& head) {
        std::vector<const Item*> of_call;
        of_call.reserve(chosen.size());
        for (const std::size_t i : chosen) of_call.push_back(&items[i]);
        return (*core->scheme.*make_call)(of_call, head);
    };
    return request;
}

}  // namespace

WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const CountItem> items) {
    return request_of(core, domain::WriteKind::count, items, &schemes::Scheme::count_call,
                      [](const CountItem& item) { return fmt::format("{}", item.amount); });
}

WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const RefundItem> items) {
    return request_of(
        core, domain::WriteKind::refund, items, &schemes::Scheme::refund_call,
        [](const RefundItem& item) { return fmt::format("{} {}", item.amount, item.clamp ? "clamp" : "exact"); });
}

WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const ResetItem> items) {
    return request_of(core, domain::WriteKind::reset, items, &schemes::Scheme::reset_call,
                      [](const ResetItem&) { return std::string(); });
}

WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const RestoreItem> items) {
    return request_of(core, domain::WriteKind::restore, items, &schemes::Scheme::restore_call,
                      [](const RestoreItem& item) { return std::string(item.merge ? "merge" : "exact"); });
}

WriteRequest request_for(const std::shared_ptr<Core>& core, std::span<const RepairItem> items) {
    auto request =
        request_of(core, domain::WriteKind::repair, items, &schemes::Scheme::repair_call, [](const RepairItem& item) {
            return fmt::format("{} {}", item.wanted.counter_ms.value_or(-1), item.wanted.expiry_ms.value_or(-1));
        });
    request.wanted = [items](std::size_t i) { return items[i].wanted; };
    return request;
}

}  // namespace ratectl::store
