// Greets a server with AUTH, SELECT, INFO, ROLE, TIME and CLIENT SETNAME in one write, and works out what the answers
// mean together.
#include "redis/greeting.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "redis/proxy.h"
#include "redis/reply_class.h"

namespace ratectl::redis {
namespace {

using support::ExitCode;

// The commands of a greeting, in the order in which they are sent.
enum class Step { auth, select, readonly, info, role, time, name, ping };

// How CLIENT LIST shows these connections.
constexpr std::string_view kOurName = "ratectl";

std::vector<Step> steps_of(const domain::Endpoint& endpoint, Peer wanted) {
    std::vector<Step> steps;
    if (endpoint.credentials.password) steps.push_back(Step::auth);
    if (wanted == Peer::proxy) {
        steps.push_back(Step::ping);
        return steps;
    }
    if (endpoint.db != 0) steps.push_back(Step::select);
    if (wanted == Peer::cluster_replica) steps.push_back(Step::readonly);
    for (const Step step : {Step::info, Step::role, Step::time, Step::name}) steps.push_back(step);
    return steps;
}

std::string_view name_of(Step step) {
    switch (step) {
        case Step::auth: return "AUTH";
        case Step::select: return "SELECT";
        case Step::readonly: return "READONLY";
        case Step::info: return "INFO";
        case Step::role: return "ROLE";
        case Step::time: return "TIME";
        case Step::name: return "CLIENT";
        case Step::ping: return "PING";
    }
    return "";
}

// The field of an INFO text, without its line end.
std::optional<std::string_view> info_field(std::string_view info, std::string_view name) {
    while (!info.empty()) {
        const std::size_t end = info.find('\n');
        std::string_view line = info.substr(0, end);
        info = end == std::string_view::npos ? std::string_view() : info.substr(end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ':') {
            return line.substr(name.size() + 1);
        }
    }
    return std::nullopt;
}

void read_info(const Reply& reply, ServerFacts& facts) {
    if (!reply.is_text()) return;
    if (const auto valkey = info_field(reply.text, "valkey_version")) {
        facts.version = domain::parse_server_version(*valkey);
        if (facts.version) facts.version->valkey = true;
    } else if (const auto version = info_field(reply.text, "redis_version")) {
        facts.version = domain::parse_server_version(*version);
    }
    if (const auto run_id = info_field(reply.text, "run_id")) facts.run_id = std::string(*run_id);
    if (const auto mode = info_field(reply.text, "redis_mode")) {
        facts.cluster = *mode == "cluster";
        facts.is_sentinel = *mode == "sentinel";
    }
}

void read_role(const Reply& reply, ServerFacts& facts) {
    if (!reply.is_array() || reply.elements.empty()) return;
    const std::string& word = reply.elements.front().text;
    if (word == "master") facts.role = domain::Role::primary;
    if (word != "slave" && word != "replica") return;
    facts.role = domain::Role::replica;
    if (reply.elements.size() <= 3) return;
    facts.link_up = reply.elements[3].text == "connected";
    const std::int64_t port = reply.elements[2].integer;
    if (reply.elements[1].text.empty() || port <= 0 || port > UINT16_MAX) return;
    domain::Endpoint followed;
    followed.host = reply.elements[1].text;
    followed.port = static_cast<std::uint16_t>(port);
    facts.primary_address = followed.address();
}

void read_time(const Reply& reply, const GreetingTimes& times, ServerFacts& facts) {
    const auto server = parse_time(reply);
    if (!server) return;
    if (times.asked) facts.clock = read_clock(reply, *times.asked, times.answered);
    if (!times.arrived) return;
    const support::WallTime middle = *times.arrived - times.round_trip / 2;
    facts.clock_skew = *server - middle;
}

// Silence about itself is no reason to turn a server away.
bool may_be_silent(Step step, ReplyClass kind) {
    if (step == Step::name) return true;
    if (step == Step::auth || step == Step::select) return false;
    return kind == ReplyClass::no_permission || kind == ReplyClass::unknown_command ||
           kind == ReplyClass::master_down || kind == ReplyClass::misconf || kind == ReplyClass::other;
}

std::string login_words(const domain::Credentials& credentials) {
    std::string words =
        credentials.username.empty() ? "the default user" : fmt::format("user '{}'", credentials.username);
    if (!credentials.source.empty()) words += fmt::format(" with the password from {}", credentials.source);
    return words;
}

Fault refusal(const domain::Endpoint& endpoint, Step step, const Reply& reply, std::string_view where) {
    Fault fault = fault_from_reply(reply.text, where, name_of(step));
    const ReplyClass kind = classify_error(reply.text);
    if (kind == ReplyClass::wrong_pass) {
        fault.error.message = fmt::format("{}: login refused for {}", where, login_words(endpoint.credentials));
    } else if (step == Step::select && (kind == ReplyClass::bad_database || kind == ReplyClass::not_an_integer)) {
        fault.error = {ExitCode::configuration, fmt::format("{}: the server has no db {}", where, endpoint.db),
                       "CONFIG GET databases shows how many it has"};
    } else if (step == Step::auth && fault.error.code == ExitCode::protocol && kind == ReplyClass::other) {
        fault.error.code = ExitCode::access;
    }
    fault.maybe_executed = false;
    return fault;
}

Fault wrong_peer(std::string_view where, Peer wanted) {
    if (wanted != Peer::alone) {
        return {{ExitCode::protocol, fmt::format("{}: stands alone, and is no node of a Redis Cluster", where),
                 "kind = \"shards\" is for servers that stand alone"},
                false,
                false};
    }
    return {
        {ExitCode::protocol,
         fmt::format("{}: is a Redis Cluster node; shards are servers that stand alone, and nothing was asked", where),
         "a deployment with kind = \"cluster\" and nodes = [\"redis://HOST:PORT\"] reads a Redis Cluster",
         domain::kClusterNode},
        false,
        false};
}

Fault unnamed_proxy(std::string_view where) {
    return {{ExitCode::protocol, fmt::format("{}: a proxy answers there, not Redis itself; nothing was asked", where),
             std::string(kProxyHint)},
            false,
            false};
}

void read_fact(Step step, const Reply& reply, const GreetingTimes& times, ServerFacts& facts) {
    switch (step) {
        case Step::info: return read_info(reply, facts);
        case Step::role: return read_role(reply, facts);
        case Step::time: return read_time(reply, times, facts);
        case Step::auth:
        case Step::select:
        case Step::readonly:
        case Step::name:
        case Step::ping: return;
    }
}

}  // namespace

Request greeting_request(const domain::Endpoint& endpoint, Peer wanted) {
    Request request;
    if (endpoint.credentials.password) {
        request.reserve(256 + endpoint.credentials.username.size() + endpoint.credentials.password->reveal().size());
    }
    for (const Step step : steps_of(endpoint, wanted)) {
        const domain::Credentials& credentials = endpoint.credentials;
        if (step == Step::auth && !credentials.username.empty()) {
            request.add({"AUTH", credentials.username, credentials.password->reveal()});
        } else if (step == Step::auth) {
            request.add({"AUTH", credentials.password->reveal()});
        } else if (step == Step::select) {
            request.add({"SELECT", std::to_string(endpoint.db)});
        } else if (step == Step::info) {
            request.add({"INFO", "server"});
        } else if (step == Step::name) {
            request.add({"CLIENT", "SETNAME", kOurName});
        } else {
            request.add({name_of(step)});
        }
    }
    return request;
}

bool ends_greeting(const Reply& reply) {
    if (!reply.is_error()) return false;
    const ReplyClass kind = classify_error(reply.text);
    return kind == ReplyClass::max_clients || kind == ReplyClass::denied || kind == ReplyClass::protocol_error;
}

Outcome<ServerFacts> read_greeting(const domain::Endpoint& endpoint, std::span<const Reply> replies,
                                   std::string_view where, const GreetingTimes& times, Peer wanted) {
    ServerFacts facts;
    facts.round_trip = times.round_trip;
    facts.proxied = wanted == Peer::proxy;
    const std::vector<Step> steps = steps_of(endpoint, wanted);
    for (std::size_t i = 0; i < std::min(replies.size(), steps.size()); ++i) {
        const Reply& reply = replies[i];
        if (!reply.is_error()) {
            read_fact(steps[i], reply, times, facts);
        } else if (steps[i] == Step::info && is_word_of_proxy(reply.text)) {
            return fault(unnamed_proxy(where));
        } else if (!may_be_silent(steps[i], classify_error(reply.text))) {
            return fault(refusal(endpoint, steps[i], reply, where));
        }
    }
    if (wanted != Peer::any && facts.cluster && *facts.cluster != (wanted != Peer::alone))
        return fault(wrong_peer(where, wanted));
    return facts;
}

}  // namespace ratectl::redis
