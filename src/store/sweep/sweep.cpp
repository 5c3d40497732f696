// Sweeps one node.
// A new connection goes on where the pages of the one before it ended, as long as the same process answers.
#include "store/sweep/sweep.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>

#include "store/cluster/slot_watch.h"
#include "store/directory.h"
#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::store {
namespace {

/// In that time a replica that is well has what its primary had.
constexpr support::Milliseconds kCatchesUp{500};

std::string bytes_text(std::size_t bytes) { return support::format_bytes(static_cast<std::int64_t>(bytes)); }

}  // namespace

Sweep::Sweep(std::shared_ptr<ScanState> state, std::size_t shard, std::optional<domain::Node> node, std::size_t index,
             std::optional<ScanCursor> resume)
    : state_(std::move(state)),
      shard_(shard),
      index_(index),
      fresh_(state_->core, shard),
      data_(state_->core, shard),
      asked_node_(std::move(node)),
      resume_(std::move(resume)),
      page_size_(state_->question.max_latency),
      seen_(state_->slots ? state_->seen_at(asked_node_.value_or(state_->core->directory->primary(shard)))
                          : std::make_shared<Sightings>(*state_, state_->question.by_name ? 16'384 : 8'192)),
      sleep_(state_->core->loop.executor()) {
    if (!resume_) return;
    run_id_ = resume_->run_id;
    progress().run_id = resume_->run_id;
    progress().cursor = cursor_ = resume_->cursor;
    progress().windows = resume_->windows;
}

asio::awaitable<bool> Sweep::choose_source() {
    if (asked_node_) {
        source_ = Source{*asked_node_, false};
    } else if (resume_) {
        source_ = co_await source_of_cursor();
    }
    if (!source_) {
        auto choice = co_await choose_replica(state_->core, shard_, state_->question.from.strictly);
        source_ = std::move(choice.source);
        std::move(choice.failures.begin(), choice.failures.end(), std::back_inserter(state_->failures));
    }
    if (!source_) co_return false;
    progress().node = source_->node;
    progress().stale = source_->stale;
    co_return true;
}

// A cursor is worth more than a better replica: that one would have to be read from its beginning.
asio::awaitable<std::optional<Source>> Sweep::source_of_cursor() {
    const auto nodes = state_->core->directory->nodes(shard_);
    for (const auto& node : nodes) {
        if (node.name() != resume_->node) continue;
        if (state_->question.from.strictly && node.role == domain::Role::primary) continue;
        const auto facts = co_await probe(state_->core, node);
        const bool cut_off = facts && facts->role == domain::Role::replica && facts->link_up != true;
        if (!facts || cut_off || facts->run_id != resume_->run_id) continue;
        Source source{node, false};
        fresh_.watch(node, *facts, std::nullopt);
        const bool foreign = co_await is_foreign(node, *facts);
        if (foreign) continue;
        if (fresh_.is_due()) co_await fresh_.renew();
        if (!fresh_.doubt()) co_return source;
    }
    co_return std::nullopt;
}

// With --max-staleness histories are compared anyway.
asio::awaitable<bool> Sweep::is_foreign(domain::Node node, redis::ServerFacts facts) {
    const auto& core = state_->core;
    if (core->options.max_staleness) co_return false;
    const auto doubt = co_await foreign_history(core, shard_, node, std::move(facts));
    if (doubt) core->notice(foreign(node, *doubt));
    co_return doubt.has_value();
}

asio::awaitable<void> Sweep::run() {
    co_await sweep();
    say_long_names();
}

asio::awaitable<void> Sweep::sweep() {
    const auto& core = state_->core;
    const bool chosen = co_await choose_source();
    if (!chosen) co_return;
    while (!state_->over()) {
        const auto paused_before = core->loop.paused();
        auto done = co_await sweep_from_cursor();
        if (done) break;
        if (channel_) channel_->close();
        channel_ = {};
        if (state_->over()) co_return;
        if (!we_paused_since(*core, paused_before)) ++attempt_;
        bool again = done.error().transient && attempt_ < kAttempts;
        if (again) {
            again = co_await back_off(core, source_->node, std::max(attempt_, 1), core->exchange_deadline());
        }
        if (!again) again = co_await follow_primary(done.error());
        if (again) continue;
        state_->failures.push_back({source_->node, done.error().error});
        failed_ = true;
        progress().complete = false;
        co_return;
    }
    channel_ = {};
}

asio::awaitable<Sweep::Done> Sweep::sweep_from_cursor() {
    const auto& core = state_->core;
    auto opened = co_await open_channel(core, source_->node, kReadMaxIdle, core->exchange_deadline());
    if (!opened) co_return redis::fault(std::move(opened.error()));
    channel_ = std::move(*opened);
    if (is_lost_primary(source_->node, channel_->facts())) {
        const bool elsewhere = co_await follow_primary(std::nullopt);
        if (elsewhere) co_return co_await sweep_from_cursor();
    }
    take_facts();
    if (asked_node_ && !source_->stale) source_->stale = co_await is_foreign(*asked_node_, channel_->facts());
    progress().stale = source_->stale;
    auto done = co_await data_.ask(*channel_, source_->node);
    if (done && !at_end_) {
        co_await await_slots();
        done = co_await read_pages();
    }
    co_return done;
}

// What had come to its primary with a slot, and left another node, before slots were watched has to be here as well. A
// process that goes on from its cursor was waited for when it was read first.
asio::awaitable<void> Sweep::await_slots() {
    if (!state_->slots || answering_.role != domain::Role::replica || cursor_ != "0") co_return;
    const auto word = co_await ask_primary(state_->core, shard_);
    const auto shown = co_await show_replica(state_->core, source_->node, word, kCatchesUp);
    if (!shown.from) state_->slots->doubt(shard_);
}

// That its data stayed is asked behind the last page: what comes after it does not matter.
asio::awaitable<Sweep::Done> Sweep::read_pages() {
    PagePipeline pipeline(*state_, *channel_, page_size_, guard_, pace(), *this);
    auto done = co_await pipeline.run(cursor_, attempt_ == kAttempts - 1);
    if (!pipeline.is_dry()) channel_->close();
    if (!done || state_->over()) co_return done;
    at_end_ = true;
    co_return co_await data_.ask(*channel_, source_->node);
}

// The server of the primary's name and no other was asked for: where that is another one by now, it is swept from the
// beginning.
asio::awaitable<bool> Sweep::follow_primary(std::optional<redis::Fault> fault) {
    const bool is_asked = asked_node_ && state_->question.from.which == domain::ReadFrom::Which::primary;
    if (!is_asked || state_->over() || ++follows_ > kMostFollows) co_return false;
    const auto& core = state_->core;
    bool elsewhere = false;
    if (fault) {
        elsewhere = co_await has_successor(core, shard_, source_->node, *fault);
    } else {
        elsewhere = co_await has_successor(core, shard_, source_->node, redis::Redirect::Kind::read_only);
    }
    if (!elsewhere) co_return false;
    channel_ = {};
    attempt_ = 0;
    asked_node_ = core->directory->primary(shard_);
    source_ = Source{*asked_node_, false};
    progress().node = source_->node;
    co_return true;
}

void Sweep::take_facts() {
    const auto& facts = channel_->facts();
    note_lost_primary(*state_->core, source_->node, facts, state_->question.from);
    answering_ = as_it_said(source_->node, facts);
    const bool unknown = resume_ && (!facts.run_id || resume_->run_id.empty());
    if (unknown || (run_id_ && facts.run_id && *run_id_ != *facts.run_id)) restart();
    resume_.reset();
    if (facts.run_id) run_id_ = progress().run_id = *facts.run_id;
    const bool is_said = source_->stale;  // when it was chosen, or by the connection before
    if (facts.role == domain::Role::replica && facts.link_up == false) source_->stale = true;
    progress().stale = source_->stale;
    fresh_.watch(source_->node, facts, std::exchange(source_->shown_from, std::nullopt));
    if (is_said) fresh_.stop();
}

// Another process answers: its cursors have nothing to do with those of the one before.
void Sweep::restart() {
    if (cursor_ != "0" || !resume_) ++progress().restarts;
    cursor_ = "0";
    at_end_ = progress().complete = false;
    data_.begin_anew();
    guard_ = {};
    too_long_ = 0;
    if (!state_->slots) seen_->forget();
    progress().cursor = cursor_;
    progress().windows = progress().keys = 0;
}

Pace* Sweep::pace() {
    const auto& ops = state_->question.ops;
    if (!ops) return nullptr;
    return &state_->paces.try_emplace(source_->node.endpoint.address(), *ops).first->second;
}

// Only what really leaves is remembered: a page that is lost with its connection is asked for again.
DoubtfulLooks::Held Sweep::show(SweepPage& page) {
    DoubtfulLooks::Held held;
    const bool doubts = state_->doubtful && answering_.role == domain::Role::replica;
    std::size_t shown = 0;
    page.hashes.clear();
    for (const auto& key : page.asked()) page.hashes.push_back(seen_->prepare(key));
    const auto looks = page.all_looks();
    for (std::size_t i = 0; i < page.size; ++i) {
        for (const auto& part : looks[i].parts)
            page.longest = std::max(page.longest, part.value ? part.value->size() : 0);
        looks[i].key.swap(page.keys[i]);
        if (doubts && DoubtfulLooks::is_doubtful(looks[i])) {
            held.add(std::move(looks[i]), page.scan_key[i] != 0);
            continue;
        }
        if (!seen_->shows(looks[i], page.scan_key[i] != 0, page.hashes[i])) continue;
        if (shown != i) std::swap(looks[shown], looks[i]);
        ++shown;
    }
    page.drop_looks_behind(shown);
    return held;
}

// Pages without a window are handed on, too: their cursors are progress.
void Sweep::deliver(std::unique_ptr<SweepPage> page) {
    auto held = show(*page);
    note_long_names(*page);
    page->page.shard = shard_;
    page->page.node = answering_;
    page->page.read_at = state_->core->now();
    page->page.stale = is_stale(*page, page->page.looks.empty() && held.page.looks.empty());
    if (!held.page.looks.empty()) {
        held.page = {shard_, answering_, std::move(held.page.looks), page->page.read_at, page->page.stale};
        held.seen = seen_;
        state_->doubtful->hold(std::move(held));
    }
    cursor_ = page->next_cursor;
    attempt_ = 0;
    ++waiting_pages_;
    state_->ready.push_back({std::move(page), shared_from_this(), progress().restarts});
}

void Sweep::note_long_names(const SweepPage& page) {
    for (const auto& name : page.too_long) {
        if (!seen_->insert(name.shown + std::to_string(name.length))) continue;
        if (++too_long_ == 1) first_too_long_ = name;
    }
}

// As a failure of the node: what a sweep does not show is not all there is.
void Sweep::say_long_names() {
    if (too_long_ == 0) return;
    const auto scanned = state_->core->scheme->scanned_as(first_too_long_.shown);
    const auto key = scanned ? scanned->window : std::string_view(first_too_long_.shown);
    const auto more = too_long_ - 1;
    auto text = fmt::format("{}: key {} is left out: its name is {} long, and a sweep reads names of up to {}",
                            where(source_->node), support::quoted(key), bytes_text(first_too_long_.length),
                            bytes_text(SweepPage::kMostNames));
    if (more > 0) text += fmt::format("; so {} {} more", more == 1 ? "is" : "are", more);
    state_->failures.push_back(
        {source_->node,
         {support::ExitCode::partial, std::move(text), "if no application means it, remove it on the server"}});
}

asio::awaitable<void> Sweep::ask() {
    co_await fresh_.renew();
    if (fresh_.doubt()) note_too_old();
}

bool Sweep::is_stale(const SweepPage& page, bool shows_nothing) {
    if (shows_nothing || fresh_.covers(page.left)) return source_->stale;
    note_too_old();
    return true;
}

// In the middle of a sweep no other server can go on with it.
void Sweep::note_too_old() {
    progress().stale = true;
    if (!std::exchange(told_too_old_, true)) state_->failures.push_back({source_->node, fresh_.too_old()});
}

asio::awaitable<void> Sweep::sleep_until(PagePipeline::Clock::time_point latest) {
    sleep_.expires_at(latest);
    std::error_code woken;
    co_await sleep_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
}

void Sweep::page_taken() {
    --waiting_pages_;
    wake();
}

void Sweep::page_done(const ScanState::Ready& ready) {
    if (ready.restart != progress().restarts) return;
    progress().windows += ready.page->page.looks.size();
    progress().keys += ready.page->scanned;
    progress().cursor = ready.page->next_cursor;
    progress().complete = ready.page->is_last() && !failed_;
}

}  // namespace ratectl::store
