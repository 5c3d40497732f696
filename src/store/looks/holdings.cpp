// Asks for types and times to live of many keys at once, then for what keys of such types hold, then the same of the
// keys beside them.
#include "store/redis_answers.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_set>
#include <utility>

#include "redis/reply_class.h"
#include "redis/server_facts.h"
#include "sharding/cluster_slots.h"
#include "store/cursor_guard.h"
#include "store/nodes/conversation.h"
#include "store/nodes/sources.h"
#include "store/tasks.h"

namespace ratectl::store {
namespace {

using domain::HeldKey;
using support::ExitCode;
using HeldReplies = redis::Outcome<std::vector<redis::Reply>>;

constexpr std::size_t kHeldPerRequest = 100;
constexpr std::size_t kNamesPerPage = 500;
constexpr std::string_view kHidden = "hidden";

/// What the account may not touch is marked, and what is of another type by now is left out; other errors stay.
void settle_errors(std::vector<redis::Reply>& replies) {
    for (auto& reply : replies) {
        if (!reply.is_error()) continue;
        const auto kind = redis::classify_error(reply.text);
        const bool is_about_key =
            kind == redis::ReplyClass::no_permission && reply.text.find("access") != std::string::npos;
        if (!is_about_key && kind != redis::ReplyClass::wrong_type) continue;
        reply = {};
        if (!is_about_key) continue;
        reply.kind = redis::Reply::Kind::status;
        reply.text = kHidden;
    }
}

Talk reading_held(redis::Request request) {
    return [request = std::move(request)](redis::Channel& channel,
                                          support::Deadline deadline) -> asio::awaitable<HeldReplies> {
        auto replies = co_await channel.exchange(request, deadline);
        if (replies) settle_errors(*replies);
        co_return replies;
    };
}

std::int64_t count_in(const redis::Reply& reply) {
    return reply.kind == redis::Reply::Kind::integer ? reply.integer : 0;
}

// ---- what a key of each type is asked for, one command or two

void ask_value(redis::Request& request, const HeldKey& key, std::size_t elements) {
    static const std::string last_byte = std::to_string(domain::kMostHeldBytes - 1);
    const std::string last_element = std::to_string(elements - 1);
    switch (key.type) {
        case HeldKey::Type::string:
            request.add({"GETRANGE", key.name, "0", last_byte});
            request.add({"EXISTS", key.name});
            break;
        case HeldKey::Type::list:
            request.add({"LRANGE", key.name, "0", last_element});
            request.add({"LLEN", key.name});
            break;
        case HeldKey::Type::zset:
            request.add({"ZRANGE", key.name, "0", last_element, "WITHSCORES"});
            request.add({"ZCARD", key.name});
            break;
        case HeldKey::Type::set: {
            // All of a small one; of a large one some, at no more cost.
            const std::string most = std::to_string(elements);
            request.add({"SRANDMEMBER", key.name, most});
            request.add({"SCARD", key.name});
            break;
        }
        case HeldKey::Type::hash: {
            std::vector<std::string_view> words{"HMGET", key.name};
            words.insert(words.end(), domain::held_fields().begin(), domain::held_fields().end());
            request.add(std::span<const std::string_view>(words));
            request.add({"HLEN", key.name});
            break;
        }
        default: break;
    }
}

std::size_t value_replies(const HeldKey& key) {
    redis::Request request;
    ask_value(request, key, domain::kMostHeldElements);
    return request.commands();
}

void take_elements(HeldKey& key, std::vector<redis::Reply>& found) {
    const auto fields = domain::held_fields();
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!found[i].is_text()) continue;
        if (key.type == HeldKey::Type::list || key.type == HeldKey::Type::set) {
            key.elements.emplace_back(std::move(found[i].text), std::string());
        } else if (key.type == HeldKey::Type::hash && i < fields.size()) {
            key.elements.emplace_back(fields[i], std::move(found[i].text));
        } else if (key.type == HeldKey::Type::zset && i % 2 == 0 && i + 1 < found.size()) {
            key.elements.emplace_back(std::move(found[i].text), std::move(found[i + 1].text));
        }
    }
}

// It may have gone since its type was read: nothing is stored empty but a string.
void take_value(HeldKey& key, std::span<redis::Reply> replies) {
    const bool counted = replies.size() == 2 && replies[1].kind == redis::Reply::Kind::integer;
    if (counted && replies[1].integer == 0) {
        key.type = HeldKey::Type::none;
        key.ttl_ms.reset();
    } else if (key.type == HeldKey::Type::string) {
        if (replies[0].is_text()) key.value = std::move(replies[0].text);
    } else if (replies.size() == 2) {
        take_elements(key, replies[0].elements);
        key.length = count_in(replies[1]);
    }
}

// ---- one node

/// Who answered, and when it was by its clock.
struct Reader {
    std::shared_ptr<Core> core;
    domain::Node node;
    std::size_t elements = domain::kMostHeldElements;  // to read of a list or a sorted set
    redis::ServerFacts facts = {};
    std::int64_t now_ms = 0;
    bool stale = false;
};

using HeldDone = redis::Outcome<void>;

/// Type and time to live of each of these names.
asio::awaitable<HeldDone> read_types(Reader& reader, std::span<HeldKey> keys) {
    redis::Request request;
    request.add({"TIME"});
    for (const auto& key : keys) {
        request.add({"TYPE", key.name});
        request.add({"PTTL", key.name});
    }
    auto reading = co_await read_from(reader.core, reader.node, "TYPE", reading_held(std::move(request)));
    if (!reading) co_return redis::fault(std::move(reading.error()));
    reader.facts = reading->facts;
    reader.stale = reading->stale();
    const auto now = redis::parse_time(reading->replies[0]).value_or(reading->read_at);
    reader.now_ms = now.time_since_epoch().count();
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto& type = reading->replies[1 + 2 * i];
        const auto& ttl = reading->replies[2 + 2 * i];
        keys[i].hidden = type.text == kHidden;
        if (keys[i].hidden || type.kind != redis::Reply::Kind::status) continue;
        keys[i].type = domain::held_type_from(type.text);
        if (count_in(ttl) == domain::kAbsent) keys[i].type = HeldKey::Type::none;
        if (ttl.kind == redis::Reply::Kind::integer && ttl.integer >= 0) keys[i].ttl_ms = ttl.integer;
    }
    co_return HeldDone();
}

asio::awaitable<HeldDone> read_values(Reader& reader, std::span<HeldKey> keys) {
    redis::Request request;
    for (const auto& key : keys) ask_value(request, key, reader.elements);
    if (request.empty()) co_return HeldDone();
    auto reading = co_await read_from(reader.core, reader.node, "GETRANGE", reading_held(std::move(request)));
    if (!reading) co_return redis::fault(std::move(reading.error()));
    std::span<redis::Reply> replies(reading->replies);
    for (auto& key : keys) {
        const auto mine = std::min(value_replies(key), replies.size());
        if (mine == 0) continue;
        take_value(key, replies.first(mine));
        replies = replies.subspan(mine);
    }
    co_return HeldDone();
}

asio::awaitable<HeldDone> read_keys(Reader& reader, std::span<HeldKey> keys) {
    auto done = co_await read_types(reader, keys);
    if (done) done = co_await read_values(reader, keys);
    co_return done;
}

/// The keys beside them, as they stood when the keys themselves were read: what has passed since is given back.
asio::awaitable<HeldDone> read_beside(Reader& reader, std::span<domain::Holding> holdings) {
    std::vector<HeldKey> beside;
    std::vector<std::size_t> owners;
    for (std::size_t i = 0; i < holdings.size(); ++i) {
        if (holdings[i].key.hidden) continue;
        for (auto& name : domain::keys_beside(holdings[i].key.name, holdings[i].key.type)) {
            // What is in another slot may be at another node, and belongs to nothing here.
            const bool by_slot = reader.core->directory->has_slots();
            if (by_slot && sharding::cluster_slot(name) != sharding::cluster_slot(holdings[i].key.name)) continue;
            beside.emplace_back().name = std::move(name);
            owners.push_back(i);
        }
    }
    for (std::size_t first = 0; first < beside.size(); first += kHeldPerRequest) {
        const auto part = std::span(beside).subspan(first, std::min(kHeldPerRequest, beside.size() - first));
        auto done = co_await read_keys(reader, part);
        if (!done) co_return done;
        for (auto& key : part) {
            if (key.ttl_ms) *key.ttl_ms += reader.now_ms - holdings[owners[first]].now_ms;
        }
    }
    for (std::size_t i = 0; i < beside.size(); ++i) {
        if (beside[i].is_there()) holdings[owners[i]].beside.push_back(std::move(beside[i]));
    }
    co_return HeldDone();
}

asio::awaitable<HeldDone> read_holdings(Reader& reader, std::span<domain::Holding> holdings) {
    std::vector<HeldKey> keys;
    keys.reserve(holdings.size());
    for (const auto& holding : holdings) keys.push_back(holding.key);
    auto done = co_await read_keys(reader, keys);
    if (!done) co_return done;
    for (std::size_t i = 0; i < holdings.size(); ++i) {
        holdings[i].key = std::move(keys[i]);
        holdings[i].now_ms = reader.now_ms;
    }
    co_return co_await read_beside(reader, holdings);
}

// ---- one shard

/// The node to read; any but `all`.
asio::awaitable<Choice> choose_node_for(std::shared_ptr<Core> core, std::size_t shard, domain::ReadFrom from) {
    if (from.which == domain::ReadFrom::Which::replica) {
        auto choice = co_await choose_replica(core, shard, from.strictly);
        co_return choice;
    }
    const auto nodes = named_nodes(*core, shard, from);
    Choice choice;
    if (nodes.empty()) {
        choice.failures.push_back({core->directory->primary(shard), no_such_node(*core, shard, from)});
    } else {
        choice.source = Source{nodes.front()};
    }
    co_return choice;
}

struct Holdings {
    std::vector<KeyAt> keys;
    domain::ReadFrom from;
    std::size_t elements = domain::kMostHeldElements;
    std::vector<std::optional<HoldingAnswer>> answers;  // by key
    std::vector<NodeFailure> failures;

    void fail(std::span<const std::size_t> which, const domain::Node& node, const support::Error& error) {
        for (const auto key : which) answers[key] = HoldingAnswer{key, node, tl::make_unexpected(error)};
    }
};

asio::awaitable<void> hold_on_shard(std::shared_ptr<Core> core, std::shared_ptr<Holdings> all, std::size_t shard) {
    std::vector<std::size_t> mine;
    for (std::size_t i = 0; i < all->keys.size(); ++i) {
        if (all->keys[i].place.shard == shard) mine.push_back(i);
    }
    auto choice = co_await choose_node_for(core, shard, all->from);
    if (!choice.source) co_return all->fail(mine, choice.failures.front().node, choice.failures.front().error);
    std::ranges::move(choice.failures, std::back_inserter(all->failures));
    Reader reader{core, choice.source->node, all->elements};
    for (std::size_t first = 0; first < mine.size() && !core->stopping(); first += kHeldPerRequest) {
        const auto part = std::span(mine).subspan(first, std::min(kHeldPerRequest, mine.size() - first));
        std::vector<domain::Holding> holdings(part.size());
        for (std::size_t i = 0; i < part.size(); ++i) holdings[i].key.name = all->keys[part[i]].key;
        auto done = co_await read_holdings(reader, holdings);
        if (!done && all->from.which == domain::ReadFrom::Which::primary) {
            const bool moved = co_await has_successor(core, shard, reader.node, done.error());
            if (moved) {
                reader.node = core->directory->primary(shard);
                done = co_await read_holdings(reader, holdings);
            }
        }
        if (!done) co_return all->fail(std::span(mine).subspan(first), reader.node, done.error().error);
        if (first == 0) note_lost_primary(*core, reader.node, reader.facts, all->from);
        const auto node = as_it_said(reader.node, reader.facts);
        for (std::size_t i = 0; i < part.size(); ++i) {
            all->answers[part[i]] =
                HoldingAnswer{part[i], node, std::move(holdings[i]), reader.stale || choice.source->stale};
        }
    }
}

// ---- names

asio::awaitable<void> sample_shard(std::shared_ptr<Core> core, std::shared_ptr<std::vector<NameSample>> all,
                                   std::size_t index, domain::ReadFrom from, std::size_t most) {
    const auto choice = co_await choose_node_for(core, (*all)[index].shard, from);
    if (!choice.failures.empty()) (*all)[index].failure = choice.failures.front();
    if (!choice.source) co_return;
    const auto node = choice.source->node;
    const auto fail = [&](support::Error error) { (*all)[index].failure = NodeFailure{node, std::move(error)}; };
    std::unordered_set<std::string> seen;
    CursorGuard guard;
    std::string cursor = "0";
    do {
        redis::Request request;
        request.add({"SCAN", cursor, "COUNT", std::to_string(std::min(most, kNamesPerPage))});
        auto page = co_await read_from(core, node, "SCAN", reading_held(std::move(request)));
        if (!page) co_return fail(page.error().error);
        auto& parts = page->replies.front().elements;
        if (parts.size() != 2 || !parts[0].is_text() || !parts[1].is_array())
            co_return fail({ExitCode::protocol, where(node) + ": unexpected reply to SCAN", ""});
        cursor = std::move(parts[0].text);
        if (const auto why = guard.passes(cursor, kNamesPerPage)) co_return fail(endless_scan(where(node), *why).error);
        auto& names = (*all)[index].names;
        for (auto& key : parts[1].elements) {
            if (names.size() < most && key.is_text() && seen.insert(key.text).second)
                names.push_back(std::move(key.text));
        }
    } while (cursor != "0" && (*all)[index].names.size() < most && !core->stopping());
}

std::vector<std::size_t> shards_of_keys(std::span<const KeyAt> keys) {
    std::set<std::size_t> shards;
    for (const auto& key : keys) shards.insert(key.place.shard);
    return {shards.begin(), shards.end()};
}

bool reads_replicas(const domain::ReadFrom& from) { return from.which != domain::ReadFrom::Which::primary; }

}  // namespace

Backend::Holdings hold_keys(const std::shared_ptr<Core>& core, const HoldingQuestion& question) {
    const auto shards = shards_of_keys(question.keys);
    if (shards.empty()) return {};
    find_nodes(core, shards, reads_replicas(question.from));
    const auto all = std::make_shared<Holdings>();
    all->keys.assign(question.keys.begin(), question.keys.end());
    all->from = question.from;
    all->elements = question.elements;
    all->answers.resize(all->keys.size());
    Tasks tasks(core);
    for (const auto shard : shards) tasks.add(hold_on_shard, core, all, shard);
    tasks.finish_or_stop();
    // Copies: a task that a stop signal left behind may still write into its own.
    Backend::Holdings result{{}, all->failures};
    result.answers.reserve(all->answers.size());
    for (std::size_t i = 0; i < all->answers.size(); ++i) {
        const auto& primary = core->directory->primary(all->keys[i].place.shard);
        result.answers.push_back(all->answers[i].value_or(
            HoldingAnswer{i, primary, tl::make_unexpected(core->stopping() ? core->interrupted() : support::Error{})}));
    }
    return result;
}

std::vector<NameSample> sample_names(const std::shared_ptr<Core>& core, std::span<const std::size_t> shards,
                                     const domain::ReadFrom& from, std::size_t most) {
    find_nodes(core, shards, reads_replicas(from));
    const auto all = std::make_shared<std::vector<NameSample>>();
    for (std::size_t shard = 0; shard < core->directory->places().size(); ++shard) {
        if (shards.empty() || std::ranges::find(shards, shard) != shards.end()) all->push_back({shard, {}, {}});
    }
    Tasks tasks(core);
    for (std::size_t i = 0; i < all->size(); ++i) tasks.add(sample_shard, core, all, i, from, most);
    tasks.finish_or_stop();
    return *all;
}

}  // namespace ratectl::store
