// nodes: asks every server at once; one that does not answer is a row, and a failure.
#include "commands/all_commands.h"

#include <algorithm>

#include <fmt/format.h>

#include "commands/nodes/modes.h"
#include "commands/outcome.h"
#include "commands/report/fields/node_fields.h"
#include "commands/report/row_writer.h"
#include "commands/request/refused_flags.h"
#include "domain/diagnosis/staleness.h"

namespace ratectl::commands {
namespace {

struct NodesRequest {
    std::vector<std::string> shards;
    bool capabilities = false;
    ProbeFlags probe;
};

void bind_nodes(Syntax syntax, NodesRequest& request) {
    syntax.add_option("--shard", request.shards, "only the servers of these shards")
        .type_name("NAME")
        .delimiter(',')
        .group("Selection");
    syntax
        .add_flag("--capabilities", request.capabilities,
                  "what answers at each node, which of the commands that ratectl sends it allows, and what is lost "
                  "without those that it does not; nothing is written")
        .group("Selection");
    bind_row_order(syntax, request.probe.order);
    refuse_flags(syntax, {"--from"}, "every node is asked", "--shard NAME asks those of one shard");
    bind_probe(syntax, request.probe);
}

/// Checked before anything is asked; empty: all.
std::vector<std::size_t> chosen_shards(const NodesRequest& request, const store::Directory& directory) {
    std::vector<std::size_t> chosen;
    for (const auto& name : request.shards) {
        const auto found = directory.find(name);
        if (!found) {
            throw support::Failure(ExitCode::usage, fmt::format("there is no shard '{}'", name),
                                   "`ratectl config show` lists the shards");
        }
        chosen.push_back(*found);
    }
    return chosen;
}

/// It answers, and what it is cannot be told: a login that may not ask, mostly.
support::Error untold(const domain::Node& node) {
    return {
        ExitCode::access,
        fmt::format("shard '{}' ({}): it answers, but says neither its role nor its state to this login, so it is "
                    "unknown whether it is well",
                    node.shard, node.name()),
        "grant +role and +info, which `ratectl acl reader` prints with all that is needed; where the server renames "
        "them nothing helps (`ratectl nodes --capabilities`)"};
}

void warn_of_role(const store::NodeReport& report, std::string_view teller, output::Diagnostics& messages) {
    if (!has_wrong_role(report)) return;
    const auto& facts = *report.facts;
    const std::string follows = facts.primary_address ? " of " + *facts.primary_address : "";
    messages.warning(
        fmt::format("shard '{}' ({}): {} {}, but it is a {}{}", report.node.shard, report.node.name(),
                    teller.empty() ? "configured as" : fmt::format("{} call it a", teller),
                    domain::name_of(report.node.role), domain::name_of(*facts.role), follows),
        teller.empty()
            ? "was there a failover? Then the configuration names the old primary"
            : fmt::format("is a failover under way? It is over when every server is what {} call it", teller));
}

/// Up to date as it may be, it is not a replica of this shard: its row must not say ok.
void doubt_history(store::NodeReport& report, const store::NodeReport* primary, output::Diagnostics& messages) {
    if (primary == nullptr || primary->node.shard != report.node.shard || !primary->facts || !report.facts) return;
    if (!domain::follows_another_history(*primary->facts, *report.facts)) return;
    report.facts->stale_because = domain::words_of_another_history(*report.facts);
    messages.warning(fmt::format("shard '{}' ({}): {}; its keys are not windows of this shard", report.node.shard,
                                 report.node.name(), *report.facts->stale_because),
                     "REPLICAOF names the primary that a replica follows");
}

void warn_of_age(const store::NodeReport& report, output::Diagnostics& messages) {
    if (!report.facts || !report.facts->stale_because) return;
    messages.warning(fmt::format("shard '{}' ({}): not shown to keep --max-staleness: {}", report.node.shard,
                                 report.node.name(), *report.facts->stale_because));
}

void warn_of_down(std::span<const store::NodeReport> reports, output::Diagnostics& messages) {
    const auto is_down = [](const auto& report) { return report.facts && report.facts->cluster_up == false; };
    const auto first = std::ranges::find_if(reports, is_down);
    if (first == reports.end()) return;
    const auto others = std::ranges::count_if(first + 1, reports.end(), is_down);
    messages.warning(
        fmt::format("the Redis Cluster is down, as {} {}: no key is shown or changed there", first->node.name(),
                    others > 0 ? fmt::format("and {} more say", others) : std::string("says")),
        "nodes that are silent and slots without a node keep it down (`redis-cli --cluster check`)");
}

void check_probe(const ProbeFlags& flags) {
    const auto lonely = flags.count ? "--rounds" : flags.every ? "--every" : flags.consent.reason ? "--reason" : "";
    if (!flags.probe && *lonely != 0)
        throw support::Failure(ExitCode::usage, fmt::format("{} belongs to a probe", lonely), "add --probe");
}

ExitCode run_nodes(const NodesRequest& request, Context& context) {
    refuse_limit(context, "there is a row for each node; --shard NAME shows fewer");
    check_probe(request.probe);
    if (request.capabilities) {
        if (request.probe.probe)
            throw support::Failure(ExitCode::usage, "--capabilities and --probe ask different things", "use one");
        if (answer_columns_help(context, output::columns_of(capability_fields()))) return ExitCode::done;
        return run_capabilities(chosen_shards(request, context.directory()), request.probe.order, context);
    }
    if (request.probe.probe) {
        if (answer_columns_help(context, output::columns_of(probe_fields()))) return ExitCode::done;
        return run_probe(request.probe, chosen_shards(request, context.directory()), context);
    }
    if (answer_columns_help(context, output::columns_of(node_fields()))) return ExitCode::done;
    const auto shards = chosen_shards(request, context.directory());
    RowWriter<store::NodeReport> writer(context, node_fields(), "ratectl.nodes.v1", {}, true, request.probe.order);
    Outcome outcome(context);
    auto reports = context.store().node_reports(shards);
    const store::NodeReport* primary = nullptr;
    for (auto& report : reports) {
        if (report.node.role == domain::Role::primary) primary = &report;
        warn_of_role(report, context.directory().teller(), context.messages());
        warn_of_age(report, context.messages());
        doubt_history(report, primary, context.messages());
        writer.write(report);
        if (!report.facts) {
            outcome.fail(report.node, report.facts.error());
        } else if (report.facts->product == "proxy") {
            context.messages().warning(
                fmt::format("shard '{}' ({}): a proxy, which tells nothing of the servers behind it", report.node.shard,
                            report.node.name()));
            outcome.answer();
        } else if (!report.facts->role) {
            outcome.fail(report.node, untold(report.node));
        } else {
            outcome.answer();
        }
    }
    warn_of_down(reports, context.messages());
    if (shards.empty()) {
        if (const auto hole = context.store().open_slots().hole()) outcome.cannot_tell(*hole);
    }
    outcome.add(writer.end(outcome.footer()));
    return outcome.code();
}

}  // namespace

Command nodes_command() {
    return {"nodes", Group::investigate, "what each server says about itself: role, lag, clock, load",
            "# are all replicas connected, and how far behind?\n"
            "ratectl nodes\n"
            "# memory, eviction and everything else\n"
            "ratectl nodes -o wide\n"
            "# for a script\n"
            "ratectl nodes --shard alpha -o ndjson\n"
            "# what may this account do there, and what does ratectl do without the rest?\n"
            "ratectl nodes --capabilities --shard alpha\n"
            "# how long does a write take to the replicas? writes and removes a window\n"
            "ratectl nodes --probe --rounds 100",
            bind_request<NodesRequest, bind_nodes, run_nodes>};
}

}  // namespace ratectl::commands
