// nodes --probe: probes all shards at once, round by round; a window that is about to end is replaced by another.
#include "commands/nodes/modes.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "commands/outcome.h"
#include "commands/report/fields/node_fields.h"
#include "commands/report/row_writer.h"
#include "commands/write/key_homes.h"
#include "commands/write/operation_writer.h"
#include "store/replica_sightings.h"
#include "support/number_text.h"
#include "support/quote.h"
#include "support/time_text.h"

namespace ratectl::commands {
namespace {

using support::Failure;
using support::Milliseconds;

constexpr std::uint64_t kRounds = 10;
constexpr std::uint64_t kMostRounds = 100'000;
constexpr Milliseconds kEvery{100};
constexpr support::Seconds kLife{60};    // of a throw-away window, if we should die
constexpr support::Seconds kReserve{5};  // what it has to last beyond a round
constexpr std::size_t kMostNames = 1'000'000;
constexpr std::string_view kCommand = "nodes --probe";

/// One call to the store on its way: recorded first, and timed.
class Timed final : public store::WriteObserver {
public:
    Timed(WriteRecord& record, store::ReplicaWatch& watch) : record_(record), watch_(watch) {}
    void before(std::span<const store::SliceAt> slices) override {
        record_.before(slices);
        watch_.sent();
    }
    void after(std::span<const store::SliceAt> slices, std::span<const store::WriteResult> results) override {
        watch_.answered();
        record_.after(slices, results);
    }

private:
    WriteRecord& record_;
    store::ReplicaWatch& watch_;
};

/// A shard and its throw-away window.
struct Target {
    std::size_t shard = 0;
    domain::Node primary;
    std::optional<Milliseconds> ahead;  // of ours: the clock of the shard's servers that is most so
    std::string key;
    support::Instant ends{};
    std::int64_t used = 0;
    bool written = false;  // or may be
    bool failed = false;
    std::vector<ProbeRow> rows;
};

class Probe {
public:
    Probe(const ProbeFlags& flags, Context& context)
        : context_(context),
          settings_(context.settings()),
          dry_(context.options().dry_run),
          reason_(flags.consent.reason),
          rounds_(kRounds),
          consent_(flags.consent, context, dry_),
          counts_(orders(domain::WriteKind::count), {}, context),
          removals_(orders(domain::WriteKind::reset), {}, context),
          order_(flags.order),
          outcome_(context) {
        if (flags.count) {
            const auto number = support::parse_unsigned(*flags.count, kMostRounds);
            if (!number || *number == 0)
                throw Failure(ExitCode::usage, "--rounds '" + *flags.count + "' is not a number from 1 to 100000");
            rounds_ = *number;
        }
        if (flags.every) every_ = support::duration_of("--every", *flags.every);
    }

    ExitCode run(std::span<const std::size_t> shards) {
        require_known_homes(shards);
        choose_targets(shards);
        if (shards.empty()) {
            if (const auto hole = context_.store().open_slots().hole()) outcome_.cannot_tell(*hole);
        }
        ask();
        if (dry_) return report();
        try {
            for (std::uint64_t round = 0; round < rounds_ && anything_left(); ++round) {
                if (round > 0) context_.store().pause(every_);
                if (context_.stop()) break;
                replace_old_windows();
                measure();
            }
        } catch (const Failure&) {
            remove_all();
            throw;
        }
        remove_all();
        return report();
    }

private:
    /// Nothing is to be left behind, an operation key neither.
    Orders orders(domain::WriteKind kind) {
        Orders orders;
        orders.op_keys = false;
        orders.head = start_operation(context_, kind, kCommand, {}, reason_);
        orders.head.op_keys = false;
        return orders;
    }

    /// Throws where it is not said how keys are shared out, as every other write does.
    void require_known_homes(std::span<const std::size_t> shards) const {
        Selection selection;
        for (const auto shard : shards) selection.shards.push_back(context_.directory().name_of(shard));
        const KeyHomes homes(Filter(selection, settings_, context_.directory()), context_);
    }

    /// A shard without replicas has nothing to be measured; whether it has any its primary may have to say.
    void choose_targets(std::span<const std::size_t> shards) {
        std::map<std::string, Target> targets;
        std::map<std::string, support::Error> silent;
        for (const auto& report : context_.store().node_reports(shards)) {
            Target& target = targets[report.node.shard];
            const auto ahead = report.facts ? report.facts->clock_skew : std::nullopt;
            if (ahead) target.ahead = std::max(target.ahead.value_or(*ahead), *ahead);
            if (report.node.role == domain::Role::primary) {
                target.primary = report.node;
                if (!report.facts) silent.emplace(report.node.shard, report.facts.error());
            } else {
                target.rows.emplace_back().node = report.node;
            }
        }
        std::string without;
        for (std::size_t shard = 0; shard < context_.directory().places().size(); ++shard) {
            const auto found = targets.find(context_.directory().name_of(shard));
            if (found == targets.end()) continue;
            if (found->second.rows.empty()) {
                if (const auto silence = silent.find(found->first); silence != silent.end()) {
                    outcome_.fail(found->second.primary, silence->second);
                    continue;
                }
                without += (without.empty() ? "" : ", ") + found->first;
                continue;
            }
            found->second.shard = shard;
            targets_.push_back(std::move(found->second));
            rename(targets_.back());
        }
        if (!without.empty()) context_.messages().notice("no replicas, so nothing to measure: " + without);
    }

    /// Another window: a name that the application would look for on this very shard.
    void rename(Target& target) {
        const auto& directory = context_.directory();
        const std::string base = std::string(domain::kProbePrefix) + context_.new_operation_id();
        std::size_t number = 0;
        do {
            if (++number > kMostNames) {
                throw Failure(ExitCode::configuration,
                              "the sharding rule seems to place no key on shard '" + target.primary.shard + "'",
                              "`ratectl sharding verify` tells whether it is the right one");
            }
            // In a cluster all keys of a window have to be in one slot: what is between braces decides on it.
            target.key = fmt::format(fmt::runtime(directory.has_slots() ? "{}.{{{}}}" : "{}.{}"), base, number);
        } while (directory.place_of(target.key).value_or(store::Place{target.shard}).shard != target.shard);
        target.used = 0;
        target.written = false;
        if (consent_.is_protected(target.key))
            throw Failure(ExitCode::guard, "key " + support::quoted(target.key) + " is protected by the configuration");
    }

    void ask() {
        WritePlan plan;
        plan.verb = "measure the replication delay with";
        plan.keys = targets_.size();
        plan.named_one = targets_.size() == 1;
        for (const auto& target : targets_) {
            plan.keys_per_shard[target.primary.shard] = 1;
            plan.first_keys.push_back(target.key);
        }
        if (plan.keys > 0) consent_.require(plan);
    }

    bool anything_left() const {
        return !counts_.record_failure() &&
               std::ranges::any_of(targets_, [](const Target& target) { return !target.failed; });
    }

    /// The time on the clock of a shard's servers.
    support::Instant now_at(const Target& target) {
        return std::chrono::ceil<support::Seconds>(context_.wall_clock() + target.ahead.value_or(Milliseconds{0}));
    }

    void replace_old_windows() {
        std::vector<Target*> old;
        for (auto& target : targets_) {
            const auto needed = std::chrono::ceil<support::Seconds>(settings_.timeout) + kReserve;
            if (target.written && !target.failed && now_at(target) + needed > target.ends) old.push_back(&target);
        }
        remove(old, context_.store());
        for (auto* target : old) rename(*target);
    }

    /// One request in every window, and the replicas' word for it.
    void measure() {
        std::vector<Target*> targets;
        std::vector<domain::CountItem> items;
        std::vector<store::AwaitedCount> counts;
        for (auto& target : targets_) {
            if (target.failed) continue;
            const auto now = now_at(target);
            if (target.used == 0) target.ends = now + life();
            targets.push_back(&target);
            items.push_back({{target.key, target.shard}, 1, target.ends, now});
            counts.push_back({{target.key, target.shard}, std::to_string(target.used + 1)});
        }
        const auto watch = context_.store().watch_replicas(counts);
        auto order = order_of(counts_, targets, 1);
        Timed timed(counts_.record(), *watch);
        order.observer = &timed;
        const auto results = context_.store().count(items, order);
        take_results(targets, results);
        for (auto& sighting : watch->await(settings_.timeout)) take(std::move(sighting));
    }

    support::Seconds life() const { return kLife + std::chrono::ceil<support::Seconds>(settings_.timeout); }

    store::WriteOrder order_of(OperationWriter& writer, const std::vector<Target*>& targets,
                               std::optional<std::int64_t> amount) {
        std::vector<RecordedItem> items;
        std::vector<store::Slice> slices;
        for (std::size_t i = 0; i < targets.size(); ++i) {
            items.push_back({++writes_, targets[i]->key, amount});
            slices.push_back({writes_, std::string(kCommand), {i}});
        }
        return writer.order(std::move(items), std::move(slices));
    }

    void take_results(const std::vector<Target*>& targets, std::span<const store::WriteResult> results) {
        for (std::size_t i = 0; i < targets.size(); ++i) {
            Target& target = *targets[i];
            using enum domain::WriteStatus;
            const auto status = results[i].status;
            target.written = target.written || status == applied || status == unknown;
            if (target.written) outcome_.answer();
            if (status == applied) ++target.used;
            if (status == applied || (status == not_attempted && context_.stop())) continue;
            target.failed = true;
            outcome_.fail(target.primary, results[i].error.value_or(support::Error{
                                              ExitCode::write_refused,
                                              "shard '" + target.primary.shard +
                                                  "': the throw-away window was not written: " + results[i].reason,
                                              {}}));
        }
    }

    void take(store::Sighting sighting) {
        for (auto& target : targets_) {
            if (target.failed || target.primary.shard != sighting.node.shard) continue;
            for (auto& row : target.rows) {
                if (row.node.name() != sighting.node.name()) continue;
                if (sighting.delay) {
                    row.delays.push_back(*sighting.delay);
                    row.blinds.push_back(sighting.blind);
                } else if (sighting.error && !context_.stop()) {
                    row.error = std::move(sighting.error);
                } else if (!context_.stop()) {
                    ++row.lost;
                }
            }
        }
    }

    /// Told to stop or not.
    void remove_all() {
        std::vector<Target*> there;
        for (auto& target : targets_) {
            if (target.written) there.push_back(&target);
        }
        if (there.empty()) return;
        const auto lasting = context_.lasting_store_of(settings_);
        remove(there, *lasting);
    }

    void remove(const std::vector<Target*>& targets, store::Store& store) {
        if (targets.empty()) return;
        std::vector<domain::ResetItem> items;
        items.reserve(targets.size());
        for (const auto* target : targets) items.push_back({{target->key, target->shard}, {}, {}});
        std::vector<store::WriteResult> results;
        try {
            results = store.reset(items, order_of(removals_, targets, std::nullopt));
        } catch (const Failure& failure) {
            for (const auto* target : targets) say_left(*target, failure.error());
            return;
        }
        for (std::size_t i = 0; i < targets.size(); ++i) {
            using enum domain::WriteStatus;
            const auto& result = results[i];
            targets[i]->written = result.status != applied && result.status != skipped;
            if (targets[i]->written) say_left(*targets[i], result.error.value_or(support::Error{}));
        }
    }

    void say_left(const Target& target, const support::Error& error) {
        support::Error left{
            error.code == ExitCode::done ? ExitCode::unavailable : error.code,
            fmt::format("shard '{}': the throw-away window '{}' is still there: {}; it ends by itself "
                        "at {}",
                        target.primary.shard, target.key, error.message, support::format_time(target.ends)),
            error.hint};
        outcome_.fail(target.primary, left);
    }

    ExitCode report() {
        RowWriter<ProbeRow> writer(context_, probe_fields(), "ratectl.probe.v1", {}, true, order_);
        for (auto& target : targets_) {
            for (auto& row : target.rows) {
                row.key = target.key;
                row.planned = dry_;
                if (row.error) outcome_.fail(row.node, *row.error);
                if (row.lost > 0) outcome_.attend();
                writer.write(row);
            }
        }
        outcome_.add(writer.end(outcome_.footer()));
        if (counts_.record_failure()) throw Failure(*counts_.record_failure());
        if (removals_.record_failure()) throw Failure(*removals_.record_failure());
        return outcome_.code();
    }

    Context& context_;
    const config::Settings& settings_;
    bool dry_;
    std::optional<std::string> reason_;
    std::uint64_t rounds_;
    Milliseconds every_ = kEvery;
    Consent consent_;
    OperationWriter counts_;
    OperationWriter removals_;
    std::uint64_t writes_ = 0;  // so far: each has a row of its own in the journal
    const ColumnOrder& order_;
    std::vector<Target> targets_;
    Outcome outcome_;
};

}  // namespace

void bind_probe(Syntax syntax, ProbeFlags& flags) {
    const char* group = "Probe";
    syntax
        .add_flag(
            "--probe", flags.probe,
            "measure the replication delay: write a throw-away window on every shard, ask its replicas until they "
            "show it, remove it; 1 when one does not show it within --timeout, 9 when one cannot be asked")
        .group(group);
    syntax.add_option("--rounds", flags.count, "with --probe: how many writes are measured (default 10)")
        .type_name("N")
        .group(group);
    syntax.add_option("--every", flags.every, "with --probe: how long to wait between two (default 100ms)")
        .type_name("DURATION")
        .group(group);
    syntax.add_option("--reason", flags.consent.reason, "with --probe: why; some deployments want one for every change")
        .type_name("TEXT")
        .group("Safety");
}

ExitCode run_probe(const ProbeFlags& flags, std::span<const std::size_t> shards, Context& context) {
    return Probe(flags, context).run(shards);
}

}  // namespace ratectl::commands
