// Asks in rounds: all places at once, and then those keys again that were not where they were looked for.
#include "store/cluster/questions.h"

#include <algorithm>
#include <map>
#include <utility>

#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include "redis/reply_class.h"
#include "store/nodes/conversation.h"
#include "store/tasks.h"

namespace ratectl::store {
namespace {

constexpr std::size_t kKeysPerRequest = 200;
constexpr support::Milliseconds kBetweenRounds{20};

struct KeyedRead {
    std::string name;
    Place place;
    bool asking = false;
    bool done = false;
    std::optional<std::string> value = {};
};

struct KeyedReads {
    std::vector<KeyedRead> keys;
    std::optional<support::Error> error;
};
using Part = std::vector<std::size_t>;

bool is_about_slot(std::string_view refusal) {
    const auto fault = redis::fault_from_reply(refusal, {}, "GET");
    return fault.redirect || fault.of_slot;
}

/// Null: what the server said stands, and is the error.
asio::awaitable<void> take_refusal(std::shared_ptr<Core> core, std::shared_ptr<KeyedReads> reads, std::size_t i,
                                   std::string text, domain::Node node) {
    const auto fault = redis::fault_from_reply(text, where(node), "GET");
    auto& directory = *core->directory;
    const auto was = reads->keys[i].place;
    const bool is_ask = fault.redirect && fault.redirect->kind == redis::Redirect::Kind::ask;
    bool again = !fault.redirect;
    if (fault.redirect) again = co_await directory.redirected(core, was, *fault.redirect);
    auto& key = reads->keys[i];
    key.place = directory.place_of(key.name).value_or(was);
    key.asking = false;
    if (is_ask && again) {
        const auto to = directory.place_to_ask(*fault.redirect);
        again = to.has_value();
        if (to) key.place.shard = *to;
        key.asking = again;
    }
    if (!again && !reads->error) reads->error = fault.error;
}

asio::awaitable<void> read_part(std::shared_ptr<Core> core, std::shared_ptr<KeyedReads> reads, Part part) {
    const auto place = reads->keys[part.front()].place;
    const bool asking = reads->keys[part.front()].asking;
    const auto node = core->directory->primary(place.shard);
    for (std::size_t first = 0; first < part.size() && !core->hurried(); first += kKeysPerRequest) {
        const auto end = std::min(first + kKeysPerRequest, part.size());
        redis::Request request;
        for (std::size_t i = first; i < end; ++i) request.add({"GET", reads->keys[part[i]].name});
        auto reading =
            co_await read_from(core, node, "GET", taking_refusals(std::move(request), asking, &is_about_slot));
        if (!reading) {
            const redis::Redirect silent{redis::Redirect::Kind::silent};
            const bool elsewhere = co_await core->directory->redirected(core, place, silent);
            if (!elsewhere && !reads->error) reads->error = reading.error().error;
            co_return;
        }
        for (std::size_t i = first; i < end; ++i) {
            auto& reply = reading->replies[i - first];
            if (reply.kind == redis::Reply::Kind::status) {
                co_await take_refusal(core, reads, part[i], std::move(reply.text), node);
                continue;
            }
            auto& key = reads->keys[part[i]];
            key.done = true;
            if (reply.is_text()) key.value = std::move(reply.text);
        }
    }
}

asio::awaitable<void> read_all(std::shared_ptr<Core> core, std::shared_ptr<KeyedReads> reads) {
    const auto end = core->exchange_deadline();
    for (int round = 0;; ++round) {
        std::map<std::pair<std::size_t, bool>, Part> parts;
        for (std::size_t i = 0; i < reads->keys.size(); ++i) {
            const auto& key = reads->keys[i];
            if (!key.done) parts[{key.place.shard, key.asking}].push_back(i);
        }
        if (parts.empty() || reads->error || core->hurried()) co_return;
        const auto now = std::chrono::steady_clock::now();
        if (round > 0 && now >= end) {
            reads->error =
                support::Error{support::ExitCode::unavailable,
                               "slots of the Redis Cluster are on their way, or no node has them, and not all records "
                               "could be read",
                               "try again when they have arrived; `ratectl nodes` names those that no node has"};
            co_return;
        }
        if (round > 1) {
            asio::steady_timer timer(core->loop.executor(), now + kBetweenRounds);
            co_await timer.async_wait(asio::use_awaitable);
        }
        for (auto& [place, part] : parts) co_await read_part(core, reads, std::move(part));
    }
}

std::shared_ptr<KeyedReads> reads_of(const Core& core, std::span<const std::string> names) {
    auto reads = std::make_shared<KeyedReads>();
    for (const auto& name : names) reads->keys.push_back({name, core.directory->place_of(name).value_or(Place{})});
    return reads;
}

support::Result<Values> values_of(KeyedReads& reads) {
    if (reads.error) return tl::make_unexpected(*reads.error);
    Values values;
    for (auto& key : reads.keys) values.push_back(std::move(key.value));
    return values;
}

asio::awaitable<support::Result<Values>> read_values(std::shared_ptr<Core> core, std::shared_ptr<KeyedReads> reads) {
    co_await read_all(core, reads);
    if (!reads->error && core->hurried()) reads->error = core->interrupted();
    co_return values_of(*reads);
}

}  // namespace

support::Result<Values> get_keys(const std::shared_ptr<Core>& core, std::span<const std::string> names) {
    const auto reads = reads_of(*core, names);
    Tasks tasks(core);
    tasks.add(read_all, core, reads);
    const bool finished = tasks.finish_or_stop();
    if (!reads->error && (!finished || core->stopping())) return tl::make_unexpected(core->interrupted());
    return values_of(*reads);
}

asio::awaitable<support::Result<Values>> read_keys(std::shared_ptr<Core> core, std::span<const std::string> names) {
    auto reads = reads_of(*core, names);
    return read_values(std::move(core), std::move(reads));
}

}  // namespace ratectl::store
