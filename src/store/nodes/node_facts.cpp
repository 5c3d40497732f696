// Asks every node for INFO, ROLE and DBSIZE, and works out the lag between them.
#include "store/redis_answers.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "domain/diagnosis/staleness.h"
#include "domain/operation.h"
#include "domain/server_commands.h"
#include "redis/reply_class.h"
#include "store/nodes/conversation.h"
#include "store/nodes/freshness.h"
#include "store/nodes/info_text.h"
#include "store/nodes/sources.h"
#include "store/tasks.h"
#include "support/ascii.h"

namespace ratectl::store {
namespace {

using Clock = std::chrono::steady_clock;

/// A report, and when what stands in it was asked for and answered.
struct Asking {
    NodeReport report;
    std::size_t shard = 0;
    std::vector<domain::TriedCommand> tried = {};
    Clock::time_point asked{};
    Clock::time_point answered{};
};
using Askings = std::shared_ptr<std::vector<Asking>>;

constexpr std::size_t kFacts = 4;
// Its prefix is ours, and no key is ever called so: a look at it finds nothing. No server knows a script of that hash.
const std::string kUnusedKey = std::string(domain::kReservedPrefix) + "unused";
constexpr std::string_view kUnknownScript = "0000000000000000000000000000000000000000";

constexpr std::string_view kMistake = "TYPE";  // it needs a key

/// What services forbid, and ratectl does not need: people ask about them all the same.
constexpr std::array<std::string_view, 5> kNotNeeded{"config", "command", "object", "debug", "script"};

using Names = std::vector<std::string_view>;

int generation_of(const redis::ServerFacts& facts) {
    return facts.version ? domain::acl_generation(facts.version) : domain::kAnyGeneration;
}

/// The commands of looks and sweeps, and on a primary those of writes, all of which do nothing as they are tried; and
/// all that is sent at all, and more, with Trials::all.
Names tried_commands(const redis::ServerFacts& facts, Trials trials) {
    const bool all = trials == Trials::all;
    const auto rights = facts.role == domain::Role::replica && !all ? domain::Rights::look : domain::Rights::change;
    const domain::CommandsAround around{all, {}, all && facts.cluster == true};
    Names names;
    // An account that may not SELECT has not come so far.
    for (const auto& command : domain::commands_for(rights, generation_of(facts), around)) {
        if (command.name == "multi" || command.name == "exec" || (command.spared && !all)) continue;
        names.push_back(command.name);
    }
    if (all) names.insert(names.end(), kNotNeeded.begin(), kNotNeeded.end());
    return names;
}

/// Those of limiters that keep something else than texts. They would write, were there no transaction around them.
Names commands_of_types(const redis::ServerFacts& facts) {
    Names names;
    const domain::CommandsAround around{false, {"hash", "list", "zset"}, false};
    for (const auto& command : domain::commands_for(domain::Rights::change, generation_of(facts), around)) {
        if (!command.type.empty()) names.push_back(command.name);
    }
    return names;
}

/// What follows the name, so that the command does nothing even where there are no transactions.
std::vector<std::string_view> harmless_arguments(std::string_view name) {
    constexpr std::array alone{"multi", "exec", "info", "role", "time", "dbsize", "readonly", "asking"};
    if (name == "cluster|getkeysinslot") return {"0", "0"};
    if (name == kMistake || name.starts_with("cluster|") || std::find(alone.begin(), alone.end(), name) != alone.end())
        return {};
    if (name == "scan") return {"0"};
    if (name == "select") return {"no-number"};
    if (name == "object" || name == "debug") return {"help"};
    if (name == "config") return {"get", "maxmemory-policy"};
    if (name == "command") return {"count"};
    if (name == "script") return {"exists", kUnknownScript};
    if (name == "client|setname") return {"ratectl"};
    if (name == "wait") return {"0", "1"};
    if (name == "getrange" || name == "lrange" || name == "zrange") return {kUnusedKey, "0", "0"};
    if (name == "ltrim" || name == "zremrangebyrank") return {kUnusedKey, "0", "0"};
    if (name == "hset" || name == "zadd") return {kUnusedKey, "no-number", "x"};
    if (name == "rpush") return {kUnusedKey, "x"};
    if (name == "hmget" || name == "hdel") return {kUnusedKey, "field"};
    if (name.starts_with("evalsha")) return {kUnknownScript, "1", kUnusedKey};
    if (name.starts_with("eval")) return {"return 1", "1", kUnusedKey};
    if (name == "set") return {kUnusedKey, "", "XX"};  // only where it is there already
    if (name == "incrby" || name == "decrby" || name == "pexpireat") return {kUnusedKey, "no-number"};
    return {kUnusedKey};
}

void try_command(redis::Request& request, std::string_view name) {
    auto words = harmless_arguments(name);
    const std::string sent = support::upper(std::string(name));  // as it is sent otherwise, too
    const std::string_view whole = sent;
    const auto bar = whole.find('|');
    if (bar != std::string_view::npos) words.insert(words.begin(), whole.substr(bar + 1));
    words.insert(words.begin(), whole.substr(0, bar));
    request.add(std::span<const std::string_view>(words));
}

/// Scripts name their operation key among their keys, so that an account without it lacks them; a look may well be kept
/// to other keys than ours. Where all commands are asked about, it is for themselves and not for any key.
domain::Trial outcome_of(const redis::Reply& reply, std::string_view name, Trials trials) {
    if (!reply.is_error()) return domain::Trial::allowed;
    const auto kind = redis::classify_error(reply.text);
    if (kind == redis::ReplyClass::unknown_command) return domain::Trial::unknown;
    const bool is_about_keys = reply.text.find("access") != std::string::npos;
    const bool counts = !is_about_keys || (trials == Trials::needed && name.starts_with("eval"));
    const bool is_denial = kind == redis::ReplyClass::no_permission && counts;
    return is_denial ? domain::Trial::forbidden : domain::Trial::allowed;
}

/// In a transaction that begins with a mistake, so that nothing in it is ever carried out.
void add_trial(redis::Request& request, const Names& names) {
    if (names.empty()) return;
    try_command(request, "multi");
    try_command(request, kMistake);
    for (const auto name : names) try_command(request, name);
    try_command(request, "exec");
}

/// What came of it, behind what is known already. True: there is such a thing as a transaction.
bool take_trial(std::span<const redis::Reply> replies, const Names& names, Trials trials,
                std::vector<domain::TriedCommand>& tried) {
    if (replies.size() != names.size() + 3) return false;
    const auto took = [&](std::string_view name, const redis::Reply& reply) {
        tried.push_back({std::string(name), outcome_of(reply, name, trials)});
        return tried.back().outcome == domain::Trial::allowed;
    };
    const bool begun = took("multi", replies[0]);
    const bool ended = took("exec", replies.back());
    for (std::size_t i = 0; i < names.size(); ++i) took(names[i], replies[2 + i]);
    return begun && ended;
}

/// Scripts are all that is sent through a proxy, and none of these does anything.
asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> ask_proxy(redis::Channel& channel,
                                                                     support::Deadline deadline, Trials trials,
                                                                     std::vector<domain::TriedCommand>& tried) {
    tried.clear();
    if (trials != Trials::all) co_return std::vector<redis::Reply>(kFacts);  // it answers for no server
    redis::Request request;
    const Names sent{"evalsha", "eval"};
    for (const auto name : sent) try_command(request, name);
    const auto replies = co_await channel.exchange(request, deadline);
    if (!replies) co_return redis::fault(replies.error());
    for (const auto name : tried_commands(channel.facts(), trials)) {
        const auto at = std::ranges::find(sent, name);
        const bool is_sent = at != sent.end();
        const auto outcome = is_sent ? outcome_of((*replies)[static_cast<std::size_t>(at - sent.begin())], name, trials)
                                     : domain::Trial::not_sent;
        tried.push_back({std::string(name), outcome});
    }
    co_return std::vector<redis::Reply>(kFacts);
}

/// What came of them, behind what is known already; not sent where nothing keeps them from being carried out.
asio::awaitable<redis::Outcome<void>> try_commands_of_types(redis::Channel& channel, support::Deadline deadline,
                                                            bool guarded, std::vector<domain::TriedCommand>& tried) {
    const auto names = commands_of_types(channel.facts());
    if (!guarded) {
        for (const auto name : names) tried.push_back({std::string(name), domain::Trial::not_sent});
        co_return redis::Outcome<void>{};
    }
    redis::Request request;
    add_trial(request, names);
    const auto replies = co_await channel.exchange(request, deadline);
    if (!replies) co_return redis::fault(replies.error());
    std::vector<domain::TriedCommand> of_types;
    take_trial(*replies, names, Trials::all, of_types);
    std::copy(of_types.begin() + 2, of_types.end(), std::back_inserter(tried));
    co_return redis::Outcome<void>{};
}

/// INFO, ROLE, DBSIZE, CLUSTER INFO (nothing where there is none); and what came of the commands that are tried.
asio::awaitable<redis::Outcome<std::vector<redis::Reply>>> ask_facts(redis::Channel& channel,
                                                                     support::Deadline deadline, Trials trials,
                                                                     std::vector<domain::TriedCommand>& tried) {
    if (channel.facts().proxied) co_return co_await ask_proxy(channel, deadline, trials, tried);
    redis::Request request;
    request.add({"INFO"});
    request.add({"ROLE"});
    request.add({"DBSIZE"});
    const bool is_of_cluster = channel.facts().cluster == true;
    if (is_of_cluster) request.add({"CLUSTER", "INFO"});
    const auto names = trials == Trials::none ? Names{} : tried_commands(channel.facts(), trials);
    add_trial(request, names);
    auto replies = co_await channel.exchange(request, deadline);
    if (!replies) co_return replies;
    tried.clear();
    if (!is_of_cluster) replies->insert(replies->begin() + kFacts - 1, redis::Reply{});
    const bool guarded = take_trial(std::span(*replies).subspan(kFacts), names, trials, tried);
    if (trials == Trials::all) {
        const auto taken = co_await try_commands_of_types(channel, deadline, guarded, tried);
        if (!taken) co_return redis::fault(taken.error());
    }
    // What this user may not ask, or this server does not know, stays unknown; it is not a failure.
    replies->resize(kFacts);
    for (auto& reply : *replies) {
        if (reply.is_error()) reply = {};
    }
    co_return replies;
}

domain::NodeFacts facts_from(const Reading& reading) {
    domain::NodeFacts facts;
    facts.version = reading.facts.version;
    facts.role = reading.facts.role;
    facts.link_up = reading.facts.link_up;
    facts.clock_skew = reading.facts.clock_skew;
    facts.round_trip = reading.facts.round_trip;
    if (reading.replies[0].is_text()) add_info_facts(InfoText(reading.replies[0].text), facts);
    if (reading.facts.proxied) facts.product = "proxy";
    if (!facts.run_id) facts.run_id = reading.facts.run_id;
    if (!facts.cluster_enabled) facts.cluster_enabled = reading.facts.cluster;
    add_role_facts(parse_role(reading.replies[1]), facts);
    if (reading.replies[2].kind == redis::Reply::Kind::integer) facts.keys = reading.replies[2].integer;
    if (const auto state = InfoText(reading.replies[3].text).text("cluster_state")) facts.cluster_up = *state == "ok";
    return facts;
}

/// Of a server that does not tell its version, and is one from before that command.
bool may_be_older(const domain::TriedCommand& one, const redis::ServerFacts& facts,
                  const std::vector<domain::TriedCommand>& tried) {
    if (facts.version || one.name != "pexpiretime" || one.outcome != domain::Trial::unknown) return false;
    const auto also = std::ranges::find(tried, "eval_ro", &domain::TriedCommand::name);
    return also != tried.end() && also->outcome == domain::Trial::unknown;
}

/// Where a server has no scripts that only look (Dragonfly, whatever version it says to be), the others do.
bool has_stand_in(const domain::TriedCommand& one, const std::vector<domain::TriedCommand>& tried) {
    constexpr std::string_view suffix = "_ro";
    if (one.outcome != domain::Trial::unknown || !one.name.ends_with(suffix)) return false;
    const auto whole = one.name.substr(0, one.name.size() - suffix.size());
    const auto found = std::ranges::find(tried, whole, &domain::TriedCommand::name);
    return found != tried.end() && found->outcome == domain::Trial::allowed;
}

asio::awaitable<void> report_node(std::shared_ptr<Core> core, Askings askings, std::size_t i, Trials trials) {
    const auto ask = [trials, askings, i](redis::Channel& channel, support::Deadline deadline) {
        (*askings)[i].asked = Clock::now();
        return ask_facts(channel, deadline, trials, (*askings)[i].tried);
    };
    auto reading = co_await read_from(core, (*askings)[i].report.node, "INFO", ask);
    Asking& asking = (*askings)[i];
    asking.answered = Clock::now();
    if (!reading) {
        asking.report.facts = tl::make_unexpected(reading.error().error);
        co_return;
    }
    asking.report.facts = facts_from(*reading);
    if (trials == Trials::all) asking.report.facts->tried = std::move(asking.tried);
    if (trials != Trials::needed) co_return;
    for (const auto& one : asking.tried) {
        const bool lacks = one.outcome != domain::Trial::allowed && !has_stand_in(one, asking.tried) &&
                           !may_be_older(one, reading->facts, asking.tried);
        if (lacks) asking.report.facts->denied.push_back(one.name);
    }
}

// Only against the primary of the same shard, only where both named an offset, and never between two histories.
void add_lags(std::vector<Asking>& askings) {
    const Asking* primary = nullptr;
    for (auto& asking : askings) {
        auto& facts = asking.report.facts;
        if (asking.report.node.role == domain::Role::primary) {
            primary = &asking;
        } else if (primary != nullptr && primary->report.facts && facts) {
            const auto& ahead = *primary->report.facts;
            // The two were not read at the same moment, so a replica may seem ahead.
            if (ahead.offset && facts->offset && !domain::follows_another_history(ahead, *facts))
                facts->lag_bytes = std::max<std::int64_t>(0, *ahead.offset - *facts->offset);
            if (domain::standing_of(ahead, *facts).kind != domain::ReplicaStanding::Kind::has_all) continue;
            const auto behind = std::max(asking.answered - primary->asked, Clock::duration::zero());
            facts->behind = std::chrono::ceil<support::Milliseconds>(behind);
        }
    }
}

/// Only now is it known which signal ended the wait.
void fail_unanswered(const Core& core, std::vector<Asking>& askings) {
    for (auto& asking : askings) {
        if (asking.answered == Clock::time_point{}) asking.report.facts = tl::make_unexpected(core.interrupted());
    }
}

/// A replica that has not all is asked until it has, or has had its time.
asio::awaitable<void> show_node(std::shared_ptr<Core> core, Askings askings, std::size_t i) {
    const auto word = co_await ask_primary(core, (*askings)[i].shard);
    auto shown = co_await show_replica(core, (*askings)[i].report.node, word, *core->options.max_staleness);
    auto& facts = *(*askings)[i].report.facts;
    facts.behind.reset();
    if (shown.from) {
        facts.behind = std::chrono::ceil<support::Milliseconds>(Clock::now() - *shown.from);
    } else {
        facts.stale_because = shown.fault ? shown.fault->error.message : std::move(shown.doubt);
    }
}

/// With --max-staleness.
void show_replicas(const std::shared_ptr<Core>& core, const Askings& askings) {
    const auto most = core->options.max_staleness;
    Tasks tasks(core);
    for (std::size_t i = 0; most && i < askings->size(); ++i) {
        const auto& report = (*askings)[i].report;
        if (report.node.role != domain::Role::replica || !report.facts) continue;
        if (!report.facts->behind || *report.facts->behind > *most) tasks.add(show_node, core, askings, i);
    }
    tasks.finish_or_stop();
}

}  // namespace

std::vector<NodeReport> report_nodes(const std::shared_ptr<Core>& core, std::span<const std::size_t> shards,
                                     Trials trials) {
    find_nodes(core, shards, true);
    auto askings = std::make_shared<std::vector<Asking>>();
    for (std::size_t shard = 0; shard < core->directory->places().size(); ++shard) {
        if (!shards.empty() && std::find(shards.begin(), shards.end(), shard) == shards.end()) continue;
        for (const auto& node : core->directory->nodes(shard))
            askings->push_back({{node, tl::make_unexpected(support::Error{})}, shard});
    }
    if (shards.empty()) {
        for (const auto& node : core->directory->strays())
            askings->push_back({{node, tl::make_unexpected(support::Error{})}});
    }
    Tasks tasks(core);
    for (std::size_t i = 0; i < askings->size(); ++i) tasks.add(report_node, core, askings, i, trials);
    tasks.finish_or_stop();
    fail_unanswered(*core, *askings);
    add_lags(*askings);
    show_replicas(core, askings);
    // Copies: a task that a wait left behind may still write into its own.
    std::vector<NodeReport> reports;
    for (const auto& each : *askings) reports.push_back(each.report);
    return reports;
}

}  // namespace ratectl::store
