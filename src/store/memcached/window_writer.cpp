// Looks, judges, and changes one window: again from the beginning as often as another program comes in between.
#include "store/memcached/window_writer.h"

#include <algorithm>
#include <utility>

#include "schemes/memcached/memcached_scheme.h"
#include "store/memcached/window_work.h"
#include "support/number_text.h"

namespace ratectl::store::memcached {

using Kind = Step::Kind;
using schemes::memcached::second_of_removal;
using support::Instant;

namespace {

/// A window that changes at every one of so many looks is too busy to be written to.
constexpr int kMostLooks = 40;
constexpr auto kMostUsed = static_cast<std::int64_t>(support::kMaxExactInteger);

std::optional<std::int64_t> sum_of(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum) || sum > kMostUsed || sum < 0) return std::nullopt;
    return sum;
}

StoredWindow window_of(std::int64_t used, Instant end) {
    return {std::to_string(used), std::to_string(support::epoch_seconds(end)), {}};
}

// ---- count

/// Why it must not be counted there; empty: it may.
std::string_view guarded(const Seen& seen, const CountItem& item) {
    const bool open = seen.is_open(item.now);
    if (item.if_stored && !domain::same_bytes(*item.if_stored, seen.stored())) {
        const bool none = !item.if_stored->used && !item.if_stored->reset_at;
        if (!none || !seen.used || !seen.end || open) return "window-changed";
    }
    if (item.if_reset && !seen.has_end()) return "no-window";
    if (item.if_reset && seen.end != item.if_reset) return "window-changed";
    if (item.if_reset && !open) return "closed";
    if (seen.corrupt) return "not-an-integer";
    if (item.if_used_at_least && (open ? seen.used.value_or(0) : 0) < *item.if_used_at_least)
        return open ? "used-too-low" : "no-window";
    return {};
}

/// Opens the window, or its successor, up to the step that counts. False: it is not open yet.
asio::awaitable<bool> make_open(WindowWork& window, const CountItem& item) {
    const auto& seen = window.seen;
    if (seen.is_open(item.now)) co_return true;
    const bool lasts = co_await window.lasts(item.next_reset);
    if (!lasts) {
        window.refuse("reset-in-past");
        co_return false;
    }
    const auto next = std::to_string(support::epoch_seconds(item.next_reset));
    const Step create{Kind::create, {}, 0, 0, next, second_of_removal(item.next_reset), true};
    if (!seen.has_end()) co_return co_await window.step(kEndingKey, create);
    // Over: the counter begins anew before its end is.
    const auto first = std::to_string(item.amount);
    Step counter{Kind::create, {}, 0, 0, first, second_of_removal(item.next_reset)};
    if (seen.has_counter()) {
        counter.kind = Kind::replace;
        counter.version = seen.versions[kCounterKey];
    }
    const bool counted = co_await window.step(kCounterKey, counter);
    if (!counted) co_return false;
    Step ending = create;
    ending.kind = Kind::replace;
    ending.version = seen.versions[kEndingKey];
    const bool ended = co_await window.step(kEndingKey, ending);
    if (ended) {
        window.applied(window_of(item.amount, item.next_reset));
    } else if (window.again()) {
        window.crossed("another program opened the next window at the same time");
    }
    co_return false;
}

asio::awaitable<void> count_in(WindowWork& window, const CountItem& item) {
    bool ours = false;  // its end is what we put there
    for (int looks = 0; looks < kMostLooks; ++looks) {
        const bool looked = co_await window.look();
        if (!looked) co_return;
        const auto fault =
            ours ? std::string_view(window.seen.corrupt ? "not-an-integer" : "") : guarded(window.seen, item);
        if (!fault.empty()) co_return window.refuse(fault);
        const auto before = window.seen.is_open(item.now) || !window.seen.has_end() ? window.seen.used.value_or(0) : 0;
        const auto after = sum_of(before, item.amount);
        if (!after) co_return window.refuse("overflow");
        const bool was_open = window.seen.is_open(item.now);
        const bool open = co_await make_open(window, item);
        if (!open) {
            if (window.result.status != WriteStatus::not_attempted || !window.again()) co_return;
            continue;
        }
        ours = ours || !was_open;
        const auto end = was_open ? *window.seen.end : item.next_reset;
        Step step{Kind::add, {}, window.seen.versions[kCounterKey], item.amount};
        if (!window.seen.has_counter())
            step = {Kind::create, {}, 0, 0, std::to_string(item.amount), second_of_removal(end)};
        const bool counted = co_await window.step(kCounterKey, step);
        if (counted) co_return window.applied(window_of(*after, end));
        if (!window.again()) co_return;
    }
    window.too_busy();
}

// ---- refund

std::string_view guarded(const Seen& seen, const RefundItem& item) {
    if (item.finds_none) return "absent";
    if (!seen.has_counter() && !seen.has_end()) return "absent";
    if (!seen.has_end()) return "no-window";
    if (seen.end != item.if_reset) return "window-changed";
    if (!seen.is_open(item.now)) return "closed";
    if (!seen.has_counter()) return "no-window";
    if (seen.corrupt || !seen.used) return "not-an-integer";
    if (item.if_used_at_least && *seen.used < *item.if_used_at_least) return "used-too-low";
    return {};
}

asio::awaitable<bool> remove_both(WindowWork& window) {
    const auto versions = window.seen.versions;
    if (versions[kCounterKey] != 0) {
        const Step counter{Kind::remove, {}, versions[kCounterKey]};
        const bool removed = co_await window.step(kCounterKey, counter);
        if (!removed) co_return false;
    }
    if (versions[kEndingKey] == 0) co_return true;
    const Step ending{Kind::remove, {}, versions[kEndingKey]};
    const bool removed = co_await window.step(kEndingKey, ending);
    // A new end there is another window's, which began meanwhile; where it is gone already all is well.
    co_return removed || (versions[kCounterKey] != 0 && window.again());
}

asio::awaitable<void> give_back(WindowWork& window, const RefundItem& item) {
    for (int looks = 0; looks < kMostLooks; ++looks) {
        const bool looked = co_await window.look();
        if (!looked) co_return;
        if (const auto fault = guarded(window.seen, item); !fault.empty()) co_return window.refuse(fault);
        const auto used = *window.seen.used;
        auto taken = item.amount;
        if (item.opened && used == taken) {
            const bool removed = co_await remove_both(window);
            window.result.taken = removed ? taken : 0;
            if (removed) co_return window.applied({});
        } else {
            if (used < taken && !item.clamp) co_return window.refuse("below-zero");
            taken = std::min(used, taken);
            if (taken == 0) co_return window.refuse("nothing-to-take");
            const Step take{Kind::take, {}, window.seen.versions[kCounterKey], taken};
            const bool given = co_await window.step(kCounterKey, take);
            window.result.taken = given ? taken : 0;
            if (given) co_return window.applied(window_of(used - taken, *window.seen.end));
        }
        if (!window.again()) co_return;
    }
    window.too_busy();
}

// ---- reset

std::string_view guarded(const Seen& seen, const ResetItem& item) {
    if (!seen.has_counter() && !seen.has_end()) return "absent";
    if (item.if_reset && seen.end != item.if_reset) return "window-changed";
    if (item.if_stored && !domain::same_bytes(*item.if_stored, seen.stored())) return "window-changed";
    if (!item.if_used_at_least) return {};
    if (!seen.has_counter()) return "used-too-low";
    if (!seen.used) return "not-an-integer";
    return *seen.used < *item.if_used_at_least ? "used-too-low" : "";
}

asio::awaitable<void> remove_window(WindowWork& window, const ResetItem& item) {
    for (int looks = 0; looks < kMostLooks; ++looks) {
        const bool looked = co_await window.look();
        if (!looked) co_return;
        if (const auto fault = guarded(window.seen, item); !fault.empty()) co_return window.refuse(fault);
        window.result.before = window.seen.stored();
        window.result.before.expires = domain::expiries_of(window.seen.look, window.now());
        const bool removed = co_await remove_both(window);
        if (removed) co_return window.applied({});
        if (!window.again()) co_return;
    }
    window.too_busy();
}

// ---- restore

std::optional<std::int64_t> second_of(std::optional<std::int64_t> ms) {
    return ms ? std::optional((*ms + 999) / 1000) : std::nullopt;
}

asio::awaitable<void> put_back(WindowWork& window, const RestoreItem& item) {
    const auto& removed = item.window;
    if (removed.reset_at) {
        const Step ending{Kind::create, {}, 0, 0, *removed.reset_at, second_of(removed.expires[1]), true};
        const bool created = co_await window.step(kEndingKey, ending);
        if (!created) co_return window.again() ? window.refuse("window-there") : void();
    }
    if (removed.used) {
        const Step counter{Kind::create, {}, 0, 0, *removed.used, second_of(removed.expires[0])};
        const bool created = co_await window.step(kCounterKey, counter);
        if (!created && window.again()) co_return window.crossed("a request was counted while it was put back");
        if (!created) co_return;
    }
    window.applied({removed.used, removed.reset_at, {}});
}

/// The window is there again: what was removed comes on top.
asio::awaitable<bool> merge_into(WindowWork& window, const RestoreItem& item, Instant end) {
    const auto removed = support::parse_decimal(item.window.used.value_or("0")).value_or(0);
    const auto sum = sum_of(window.seen.used.value_or(0), removed);
    if (!sum) {
        window.refuse("overflow");
        co_return true;
    }
    Step counter{Kind::add, {}, window.seen.versions[kCounterKey], removed};
    if (!window.seen.has_counter()) counter = {Kind::create, {}, 0, 0, std::to_string(removed), second_of_removal(end)};
    const bool counted = co_await window.step(kCounterKey, counter);
    if (!counted) co_return !window.again();
    if (window.seen.end != end) {
        const auto text = std::to_string(support::epoch_seconds(end));
        Step ending{Kind::create, {}, 0, 0, text, second_of_removal(end), true};
        if (window.seen.has_end()) {
            ending.kind = Kind::replace;
            ending.version = window.seen.versions[kEndingKey];
        }
        const bool ended = co_await window.step(kEndingKey, ending);
        if (!ended && window.again()) window.crossed("its end changed while the two were put together");
        if (!ended) co_return true;
    }
    window.applied(window_of(*sum, end));
    co_return true;
}

asio::awaitable<void> restore_window(WindowWork& window, const RestoreItem& item) {
    const auto reset = item.window.reset_at ? support::parse_decimal(*item.window.reset_at) : std::nullopt;
    const auto end = reset ? std::optional(support::from_epoch(*reset)) : std::nullopt;
    if (end && *end < item.now) {
        const bool looked = co_await window.look();
        if (looked) window.refuse("closed");
        co_return;
    }
    for (int looks = 0; looks < kMostLooks; ++looks) {
        const bool looked = co_await window.look();
        if (!looked) co_return;
        if (!window.seen.has_counter() && !window.seen.has_end()) co_return co_await put_back(window, item);
        if (!item.merge || !end) co_return window.refuse("window-there");
        if (window.seen.corrupt) co_return window.refuse("not-an-integer");
        const bool ended = co_await merge_into(window, item, *end);
        if (ended) co_return;
    }
    window.too_busy();
}

template <class Item, class Work>
asio::awaitable<WriteResult> written(Task task, Item item, Work work) {
    WindowWork window(std::move(task), item.at);
    co_await work(window, item);
    if (window.result.status == WriteStatus::not_attempted) window.too_busy();
    co_return std::move(window.result);
}

}  // namespace

asio::awaitable<WriteResult> write_window(Task task, CountItem item) {
    return written(std::move(task), std::move(item), count_in);
}
asio::awaitable<WriteResult> write_window(Task task, RefundItem item) {
    return written(std::move(task), std::move(item), give_back);
}
asio::awaitable<WriteResult> write_window(Task task, ResetItem item) {
    return written(std::move(task), std::move(item), remove_window);
}
asio::awaitable<WriteResult> write_window(Task task, RestoreItem item) {
    return written(std::move(task), std::move(item), restore_window);
}

}  // namespace ratectl::store::memcached
