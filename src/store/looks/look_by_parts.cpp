// The commands of a full look without the transaction around them, and their replies put together as it would have.
#include "store/looks/look_by_parts.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "redis/reply_class.h"
#include "store/nodes/conversation.h"

namespace ratectl::store {
namespace {

using Words = std::vector<std::string>;

struct PartedWindow {
    std::shared_ptr<Core> core;
    std::string key;
    Place home;
    std::optional<domain::Node> replica;
    redis::ServerFacts facts;
    std::vector<Words> commands = {};
};

std::vector<Words> commands_of(const PartedWindow& window) {
    redis::Request whole;
    window.core->scheme->ask_looks(whole, {&window.key, 1}, domain::LookDepth::full, window.facts);
    std::vector<Words> commands;
    for (auto bytes = whole.bytes(); !bytes.empty();) {
        const auto words = redis::take_command(bytes);
        if (words.front() != "MULTI" && words.front() != "EXEC") commands.emplace_back(words.begin(), words.end());
    }
    return commands;
}

bool is_elsewhere_or_of_other_type(std::string_view refusal) {
    return redis::classify_error(refusal) == redis::ReplyClass::wrong_type ||
           redis::is_ask(redis::fault_from_reply(refusal, {}, "TYPE"));
}

bool is_ask(const redis::Reply& reply) {
    return reply.kind == redis::Reply::Kind::status && reply.text.starts_with("ASK ");
}

bool is_seen(const Words& command, const redis::Reply& reply) {
    return command.front() == "TYPE" && reply.text != "none";
}

std::optional<domain::WindowLook> decode_parts(const PartedWindow& window, std::vector<redis::Reply> replies) {
    const auto& scheme = window.core->scheme->of(window.key);
    const std::span keys(&window.key, 1);
    std::vector<redis::Reply> executed(scheme.look_replies(keys, domain::LookDepth::full, window.facts));
    executed.back().kind = redis::Reply::Kind::array;
    executed.back().elements = std::move(replies);
    std::array<domain::WindowLook, 1> looks;
    if (!scheme.decode_looks(keys, executed, domain::LookDepth::full, window.facts, std::span(looks)))
        return std::nullopt;
    looks.front().key = window.key;
    return std::move(looks.front());
}

/// The second half: what is not `here`, which says by these words where it may be.
asio::awaitable<std::optional<LookByParts>> look_where_sent(PartedWindow& window, std::vector<redis::Reply> here,
                                                            redis::Redirect ask) {
    auto& directory = *window.core->directory;
    const bool known = co_await directory.redirected(window.core, window.home, ask);
    const auto to = known ? directory.place_to_ask(ask) : std::nullopt;
    if (!to) co_return std::nullopt;
    std::vector<std::size_t> gone;
    redis::Request request;
    bool stays = false;
    for (std::size_t i = 0; i < here.size(); ++i) {
        stays = stays || (!is_ask(here[i]) && is_seen(window.commands[i], here[i]));
        if (!is_ask(here[i])) continue;
        gone.push_back(i);
        request.add(std::span<const std::string>(window.commands[i]));
    }
    const auto node = window.replica.value_or(directory.primary(*to));
    auto there = co_await read_from(window.core, node, "TYPE",
                                    taking_refusals(std::move(request), true, &is_elsewhere_or_of_other_type));
    if (!there || there->replies.size() != gone.size()) co_return std::nullopt;
    for (std::size_t i = 0; i < gone.size(); ++i) {
        if (stays && is_seen(window.commands[gone[i]], there->replies[i])) co_return std::nullopt;
        here[gone[i]] = std::move(there->replies[i]);
    }
    auto look = decode_parts(window, std::move(here));
    if (!look) co_return std::nullopt;
    co_return LookByParts{*std::move(look), stays ? window.home.shard : *to};
}

asio::awaitable<std::optional<LookByParts>> look_once_by_parts(PartedWindow& window) {
    const auto home = window.core->directory->primary(window.home.shard);
    redis::Request request;
    for (const auto& command : window.commands) request.add(std::span<const std::string>(command));
    auto here = co_await read_from(window.core, home, "TYPE",
                                   taking_refusals(std::move(request), false, &is_elsewhere_or_of_other_type));
    if (!here || here->replies.size() != window.commands.size()) co_return std::nullopt;
    const auto ask = std::ranges::find_if(here->replies, is_ask);
    // All of it is here, and may be asked for here.
    if (ask == here->replies.end()) co_return std::nullopt;
    auto redirect = redis::fault_from_reply(ask->text, home.name(), "TYPE").redirect;
    if (!redirect) co_return std::nullopt;
    co_return co_await look_where_sent(window, std::move(here->replies), *std::move(redirect));
}

/// Expiries are not compared: where Redis tells no moments, what is left of them grows less.
bool is_same_part(const domain::StoredKey& a, const domain::StoredKey& b) {
    return a.type == b.type && a.value == b.value;
}

asio::awaitable<std::optional<LookByParts>> look_twice_by_parts(PartedWindow window) {
    const auto first = co_await look_once_by_parts(window);
    if (!first) co_return std::nullopt;
    auto second = co_await look_once_by_parts(window);
    if (!second || second->shard != first->shard) co_return std::nullopt;
    if (!std::ranges::equal(first->look.parts, second->look.parts, is_same_part)) co_return std::nullopt;
    co_return second;
}

}  // namespace

asio::awaitable<std::optional<LookByParts>> look_by_parts(std::shared_ptr<Core> core, std::string key, Place home,
                                                          std::optional<domain::Node> replica,
                                                          redis::ServerFacts facts) {
    PartedWindow window{std::move(core), std::move(key), home, std::move(replica), std::move(facts)};
    window.commands = commands_of(window);
    return look_twice_by_parts(std::move(window));
}

}  // namespace ratectl::store
