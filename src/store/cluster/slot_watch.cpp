// Compares what primaries say of their own slots from one look to the next.
#include "store/cluster/slot_watch.h"

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

void SlotWatch::look(const std::shared_ptr<SlotWatch>& watch) { look(watch, true); }
void SlotWatch::look_once_more(const std::shared_ptr<SlotWatch>& watch) { look(watch, false); }

void SlotWatch::look(const std::shared_ptr<SlotWatch>& watch, bool heed_stop) {
    const auto number = ++watch->looks_begun_;
    Tasks tasks(watch->core_);
    for (std::size_t place = 0; place < watch->core_->directory->places().size(); ++place)
        tasks.add(&SlotWatch::look_at, watch, place);
    if (heed_stop && !tasks.finish_or_stop()) return;
    tasks.finish();
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
    auto own = co_await ask_slots_and_counts(watch->core_, watch->core_->directory->primary(place));
    watch->take(place, std::move(own));
}

void SlotWatch::take(std::size_t place, support::Result<OwnSlots> own) {
    if (!own) {
        silent_.insert_or_assign(place, std::move(own.error()));
        return;
    }
    silent_.erase(place);
    for (const auto slot : own->leaving) mark(slot);
    for (const auto slot : own->arriving) mark(slot);
    Known now = known(*std::move(own));
    const auto before = known_.find(place);
    if (before == known_.end()) {
        if (last_look_ > 0) mark_all(now.has);
    } else {
        mark_all(now.has ^ before->second.has);
        // What went and came back unseen is none of those that differ.
        if (!is_as_before(now.own, before->second)) mark_all(now.has);
    }
    if (doubted_.erase(place) > 0) mark_all(now.has);
    known_.insert_or_assign(place, std::move(now));
}

// Whatever came and went between two sweeps was not read meanwhile. Behind the first look of this one it may have been,
// as of a replica whose primary is heard again only then: that one has to be as it was when the earlier sweep ended.
bool SlotWatch::is_as_before(const OwnSlots& now, const Known& before) const {
    if (before.remembered && last_look_ == 0) return now.id == before.own.id;
    return now.is_as_before(before.own);
}

SlotWatch::Known SlotWatch::known(OwnSlots own) {
    Known known{std::move(own), {}, false};
    for (const auto& [first, last] : known.own.slots) {
        for (std::size_t slot = first; slot <= last; ++slot) known.has.set(slot);
    }
    return known;
}

void SlotWatch::remember(std::size_t place, OwnSlots then) {
    known_.insert_or_assign(place, known(std::move(then))).first->second.remembered = true;
}

const OwnSlots* SlotWatch::heard_of(std::size_t place) const {
    const auto found = known_.find(place);
    return found == known_.end() || found->second.remembered ? nullptr : &found->second.own;
}

void SlotWatch::doubt(std::size_t place) {
    const auto known = known_.find(place);
    if (known == known_.end() || known->second.remembered) {
        doubted_.insert(place);
    } else {
        mark_all(known->second.has);
    }
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
