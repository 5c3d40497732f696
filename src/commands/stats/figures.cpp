// Counts a sweep's windows into figures.
#include "commands/stats/figures.h"

#include <algorithm>
#include <utility>

#include "commands/sweep/sweep_progress.h"
#include "output/mask.h"
#include "support/number_text.h"

namespace ratectl::commands::stats {
namespace {

std::size_t index_of(domain::WindowState state) {
    return static_cast<std::size_t>(std::find(kStates.begin(), kStates.end(), state) - kStates.begin());
}

bool is_live(const WindowRow& row) { return counts_at(row.window, row.now); }

}  // namespace

void Group::add(const Group& other) {
    for (std::size_t i = 0; i < states.size(); ++i) states[i] += other.states[i];
    used.add(other.used);
    for (std::size_t i = 0; i < bands.size(); ++i) bands[i] += other.bands[i];
    trials.resize(std::max(trials.size(), other.trials.size()));
    for (std::size_t i = 0; i < other.trials.size(); ++i) trials[i].add(other.trials[i]);
}

std::uint64_t Group::windows() const {
    std::uint64_t count = 0;
    for (const std::uint64_t each : states) count += each;
    return count;
}

Group Figures::of_shard(std::size_t shard) const {
    Group group;
    for (std::size_t policy = 0; policy < policies.size(); ++policy) group.add(cell(shard, policy));
    return group;
}

Group Figures::of_policy(std::size_t policy) const {
    Group group;
    for (std::size_t shard = 0; shard < shards.size(); ++shard) group.add(cell(shard, policy));
    return group;
}

Group Figures::total() const {
    Group group;
    for (const Group& each : cells) group.add(each);
    return group;
}

domain::Balance Figures::balance() const {
    std::vector<domain::ShardLoad> loads;
    for (std::size_t i = 0; i < shards.size(); ++i) {
        if (!shards[i].missing) loads.push_back({of_shard(i).live(), shards[i].weight});
    }
    return domain::balance_of(loads);
}

bool Figures::any_missing() const {
    return std::ranges::any_of(shards, [](const SweptShard& shard) { return shard.missing; });
}

bool Figures::any_stale() const { return std::ranges::any_of(shards, &SweptShard::stale); }

std::vector<std::size_t> Figures::shown_policies() const {
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < policies.size(); ++i) {
        if (!policies[i].empty() || of_policy(i).windows() > 0) shown.push_back(i);
    }
    return shown;
}

std::optional<std::int64_t> Trial::most_let_through(const WindowRow& row) const {
    const auto tried = limit.limit_for(row.window.limit);
    return tried ? std::optional{domain::most_let_through(row.look, *tried)} : std::nullopt;
}

double percent_of(std::uint64_t part, std::uint64_t whole) {
    return support::percent_of(static_cast<std::int64_t>(part), static_cast<std::int64_t>(whole)).value_or(0);
}

Collector::Collector(Context& context, const std::vector<std::size_t>& shards, std::vector<Trial> trials,
                     Printer& printer)
    : context_(context), settings_(context.settings()), printer_(printer) {
    figures_.deployment = settings_.deployment;
    figures_.now = context.now();
    figures_.trials = std::move(trials);
    const auto& directory = context.directory();
    for (const std::size_t i : shards)
        figures_.shards.push_back(
            {directory.name_of(i), i < directory.servers().size() ? directory.servers()[i].weight : 1});
    for (const auto& policy : settings_.policies.policies()) figures_.policies.push_back(policy.name);
    figures_.policies.emplace_back();
    empty_.trials.resize(figures_.trials.size());
    figures_.cells.assign(figures_.shards.size() * figures_.policies.size(), empty_);
}

std::size_t Collector::shard_of(std::string_view name) {
    for (std::size_t tried = 0; tried < figures_.shards.size(); ++tried) {
        if (figures_.shards[last_shard_].name == name) return last_shard_;
        last_shard_ = (last_shard_ + 1) % figures_.shards.size();
    }
    // A node that has joined the Redis Cluster meanwhile.
    figures_.shards.push_back({std::string(name), 1});
    figures_.cells.resize(figures_.shards.size() * figures_.policies.size(), empty_);
    return last_shard_ = figures_.shards.size() - 1;
}

std::size_t Collector::policy_of(const WindowRow& row) const {
    const std::size_t none = figures_.policies.size() - 1;
    if (!row.meaning.match) return none;
    return std::min(none, static_cast<std::size_t>(row.meaning.match->policy - settings_.policies.policies().data()));
}

void Collector::take(const WindowRow& row) {
    if (!std::exchange(seen_any_, true) || row.now < figures_.now) figures_.now = row.now;
    Group& group = figures_.cells[shard_of(row.shard) * figures_.policies.size() + policy_of(row)];
    if (const std::size_t state = index_of(row.window.state); state < kStates.size()) ++group.states[state];
    if (!is_live(row)) return;
    const std::int64_t used = *row.window.used;
    group.used.add(used);
    if (row.window.reset_at) figures_.resets.add(*row.window.reset_at);
    const bool never_limited = row.meaning.exempt() && !row.window.limit;
    ++group.bands[static_cast<std::size_t>(never_limited ? domain::LimitBand::exempt : domain::band_of(row.window))];
    if (never_limited) return;
    for (std::size_t i = 0; i < figures_.trials.size(); ++i)
        group.trials[i].add(used, figures_.trials[i].most_let_through(row));
}

void Collector::take_kept(const WindowRow& row) {
    if (is_live(row)) printer_.take_heaviest(row, figures_);
}

void Collector::finish(const output::Footer& footer, std::span<const store::ShardProgress> shards) {
    figures_.footer = footer;
    const auto& mask = context_.messages().options().mask;  // a printer's own words come past no sink
    for (output::FailureRow& failure : figures_.footer.failures) {
        failure.message = output::masked(mask.get(), failure.message);
        failure.hint = output::masked(mask.get(), failure.hint);
    }
    // A sweep that was given up says of no shard how far it came.
    const bool stopped = context_.stop() || (!footer.complete && shards.empty());
    for (SweptShard& shard : figures_.shards) {
        const auto swept = std::ranges::find_if(shards, [&](const store::ShardProgress& one) {
            return swept_name(one, context_.directory()) == shard.name;
        });
        const bool failed = std::ranges::any_of(
            footer.failures, [&](const output::FailureRow& failure) { return failure.shard == shard.name; });
        shard.stale = swept != shards.end() && swept->stale;
        shard.missing = stopped || (swept != shards.end() && !swept->complete) || (failed && !shard.stale);
    }
    printer_.print(figures_);
}

}  // namespace ratectl::commands::stats
