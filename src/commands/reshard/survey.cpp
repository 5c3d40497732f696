// Sweeps the old deployment and finds each window's route.
#include "commands/reshard/survey.h"

#include <algorithm>

#include <fmt/format.h>

#include "domain/cluster/slot_faults.h"
#include "sharding/cluster_slots.h"
#include "support/quote.h"

namespace ratectl::commands::reshard {
namespace {

/// All windows move, those that no policy knows among them: what an account cannot see it cannot move.
SubjectRules rules_for(const std::vector<domain::WindowState>& states) {
    SubjectRules rules;
    rules.others = SubjectRules::Others::meant;
    rules.orphans = std::ranges::find(states, domain::WindowState::orphan_counter) != states.end();
    return rules;
}

}  // namespace

std::string LeftBehind::words() const {
    std::string text;
    const auto add = [&text](std::uint64_t count, std::string_view word) {
        if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, word);
    };
    add(closed, "closed");
    add(endless, "endless");
    add(orphans, orphans == 1 ? "orphan" : "orphans");
    add(corrupt, "corrupt");
    add(misplaced, "misplaced");
    add(arrived, "there already");
    for (const auto& [reason, windows] : nameless) add(windows.count, reason);
    return text;
}

std::vector<std::pair<std::string, std::int64_t>> LeftBehind::counts() const {
    const auto number = [](std::uint64_t count) { return static_cast<std::int64_t>(count); };
    std::uint64_t all_nameless = 0;
    for (const auto& [reason, windows] : nameless) all_nameless += windows.count;
    return {{"closed", number(closed)},        {"endless", number(endless)},     {"orphans", number(orphans)},
            {"corrupt", number(corrupt)},      {"misplaced", number(misplaced)}, {"arrived", number(arrived)},
            {"nameless", number(all_nameless)}};
}

void LeftBehind::tell_nameless(output::Diagnostics& messages, const DeploymentPair& deployments) const {
    for (const auto& [reason, windows] : nameless) {
        messages.warning(fmt::format("{} {} of {} {} not moved to {}: {} {} ({}{})", windows.count,
                                     windows.count == 1 ? "window" : "windows", deployments.from_name,
                                     windows.count == 1 ? "is" : "are", deployments.to_name,
                                     windows.count == 1 ? "it is" : "they are", reason,
                                     windows.count == 1 ? "" : "one of them: ", support::quoted(windows.one)),
                         windows.hint);
    }
}

Survey::Survey(const DeploymentPair& deployments, std::vector<domain::WindowState> states, domain::ReadFrom from,
               Context& context)
    : deployments_(deployments),
      router_(deployments),
      renaming_(deployments.from.settings, deployments.to.settings),
      states_(std::move(states)),
      context_(context),
      everything_({}, deployments.from.settings, deployments.from.store->directory()),
      subject_(rules_for(states_), everything_, deployments.from.settings) {
    subject_.check_orphans();
    auto question = subject_.question();
    question.from = std::move(from);
    stream_ = deployments.from.store->scan(std::move(question));
}

bool Survey::next(const std::function<void(const Surveyed&)>& take) {
    if (context_.stop()) return false;
    const auto* page = stream_->next();
    if (!page) return false;
    const auto now = context_.now();
    for (const auto& look : page->looks) {
        const KeyMeaning meaning = meaning_of(look, deployments_.from.settings);
        const domain::Window window = domain::judge(look, now, meaning.limit);
        const auto standing = standing_of(look, window.state, now);
        const bool goes_along = standing == Standing::live || domain::is_in(window, states_);
        if (!goes_along) note_left(standing);
        if (!goes_along && standing != Standing::endless) continue;
        auto name = renaming_.name_of(look.key);
        if (!name.key.empty() && !has_home(name.key))
            name = {{}, "in a slot that no node there has", std::string(domain::kGiveSlotANode)};
        if (name.key.empty() && router_.is_at_home(look.key, page->shard)) {
            if (goes_along) note_nameless(look.key, std::move(name));
            take({look, window, meaning, page->shard, std::nullopt, false});
            continue;
        }
        const Route route = router_.route_of(look.key, name.key, page->shard);
        if (is_at_home(route, goes_along)) take({look, window, meaning, page->shard, route, goes_along});
    }
    return true;
}

/// Of a window in the deployment that it is moved to, by its name there.
bool Survey::has_home(std::string_view new_key) const {
    const auto& to = deployments_.to.store->directory();
    return !to.has_slots() || to.has_owner(sharding::cluster_slot(new_key));
}

std::size_t Survey::shards_seen() const {
    const auto& progress = stream_->progress();
    return static_cast<std::size_t>(std::count_if(progress.begin(), progress.end(),
                                                  [](const store::ShardProgress& shard) { return shard.complete; }));
}

void Survey::note_left(Standing standing) {
    switch (standing) {
        case Standing::live: return;
        case Standing::closed: ++left_.closed; return;
        case Standing::endless: ++left_.endless; return;
        case Standing::orphan: ++left_.orphans; return;
        case Standing::corrupt: ++left_.corrupt; return;
    }
}

void Survey::note_nameless(const std::string& key, Renaming::Name name) {
    auto& windows = left_.nameless[std::move(name.obstacle)];
    if (++windows.count > 1) return;
    windows.one = key;
    windows.hint = std::move(name.hint);
}

/// What is left behind anyway is counted as that.
bool Survey::is_at_home(const Route& route, bool goes_along) {
    const bool misplaced = route.decision == MoveDecision::misplaced;
    const bool arrived = route.decision == MoveDecision::arrived;
    if (goes_along && misplaced) ++left_.misplaced;
    if (goes_along && arrived) ++left_.arrived;
    return !misplaced && !arrived;
}

}  // namespace ratectl::commands::reshard
