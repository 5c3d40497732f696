// Two requests are under way at any time: while a page is taken apart here, the server works on the next.
#include "store/sweep.h"

#include <algorithm>
#include <utility>

#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>

#include "domain/key_template.h"
#include "redis/reply_class.h"

namespace ratectl::store {
namespace {

constexpr std::size_t kPagesAhead = 2;
constexpr std::size_t kWindowsPerLook = 100;
constexpr std::string_view kPage = "300";
constexpr support::Milliseconds kMaxIdle{30'000};
constexpr support::Milliseconds kPauseThatCounts{50};

bool is_there(const domain::HalfLook& half) { return half.value || (half.type && *half.type != "none"); }

redis::Fault odd_reply(const redis::Channel& channel, std::string_view what) {
    return {{support::ExitCode::protocol, channel.where() + ": odd reply to " + std::string(what), ""}, true, false};
}

template <class Step>
void for_each_group(std::span<const std::string> keys, Step step) {
    while (!keys.empty()) {
        const auto group = keys.first(std::min(keys.size(), kWindowsPerLook));
        step(group);
        keys = keys.subspan(group.size());
    }
}

}  // namespace

Sweep::Sweep(std::shared_ptr<ScanState> state, std::size_t shard, std::optional<domain::Node> node, std::size_t index)
    : state_(std::move(state)),
      shard_(shard),
      index_(index),
      asked_node_(std::move(node)),
      room_(state_->core->loop.executor()) {}

asio::awaitable<bool> Sweep::choose_source() {
    if (asked_node_) {
        source_ = Source{*asked_node_, false};
    } else {
        auto choice = co_await choose_replica(state_->core, shard_);
        source_ = std::move(choice.source);
        std::move(choice.failures.begin(), choice.failures.end(), std::back_inserter(state_->failures));
    }
    if (!source_) co_return false;
    progress().node = source_->node;
    progress().stale = source_->stale;
    co_return true;
}

asio::awaitable<void> Sweep::run() {
    const auto self = shared_from_this();
    const bool chosen = co_await choose_source();
    if (!chosen) co_return;
    while (!state_->over()) {
        const auto paused_before = state_->paused;
        auto done = co_await sweep_from_cursor();
        if (done) break;
        if (channel_) channel_->close();
        channel_ = {};
        if (state_->over()) co_return;
        const bool our_own_pause = state_->paused - paused_before > kPauseThatCounts;
        if (!our_own_pause) ++attempt_;
        bool again = done.error().transient && attempt_ < kAttempts;
        const auto deadline = state_->core->exchange_deadline();
        if (again) again = co_await back_off(state_->core, source_->node, std::max(attempt_, 1), deadline);
        if (again) continue;
        state_->failures.push_back({source_->node, done.error().error});
        co_return;
    }
    channel_ = {};
}

asio::awaitable<Sweep::Done> Sweep::sweep_from_cursor() {
    auto& core = state_->core;
    deadline_ = core->exchange_deadline();
    auto opened = co_await open_channel(core, source_->node, kMaxIdle, deadline_);
    if (!opened) co_return redis::fault(std::move(opened.error()));
    channel_ = std::move(*opened);
    take_facts();
    auto sent = co_await send_step(nullptr, &cursor_);
    if (!sent) co_return sent;
    auto found = co_await receive_found();
    if (!found) co_return redis::fault(std::move(found.error()));
    sent = co_await send_step(&*found, found->last() ? nullptr : &found->next_cursor);
    while (sent && !state_->over()) {
        // In flight: the looks at `found`, behind the SCAN of what follows it.
        std::optional<Found> following;
        if (!found->last()) {
            auto received = co_await receive_found();
            if (!received) co_return redis::fault(std::move(received.error()));
            following = std::move(*received);
        }
        co_await await_room();
        if (state_->over()) break;
        deadline_ = core->exchange_deadline();
        if (following) {
            sent = co_await send_step(&*following, following->last() ? nullptr : &following->next_cursor);
            if (!sent) co_return sent;
        }
        auto looked = co_await receive_looks(*found);
        if (!looked) co_return looked;
        cursor_ = found->next_cursor;
        attempt_ = 0;
        if (!following) co_return Done{};
        found = std::move(*following);
    }
    if (channel_) channel_->close();  // replies are still on their way
    co_return sent;
}

Sweep::Done Sweep::take_facts() {
    const auto& facts = channel_->facts();
    if (run_id_ && facts.run_id && *run_id_ != *facts.run_id) restart();
    if (facts.run_id) run_id_ = progress().run_id = *facts.run_id;
    if (facts.role == domain::Role::replica && facts.link_up == false) source_->stale = true;
    progress().stale = source_->stale;
    return {};
}

// Another process answers: its cursors have nothing to do with those of the one before.
void Sweep::restart() {
    cursor_ = "0";
    shown_.clear();
    progress().cursor = cursor_;
    progress().windows = 0;
    ++progress().restarts;
}

// The SCAN goes first: its reply is what the next step waits for.
asio::awaitable<Sweep::Done> Sweep::send_step(const Found* to_look_at, const std::string* cursor) {
    redis::Request request;
    if (cursor != nullptr) {
        request.add({"SCAN", *cursor, "MATCH", state_->pattern, "COUNT", kPage});
    }
    if (to_look_at != nullptr) {
        for_each_group(to_look_at->keys, [&](auto group) {
            state_->core->scheme->ask_looks(request, group, state_->question.depth, channel_->facts());
        });
    }
    if (request.empty()) co_return Done{};
    co_return co_await channel_->send(request, deadline_);
}

asio::awaitable<redis::Outcome<Sweep::Found>> Sweep::receive_found() {
    auto reply = co_await channel_->receive(deadline_);
    if (!reply) co_return redis::fault(std::move(reply.error()));
    if (reply->is_error()) co_return redis::fault(redis::fault_from_reply(reply->text, channel_->where(), "SCAN"));
    auto& parts = reply->elements;
    if (!reply->is_array() || parts.size() != 2 || !parts[0].is_text() || !parts[1].is_array()) {
        co_return redis::fault(odd_reply(*channel_, "SCAN"));
    }
    const auto& question = state_->question;
    const auto& scheme = *state_->core->scheme;
    Found found;
    found.next_cursor = std::move(parts[0].text);
    found.keys.reserve(parts[1].elements.size());
    for (const auto& scanned : parts[1].elements) {
        const auto window = scanned.is_text() ? scheme.window_of(scanned.text) : std::nullopt;
        if (!window) continue;
        const bool anchor = scheme.is_anchor(scanned.text);
        if (!anchor && (!question.orphan_counters || !question.orphan_counters(*window))) continue;
        if (question.glob != "*" && !domain::glob_matches(question.glob, *window)) continue;
        found.keys.emplace_back(*window);
        found.anchor.push_back(anchor);
    }
    co_return found;
}

std::size_t Sweep::look_replies(const Found& found) const {
    std::size_t replies = 0;
    for_each_group(found.keys, [&](auto group) {
        replies += state_->core->scheme->look_replies(group.size(), state_->question.depth, channel_->facts());
    });
    return replies;
}

asio::awaitable<Sweep::Done> Sweep::receive_looks(Found& found) {
    std::vector<redis::Reply> replies;
    const auto expected = look_replies(found);
    replies.reserve(expected);
    while (replies.size() < expected) {
        auto reply = co_await channel_->receive(deadline_);
        if (!reply) co_return redis::fault(std::move(reply.error()));
        if (reply->is_error()) co_return redis::fault(redis::fault_from_reply(reply->text, channel_->where(), "MGET"));
        replies.push_back(std::move(*reply));
    }
    const auto& scheme = *state_->core->scheme;
    const auto depth = state_->question.depth;
    ScanPage page{shard_, source_->node, {}, state_->core->now(), source_->stale};
    page.looks.reserve(found.keys.size());
    std::span<redis::Reply> left(replies);
    std::size_t key = 0;
    bool odd = false;
    for_each_group(found.keys, [&](auto group) {
        const auto mine = scheme.look_replies(group.size(), depth, channel_->facts());
        for (auto& look : scheme.decode_looks(group, left.first(mine), depth)) {
            odd = odd || !look;
            if (look && shows(*look, found.anchor[key])) page.looks.push_back(std::move(*look));
            ++key;
        }
        left = left.subspan(mine);
    });
    if (odd) co_return redis::fault(odd_reply(*channel_, "MGET"));
    deliver(std::move(page), found.next_cursor);
    co_return Done{};
}

// A window that vanished between SCAN and the look is none; a counter that has its other half is found by that half.
bool Sweep::shows(const domain::WindowLook& look, bool anchor) {
    if (!is_there(look.counter) && !is_there(look.expiry)) return false;
    if (!anchor && is_there(look.expiry)) return false;
    const auto& worth_a_look = state_->question.worth_a_look;
    if (worth_a_look && (!look.counter.value || !worth_a_look(look.key, *look.counter.value))) return false;
    return shown_.insert(look.key);
}

// Pages without a window are handed on, too: their cursors are progress.
void Sweep::deliver(ScanPage page, const std::string& next_cursor) {
    if (state_->over()) return;
    ++waiting_pages_;
    state_->ready.push_back({std::move(page), shared_from_this(), next_cursor, progress().restarts});
}

asio::awaitable<void> Sweep::await_room() {
    while (waiting_pages_ >= kPagesAhead && !state_->over()) {
        room_.expires_at(std::chrono::steady_clock::time_point::max());
        std::error_code woken;
        co_await room_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    }
}

void Sweep::page_taken() {
    --waiting_pages_;
    wake();
}

void Sweep::page_done(const ScanState::Ready& ready) {
    if (ready.restart != progress().restarts) return;
    progress().windows += ready.page.looks.size();
    progress().cursor = ready.cursor;
    progress().complete = ready.cursor == "0";
}

}  // namespace ratectl::store
