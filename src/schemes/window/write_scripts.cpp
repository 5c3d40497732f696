// Calls of the write scripts.
#include <array>

#include "schemes/window/window_scheme.h"
#include "schemes/write_call.h"
#include "support/number_text.h"

namespace ratectl::schemes::window {
namespace {

std::string halves(const domain::StoredWindow& window) { return packed({window.used, window.reset_at}); }
std::string if_stored(const std::optional<domain::StoredWindow>& seen) { return seen ? halves(*seen) : std::string(); }

}  // namespace

template <class Item, class Arguments>
redis::ScriptCall WindowScheme::write_call(const redis::Script& script, std::span<const Item* const> items,
                                           const CallHead& head, Arguments arguments_of) const {
    const auto add_keys = [this](const std::string& key, std::vector<std::string>& keys) {
        keys.push_back(key);
        keys.push_back(expiry_key(key));
    };
    return schemes::write_call(script, items, head, add_keys, arguments_of);
}

redis::ScriptCall WindowScheme::count_call(std::span<const domain::CountItem* const> items,
                                           const CallHead& head) const {
    return write_call(kRateScript, items, head, [this](const domain::CountItem& item) {
        return std::array{std::to_string(item.amount),
                          seconds(item.next_reset),
                          seconds(item.now),
                          seconds(item.if_reset),
                          if_stored(item.if_stored),
                          number(item.if_used_at_least),
                          carries_over_ ? number(item.limit.value_or(support::kMaxExactInteger)) : std::string()};
    });
}

redis::ScriptCall WindowScheme::refund_call(std::span<const domain::RefundItem* const> items,
                                            const CallHead& head) const {
    return write_call(kRefundScript, items, head, [this](const domain::RefundItem& item) {
        return std::array{std::to_string(item.amount), seconds(item.if_reset), flag(item.clamp),
                          seconds(item.now),           flag(item.opened),      number(item.if_used_at_least),
                          number(lowest_used())};
    });
}

redis::ScriptCall WindowScheme::reset_call(std::span<const domain::ResetItem* const> items,
                                           const CallHead& head) const {
    return write_call(kResetScript, items, head, [](const domain::ResetItem& item) {
        return std::array{seconds(item.if_reset), number(item.if_used_at_least), if_stored(item.if_stored)};
    });
}

redis::ScriptCall WindowScheme::restore_call(std::span<const domain::RestoreItem* const> items,
                                             const CallHead& head) const {
    return write_call(kRestoreScript, items, head, [](const domain::RestoreItem& item) {
        return std::array{halves(item.window), number(item.window.expires[0]), number(item.window.expires[1]),
                          flag(item.merge), seconds(item.now)};
    });
}

redis::ScriptCall WindowScheme::repair_call(std::span<const domain::RepairItem* const> items,
                                            const CallHead& head) const {
    return write_call(kRepairScript, items, head, [](const domain::RepairItem& item) {
        return std::array{seconds(item.if_reset), number(item.seen[0]), number(item.seen[1]), number(item.wanted[0]),
                          number(item.wanted[1])};
    });
}

}  // namespace ratectl::schemes::window
