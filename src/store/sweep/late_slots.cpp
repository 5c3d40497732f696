// Looks at the windows that the lists of slots lead to, and shows those that no sweep has shown.
#include "store/sweep/late_slots.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "domain/cluster/slot_faults.h"
#include "domain/key_template.h"
#include "sharding/cluster_slots.h"
#include "store/cluster/questions.h"
#include "store/looks/look.h"
#include "store/nodes/conversation.h"
#include "store/sweep/page_pipeline.h"
#include "store/sweep/sightings.h"
#include "support/quote.h"

namespace ratectl::store {
namespace {

using support::ExitCode;

constexpr std::size_t kSlotsAtOnceForMarks = 64;
constexpr std::size_t kWindowsAPage = 1000;

}  // namespace

LateSlots::LateSlots(std::shared_ptr<ScanState> state)
    : state_(std::move(state)), lists_(state_->core, state_->slots, {}) {
    SlotWatch::look(state_->slots);
    state_->slots->end();
    look_for_holes();
    auto late = state_->slots->restless();
    std::erase_if(late, [this](std::uint16_t slot) { return !is_meant(slot); });
    lists_ = SlotLists(state_->core, state_->slots, std::move(late));
    for (const auto& [place, why] : state_->slots->silent())
        state_->failures.push_back({state_->core->directory->primary(place), why});
}

// Slots of nodes that are not known yet count as on their way afterwards.
void LateSlots::look_for_holes() {
    if (!state_->question.shards.empty() || state_->slots->has_all()) return;
    const auto& core = state_->core;
    if (auto hole = find_open_slots(core).hole()) state_->failures.push_back({{}, *std::move(hole)});
    SlotWatch::look(state_->slots);
}

// Of the shards that the question is about, or on the way to one of them.
bool LateSlots::is_meant(std::uint16_t slot) const {
    const auto& shards = state_->question.shards;
    const auto standing = state_->slots->standing_of(slot);
    const auto chosen = [&shards](const std::optional<std::size_t>& place) {
        return place && std::ranges::find(shards, *place) != shards.end();
    };
    return shards.empty() || chosen(standing.owner) || chosen(standing.to);
}

void LateSlots::page_done() {
    if (pages_.empty() && filling_.empty()) done_.merge(listed_);
}

const ScanPage* LateSlots::next() {
    const bool marks = state_->question.marks;
    while (pages_.empty() && lists_.left() > 0 && !state_->core->stopping()) {
        list_some();
        if (marks) end_pages();
        page_done();
    }
    if (pages_.empty()) end_pages();
    if (pages_.empty()) say_what_is_left_out();
    if (pages_.empty() || state_->core->stopping()) return nullptr;
    current_ = std::move(pages_.front());
    pages_.pop_front();
    state_->count_windows(current_);
    return &current_;
}

void LateSlots::end_pages() {
    for (auto& [node, page] : filling_) {
        if (!page.looks.empty()) pages_.push_back(std::move(page));
    }
    filling_.clear();
}

std::set<std::uint16_t> LateSlots::owed() const {
    auto owed = state_->slots->restless();
    for (const auto slot : done_) owed.erase(slot);
    return owed;
}

void LateSlots::fail(std::string what) {
    state_->failures.push_back(
        {{},
         {ExitCode::partial, std::move(what),
          "scan again when the slots have arrived; `ratectl locate KEY --steps` says which nodes "
          "take part, and `ratectl doctor` what a move that is stuck has left astray"}});
}

// One failure for all of them, as one of a node hides the others.
void LateSlots::say_what_is_left_out() {
    for (auto& [node, failure] : std::exchange(unshown_, {})) state_->failures.push_back(std::move(failure));
    const auto torn = std::exchange(torn_, {});
    if (torn.empty()) return;
    auto failure = torn.begin()->second.failure;
    failure.error.message += fmt::format("; left out: key {}", support::quoted(torn.begin()->first));
    if (torn.size() > 1) failure.error.message += fmt::format(" and {} more", torn.size() - 1);
    state_->failures.push_back(std::move(failure));
}

void LateSlots::list_some() {
    const auto known = state_->failures.size();
    sent_away_.clear();
    const auto list = lists_.next(state_->question.marks ? kSlotsAtOnceForMarks : kSlotsAtOnce);
    if (list->failure) state_->failures.push_back(*list->failure);
    if (list->cut)
        fail(fmt::format("a slot of the Redis Cluster has more than {} keys, and was on its way", kMostKeysOfSlot));
    look_at_windows(list->names);
    if (state_->core->stopping()) return;
    const bool is_whole = state_->failures.size() == known && std::ranges::none_of(torn_, [&list](const auto& one) {
                              return list->slots.contains(sharding::cluster_slot(one.first));
                          });
    std::set<std::uint16_t> not_yet;
    for (const auto& [slot, failure] : sent_away_) not_yet.insert(slot);
    const auto listed = lists_.settle(*list, not_yet);
    if (is_whole) listed_.insert(listed.begin(), listed.end());
    if (lists_.are_restless()) say_what_moves_on();
    if (lists_.are_restless() || state_->failures.size() > known) lists_.give_up();
}

void LateSlots::say_what_moves_on() {
    for (auto& [slot, failure] : sent_away_) state_->failures.push_back(std::move(failure));
    if (!sent_away_.empty()) return;
    fail(lists_.left_words() + " on moving, so that it is not shown that no window is missing");
}

void LateSlots::look_at_windows(const std::vector<std::string>& names) {
    const auto& question = state_->question;
    const auto& scheme = *state_->core->scheme;
    std::map<std::string, Window, std::less<>> windows;
    for (const auto& name : names) {
        const auto scanned = scheme.scanned_as(name);
        if (!scanned) continue;
        const auto& [key, scan_key] = *scanned;
        if (question.glob != "*" && !domain::glob_matches(question.glob, key)) continue;
        const bool orphan = !scan_key && question.orphan_counters && question.orphan_counters(key);
        if (!scan_key && !orphan && !question.by_name) continue;
        if (scan_key && !question.by_name && question.is_meant && !question.is_meant(key)) continue;
        auto& window = windows[std::string(key)];
        if (scan_key) window.by_scan_key = name;
        window.by_counter = window.by_counter || !scan_key;
    }
    std::vector<KeyAt> keys;
    std::vector<const Window*> of_key;
    for (const auto& [key, window] : windows) {
        const auto place = state_->core->directory->place_of(key).value_or(Place{});
        if (state_->core->scattered(key) || is_still_torn(key)) continue;
        keys.push_back({key, place});
        of_key.push_back(&window);
    }
    // A window that has moved is looked at where it is, also where replicas alone are asked.
    const auto from = state_->asks_all() ? question.from : domain::ReadFrom();
    auto result = look_at(state_->core, {keys, from, question.depth, false});
    for (auto& answer : result.answers) take(answer, keys[answer.key], *of_key[answer.key]);
}

/// A look waits for it as long as for a server that is silent.
bool LateSlots::is_still_torn(const std::string& key) const {
    const auto torn = torn_.find(key);
    return torn != torn_.end() && torn->second.standing == state_->slots->standing_of(sharding::cluster_slot(key));
}

void LateSlots::take(LookAnswer& answer, const KeyAt& key, const Window& window) {
    if (!answer.look) {
        // Before its slot has arrived no replica shows it, however often it is asked.
        if (state_->asks_all() && answer.node.role == domain::Role::replica) {
            unshown_.try_emplace(channel_name(answer.node), NodeFailure{answer.node, answer.look.error()});
            return;
        }
        // Its slot has moved on more often than a look follows: it is listed once more.
        if (answer.look.error().reason == domain::kSlotElsewhere && key.place.slot) {
            sent_away_.insert_or_assign(*key.place.slot, NodeFailure{answer.node, answer.look.error()});
            return;
        }
        NodeFailure failure{answer.node, answer.look.error()};
        if (failure.error.reason == domain::kKeysApart) {
            const auto standing = state_->slots->standing_of(sharding::cluster_slot(key.key));
            torn_.insert_or_assign(key.key, Torn{std::move(failure), standing});
        } else {
            state_->failures.push_back(std::move(failure));
        }
        return;
    }
    torn_.erase(key.key);
    if (!shows(*answer.look, window, *state_->seen_at(answer.node))) return;
    auto& directory = *state_->core->directory;
    const auto node = channel_name(answer.node);
    auto& page = filling_[node];
    page.shard = directory.find(answer.node.shard).value_or(directory.place_of(answer.look->key)->shard);
    page.node = answer.node;
    page.read_at = answer.read_at;
    page.stale = answer.stale;
    page.looks.push_back(std::move(*answer.look));
    if (page.looks.size() < kWindowsAPage) return;
    pages_.push_back(std::move(page));
    filling_.erase(node);
}

// As both of its names would have been taken by a sweep.
bool LateSlots::shows(const domain::WindowLook& look, const Window& window, Sightings& seen) {
    if (is_nothing(look)) return false;
    const auto& scheme = *state_->core->scheme;
    const auto& question = state_->question;
    const auto used = stored_used(look).value;
    const auto counter = used ? std::string_view(*used) : std::string_view();
    if (!question.by_name) {
        const bool scan_key = !window.by_scan_key.empty();
        if (!scheme.is_its_sighting(look, scan_key, false)) return false;
        // A scan key that a move left on another node leads to no window here.
        const bool is_certain = look.depth == domain::LookDepth::full;
        if (is_certain && !window.by_counter && scheme.is_its_sighting(look, false, false)) return false;
        return PagePipeline::has_two_phases(question) ? seen.wants(look.key, counter)
                                                      : seen.shows(look, scan_key, seen.prepare(look.key));
    }
    bool shown = false;
    if (!window.by_scan_key.empty()) {
        shown = seen.wants_without_counter(look.key, window.by_scan_key) && scheme.is_its_sighting(look, true, true);
    }
    if (window.by_counter && question.by_name->counter_found(look.key)) {
        const bool wanted = seen.wants(look.key, counter);
        shown = shown || (wanted && scheme.is_its_sighting(look, false, true));
    }
    return shown;
}

}  // namespace ratectl::store
