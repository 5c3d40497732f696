// Finds lagging replicas by comparing their offsets now with their primary's offsets earlier.
// A number of bytes alone tells a busy primary as little as a broken link.
#include "commands/doctor/lags.h"

#include <algorithm>
#include <array>
#include <thread>

namespace ratectl::commands::doctor {
namespace {

using support::Milliseconds;

constexpr std::array kPauses{Milliseconds{50}, Milliseconds{100}, Milliseconds{250}, Milliseconds{300},
                             Milliseconds{350}};

/// A replica that has to reach this offset.
struct Runner {
    Lag lag;
    std::int64_t goal = 0;
};

const store::NodeReport* report_of(std::span<const store::NodeReport> reports, const domain::Node& node) {
    const auto found = std::find_if(reports.begin(), reports.end(), [&](const auto& report) {
        return report.node.shard == node.shard && report.node.endpoint.same_server(node.endpoint);
    });
    return found == reports.end() ? nullptr : &*found;
}

std::vector<Runner> runners_in(std::span<const store::NodeReport> reports) {
    std::vector<Runner> runners;
    for (const auto& [node, facts] : reports) {
        if (!facts || facts->role != domain::Role::replica || facts->link_up != true) continue;
        if (facts->lag_bytes.value_or(0) > 0)
            runners.push_back({{node, *facts->lag_bytes, {}}, *facts->offset + *facts->lag_bytes});
    }
    return runners;
}

/// False: it has arrived, or that is not known.
bool is_behind(Runner& runner, std::span<const store::NodeReport> now) {
    const auto* report = report_of(now, runner.lag.node);
    if (report == nullptr || !report->facts || report->facts->link_up != true || !report->facts->offset) return false;
    runner.lag.bytes = report->facts->lag_bytes.value_or(runner.goal - *report->facts->offset);
    return *report->facts->offset < runner.goal;
}

}  // namespace

std::vector<Lag> find_lags(std::span<const store::NodeReport> reports, Context& context) {
    auto runners = runners_in(reports);
    const auto began = context.wall_clock();
    for (const auto pause : kPauses) {
        if (runners.empty() || context.stop()) return {};
        std::this_thread::sleep_for(pause);
        std::vector<std::size_t> shards;
        for (std::size_t i = 0; i < context.directory().places().size(); ++i) {
            const auto& name = context.directory().name_of(i);
            if (std::any_of(runners.begin(), runners.end(), [&](const auto& r) { return r.lag.node.shard == name; }))
                shards.push_back(i);
        }
        const auto now = context.store().node_reports(shards);
        std::erase_if(runners, [&](Runner& runner) { return !is_behind(runner, now); });
        for (auto& runner : runners) runner.lag.seen = context.wall_clock() - began;
    }
    std::vector<Lag> lags;
    for (auto& runner : runners) lags.push_back(std::move(runner.lag));
    return lags;
}

}  // namespace ratectl::commands::doctor
