// config check: what resolving has proved already, what is odd, and with --connect what the servers say.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/outcome.h"
#include "commands/report/fields/config_fields.h"
#include "commands/report/row_writer.h"
#include "commands/setup/config_request.h"
#include "config/review.h"
#include "sharding/options.h"
#include "support/number_text.h"

namespace ratectl::commands {
namespace {

using Result = CheckedThing::Result;
using Things = std::vector<CheckedThing>;

std::string origin_or_nothing(const config::Settings& settings, const std::string& name) {
    const auto found = settings.origins.find(name);
    return found == settings.origins.end() ? std::string{} : found->second.text;
}

CheckedThing servers_thing(const config::Settings& settings) {
    if (settings.kind == config::DeploymentKind::cluster) {
        return {"servers", Result::ok,
                fmt::format("a Redis Cluster: {} of its nodes named, which tell of the others",
                            settings.cluster.nodes.size()),
                origin_or_nothing(settings, "nodes")};
    }
    std::size_t replicas = 0;
    std::size_t discovered = 0;
    const auto directory = directory_of(settings);
    for (const auto& place : directory->places()) {
        replicas += place.replicas.size();
        discovered += place.discover_replicas ? 1 : 0;
    }
    std::string detail = fmt::format("{}, {}, none listed twice", support::counted(directory->places().size(), "shard"),
                                     support::counted(replicas, "replica"));
    if (discovered > 0)
        detail +=
            fmt::format("; {} asked for their replicas", support::counted(discovered, "primary is", "primaries are"));
    return {"servers", Result::ok, detail, ""};
}

/// What resolve() has proved; a failure there never gets here.
Things proved(const config::Settings& settings) {
    Things things;
    things.push_back({"deployment", Result::ok, settings.deployment, origin_or_nothing(settings, "deployment")});
    if (settings.file)
        things.push_back({"file", Result::ok, "every key is known, every value is in range", *settings.file});
    things.push_back(servers_thing(settings));
    if (settings.sharding) {
        things.push_back({"sharding", Result::ok, sharding::text_of(*settings.sharding),
                          origin_or_nothing(settings, "sharding.preset")});
    }
    if (!settings.login.source.empty()) {
        const bool fetched = settings.login.password.has_value();
        things.push_back({"password", fetched ? Result::ok : Result::note,
                          fetched ? "set, from " + settings.login.source
                                  : "from " + settings.login.source + ", which only --connect asks",
                          origin_or_nothing(settings, "password")});
    }
    things.push_back(
        {"policies", Result::ok, support::counted(settings.policies.policies().size(), "policy", "policies"), ""});
    things.push_back(
        {"writes", Result::ok,
         settings.read_only ? std::string{"none: read only"} : std::string{config::name_of(settings.writes)},
         origin_or_nothing(settings, settings.read_only ? "read_only" : "writes")});
    return things;
}

void add_findings(const config::Settings& settings, Things& things) {
    for (const auto& finding : config::review(settings)) {
        const std::string hint = finding.hint.empty() ? std::string{} : fmt::format(" ({})", finding.hint);
        things.push_back({std::string{finding.check},
                          finding.weight == config::Finding::Weight::warning ? Result::warning : Result::note,
                          finding.message + hint, finding.origin.text});
    }
}

/// One row a node; two addresses with one run id are one server.
class NodeChecks {
public:
    NodeChecks(Context& context, Things& things, bool is_cluster)
        : things_(things), is_cluster_(is_cluster), outcome_(context) {}

    void add(const store::NodeReport& report) {
        const std::string name = fmt::format("{} {}", domain::name_of(report.node.role), report.node.name());
        if (!report.facts) {
            outcome_.fail(report.node, report.facts.error());
            things_.push_back(
                {"server", Result::failed, fmt::format("{}: {}", name, report.facts.error().message), ""});
            return;
        }
        outcome_.answer();
        CheckedThing thing{"server", Result::ok, fmt::format("{} of shard '{}' answers", name, report.node.shard), ""};
        const auto problem = problem_of(report.node, *report.facts);
        if (!problem.empty()) thing = {"server", Result::warning, fmt::format("{}: {}", name, problem), ""};
        things_.push_back(std::move(thing));
    }

    const Outcome& outcome() const { return outcome_; }

private:
    std::string problem_of(const domain::Node& node, const domain::NodeFacts& facts) {
        if (facts.run_id) {
            const auto [known, fresh] = servers_.emplace(*facts.run_id, node.name());
            const bool other_database = node.role == domain::Role::primary && node.endpoint.db != 0;
            if (!fresh && !other_database) return fmt::format("is the same server as {}", known->second);
        }
        if (facts.role && *facts.role != node.role)
            return fmt::format("says that it is a {}", domain::name_of(*facts.role));
        if (facts.link_up && !*facts.link_up) return "its link to its primary is down";
        if (facts.cluster_enabled.value_or(false) && !is_cluster_)
            return "is a node of a Redis Cluster: keys are shared out by slots there";
        if (facts.cluster_up == false) return "says that its Redis Cluster is down: no key is shown or changed there";
        if (facts.eviction_policy && *facts.eviction_policy != "noeviction" && facts.max_memory.value_or(0) > 0) {
            return fmt::format("may evict windows when memory is short (maxmemory-policy {})", *facts.eviction_policy);
        }
        return "";
    }

    Things& things_;
    bool is_cluster_;  // else a node of one is out of place
    std::map<std::string, std::string> servers_;
    Outcome outcome_;
};

/// One row a sentinel: whether it answers, and tells of every shard.
class SentinelChecks {
public:
    SentinelChecks(Context& context, const config::Settings& settings, Things& things)
        : context_(context), origin_(origin_or_nothing(settings, "sentinels")), things_(things), outcome_(context) {}

    void add(const store::SentinelReport& report) {
        const auto name = "sentinel " + report.endpoint.address();
        const auto names = [](const std::vector<std::string>& masters) {
            return fmt::format("{}", fmt::join(masters, ", "));
        };
        if (report.error) return add_failed(*report.error);
        outcome_.answer();
        if (!report.unknown.empty()) {
            const auto others = report.watched.empty() ? "" : "; it watches " + names(report.watched);
            things_.push_back({"sentinel", Result::warning,
                               fmt::format("{} watches no master {}{}", name, names(report.unknown), others), origin_});
        } else if (!report.others.empty()) {
            things_.push_back({"sentinel", Result::warning,
                               fmt::format("{} sees the primary of {}: the word of the latest failover counts", name,
                                           names(report.others)),
                               origin_});
        } else if (!report.awaited.empty()) {
            things_.push_back(
                {"sentinel", Result::warning,
                 fmt::format("{} has not told of {} in the time that most others took", name, names(report.awaited)),
                 origin_});
        } else {
            things_.push_back(
                {"sentinel", Result::ok, fmt::format("{} answers, watches {}", name, names(report.told)), ""});
        }
    }

    const Outcome& outcome() const { return outcome_; }

private:
    void add_failed(const support::Error& error) {
        context_.messages().error(error);
        outcome_.fail(failure_row(error));
        const auto hint = error.hint.empty() ? std::string{} : fmt::format(" ({})", error.hint);
        things_.push_back({"sentinel", Result::failed, "sentinel " + error.message + hint, origin_});
    }

    Context& context_;
    std::string origin_;
    Things& things_;
    Outcome outcome_;
};

/// Everything that is looked at, one deployment after the other.
class Checks {
public:
    Checks(const ConfigRequest& request, const config::World& world, Context& context)
        : connect_(request.connect), order_(request.order), world_(world), context_(context), outcome_(context) {}

    void add(const config::Settings& settings, store::Store* store) {
        const std::size_t before = things_.size();
        for (auto& thing : proved(settings)) things_.push_back(std::move(thing));
        add_findings(settings, things_);
        if (store != nullptr) {
            NodeChecks nodes(context_, things_, settings.kind == config::DeploymentKind::cluster);
            for (const auto& report : store->node_reports()) nodes.add(report);
            outcome_.add(nodes.outcome());
            if (store->directory().is_told()) {
                SentinelChecks sentinels(context_, settings, things_);
                for (const auto& report : store->directory().sentinel_reports()) sentinels.add(report);
                outcome_.add(sentinels.outcome());
            }
            if (settings.kind == config::DeploymentKind::cluster) add_hole(*store);
        }
        for (std::size_t i = before; i < things_.size(); ++i) things_[i].deployment = settings.deployment;
    }
    /// One of several, whatever happens to it.
    void add(const std::string& deployment) {
        try {
            config::Settings settings = context_.settings_of(deployment, connect_);
            settings.origins["deployment"] = {config::Origin::Kind::file, settings.file.value_or("")};
            const auto store = connect_ ? context_.store_of(settings) : nullptr;
            add(settings, store.get());
        } catch (const support::Failure& failure) {
            config::Overrides overrides = context_.options().overrides;
            overrides.deployment = deployment;
            add_failed(failure.error(), config::errors_of(overrides, world_), deployment);
        }
    }
    /// The only one, or the one that was chosen.
    void add_chosen() {
        const config::Overrides& overrides = context_.options().overrides;
        try {
            if (connect_ || !config::is_configured(overrides, world_)) {
                const config::Settings& settings = context_.settings();
                add(settings, connect_ ? &context_.store() : nullptr);
            } else {
                add(context_.settings_without_servers(), nullptr);
            }
        } catch (const support::Failure& failure) {
            const auto all = config::errors_of(overrides, world_);
            if (all.size() < 2) throw;
            add_failed(failure.error(), all, overrides.deployment.value_or(""));
        }
    }
    ExitCode write() {
        RowWriter<CheckedThing> writer(context_, checked_thing_fields(), "ratectl.config-check.v1", {}, true, order_);
        for (const auto& thing : things_) writer.write(thing);
        outcome_.add(writer.end(outcome_.footer()));
        const bool odd = std::any_of(things_.begin(), things_.end(),
                                     [](const CheckedThing& thing) { return thing.result == Result::warning; });
        if (odd) outcome_.attend();
        return outcome_.code();
    }

private:
    void add_hole(store::Store& store) {
        const auto hole = store.open_slots().hole();
        if (hole) things_.push_back({"slots", Result::warning, fmt::format("{} ({})", hole->message, hole->hint), ""});
    }
    /// All that is wrong with it, as far as one error does not hide another.
    void add_failed(const support::Error& first, std::vector<support::Error> all, const std::string& deployment) {
        if (all.empty()) all.push_back(first);
        for (const support::Error& error : all) {
            if (!known_.insert(error.message).second) continue;
            context_.messages().error(error);
            things_.push_back({"deployment", Result::failed, error.message, "", deployment});
            outcome_.add(error.code);
        }
    }

    bool connect_;
    const ColumnOrder& order_;
    config::World world_;
    Context& context_;
    std::set<std::string> known_;  // what is wrong with the file is wrong with each of its deployments
    Things things_;
    Outcome outcome_;
};

}  // namespace

ExitCode run_config_check(const ConfigRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(checked_thing_fields()))) return ExitCode::done;
    const config::World world{[&context](const std::string& name) { return context.env(name); }, context.now()};
    Checks checks(request, world, context);
    const auto undecided = config::undecided_deployments(context.options().overrides, world);
    for (const auto& deployment : undecided) checks.add(deployment);
    if (undecided.empty()) checks.add_chosen();
    return checks.write();
}

}  // namespace ratectl::commands
