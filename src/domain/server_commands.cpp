// The table of commands that servers are sent, and which rights each needs.
// A command that is sent and not listed here is refused to the accounts that `acl` describes: tests compare the list
// with the sources, and with what servers have seen.
#include "domain/server_commands.h"

#include <algorithm>
#include <array>

namespace ratectl::domain {
namespace {

constexpr auto kCommands = [] {
    using enum Rights;
    // clang-format off
    return std::array{
        ServerCommand{"info", look, look, "every command: which server and version answers; nodes, doctor"},
        ServerCommand{"role", look, look, "every command: primary or replica, and is its link up"},
        ServerCommand{"time", look, look, "every command: the server's clock"},
        ServerCommand{"client|setname", look, look, "every command: its name in CLIENT LIST; nothing lacks it", {}, false, true},
        ServerCommand{"select", look, look, "windows in a db other than 0"},
        ServerCommand{"cluster|shards", none, look, "every command: which nodes there are, and which slots each has", {}, true},
        ServerCommand{"cluster|slots", look, look, "every command: the same where there is no CLUSTER SHARDS", {}, true},
        ServerCommand{"cluster|nodes", look, look, "scan, doctor, history --on-servers: which slots are on their way, or have no node", {}, true},
        ServerCommand{"cluster|info", look, look, "nodes: whether the Redis Cluster is up", {}, true},
        ServerCommand{"cluster|getkeysinslot", look, look, "doctor, explain, sharding verify: keys where no client is led to them; scan while slots move", {}, true},
        ServerCommand{"readonly", look, look, "what is read from replicas of a Redis Cluster", {}, true},
        ServerCommand{"asking", look, look, "keys whose slot is on its way to another node", {}, true},
        ServerCommand{"dbsize", look, look, "nodes, doctor: how many keys there are"},
        ServerCommand{"mget", look, look, "check, client, scan, doctor: both halves of windows at one moment"},
        ServerCommand{"multi", look, look, "check, compare, explain, doctor: the full look, at one moment"},
        ServerCommand{"exec", look, look, "check, compare, explain, doctor: the full look, at one moment"},
        ServerCommand{"type", look, look, "check, compare, explain, doctor: the full look; identify"},
        ServerCommand{"getrange", look, look, "check, compare, explain, doctor: the full look; identify"},
        ServerCommand{"pttl", look, look, "check, compare, explain, doctor: the full look; identify; history --on-servers"},
        ServerCommand{"pexpiretime", none, look, "check, compare, explain, doctor: the full look"},
        ServerCommand{"scan", look, look, "scan, doctor, sharding verify: the names of all keys, whatever keys the account may touch"},
        ServerCommand{"exists", look, look, "scan --orphans, doctor: which counters have no expiry half"},
        ServerCommand{"lrange", look, look, "limiters that keep a list; identify"},
        ServerCommand{"llen", look, look, "limiters that keep a list: how long it is; identify"},
        ServerCommand{"zrange", look, look, "limiters that keep a sorted set; identify"},
        ServerCommand{"zcard", look, look, "limiters that keep a sorted set: how large it is; identify"},
        ServerCommand{"srandmember", look, look, "rollout show: which features there are; identify"},
        ServerCommand{"scard", look, look, "rollout show: how many features there are; identify"},
        ServerCommand{"hmget", look, look, "limiters that keep a hash; identify"},
        ServerCommand{"hlen", look, look, "identify, reset: how many fields a hash has"},
        ServerCommand{"get", look, look, "history --on-servers, undo: what operations have done"},
        ServerCommand{"evalsha_ro", none, look, "check --as-script, compare: what the application's script sees"},
        ServerCommand{"eval_ro", none, look, "check --as-script, compare: what the application's script sees"},
        ServerCommand{"evalsha", look, change, "every change; before Redis 7 also check --as-script and compare"},
        ServerCommand{"eval", look, change, "every change; before Redis 7 also check --as-script and compare"},
        ServerCommand{"set", change, change, "every change: opens windows, and leaves the record of the operation"},
        ServerCommand{"incrby", change, change, "increment, replay; undo of a refund"},
        ServerCommand{"decrby", change, change, "refund; undo of an increment"},
        ServerCommand{"del", change, change, "reset, reshard apply, doctor --fix"},
        ServerCommand{"hset", change, change, "increment, refund, undo of limiters that keep a hash", "hash"},
        ServerCommand{"hgetall", change, change, "reset of a hash that has fields beside its limiter's, which undo puts back", "hash"},
        ServerCommand{"hdel", change, change, "undo of knobs set, which leaves none that were not there before", "hash"},
        ServerCommand{"rpush", change, change, "increment, refund, undo of limiters that keep a list", "list"},
        ServerCommand{"ltrim", change, change, "increment, refund, undo of limiters that keep a list", "list"},
        ServerCommand{"zremrangebyrank", change, change, "increment, refund, undo of limiters that keep a sorted set",
                      "zset"},
        ServerCommand{"zadd", change, change, "increment, refund, undo of limiters that keep a sorted set", "zset"},
        ServerCommand{"pexpireat", change, change, "doctor --fix, and its undo; before Redis 7 all that opens a window"},
        ServerCommand{"persist", change, change, "undo of doctor --fix, where there was no time to live"},
        ServerCommand{"wait", change, change, "--wait-replicas"},
    };
    // clang-format on
}();

Rights least_for(const ServerCommand& command, int generation) {
    const bool on_both = command.on_6 != Rights::none;
    if (generation == kAnyGeneration) return on_both ? std::min(command.on_6, command.on_7) : command.on_7;
    return generation >= kReadsKeysApart ? command.on_7 : command.on_6;
}

}  // namespace

std::span<const ServerCommand> server_commands() { return kCommands; }

int acl_generation(const std::optional<ServerVersion>& version) {
    return version && version->major >= kReadsKeysApart ? kReadsKeysApart : kOldestWithUsers;
}

std::vector<ServerCommand> commands_for(Rights rights, int generation, const CommandsAround& around) {
    std::vector<ServerCommand> needed;
    for (const auto& command : kCommands) {
        const Rights least = least_for(command, generation);
        const bool asked = (around.other_db || command.name != "select") &&
                           (command.type.empty() || around.types.contains(command.type)) &&
                           (around.cluster || !command.of_cluster);
        if (least != Rights::none && least <= rights && asked) needed.push_back(command);
    }
    return needed;
}

std::vector<std::string> lacking(const std::vector<std::string>& denied, int generation) {
    const auto is_denied = [&denied](std::string_view name) {
        return std::find(denied.begin(), denied.end(), name) != denied.end();
    };
    std::vector<std::string> looks;
    for (const auto& command : kCommands) {
        const Rights least = least_for(command, generation);
        if (least == Rights::change && command.type.empty() && !command.spared && !is_denied(command.name))
            return denied;
        if (least == Rights::look && is_denied(command.name)) looks.emplace_back(command.name);
    }
    return looks;
}

}  // namespace ratectl::domain
