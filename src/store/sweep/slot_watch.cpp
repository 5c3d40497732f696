// Compares what primaries say of their own slots from one look to the next.
#include "store/sweep/slot_watch.h"

#include <algorithm>
#include <utility>

#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include "store/cluster/questions.h"
#include "store/tasks.h"

namespace ratectl::store {
namespace {

constexpr support::Milliseconds kBetweenLooks{200};

}  // namespace

void SlotWatch::look(const std::shared_ptr<SlotWatch>& watch) {
    const auto number = ++watch->looks_begun_;
    Tasks tasks(watch->core_);
    for (std::size_t place = 0; place < watch->core_->directory->places().size(); ++place)
        tasks.add(&SlotWatch::look_at, watch, place);
    tasks.finish_or_stop();
    watch->last_look_ = std::max(watch->last_look_, number);
}

asio::awaitable<void> SlotWatch::go_on(std::shared_ptr<SlotWatch> watch) {
    const auto& core = watch->core_;
    while (!watch->over_ && !core->stopping()) {
        asio::steady_timer timer(core->loop.executor(), std::chrono::steady_clock::now() + kBetweenLooks);
        co_await timer.async_wait(asio::use_awaitable);
        const auto number = ++watch->looks_begun_;
        for (std::size_t place = 0; place < core->directory->places().size() && !watch->over_; ++place)
            co_await look_at(watch, place);
        if (!watch->over_) watch->last_look_ = std::max(watch->last_look_, number);
    }
}

asio::awaitable<void> SlotWatch::look_at(std::shared_ptr<SlotWatch> watch, std::size_t place) {
    auto own = co_await ask_own_slots(watch->core_, watch->core_->directory->primary(place));
    watch->take(place, std::move(own));
}

void SlotWatch::take(std::size_t place, std::optional<OwnSlots> own) {
    if (!own) {
        silent_.insert(place);
        return;
    }
    silent_.erase(place);
    for (const auto slot : own->leaving) mark(slot);
    for (const auto slot : own->arriving) mark(slot);
    Known now{*std::move(own), {}};
    for (const auto& [first, last] : now.own.slots) {
        for (std::size_t slot = first; slot <= last; ++slot) now.has.set(slot);
    }
    const auto before = known_.find(place);
    if (before == known_.end()) {
        if (last_look_ > 0) mark_all(now.has);
    } else {
        mark_all(now.has ^ before->second.has);
        // Something has come here. Whatever is seen to have come, another slot may have gone and be back.
        if (!now.own.is_as_before(before->second.own)) mark_all(now.has);
    }
    known_.insert_or_assign(place, std::move(now));
}

void SlotWatch::doubt(std::size_t place) {
    if (const auto known = known_.find(place); known != known_.end()) mark_all(known->second.has);
}

void SlotWatch::mark_all(const Slots& slots) {
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
        if (slots.test(slot)) mark(static_cast<std::uint16_t>(slot));
    }
}

SlotStanding SlotWatch::standing_of(std::uint16_t slot) const {
    SlotStanding standing;
    for (const auto& [place, known] : known_) {
        if (known.has.test(slot)) standing.owner = place;
        if (known.own.is_leaving(slot)) standing.from = place;
        if (known.own.is_arriving(slot)) standing.to = place;
    }
    return standing;
}

bool SlotWatch::has_all() const {
    Slots all;
    for (const auto& [place, known] : known_) all |= known.has;
    return all.all();
}

}  // namespace ratectl::store
