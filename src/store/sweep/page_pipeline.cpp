// Sends a sweep's commands and takes their answers from the front of a queue; page_answers.cpp reads them.
#include "store/sweep/page_pipeline.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "redis/reply_class.h"
#include "sharding/cluster_slots.h"
#include "store/cluster/slot_watch.h"

namespace ratectl::store {
namespace {

constexpr std::size_t kPagesAtOnce = 5;  // under way or waiting to be taken
constexpr std::size_t kWindowsPerLook = 100;
constexpr std::size_t kCountersPerLook = 200;
constexpr std::size_t kPartnersPerLook = 50;  // one orphan among them, and all of them are looked at
constexpr std::size_t kMeasuredPages = 4;     // one in so many

}  // namespace

/// The second part of SCAN's reply: the keys, which the page has as they were found until all of them are there.
class FoundKeys final : public redis::ElementReceiver {
public:
    explicit FoundKeys(SweepPage& page) : ElementReceiver(2, SweepPage::kMostNames), page_(page) { page_.begin_scan(); }

    /// A smaller page is to be asked for; nothing of this one is kept.
    bool too_many() const { return too_many_; }

    void text(std::string_view text) override {
        ++page_.scanned;
        too_many_ = too_many_ || (page_.count > 1 && page_.bytes + text.size() > SweepPage::kMostNames);
        if (!too_many_) page_.find(text);
    }
    void cut(const redis::CutText& cut) override {
        ++page_.scanned;
        constexpr std::size_t shown = 32;
        const auto end = cut.end.substr(cut.end.size() - std::min(cut.end.size(), shown));
        std::string name(cut.beginning.substr(0, shown));
        name.append("...").append(end);
        page_.too_long.push_back({std::move(name), cut.length});
    }
    void nil() override { ++page_.scanned; }
    void other() override { ++page_.scanned; }

private:
    SweepPage& page_;
    bool too_many_ = false;
};

PagePipeline::PagePipeline(ScanState& state, redis::Channel& channel, PageSize& page_size, CursorGuard& guard,
                           Pace* pace, Owner& owner)
    : state_(state),
      channel_(channel),
      page_size_(page_size),
      guard_(guard),
      pace_(pace),
      owner_(owner),
      two_phases_(has_two_phases(state.question)),
      by_name_(two_phases_ && state.question.by_name),
      measures_(channel.facts().clock.has_value()) {}

asio::awaitable<PagePipeline::Done> PagePipeline::run(const std::string& cursor, bool again) {
    cursor_ = cursor;
    matches_ = !again;
    guard_.goes_back();
    while (!state_.over() && (scan_wanted_ || !to_ask_.empty() || !awaited_.empty())) {
        auto done = co_await step();
        if (!done) {
            keep_promises();
            co_return done;
        }
    }
    co_return Done{};
}

asio::awaitable<PagePipeline::Done> PagePipeline::step() {
    Done done;
    // What has been answered is taken first: where two answers came together, SCAN leaves first, and the looks are
    // prepared in its shadow.
    if (awaited_.empty() || !channel_.has_input()) done = co_await send_all_that_may_go();
    if (!done) co_return done;
    if (awaited_.empty()) {
        co_await rest();
        co_return Done{};
    }
    done = co_await receive();
    if (done && !state_.over()) hand_over();
    co_return done;
}

// A key that was asked for is not asked for again, so the answer has to outlive the page.
void PagePipeline::keep_promises() {
    if (!two_phases_) return;
    for (const auto& page : pages_) {
        const std::size_t wanted = page->stage == Stage::counting ? page->kept : page->size;
        if (page->stage == Stage::scanning) continue;
        for (std::size_t i = 0; i < wanted; ++i) owner_.carry_over(page->keys[i], by_name_ && page->scan_key[i] != 0);
    }
}

// Never far ahead of the looks: what SCAN has touched would be gone from the server's caches.
bool PagePipeline::may_scan() const {
    const bool asks_first = two_phases_ || state_.question.orphan_counters;
    return scan_wanted_ && to_ask_.size() < (asks_first ? 3 : 2) && owner_.waiting() + pages_.size() < kPagesAtOnce;
}

// One command for every answer: SCAN for SCAN, the next looks for the last ones. So the server works on one while the
// other already waits.
asio::awaitable<PagePipeline::Done> PagePipeline::send_all_that_may_go() {
    if (owner_.has_to_ask()) co_await owner_.ask();
    while (is_free()) {
        if (may_scan()) {
            ask_scan();
        } else if (stages_asked_ == 0 && !to_ask_.empty()) {
            ask_next_stage();
        } else {
            break;
        }
        auto sent = co_await send();
        if (!sent) co_return sent;
    }
    co_return Done{};
}

// One page's, and with it what the page behind it asks beforehand, if it does.
void PagePipeline::ask_next_stage() {
    const Stage stage = to_ask_.front()->stage;
    do {
        SweepPage& page = *to_ask_.front();
        to_ask_.pop_front();
        ask_stage(page);
    } while (pace_ == nullptr && !to_ask_.empty() && to_ask_.front()->stage != stage);
}

asio::awaitable<void> PagePipeline::rest() {
    const bool for_room = to_ask_.empty() && !may_scan();
    const bool paced = !for_room && pace_ != nullptr;
    auto latest = paced ? pace_->free_at() : Clock::time_point::max();
    if (const auto& deadline = state_.core->options.deadline; paced && deadline) latest = std::min(latest, *deadline);
    co_await owner_.sleep_until(latest);
}

asio::awaitable<PagePipeline::Done> PagePipeline::send() {
    // What arrives together is carried out in one go, answered together, and would be followed together forever: the
    // server idle in between, its other clients waiting for both.
    if (Clock::now() < next_send_) co_await owner_.sleep_until(next_send_);
    if (pace_ != nullptr) pace_->spend(request_.commands(), Clock::now());
    auto sent = co_await channel_.send(request_, state_.core->exchange_deadline());
    request_.clear();
    next_send_ = Clock::now() + page_size_.head_start();
    co_return sent;
}

void PagePipeline::ask_clock(SweepPage& page, Kind kind, std::size_t count) {
    if (!page.measured) return;
    request_.begin(1);
    request_.argument("TIME");
    awaited_.push_back({kind, &page, 0, count});
}

void PagePipeline::ask_history(SweepPage& page) {
    if (!owner_.wants_history()) return;
    request_.add({"INFO", "replication"});
    awaited_.push_back({Kind::history, &page, 0, 0});
}

void PagePipeline::ask_scan() {
    SweepPage& page = *pages_.emplace_back(state_.new_page());
    page.stage = Stage::scanning;
    page.count = page_size_.count();
    page.measured = measures_ && !page_size_.is_split() && scans_++ % kMeasuredPages == 0;
    page.busy = {};
    std::array<char, 24> count{};
    const char* end = std::to_chars(count.data(), count.data() + count.size(), page.count).ptr;
    ask_history(page);
    if (guard_.wants_size()) {
        request_.add({"DBSIZE"});
        awaited_.push_back({Kind::size, &page, 0, 0});
    }
    ask_clock(page, Kind::clock_before, 0);
    const std::string_view most(count.data(), end);
    if (matches_) {
        request_.add({"SCAN", cursor_, "MATCH", state_.pattern, "COUNT", most});
    } else {
        request_.add({"SCAN", cursor_, "COUNT", most});
    }
    awaited_.push_back({Kind::scan, &page, 0, 0});
    ask_clock(page, Kind::clock_after, 0);
    scan_wanted_ = false;
}

// The first group stands for all of them: the others may come in another read, with the commands of other clients in
// between.
void PagePipeline::ask_stage(SweepPage& page) {
    const std::size_t most = page.stage == Stage::counting     ? kCountersPerLook
                             : page.stage == Stage::partnering ? kPartnersPerLook
                                                               : kWindowsPerLook;
    const std::size_t begin = page.stage == Stage::looking ? 0 : page.scan_keys;
    ++stages_asked_;
    if (page.stage == Stage::looking) owner_.leaves(page);
    ask_history(page);
    std::size_t count = 0;
    std::optional<std::uint16_t> slot;
    for (std::size_t first = begin; first < page.size; first += count) {
        count = windows_together(page, first, most, slot);
        if (first == 0) ask_clock(page, Kind::clock_before, count);
        ask_group(page, first, count);
        if (first == 0) ask_clock(page, Kind::clock_after, count);
    }
}

// No command takes keys of two slots. `slot`: of the first key, if it is known; then of the one behind the last.
std::size_t PagePipeline::windows_together(const SweepPage& page, std::size_t first, std::size_t most,
                                           std::optional<std::uint16_t>& slot) const {
    const std::size_t end = std::min(page.size, first + most);
    if (!state_.slots) return end - first;
    const auto here = slot ? *slot : sharding::cluster_slot(page.keys[first]);
    slot.reset();
    std::size_t last = first + 1;
    for (; last < end; ++last) {
        slot = sharding::cluster_slot(page.keys[last]);
        if (slot != here) break;
        slot.reset();
    }
    return last - first;
}

// What has left this node, or is about to, is looked at when its slot has arrived.
bool PagePipeline::is_left_for_later(const redis::Fault& refusal, const Awaited& awaited) {
    if (!state_.slots || !(refusal.redirect || refusal.of_slot)) return false;
    SweepPage& page = *awaited.page;
    state_.slots->mark(sharding::cluster_slot(page.keys[awaited.first]));
    if (page.stage != Stage::looking) return true;
    for (std::size_t i = awaited.first; i < awaited.first + awaited.count; ++i) {
        page.all_looks()[i].parts.clear();
        if (two_phases_) owner_.carry_over(page.keys[i], by_name_ && page.scan_key[i] != 0);
    }
    return true;
}

void PagePipeline::ask_group(SweepPage& page, std::size_t first, std::size_t count) {
    const auto group = page.asked().subspan(first, count);
    ++page.owed;
    if (page.stage == Stage::looking) {
        state_.core->scheme->ask_looks(request_, group, state_.question.depth, channel_.facts());
        awaited_.push_back({Kind::looks, &page, first, count});
        return;
    }
    request_.begin(1 + group.size());
    if (page.stage == Stage::partnering) {
        request_.argument("EXISTS");
        for (const auto& key : group) state_.core->scheme->add_anchor(request_, key);
        awaited_.push_back({Kind::partners, &page, first, count});
        return;
    }
    request_.argument("MGET");
    for (const auto& key : group) request_.argument(key);
    awaited_.push_back({Kind::counters, &page, first, count});
}

asio::awaitable<PagePipeline::Done> PagePipeline::receive() {
    // Of a cluster's windows nearly each has an answer of its own: those that have come are taken one behind the other.
    while (awaited_.front().kind == Kind::looks) {
        const Awaited awaited = awaited_.front();
        auto looked = co_await receive_looks(awaited);
        if (!looked || state_.over()) co_return looked;  // some of its replies may still be on their way
        awaited_.pop_front();
        const bool more = !awaited_.empty() && awaited_.front().kind == Kind::looks && channel_.has_input();
        if (!more || awaited.page->stage == Stage::done) co_return looked;
    }
    const Awaited awaited = awaited_.front();
    awaited_.pop_front();
    const auto deadline = state_.core->exchange_deadline();
    if (awaited.kind == Kind::scan) co_return co_await receive_found(*awaited.page);
    redis::ShortTexts short_values(schemes::kMostOfValue);
    redis::Reply& into = awaited.kind == Kind::counters   ? counters_reply_
                         : awaited.kind == Kind::partners ? partners_reply_
                                                          : facts_reply_;
    auto received = co_await channel_.receive(into, &short_values, deadline);
    if (!received || state_.over()) co_return received;
    co_return take(awaited);
}

// Where the names of a page are too long to be kept, or to travel at once, the same cursor is asked for less.
asio::awaitable<PagePipeline::Done> PagePipeline::receive_found(SweepPage& page) {
    FoundKeys found(page);
    auto received = co_await channel_.receive(scan_reply_, &found, state_.core->exchange_deadline());
    if (found.too_many()) page_size_.split();
    if (!received && found.too_many()) received.error().transient = true;
    if (!received || state_.over()) co_return received;
    if (!found.too_many()) co_return take_found(page);
    page.stage = Stage::dropped;
    scan_wanted_ = true;
    co_return Done{};
}

asio::awaitable<PagePipeline::Done> PagePipeline::receive_looks(const Awaited& awaited) {
    SweepPage& page = *awaited.page;
    const auto keys = page.asked().subspan(awaited.first, awaited.count);
    const auto looks = page.all_looks().subspan(awaited.first, awaited.count);
    Done received;
    const bool light = state_.question.depth == domain::LookDepth::light;
    if (const auto values = light ? state_.core->scheme->receive_light_looks(looks) : nullptr) {
        if (channel_.take_ready(values_reply_, values.get())) {
            received = judge_light_looks(*values);
        } else {
            received = co_await receive_light_looks(*values);
        }
    } else {
        received = co_await receive_all_looks(keys, looks);
    }
    if (!received && is_left_for_later(received.error(), awaited)) received = Done{};
    if (!received || state_.over()) co_return received;
    if (is_answered(page)) next_stage(page, Stage::done);
    co_return Done{};
}

asio::awaitable<PagePipeline::Done> PagePipeline::receive_light_looks(schemes::Scheme::LightLooks& values) {
    auto received = co_await channel_.receive(values_reply_, &values, state_.core->exchange_deadline());
    if (!received || state_.over()) co_return received;
    co_return judge_light_looks(values);
}

PagePipeline::Done PagePipeline::judge_light_looks(const schemes::Scheme::LightLooks& values) const {
    if (values_reply_.is_error()) return redis::fault(refused(values_reply_, "MGET"));
    if (!values.complete()) return redis::fault(odd_reply("MGET"));
    return Done{};
}

asio::awaitable<PagePipeline::Done> PagePipeline::receive_all_looks(std::span<const std::string> keys,
                                                                    std::span<domain::WindowLook> looks) {
    const auto& scheme = *state_.core->scheme;
    const auto depth = state_.question.depth;
    const std::size_t replies = scheme.look_replies(keys, depth, channel_.facts());
    if (look_replies_.size() < replies) look_replies_.resize(replies);
    redis::ShortTexts short_values(schemes::kMostOfValue);
    std::optional<redis::Fault> refusal;
    for (std::size_t i = 0; i < replies; ++i) {
        auto received = co_await channel_.receive(look_replies_[i], &short_values, state_.core->exchange_deadline());
        if (!received || state_.over()) co_return received;
        if (look_replies_[i].is_error() && !refusal) refusal = refused(look_replies_[i], "MGET");
    }
    if (refusal) co_return redis::fault(*std::move(refusal));
    const std::span<const redis::Reply> first = std::span(look_replies_).first(replies);
    if (!scheme.decode_looks(keys, first, depth, channel_.facts(), looks)) co_return redis::fault(odd_reply("MGET"));
    co_return Done{};
}

bool PagePipeline::is_answered(SweepPage& page) {
    if (--page.owed > 0) return false;
    --stages_asked_;
    return true;
}

void PagePipeline::next_stage(SweepPage& page, Stage stage) {
    page.stage = page.size == 0 ? Stage::done : stage;
    page.owed = page.kept = 0;
    if (page.stage != Stage::done) to_ask_.push_back(&page);
}

void PagePipeline::hand_over() {
    const auto is_over = [](const SweepPage& page) {
        return page.stage == Stage::done || page.stage == Stage::dropped;
    };
    // Clocks of a page may still be on their way behind its last answer.
    while (!pages_.empty() && is_over(*pages_.front())) {
        const auto* page = pages_.front().get();
        if (!awaited_.empty() && awaited_.front().page == page) return;
        if (page->stage == Stage::done) owner_.deliver(std::move(pages_.front()));
        pages_.pop_front();
    }
}

redis::Fault PagePipeline::refused(const redis::Reply& reply, std::string_view command) const {
    return redis::fault_from_reply(reply.text, channel_.where(), command);
}

redis::Fault PagePipeline::odd_reply(std::string_view command) const {
    return {{support::ExitCode::protocol, channel_.where() + ": unexpected reply to " + std::string(command), ""},
            true,
            false};
}

}  // namespace ratectl::store
