// doctor's look for windows that no sweep of a Redis Cluster can show: their nodes send all who ask elsewhere.
#include <algorithm>

#include "commands/context.h"
#include "commands/doctor/windows.h"
#include "commands/looks/stranded.h"
#include "domain/key_template.h"
#include "domain/limiter.h"
#include "store/directory.h"

namespace ratectl::commands::doctor {

void WindowSurvey::find_stranded() {
    using enum domain::FindingClass;
    const bool matters = wanted_.has(misplaced) || wanted_.has(orphan_counter) || wanted_.has(orphan_expiry);
    if (!question_.offline && matters && directory_.leads_to_keys()) stranded_ = context_.store().stranded();
}

void WindowSurvey::report_stranded() {
    const auto is_chosen = [this](const domain::Node& node) {
        const auto place = directory_.find(node.shard);
        return question_.shards.empty() ||
               (place && std::ranges::find(question_.shards, *place) != question_.shards.end());
    };
    for (const auto& window : stranded_.windows) {
        const auto meaning = meaning_of(window.key, settings_);
        const bool is_named = !question_.glob || domain::glob_matches(*question_.glob, window.key);
        if (!is_named || !is_window(window, settings_) || !is_chosen(window.node) || !subject_.takes(meaning)) continue;
        FindingRow row;
        row.finding = finding_of(window, window.node.shard, settings_);
        row.key = window.key;
        row.shard = window.node.shard;
        row.node = window.node.name();
        if (meaning.match) row.policy = meaning.match->policy->name;
        row.layout = limiter_of(settings_).of(window.key).layout();
        take_(std::move(row), directory_.place_of(window.key).value_or(store::Place{}).shard);
    }
    for (const auto& [node, error] : stranded_.failures) {
        if (!is_chosen(node)) continue;
        report_.outcome().fail_once(node, error);
        ++silent_;
    }
}

}  // namespace ratectl::commands::doctor
