// Plays requests in waves: each key once a wave, so that its requests stay in order while all keys go on together.
#include "commands/replay/engine.h"

#include <algorithm>

#include "domain/window.h"
#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::commands::replay {

namespace {

using domain::WriteStatus;
using support::Error;
using support::ExitCode;

/// Said by a server about itself: it holds for every key it has.
bool is_about_server(const Error& error) {
    return error.code == ExitCode::write_refused || error.code == ExitCode::access;
}

Error error_of(const KeyRecord& record, const store::WriteResult& result) {
    if (result.error) return *result.error;
    const std::string why = result.reason.empty() ? std::string(domain::name_of(result.status)) : result.reason;
    return {ExitCode::guard, "key " + support::quoted(record.key) + ": " + why + "; nothing was written to it", {}};
}

std::optional<std::int64_t> number_of(const std::optional<std::string>& stored) {
    return stored ? support::parse_decimal(*stored) : std::nullopt;
}

}  // namespace

Engine::Engine(RequestSource& source, Target& target, const PlayRules& rules, const support::StopSignal& stop,
               Callbacks callbacks)
    : source_(source), target_(target), rules_(rules), stop_(stop), callbacks_(std::move(callbacks)) {}

void Engine::play() {
    while (true) {
        fill();
        if (stop_) abandon_waiting();
        if (order_.empty()) break;
        try {
            wave();
        } catch (const support::Failure&) {
            abandon_waiting();
            throw;
        }
        callbacks_.progress();
    }
    if (source_failure_) std::rethrow_exception(source_failure_);
}

void Engine::fill() {
    while (!ended_ && !stop_ && waiting_requests_ < rules_.pending) {
        // A log that is still being written: play what is here rather than wait for more.
        if (waiting_requests_ > 0 && !source_.ready()) return;
        try {
            auto request = source_.next();
            ended_ = !request;
            if (request) take(*std::move(request));
        } catch (const support::Failure&) {
            source_failure_ = std::current_exception();
            ended_ = true;
        }
    }
}

void Engine::take(Request request) {
    KeyRecord* record = ledger_.find(request.key);
    if (record == nullptr) {
        const Place place = callbacks_.place(request.key);
        KeyRecord fresh;
        fresh.key = std::move(request.key);
        fresh.shard = place.shard;
        fresh.limit = place.limit;
        fresh.most_let_through = place.most_let_through;
        fresh.period = place.period;
        fresh.is_protected = place.is_protected;
        record = &ledger_.add(std::move(fresh));
    }
    ++record->counts.requests;
    if (record->is_protected) {
        if (++record->counts.refused > 1) return;
        report({}, {ExitCode::guard,
                    "key " + support::quoted(record->key) + " is protected by the configuration; it is not counted",
                    {}});
    } else if (!may_begin(*record)) {
        ++record->counts.not_attempted;
    } else {
        enqueue(*record, {request.now, request.logged_at, request.refundable, request.line});
    }
}

void Engine::enqueue(KeyRecord& record, Waiting waiting) {
    auto& queue = waiting_[&record];
    if (queue.empty()) order_.push_back(&record);
    queue.push_back(waiting);
    ++waiting_requests_;
}

void Engine::wave() {
    Turns turns = next_turns();
    if (rules_.enforce) turns = admitted(turns);
    if (!turns.empty()) turns = count(turns);
    if (!turns.empty()) refund(turns);
}

Engine::Turns Engine::next_turns() {
    Turns turns;
    std::vector<KeyRecord*> still_waiting;
    for (KeyRecord* record : order_) {
        auto& queue = waiting_.at(record);
        if (!may_begin(*record)) {
            record->counts.not_attempted += queue.size();
            waiting_requests_ -= queue.size();
            waiting_.erase(record);
            continue;
        }
        turns.push_back({record, queue.front()});
        queue.pop_front();
        --waiting_requests_;
        if (queue.empty()) {
            waiting_.erase(record);
        } else {
            still_waiting.push_back(record);
        }
    }
    order_ = std::move(still_waiting);
    return turns;
}

Engine::Turns Engine::admitted(const Turns& turns) {
    std::vector<domain::KeyAt> keys;
    for (const Turn& turn : turns) keys.push_back({turn.record->key, turn.record->shard});
    Turns admitted;
    for (const auto& answer : target_.look(keys)) {
        const Turn& turn = turns.at(answer.key);
        if (!answer.look) {
            ++turn.record->counts.not_attempted;
            if (!stop_) break_shard(turn.record->shard, answer.node, answer.look.error());
        } else if (domain::judge(*answer.look, turn.request.now, turn.record->limit).exhausted) {
            ++turn.record->counts.rejected;
            mark_over(turn);
        } else {
            admitted.push_back(turn);
        }
    }
    return admitted;
}

Engine::Turns Engine::count(const Turns& turns) {
    std::vector<domain::CountItem> items;
    for (const Turn& turn : turns) {
        const auto& [record, request] = turn;
        items.push_back(
            {{record->key, record->shard}, 1, request.now + record->period.value_or(rules_.period), request.now});
        items.back().limit = record->limit;
    }
    std::vector<store::WriteResult> results;
    try {
        results = target_.count(items);
    } catch (const support::Failure&) {
        for (const Turn& turn : turns) ++turn.record->counts.not_attempted;
        throw;
    }
    Turns due;
    for (std::size_t i = 0; i < turns.size(); ++i) {
        if (results[i].status != WriteStatus::applied) {
            take_uncounted(*turns[i].record, results[i]);
            continue;
        }
        take_counted(turns[i], results[i]);
        if (turns[i].request.refundable) due.push_back(turns[i]);
    }
    return due;
}

void Engine::take_counted(const Turn& turn, const store::WriteResult& result) {
    KeyRecord& record = *turn.record;
    ++record.counts.counted;
    if (const auto reset = number_of(result.after.reset_at)) {
        const auto reset_at = support::from_epoch(*reset);
        if (record.reset_at != reset_at) ++record.counts.windows;
        record.reset_at = reset_at;
    }
    const auto used = number_of(result.after.used);
    if (used && record.most_let_through && *used > *record.most_let_through) mark_over(turn);
}

void Engine::take_uncounted(KeyRecord& record, const store::WriteResult& result) {
    const Error error = error_of(record, result);
    switch (result.status) {
        case WriteStatus::unknown:
            ++record.counts.unknown;
            break_shard(record.shard, result.node, error);
            return;
        case WriteStatus::failed:
            ++record.counts.not_attempted;
            break_shard(record.shard, result.node, error);
            return;
        case WriteStatus::not_attempted: ++record.counts.not_attempted; return;
        default:
            ++record.counts.refused;
            is_about_server(error) ? break_shard(record.shard, result.node, error) : report(result.node, error);
    }
}

void Engine::refund(const Turns& turns) {
    std::vector<domain::RefundItem> items;
    for (const Turn& turn : turns) {
        const KeyRecord& record = *turn.record;
        items.push_back(
            {{record.key, record.shard}, 1, record.reset_at.value_or(support::Instant{}), false, turn.request.now});
    }
    std::vector<store::WriteResult> results;
    try {
        results = target_.refund(items);
    } catch (const support::Failure&) {
        for (const Turn& turn : turns) ++turn.record->counts.refunds_missed;
        throw;
    }
    for (std::size_t i = 0; i < turns.size(); ++i) {
        if (results[i].status == WriteStatus::applied) {
            ++turns[i].record->counts.refunded;
        } else {
            take_unrefunded(*turns[i].record, results[i]);
        }
    }
}

void Engine::take_unrefunded(KeyRecord& record, const store::WriteResult& result) {
    const bool unknown = result.status == WriteStatus::unknown;
    ++(unknown ? record.counts.refunds_unknown : record.counts.refunds_missed);
    if (result.status == WriteStatus::not_attempted) return;
    const Error error = error_of(record, result);
    const bool shard_is_lost = unknown || result.status == WriteStatus::failed || is_about_server(error);
    shard_is_lost ? break_shard(record.shard, result.node, error) : report(result.node, error);
}

void Engine::mark_over(const Turn& turn) {
    KeyRecord& record = *turn.record;
    if (++record.counts.over > 1) return;
    record.first_over_at = turn.request.logged_at;
    record.first_over_line = turn.request.line;
}

void Engine::report(const domain::Node& node, const Error& error) { callbacks_.problem(node, error); }

void Engine::break_shard(std::size_t shard, const domain::Node& node, const Error& error) {
    if (!broken_.insert(shard).second) return;
    failures_.emplace_back(node, error);
    report(node, error);
}

void Engine::abandon_waiting() {
    for (KeyRecord* record : order_) record->counts.not_attempted += waiting_.at(record).size();
    waiting_.clear();
    order_.clear();
    waiting_requests_ = 0;
}

}  // namespace ratectl::commands::replay
