// The looks of a node whose keys are not there, or not to be had: redirects, slots on their way, servers that are
// silent, or behind a proxy.
#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include "domain/cluster/slot_faults.h"
#include "redis/asking.h"
#include "redis/reply_class.h"
#include "store/cluster/questions.h"
#include "store/directory.h"
#include "store/looks/look_by_parts.h"
#include "store/looks/node_looks.h"

namespace ratectl::store {
namespace {

using support::ExitCode;
using Clock = std::chrono::steady_clock;

constexpr int kMostOdd = 3;

}  // namespace

bool NodeLooks::may_choose() const {
    const auto from = state_->order.from.which;
    return from == domain::ReadFrom::Which::primary || from == domain::ReadFrom::Which::replica;
}

bool NodeLooks::follows() const { return state_->order.from.which != domain::ReadFrom::Which::node && !is_beside_; }

// True: the batch is answered, or asked for again, at another node or after a while, behind all others.
asio::awaitable<bool> NodeLooks::follow(const redis::Fault& fault) {
    LookBatch& batch = *queue_.front();
    // Of a slot that is on its way one window that has gone hides none that has not.
    if (redis::is_ask(fault) && !follows() && batch.size > 1) {
        take_apart(batch);
        co_return true;
    }
    // A transaction is sent on as soon as one of its keys is not here.
    if (redis::is_ask(fault) && !follows() && !is_beside_ && batch.depth == domain::LookDepth::full) {
        const bool taken = co_await take_by_parts(batch);
        if (taken) co_return true;
    }
    if (fault.redirect && !follows()) {
        // Who asks again shall ask where it is.
        auto& directory = *state_->core->directory;
        const auto home = directory.place_of(batch.keys.front());
        const bool tells = fault.redirect->kind == redis::Redirect::Kind::moved && home && *home == batch.place;
        if (tells && !is_beside_) co_await directory.redirected(state_->core, batch.place, *fault.redirect);
        co_return false;
    }
    if (!fault.redirect && !batch.place.slot) co_return false;
    ++batch.detours;
    if (!batch.patience) batch.patience = state_->core->exchange_deadline();
    if (!redis::is_ask(fault)) batch.error.reset();
    if (fault.redirect && !redis::is_ask(fault) && batch.asking)
        batch.error = takes_no_slot_in(*node_, *batch.place.slot);
    if (fault.error.reason == domain::kKeysApart && batch.size > 1) {
        take_apart(batch);
        co_return true;
    }
    if (fault.error.reason == domain::kKeysApart) {
        const bool taken = co_await take_by_parts(batch);
        if (taken) co_return true;
        const auto& directory = *state_->core->directory;
        const auto home = directory.place_of(batch.keys.front()).value_or(batch.place);
        batch.error = fault.error;
        batch.error->message = where(directory.primary(home.shard)) + ": " + after_colon(fault.error.message, *node_);
    }
    if (fault.redirect) {
        const auto place = co_await place_after(batch, *fault.redirect);
        if (!place) co_return false;
        batch.place = *place;
        batch.asking = batch.at_primary = fault.redirect->kind == redis::Redirect::Kind::ask;
    } else if (batch.asking && follows()) {
        batch.place = state_->core->directory->place_of(batch.keys.front()).value_or(batch.place);
        batch.asking = batch.at_primary = false;
    }
    if (!fault.redirect || batch.detours > kFollowsAtOnce) {
        batch.wake = Clock::now() + pause_before(*node_, batch.detours);
        if (batch.wake >= *batch.patience) co_return false;
    }
    ask_again(batch);
    if (is_succeeded()) leave_node();
    co_return true;
}

// What sends us away may be a former primary: its shard is the same, and another node is asked for that.
bool NodeLooks::is_succeeded() const {
    const auto& primary = state_->core->directory->primary(shard_);
    return follows() && node_->role == domain::Role::primary && channel_name(primary) != channel_name(*node_);
}

// Where the directory has learned that another node is the primary now, or that this one is no replica any more.
bool NodeLooks::is_left_behind() {
    const auto& directory = *state_->core->directory;
    if (!may_choose() || node_ == nullptr || std::exchange(epoch_, directory.epoch()) == directory.epoch())
        return false;
    return std::ranges::none_of(directory.nodes(shard_), [this](const auto& node) { return is_same(node, *node_); });
}

// Null: what the server said stands.
asio::awaitable<std::optional<Place>> NodeLooks::place_after(LookBatch& batch, const redis::Redirect& redirect) {
    auto& directory = *state_->core->directory;
    const bool moved = redirect.kind == redis::Redirect::Kind::moved;
    const auto home = directory.place_of(batch.keys.front());
    // Another batch has been told so before.
    if (moved && !batch.asking && home && *home != batch.place) co_return home;
    if (moved && ++batch.follows > kMostFollows) co_return std::nullopt;
    const bool again = co_await directory.redirected(state_->core, batch.place, redirect);
    if (!again) co_return std::nullopt;
    if (redirect.kind != redis::Redirect::Kind::ask)
        co_return directory.place_of(batch.keys.front()).value_or(batch.place);
    const auto to = directory.place_to_ask(redirect);
    if (!to) co_return std::nullopt;
    co_return Place{*to, batch.place.slot};
}

// Some keys of the window are there and others are not, which servers do not tell apart from a window that is torn. A
// node that was named tells of its own keys alone.
asio::awaitable<bool> NodeLooks::take_by_parts(LookBatch& batch) {
    const auto core = state_->core;
    const auto& key = batch.keys.front();
    const auto home = core->directory->place_of(key).value_or(batch.place);
    const auto replica = is_beside_ ? std::optional(*node_) : std::nullopt;
    auto found = co_await look_by_parts(core, key, home, replica, channel_->facts());
    const bool elsewhere = found && found->shard != shard_;
    if (!found || (elsewhere && !follows())) co_return false;
    batch.looks.resize(std::max(batch.looks.size(), batch.size));
    batch.looks.front() = std::move(found->look);
    take(batch);
    if (elsewhere) {
        batch.node = &state_->keep(core->directory->primary(found->shard));
        batch.place.shard = found->shard;
        batch.server_now.reset();
    }
    co_return true;
}

void NodeLooks::ask_again(LookBatch& batch) {
    leave_queue(batch);
    queue_.push_back(&batch);
}

// Of a slot that is on its way some windows have gone and others have not: no node answers for both at once.
void NodeLooks::take_apart(LookBatch& batch) {
    leave_queue(batch);
    const auto home = state_->core->directory->place_of(batch.keys.front()).value_or(batch.place);
    for (const auto& key : batch.asked()) {
        LookBatch& piece = state_->new_batch();
        piece.place = follows() ? home : batch.place;
        piece.asking = piece.place.ahead;
        piece.node = batch.node;
        piece.depth = batch.depth;
        piece.patience = batch.patience;
        piece.detours = 1;
        if (piece.keys.empty()) piece.keys.emplace_back();
        piece.keys.front() = key;
        piece.size = piece.owed = 1;
        piece.bytes = key.size();
        batch.pieces.push_back(&piece);
        queue_.push_back(&piece);
    }
    batch.done = true;
}

void NodeLooks::leave_queue(const LookBatch& batch) {
    queue_.pop_front();
    if (sent_ == 0) return;
    --sent_;
    windows_sent_ -= std::min(batch.weight(), windows_sent_);
}

// The node that was asked does not answer, and no other one is asked for it. Until a slot has arrived, replicas of the
// node that it goes to send every client to the one that it leaves (those of Valkey from 8.0 answer after ASKING).
support::Error NodeLooks::sent_away(const LookBatch& batch, support::Error error) const {
    if (is_beside_ && batch.place.ahead) {
        return {ExitCode::unavailable,
                fmt::format("{}: slot {} has not arrived, and until then a replica shows none of its keys",
                            where(*node_), *batch.place.slot),
                std::string(domain::kWaitForSlot), domain::kSlotElsewhere};
    }
    const bool is_all = state_->order.from.which == domain::ReadFrom::Which::all;
    error.reason = is_beside_ && is_all ? domain::kMayHaveLeft : domain::kSlotElsewhere;
    return error;
}

// A replica that knows nothing of a key may not know either that it has gone.
bool NodeLooks::is_doubtful(const LookBatch& batch) const {
    if (!is_read_at_replica(batch) || batch.place.ahead) return false;
    const auto looks = std::span(batch.looks).first(batch.size);
    return std::ranges::any_of(looks, [](const auto& look) { return look && lacks_a_value(*look); });
}

// The oldest batch has an answer.
void NodeLooks::take_or_doubt(LookBatch& batch) {
    if (!is_doubtful(batch)) return take_now(batch);
    leave_queue(batch);
    doubted_.push_back(&batch);
}

// Their primary is asked behind the last of those answers, once for all of them.
asio::awaitable<void> NodeLooks::settle_doubts() {
    const auto whole = co_await state_->core->directory->whole_slots(state_->core, shard_);
    for (LookBatch* batch : std::exchange(doubted_, {})) {
        queue_.push_front(batch);
        if (sent_ > 0) {
            ++sent_;
            windows_sent_ += batch->weight();
        }
        take_doubted(*batch, whole(batch->place.slot));
    }
}

void NodeLooks::take_doubted(LookBatch& batch, bool is_whole) {
    if (is_whole) return take_now(batch);
    if (!may_choose() && batch.size > 1) return take_apart(batch);
    if (may_choose() && !state_->order.from.strictly) {
        batch.at_primary = true;
        ++batch.detours;
        return ask_again(batch);
    }
    take_now(batch, support::Error{ExitCode::unavailable,
                                   fmt::format("{}: slot {} is not shown to be all here, and a replica does not know "
                                               "which keys have left it for another node",
                                               where(*node_), *batch.place.slot),
                                   "--from primary asks where the keys are now", domain::kMayHaveLeft});
}

// Brings a batch that may be asked for to the front, where none is on its way.
asio::awaitable<void> NodeLooks::find_due() {
    while (sent_ == 0 && !state_->over()) {
        const auto now = Clock::now();
        const auto due = std::ranges::find_if(queue_, [now](const LookBatch* batch) { return batch->wake <= now; });
        if (due != queue_.end()) {
            std::rotate(queue_.begin(), due, due + 1);
            co_return;
        }
        const auto* first = *std::ranges::min_element(queue_, {}, &LookBatch::wake);
        asio::steady_timer timer(state_->core->loop.executor(), first->wake);
        co_await timer.async_wait(asio::use_awaitable);
    }
}

// Alone: what comes back must not be mixed up with other replies.
asio::awaitable<NodeLooks::Done> NodeLooks::look_asking() {
    const auto& core = *state_->core;
    LookBatch& batch = *queue_.front();
    redis::Request request;
    core.scheme->ask_looks(request, batch.asked(), batch.depth, channel_->facts());
    batch.left = fresh_.stamp();
    sent_ = 1;
    auto replies = co_await redis::exchange_asking(*channel_, request, until_);
    if (!replies) co_return redis::fault(std::move(replies.error()));
    sent_ = 0;
    std::optional<redis::Fault> refused;
    const auto refusal = std::ranges::find_if(*replies, &redis::Reply::is_error);
    if (refusal != replies->end()) refused = redis::fault_from_reply(refusal->text, channel_->where(), "MGET");
    if (refused && refused->transient && !refused->of_slot) co_return redis::fault(*std::move(refused));
    co_await take_replies(batch, *replies, std::move(refused));
    co_return Done();
}

// A primary that does not answer, or is none any more, may have got a successor: all is asked for again there.
asio::awaitable<bool> NodeLooks::leave_for_successor(redis::Redirect::Kind why) {
    auto& directory = *state_->core->directory;
    if (!follows() || ++changes_ > directory.nodes(shard_).size()) co_return false;
    const bool elsewhere = co_await has_successor(state_->core, queue_.front()->place, *node_, why);
    if (!elsewhere) co_return false;
    for (LookBatch* batch : queue_) {
        batch->place = directory.place_of(batch->keys.front()).value_or(batch->place);
        batch->asking = false;
    }
    leave_node();
    co_return true;
}

asio::awaitable<void> NodeLooks::give_up(const redis::Fault& fault) {
    const auto& node = *node_;
    const bool chooses = chooses_ && !at_primary_;
    if (chooses) node_ = nullptr;  // another replica, or the primary
    if (chooses && ++changes_ <= state_->core->directory->nodes(shard_).size()) co_return;
    if (!chooses && fault.error.code == ExitCode::unavailable) {
        const bool elsewhere = co_await leave_for_successor(redis::Redirect::Kind::silent);
        if (elsewhere) co_return;
    }
    changes_ = 0;
    fail_those_here(fault.error, node);
}

void NodeLooks::fail_those_here(const support::Error& error, const domain::Node& node) {
    std::deque<LookBatch*> elsewhere;
    const auto is_elsewhere = [this](const auto* batch) { return !is_here(*batch); };
    std::ranges::copy_if(queue_, std::back_inserter(elsewhere), is_elsewhere);
    std::erase_if(queue_, is_elsewhere);
    fail_all(error, node);
    queue_ = std::move(elsewhere);
}

// Each key may be on another server, which may be down: a call and an answer of its own for each.
asio::awaitable<NodeLooks::Done> NodeLooks::look_through_proxy(LookBatch& batch) {
    const auto& scheme = *state_->core->scheme;
    const auto keys = batch.asked();
    std::vector<redis::ScriptCall> calls;
    calls.reserve(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        for (auto& call : scheme.script_look_calls(keys.subspan(i, 1))) calls.push_back(std::move(call));
    }
    sent_ = 1;
    batch.left = fresh_.stamp();
    const auto replies = co_await redis::call_scripts(*channel_, calls, until_);
    if (!replies) co_return redis::fault(replies.error());
    sent_ = 0;
    batch.looks.resize(std::max(batch.looks.size(), batch.size));
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto& reply = (*replies)[i];
        if (reply.is_error()) {
            auto error = redis::fault_from_reply(reply.text, channel_->where(), "the CHECK script").error;
            error.message = after_colon(error.message, *node_);
            batch.looks[i] = tl::make_unexpected(std::move(error));
        } else {
            scheme.decode_script_looks(keys.subspan(i, 1), std::span(*replies).subspan(i, 1),
                                       std::span(batch.looks).subspan(i, 1));
        }
    }
    take(batch);
    co_return Done();
}

// A value that is too large to travel breaks off the replies of all keys that it was asked for with; a full look asks
// for its beginning only.
bool NodeLooks::try_without(const redis::Fault& fault) {
    LookBatch& batch = *queue_.front();
    if (batch.depth == domain::LookDepth::light && !as_script_) {
        batch.depth = domain::LookDepth::full;
        return true;
    }
    if (++odd_ >= kMostOdd) return false;
    queue_.pop_front();
    batch.error = fault.error;
    batch.done = true;
    return true;
}

void NodeLooks::fail_all(const support::Error& error, const domain::Node& node) {
    for (LookBatch* batch : queue_) {
        batch->node = &node;
        batch->error = error;
        batch->done = true;
    }
    queue_.clear();
    sent_ = windows_sent_ = 0;
}

}  // namespace ratectl::store
