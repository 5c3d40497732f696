// Lists the keys of each slot at the node that it leaves before the one that it goes to: what moves meanwhile is met at
// one of the two. Each says right before and right behind its list which slots it has: what was elsewhere then is
// listed again.
#include "store/sweep/late_slots.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "domain/cluster/slot_faults.h"
#include "domain/key_template.h"
#include "store/cluster/questions.h"
#include "store/looks/look.h"
#include "store/nodes/conversation.h"
#include "store/nodes/scattered.h"
#include "store/sweep/page_pipeline.h"
#include "store/sweep/sightings.h"
#include "store/tasks.h"
#include "support/quote.h"

namespace ratectl::store {
namespace {

using support::ExitCode;

constexpr std::size_t kSlotsAtOnce = 1024;
constexpr std::size_t kSlotsAtOnceForMarks = 64;
constexpr std::size_t kWindowsAPage = 1000;
// More keys than that have one tag only where an application puts all of them into one slot.
constexpr std::string_view kMostKeys = "500000";
constexpr std::size_t kMostKeysNumber = 500'000;
constexpr int kMostIdleRounds = 20;

/// What a node said of its own slots right before it listed the keys of some, and right behind them.
struct OwnThen {
    OwnSlots before;
    OwnSlots after;

    /// All keys of the slot were here all the time.
    bool kept(std::uint16_t slot) const {
        return after.is_as_before(before) && before.has(slot) && after.has(slot) && !before.is_leaving(slot) &&
               !after.is_leaving(slot);
    }
    /// Those that had come were still here.
    bool took(std::uint16_t slot) const {
        return (before.is_arriving(slot) || before.has(slot)) && (after.is_arriving(slot) || after.has(slot)) &&
               !after.is_leaving(slot);
    }
};

asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> ask(redis::Channel& channel, support::Deadline deadline,
                                                               std::vector<std::uint16_t> slots) {
    redis::Request request;
    request.add({"CLUSTER", "NODES"});
    for (const auto slot : slots) request.add({"CLUSTER", "GETKEYSINSLOT", std::to_string(slot), kMostKeys});
    request.add({"CLUSTER", "NODES"});
    co_return co_await channel.exchange(request, deadline);
}

/// The keys of some slots.
struct ListedSlots {
    std::map<std::uint16_t, SlotStanding> slots;
    std::vector<std::string> names;
    std::map<std::size_t, OwnThen> where_they_were;  // by place
    std::map<std::size_t, OwnThen> where_they_go;
    std::optional<NodeFailure> failure;
    bool cut = false;

    /// Whether all of the slot's keys are among the names.
    bool has_all_of(std::uint16_t slot, const SlotStanding& standing) const {
        const auto was = where_they_were.find(place_left(standing).value_or(SIZE_MAX));
        if (was == where_they_were.end()) return false;
        if (was->second.kept(slot)) return true;
        const auto goes = where_they_go.find(standing.to.value_or(SIZE_MAX));
        return was->second.before.has(slot) && goes != where_they_go.end() && goes->second.took(slot);
    }
    static std::optional<std::size_t> place_left(const SlotStanding& standing) {
        return standing.from ? standing.from : standing.owner;
    }
};

asio::awaitable<void> list_at(std::shared_ptr<Core> core, std::shared_ptr<ListedSlots> into, std::size_t place,
                              std::vector<std::uint16_t> slots, bool where_it_goes) {
    const auto node = core->directory->primary(place);
    const Talk talk = [slots](redis::Channel& channel, support::Deadline deadline) {
        return ask(channel, deadline, slots);
    };
    auto reading = co_await read_from(core, node, "CLUSTER GETKEYSINSLOT", talk);
    if (!reading) {
        if (!into->failure) into->failure = NodeFailure{node, reading.error().error};
        co_return;
    }
    auto before = read_own_slots(reading->replies.front().text);
    auto after = read_own_slots(reading->replies.back().text);
    if (before && after) {
        auto& own = where_it_goes ? into->where_they_go : into->where_they_were;
        own.insert_or_assign(place, OwnThen{*std::move(before), *std::move(after)});
    } else {
        into->failure = NodeFailure{node, tells_no_slots(node)};
    }
    for (auto& reply : reading->replies) {
        into->cut = into->cut || reply.elements.size() >= kMostKeysNumber;
        for (auto& name : reply.elements) into->names.push_back(std::move(name.text));
    }
}

std::shared_ptr<ListedSlots> list(const ScanState& state, const std::vector<std::uint16_t>& slots) {
    auto listed = std::make_shared<ListedSlots>();
    for (const auto slot : slots) listed->slots.emplace(slot, state.slots->standing_of(slot));
    for (const bool where_it_goes : {false, true}) {
        std::map<std::size_t, std::vector<std::uint16_t>> of_place;
        for (const auto& [slot, standing] : listed->slots) {
            const auto place = where_it_goes ? standing.to : ListedSlots::place_left(standing);
            if (place) of_place[*place].push_back(slot);
        }
        Tasks tasks(state.core);
        for (auto& [place, its] : of_place)
            tasks.add(list_at, state.core, listed, place, std::move(its), where_it_goes);
        if (!tasks.finish_or_stop()) return std::make_shared<ListedSlots>();
    }
    return listed;
}

}  // namespace

LateSlots::LateSlots(std::shared_ptr<ScanState> state) : state_(std::move(state)) {
    SlotWatch::look(state_->slots);
    state_->slots->end();
    look_for_holes();
    for (const auto slot : state_->slots->restless()) {
        if (is_meant(slot)) todo_.insert(slot);
    }
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
    while (pages_.empty() && !todo_.empty() && !state_->core->stopping()) {
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
    state_->failures.push_back({{}, {ExitCode::partial, std::move(what), "scan again when the slots have arrived"}});
}

// One failure for all of them, as one of a node hides the others.
void LateSlots::say_what_is_left_out() {
    for (auto& [node, failure] : std::exchange(unshown_, {})) state_->failures.push_back(std::move(failure));
    const auto more = std::exchange(torn_, 0);
    if (more == 0) return;
    auto failure = std::move(first_torn_.first);
    failure.error.message += fmt::format("; left out: key {}", support::quoted(first_torn_.second));
    if (more > 1) failure.error.message += fmt::format(" and {} more", more - 1);
    state_->failures.push_back(std::move(failure));
}

void LateSlots::list_some() {
    Slots slots;
    const auto most = state_->question.marks ? kSlotsAtOnceForMarks : kSlotsAtOnce;
    for (const auto slot : todo_) {
        if (slots.size() < most) slots.push_back(slot);
    }
    const auto known = state_->failures.size();
    const auto torn = torn_;
    sent_away_.clear();
    const auto listed = list(*state_, slots);
    if (listed->failure) state_->failures.push_back(*listed->failure);
    if (listed->cut)
        fail(fmt::format("a slot of the Redis Cluster has more than {} keys, and was on its way", kMostKeys));
    look_at_windows(listed->names);
    if (state_->core->stopping()) return;
    const bool is_whole = state_->failures.size() == known && torn_ == torn;
    std::size_t shown = 0;
    for (const auto& [slot, standing] : listed->slots) {
        if (!listed->has_all_of(slot, standing) || sent_away_.contains(slot)) continue;
        if (is_whole) listed_.insert(slot);
        shown += todo_.erase(slot);
    }
    if (shown < slots.size()) SlotWatch::look(state_->slots);
    for (const auto& [slot, standing] : listed->slots) {
        if (standing.is_nowhere() && state_->slots->standing_of(slot).is_nowhere()) shown += todo_.erase(slot);
    }
    if (state_->failures.size() > known) {
        todo_.clear();
    } else if (shown == 0 && ++idle_rounds_ > kMostIdleRounds) {
        give_up();
    }
}

void LateSlots::give_up() {
    for (auto& [slot, failure] : sent_away_) state_->failures.push_back(std::move(failure));
    if (sent_away_.empty()) {
        fail(
            fmt::format("{} slots of the Redis Cluster go on moving, so that it is not shown that no window is missing",
                        todo_.size()));
    }
    todo_.clear();
}

void LateSlots::look_at_windows(const std::vector<std::string>& names) {
    const auto& question = state_->question;
    const auto& scheme = *state_->core->scheme;
    std::map<std::string, Window, std::less<>> windows;
    for (const auto& name : names) {
        const auto key = scheme.window_of(name);
        if (!key || (question.glob != "*" && !domain::glob_matches(question.glob, *key))) continue;
        const bool scan_key = scheme.is_scan_key(name);
        const bool orphan = !scan_key && question.orphan_counters && question.orphan_counters(*key);
        if (!scan_key && !orphan && !question.by_name) continue;
        if (scan_key && !question.by_name && question.is_meant && !question.is_meant(*key)) continue;
        auto& window = windows[std::string(*key)];
        if (scan_key) window.by_scan_key = name;
        window.by_counter = window.by_counter || !scan_key;
    }
    std::vector<KeyAt> keys;
    std::vector<const Window*> of_key;
    for (const auto& [key, window] : windows) {
        const auto place = state_->core->directory->place_of(key).value_or(Place{});
        if (scattered(*state_->core, key)) continue;
        keys.push_back({key, place});
        of_key.push_back(&window);
    }
    // A window that has moved is looked at where it is, also where replicas alone are asked.
    const auto from = state_->asks_all() ? question.from : domain::ReadFrom();
    auto result = look_at(state_->core, {keys, from, question.depth, false});
    for (auto& answer : result.answers) take(answer, keys[answer.key], *of_key[answer.key]);
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
        const bool is_torn = answer.look.error().reason == domain::kKeysApart;
        if (!is_torn) state_->failures.push_back({answer.node, answer.look.error()});
        if (is_torn && torn_++ == 0) first_torn_ = {{answer.node, answer.look.error()}, key.key};
        return;
    }
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
