// Looks at keys of one node: while one batch is taken apart the server works on those behind it.
#include "store/looks/node_looks.h"

#include <algorithm>
#include <utility>

#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>

#include "domain/cluster/slot_faults.h"
#include "redis/reply_class.h"
#include "store/nodes/sources.h"

namespace ratectl::store {
namespace {

using support::ExitCode;

constexpr std::size_t kWindowsInFlight = 200;
constexpr std::size_t kWindowsPerCommand = 50;
constexpr std::size_t kWindowsPerScript = 100;
/// A server that is out of memory queues no transaction, not even one of reads; a script that only reads it runs.
bool refused_to_queue(const redis::Fault& fault) { return fault.error.code == ExitCode::write_refused; }

}  // namespace

LookBatch& LookState::new_batch() {
    if (free.empty()) free.push_back(&batches.emplace_back());
    LookBatch& batch = *free.back();
    free.pop_back();
    batch.size = batch.owed = batch.bytes = 0;
    batch.depth = order.depth;
    batch.done = false;
    batch.error.reset();
    batch.detours = batch.follows = 0;
    batch.wake = {};
    batch.patience.reset();
    batch.asking = batch.at_primary = false;
    batch.pieces.clear();
    return batch;
}

const domain::Node& LookState::keep(const domain::Node& node) {
    for (const auto& known : nodes) {
        if (is_same(known, node)) return known;
    }
    return nodes.emplace_back(node);
}

void LookState::note(std::vector<NodeFailure> more) {
    for (auto& failure : more) {
        const auto name = channel_name(failure.node);
        const auto same = [&](const NodeFailure& known) { return channel_name(known.node) == name; };
        if (std::none_of(failures.begin(), failures.end(), same)) failures.push_back(std::move(failure));
    }
}

NodeLooks::NodeLooks(std::shared_ptr<LookState> state, std::size_t shard, const domain::Node* node)
    : state_(std::move(state)),
      shard_(shard),
      chooses_(node == nullptr),
      is_beside_(node != nullptr && node->role == domain::Role::replica),
      node_(node),
      fresh_(state_->core, shard),
      as_script_(state_->order.as_script),
      epoch_(state_->core->directory->epoch()),
      wake_(state_->core->loop.executor()) {}

LookBatch& NodeLooks::add(std::string_view key, Place place) {
    const std::size_t most = as_script_ ? kWindowsPerScript : kWindowsPerCommand;
    const bool full = queue_.size() == sent_ || queue_.back()->weight() >= most || queue_.back()->detours > 0;
    if (full || queue_.back()->place != place) {
        LookBatch& batch = state_->new_batch();
        queue_.push_back(&batch);
        batch.place = place;
        batch.asking = place.ahead;
        batch.node = node_ != nullptr ? node_ : &state_->keep(state_->core->directory->primary(shard_));
    }
    LookBatch& batch = *queue_.back();
    if (batch.keys.size() == batch.size) batch.keys.emplace_back();
    batch.keys[batch.size++].assign(key);
    batch.bytes += key.size();
    ++batch.owed;
    if (asleep_) wake();
    return batch;
}

LookBatch& NodeLooks::add_refused(std::string_view key, Place place, support::Error error) {
    LookBatch& batch = state_->new_batch();
    batch.place = place;
    batch.node = &state_->keep(state_->core->directory->primary(place.shard));
    if (batch.keys.empty()) batch.keys.emplace_back();
    batch.keys.front().assign(key);
    batch.size = batch.owed = 1;
    batch.error = std::move(error);
    batch.done = true;
    return batch;
}

asio::awaitable<void> NodeLooks::sleep() {
    channel_ = {};  // others may have use for it
    asleep_ = true;
    wake_.expires_at(std::chrono::steady_clock::time_point::max());
    std::error_code woken;
    co_await wake_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    asleep_ = false;
}

asio::awaitable<void> NodeLooks::run() {
    while (!state_->over()) {
        if (is_idle() && retired_) break;
        if (is_idle()) {
            co_await sleep();
        } else if (refusal_) {
            fail_all(*refusal_, *queue_.front()->node);
        } else {
            co_await find_due();
            if (is_left_behind()) leave_node();
            if (!channel_) co_await open();
            Done done;
            if (channel_) done = co_await converse();
            if (!done && !state_->over()) co_await settle(std::move(done.error()));
        }
    }
    if (channel_ && sent_ > 0) channel_->close();  // replies are still on their way
    channel_ = {};
}

asio::awaitable<void> NodeLooks::choose_node() {
    epoch_ = state_->core->directory->epoch();
    if (!is_here(*queue_.front())) {
        shard_ = queue_.front()->place.shard;
        at_primary_ = queue_.front()->at_primary;
        fresh_ = Freshness(state_->core, shard_);
    }
    if (!chooses_ || at_primary_) {
        stale_ = false;
        node_ = &state_->keep(state_->core->directory->primary(shard_));
        co_return;
    }
    auto choice = co_await choose_replica(state_->core, shard_, state_->order.from.strictly);
    if (!choice.source) {
        const auto& failure = choice.failures.front();
        fail_those_here(failure.error, state_->keep(failure.node));
        co_return;
    }
    state_->note(std::move(choice.failures));
    node_ = &state_->keep(choice.source->node);
    stale_ = choice.source->stale;
    shown_from_ = choice.source->shown_from;
}

// Attempts are the opener's own.
asio::awaitable<void> NodeLooks::open() {
    if (node_ == nullptr) co_await choose_node();
    if (node_ == nullptr || state_->over()) co_return;
    const auto& core = state_->core;
    auto opened = co_await open_channel(core, *node_, kReadMaxIdle, core->exchange_deadline());
    if (opened) {
        channel_ = std::move(*opened);
        as_script_ = as_script_ || channel_->facts().proxied;
        if (is_lost_primary(*node_, channel_->facts())) {
            const bool elsewhere = co_await leave_for_successor(redis::Redirect::Kind::read_only);
            if (elsewhere) co_return;
        }
        note_lost_primary(*core, *node_, channel_->facts(), state_->order.from);
        fresh_.watch(*node_, channel_->facts(), std::exchange(shown_from_, std::nullopt));
        if (stale_) fresh_.stop();
        if (!chooses_ && !core->options.max_staleness) {
            const auto doubt = co_await foreign_history(core, shard_, *node_, channel_->facts());
            if (doubt) core->notice(foreign(*node_, *doubt));
            stale_ = doubt.has_value();
        }
    } else if (!state_->over()) {
        // A wrong password does not come right by asking again with the next keys.
        const auto& error = opened.error().error;
        if (!chooses_ && error.code != ExitCode::unavailable) refusal_ = error;
        co_await give_up(opened.error());
    }
}

void NodeLooks::begin_step() {
    if (attempt_ > 0) return;  // the attempts at a batch share its time
    until_ = state_->core->exchange_deadline();
    paused_before_ = state_->core->loop.paused();
}

asio::awaitable<NodeLooks::Done> NodeLooks::converse() {
    while (!is_idle() && !state_->over() && channel_) {
        // Of a cluster's keys every window may be a batch of its own: nothing is awaited that is not needed.
        if (sent_ == 0) co_await find_due();
        if (state_->over() || !is_here(*queue_.front()) || is_left_behind()) {
            leave_node();
            co_return Done();
        }
        bool fresh = true;
        if (fresh_.is_due()) fresh = co_await keep_fresh();
        if (!fresh) co_return Done();
        begin_step();
        Done done;
        if (as_script_) {
            done = co_await look_through_lua();
        } else if (queue_.front()->asking) {
            done = co_await look_asking();
        } else {
            if (has_room()) done = co_await send_batches();
            if (done) done = co_await receive_batches();
        }
        if (!doubted_.empty()) co_await settle_doubts();
        if (!done) co_return done;
        attempt_ = 0;
    }
    co_return Done();
}

bool NodeLooks::has_room() const { return sent_ == 0 || windows_sent_ + kWindowsPerCommand <= kWindowsInFlight; }

asio::awaitable<NodeLooks::Done> NodeLooks::send_batches() {
    request_.clear();
    while (sent_ < queue_.size() && may_go(*queue_[sent_]) &&
           (sent_ == 0 || windows_sent_ + queue_[sent_]->weight() <= kWindowsInFlight)) {
        const LookBatch& batch = *queue_[sent_];
        state_->core->scheme->ask_looks(request_, batch.asked(), batch.depth, channel_->facts());
        windows_sent_ += batch.weight();
        queue_[sent_++]->left = fresh_.stamp();
    }
    if (request_.empty()) co_return Done();
    co_return co_await channel_->send(request_, until_);
}

// As many as make room for more, and all where there are no more.
asio::awaitable<NodeLooks::Done> NodeLooks::receive_batches() {
    const auto& core = *state_->core;
    note_time();
    do {
        LookBatch& batch = *queue_.front();
        const auto expected = core.scheme->look_replies(batch.asked(), batch.depth, channel_->facts());
        std::optional<redis::Fault> refused;
        if (replies_.size() < expected) replies_.resize(expected);
        const auto replies = std::span(replies_).first(expected);
        for (auto& reply : replies) {
            if (!channel_->take_ready(reply)) {
                auto received = co_await channel_->receive(reply, until_);
                if (!received) co_return redis::fault(std::move(received.error()));
                note_time();
            }
            if (reply.is_error() && !refused) refused = redis::fault_from_reply(reply.text, channel_->where(), "MGET");
        }
        if (!refused) {
            decode(batch, replies);
            take_or_doubt(batch);
            continue;
        }
        const bool whole = !refused->of_slot || !batch.place.slot;
        if (whole && (refused->transient || refused_to_queue(*refused))) co_return redis::fault(*std::move(refused));
        co_await take_replies(batch, replies, std::move(refused));
        co_return Done();
    } while (sent_ > 0 && (sent_ == queue_.size() || !has_room()));
    co_return Done();
}

void NodeLooks::decode(LookBatch& batch, std::span<const redis::Reply> replies) {
    batch.looks.resize(std::max(batch.looks.size(), batch.size));
    state_->core->scheme->decode_looks(batch.asked(), replies, batch.depth, channel_->facts(),
                                       std::span(batch.looks).first(batch.size));
}

// The replies to the oldest batch, whose refusal concerns nothing else.
asio::awaitable<void> NodeLooks::take_replies(LookBatch& batch, std::span<const redis::Reply> replies,
                                              std::optional<redis::Fault> refused) {
    if (refused && (refused->redirect || refused->of_slot)) {
        const bool again = co_await follow(*refused);
        if (again) co_return;
    }
    if (!refused) {
        decode(batch, replies);
        note_time();
        co_return take_or_doubt(batch);
    }
    if (refused->redirect) refused->error = sent_away(batch, std::move(refused->error));
    if (batch.error) refused->error = *batch.error;
    take(batch, std::move(refused->error));
}

asio::awaitable<NodeLooks::Done> NodeLooks::look_through_lua() {
    const auto& core = *state_->core;
    LookBatch& batch = *queue_.front();
    if (channel_->facts().proxied) co_return co_await look_through_proxy(batch);
    const auto calls = core.scheme->script_look_calls(batch.asked());
    sent_ = 1;
    batch.left = fresh_.stamp();
    auto replies = co_await redis::call_scripts(*channel_, calls, until_, batch.asking);
    if (!replies) co_return redis::fault(std::move(replies.error()));
    sent_ = 0;
    const auto refusal = std::ranges::find_if(*replies, [](const redis::Reply& reply) { return reply.is_error(); });
    if (refusal != replies->end()) {
        auto refused = redis::fault_from_reply(refusal->text, channel_->where(), "the CHECK script");
        const bool of_slot = refused.of_slot && batch.place.slot;
        if (refused.transient && !of_slot) co_return redis::fault(std::move(refused));
        if (refused.redirect || of_slot) {
            const bool again = co_await follow(refused);
            if (again) co_return Done();
        }
        take(batch, std::move(refused.error));
        co_return Done();
    }
    batch.looks.resize(std::max(batch.looks.size(), batch.size));
    core.scheme->decode_script_looks(batch.asked(), *replies, std::span(batch.looks).first(batch.size));
    note_time();
    take_or_doubt(batch);
    co_return Done();
}

void NodeLooks::take(LookBatch& batch, std::optional<support::Error> error) {
    note_time();
    take_now(batch, std::move(error));
}

// Of what has come together the clocks are read once.
void NodeLooks::note_time() {
    heard_at_ = state_->core->now();
    server_now_.reset();
    if (channel_->facts().clock) server_now_ = channel_->facts().clock->at(std::chrono::steady_clock::now());
}

// The oldest batch is answered.
void NodeLooks::take_now(LookBatch& batch, std::optional<support::Error> error) {
    leave_queue(batch);
    const auto& facts = channel_->facts();
    if (said_.of != node_ || said_.role != facts.role)
        said_ = {node_, facts.role, &state_->keep(as_it_said(*node_, facts))};
    batch.node = said_.answered;
    batch.error = std::move(error);
    for (std::size_t i = 0; !batch.error && i < batch.size; ++i) {
        auto& look = batch.looks[i];
        if (!look) look.error().message = where(*node_) + ": " + look.error().message;
    }
    const bool cut_off = facts.role == domain::Role::replica && facts.link_up == false;
    batch.stale = is_too_old(batch) || stale_ || cut_off;
    batch.read_at = heard_at_;
    batch.server_now = server_now_;
    batch.done = true;
    changes_ = 0;
    odd_ = 0;
}

// False: a replica that is less far behind is to be found.
asio::awaitable<bool> NodeLooks::keep_fresh() {
    co_await fresh_.renew();
    if (!chooses_ || !fresh_.doubt() || ++changes_ > state_->core->directory->nodes(shard_).size()) co_return true;
    leave_node();
    co_return false;
}

// What it owes us is asked for again elsewhere.
void NodeLooks::leave_node() {
    if (sent_ > 0) channel_->close();
    channel_ = {};
    sent_ = windows_sent_ = 0;
    node_ = nullptr;
}

bool NodeLooks::is_too_old(const LookBatch& batch) {
    if (fresh_.covers(batch.left)) return false;
    state_->note({{*node_, fresh_.too_old()}});
    return true;
}

asio::awaitable<void> NodeLooks::settle(redis::Fault fault) {
    const auto& core = state_->core;
    channel_->close();
    channel_ = {};
    sent_ = windows_sent_ = 0;
    if (!as_script_ && refused_to_queue(fault)) {
        as_script_ = true;
        co_return;
    }
    if (fault.transient && we_paused_since(*core, paused_before_)) co_return;
    ++attempt_;
    bool again = worth_another(fault, attempt_);
    if (again) again = co_await back_off(core, *node_, attempt_, until_);
    if (again || state_->over()) co_return;
    attempt_ = 0;
    if (fault.error.code == ExitCode::protocol && try_without(fault)) co_return;
    core->remember_dead(*node_, fault);
    co_await give_up(fault);
}

}  // namespace ratectl::store
