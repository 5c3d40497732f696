// Tries every command that ratectl sends, harmlessly, and says what is lost where one is refused.
#include "commands/nodes/modes.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "commands/outcome.h"
#include "commands/report/fields/node_fields.h"
#include "domain/server_commands.h"
#include "support/ascii.h"

namespace ratectl::commands {
namespace {

struct Loss {
    std::string_view command;
    std::string_view words;
};

constexpr std::string_view kFullLook =
    "no full look, and so no refund, explain, compare and doctor; check and client take --look light";
constexpr std::string_view kOtherTypes = "limiters that keep such keys are not looked at";
constexpr std::string_view kChangesOfTypes = "no change of limiters that keep such keys";

constexpr std::array kLosses{
    Loss{"info", "its version is not known, so it is taken for an old one; evictions cannot be told from lost replies"},
    Loss{"role", "roles, and the links of replicas, are not known"},
    Loss{"time", "no change, because scripts ask for it; what a look shows is judged by this machine's clock"},
    Loss{"client|setname", "CLIENT LIST shows no name; nothing else is lost"},
    Loss{"select", "db 0 alone"},
    Loss{"cluster|shards", "CLUSTER SLOTS stands for it; without either no Redis Cluster"},
    Loss{"cluster|slots", "before Redis 7 no Redis Cluster; else nothing"},
    Loss{"cluster|nodes", "sweeps are not shown to be complete; slots on their way are not known"},
    Loss{"cluster|info", "nodes does not show that its Redis Cluster is down"},
    Loss{"cluster|getkeysinslot",
         "doctor, explain and sharding verify miss windows that no client is led to; sweeps while slots move are not "
         "shown to be complete"},
    Loss{"readonly", "nothing is read from replicas of a Redis Cluster"},
    Loss{"asking", "keys of a slot that is on its way cannot be asked for"},
    Loss{"dbsize", "nodes shows no number of keys"},
    Loss{"mget", "no change, no sweep, and no --look light"},
    Loss{"multi", kFullLook},
    Loss{"exec", kFullLook},
    Loss{"type", "no change, and no full look: explain, compare, doctor; check and client take --look light"},
    Loss{"getrange", kFullLook},
    Loss{"pttl", kFullLook},
    Loss{
        "pexpiretime",
        "before Redis 7 PTTL and TIME stand for it; else no reset, and no full look: refund, explain, compare, doctor; "
        "check and client take --look light"},
    Loss{"scan", "no sweep (scan, top, stats, doctor, history --on-servers); named keys work"},
    Loss{"exists", "no scan --orphans"},
    Loss{"lrange", kOtherTypes},
    Loss{"llen", kOtherTypes},
    Loss{"zrange", kOtherTypes},
    Loss{"zcard", kOtherTypes},
    Loss{"srandmember", kOtherTypes},
    Loss{"scard", "identify does not say how large a set is"},
    Loss{"hmget", kOtherTypes},
    Loss{"hlen", "identify does not say how large a hash is"},
    Loss{"get",
         "no change but with --no-op-key, no undo, no history --on-servers; what became of a lost reply stays unknown"},
    Loss{"evalsha_ro", "scripts that only look are called with EVALSHA"},
    Loss{"eval_ro", "scripts that only look are called with EVAL"},
    Loss{"evalsha", "no change; looks and sweeps work"},
    Loss{"eval", "no change of which no server has the script yet; looks and sweeps work"},
    Loss{"set", "no change"},
    Loss{"incrby", "no increment of a window that is open"},
    Loss{"decrby", "no refund"},
    Loss{"del", "no reset"},
    Loss{"pexpireat", "no doctor --fix"},
    Loss{"persist", "no undo of doctor --fix"},
    Loss{"wait", "no --wait-replicas"},
    Loss{"hset", kChangesOfTypes},
    Loss{"hgetall", kChangesOfTypes},
    Loss{"hdel", kChangesOfTypes},
    Loss{"rpush", kChangesOfTypes},
    Loss{"ltrim", kChangesOfTypes},
    Loss{"zremrangebyrank", kChangesOfTypes},
    Loss{"zadd", kChangesOfTypes},
};

/// Through a proxy not one of these is sent, and scripts do what can be done.
constexpr std::string_view kThroughProxy = "not through a proxy: named keys are looked at and changed by scripts alone";
constexpr std::string_view kNothing = "nothing: ratectl does not send it";

constexpr std::string_view kUntried = "not tried: without MULTI it would be carried out";

std::string_view lost_without(const domain::TriedCommand& tried, bool proxied) {
    const auto found = std::ranges::find(kLosses, tried.name, &Loss::command);
    if (found == kLosses.end()) return kNothing;
    if (tried.outcome == domain::Trial::not_sent) return proxied ? kThroughProxy : kUntried;
    return found->words;
}

std::string_view needed_for(const std::string& name) {
    const auto commands = domain::server_commands();
    const auto found = std::ranges::find(commands, name, &domain::ServerCommand::name);
    return found == commands.end() ? std::string_view{} : found->needed_for;
}

/// `client|setname` as CLIENT SETNAME.
std::string as_sent(std::string name) {
    std::ranges::replace(name, '|', ' ');
    return support::upper(std::move(name));
}

std::string server_of(const domain::NodeFacts& facts) {
    std::string product = facts.product.value_or("");
    if (!facts.version) return product;
    auto version = *facts.version;
    version.valkey = false;  // the product says so
    return product.empty() ? domain::to_string(*facts.version)
                           : fmt::format("{} {}", product, domain::to_string(version));
}

}  // namespace

ExitCode run_capabilities(std::span<const std::size_t> shards, const ColumnOrder& order, Context& context) {
    RowWriter<CapabilityRow> writer(context, capability_fields(), "ratectl.capabilities.v1", {}, true, order);
    Outcome outcome(context);
    for (const auto& report : context.store().node_reports(shards, store::Trials::all)) {
        CapabilityRow row;
        row.node = report.node;
        if (!report.facts) {
            row.error = report.facts.error();
            writer.write(row);
            outcome.fail(report.node, report.facts.error());
            continue;
        }
        row.server = server_of(*report.facts);
        for (const auto& tried : report.facts->tried) {
            row.command = as_sent(tried.name);
            row.outcome = tried.outcome;
            row.needed_for = needed_for(tried.name);
            row.without = lost_without(tried, report.facts->product == "proxy");
            writer.write(row);
        }
        outcome.answer();
    }
    outcome.add(writer.end(outcome.footer()));
    return outcome.code();
}

}  // namespace ratectl::commands
