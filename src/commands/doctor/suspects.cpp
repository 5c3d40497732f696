// Looks at suspect windows again, both halves at one moment: what has changed meanwhile is not a finding.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "commands/context.h"
#include "commands/doctor/windows.h"
#include "commands/looks/stranded.h"
#include "commands/sweep/duplicates.h"
#include "domain/limiter.h"

namespace ratectl::commands::doctor {
namespace {

using domain::FindingClass;

constexpr std::size_t kMostKept = 10'000;

/// The name of the key that says when the window ends; its own where none does.
std::string reset_key_of(const domain::WindowLook& look) {
    return look.limiter->part_key(look.key, look.limiter->reset_part().value_or(0));
}

/// What a clash of suffixes can feign.
bool is_about_expiry(const domain::Finding& finding) {
    using enum FindingClass;
    return finding.what <= ttl_long;
}

}  // namespace

void WindowSurvey::diagnose(Case& one) const {
    one.findings = domain::diagnose(one.look, surroundings_.of(one.meaning, one.node, one.read_at));
    if (may_be_elsewhere(one.look.key, stranded_)) forbid_removal(one.findings);
    if (!one.suspect.misplaced || domain::is_absent(one.look)) return;
    const auto& home = directory_.name_of(directory_.place_of(one.look.key)->shard);
    one.findings.push_back({FindingClass::misplaced, fmt::format("the application looks for it on shard '{}'", home)});
}

/// A dump file cannot be asked again: an expiry half alone waits for the end of the file, which may show that it is a
/// counter.
void WindowSurvey::take_final(Case one) {
    if (!only_copies_) diagnose(one);
    if (one.suspect.sighted) one.findings.push_back({FindingClass::duplicate, "the key is on another shard, too"});
    const auto clashes = [](const domain::Finding& finding) { return finding.what == FindingClass::suffix_clash; };
    if (std::any_of(one.findings.begin(), one.findings.end(), clashes) && clashing_.size() < kMostKept)
        clashing_.insert(one.look.key);
    if (!domain::is_there(domain::stored_used(one.look)) && kept_.size() < kMostKept) {
        kept_.push_back(std::move(one));
    } else {
        deliver(one);
    }
}

void WindowSurvey::deliver_kept() {
    for (const auto& one : kept_) {
        if (!clashing_.contains(reset_key_of(one.look))) deliver(one);
    }
    kept_.clear();
}

void WindowSurvey::examine() {
    if (suspects_.empty()) return;
    std::vector<store::KeyAt> keys;
    for (const auto& suspect : suspects_) keys.push_back({suspect.key, suspect.shard});
    auto answers = context_.store().look({keys, question_.verify_from, domain::LookDepth::full, false});
    for (const auto& [node, error] : context_.store().look_failures()) report_.outcome().fail_once(node, error);
    std::vector<Case> cases;
    for (auto& answer : answers) {
        if (!answer.look) {
            if (!context_.stop()) report_.outcome().fail_once(answer.node, answer.look.error());
            ++unjudged_[answer.node.shard];
            continue;
        }
        Case& one = cases.emplace_back();
        one.suspect = std::move(suspects_[answer.key]);
        one.look = std::move(*answer.look);
        one.node = std::move(answer.node);
        one.read_at = answer.read_at;
        one.meaning = meaning_of(one.look, settings_);
        if (!only_copies_) diagnose(one);
    }
    suspects_.clear();
    suspect_bytes_ = 0;
    leave_out_clashes(cases);
    find_copies(cases);
    for (const auto& one : cases) deliver(one);
}

/// Where K:exp has an expiry half of its own it is a counter: what is odd about the end of K follows from that, and
/// without a counter of its own K is not a window at all.
void WindowSurvey::leave_out_clashes(std::vector<Case>& cases) {
    std::vector<store::KeyAt> keys;
    std::vector<std::size_t> of;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const auto& one = cases[i];
        if (one.findings.empty() || !domain::is_there(domain::stored_reset(one.look))) continue;
        keys.push_back({reset_key_of(one.look), one.suspect.shard});
        of.push_back(i);
    }
    if (keys.empty()) return;
    for (const auto& answer : context_.store().look({keys, question_.verify_from, domain::LookDepth::full, false})) {
        if (!answer.look && !context_.stop()) report_.outcome().fail_once(answer.node, answer.look.error());
        if (!answer.look || !domain::is_there(domain::stored_reset(*answer.look))) continue;
        Case& one = cases[of[answer.key]];
        if (domain::is_there(domain::stored_used(one.look))) {
            std::erase_if(one.findings, is_about_expiry);
        } else {
            one.findings.clear();
            one.suspect.misplaced = one.suspect.sighted = false;
        }
    }
}

void WindowSurvey::find_copies(std::vector<Case>& cases) {
    if (!wanted_.has(FindingClass::duplicate)) return;
    const std::size_t shards = directory_.places().size();
    std::vector<store::KeyAt> keys;
    std::vector<std::size_t> of;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const auto& suspect = cases[i].suspect;
        if ((!suspect.misplaced && !suspect.sighted) || (suspect.misplaced && domain::is_absent(cases[i].look)))
            continue;
        for (std::size_t shard = 0; shard < shards; ++shard) keys.push_back({cases[i].look.key, shard});
        of.push_back(i);
    }
    if (keys.empty()) return;
    const auto answers = context_.store().look({keys, question_.verify_from, domain::LookDepth::full, false});
    for (std::size_t i = 0; i < of.size(); ++i) {
        name_copies(cases[of[i]], std::span<const store::LookAnswer>(answers).subspan(i * shards, shards));
    }
}

/// One finding a key: with a map at the first shard that should not have it, else where it was seen again.
void WindowSurvey::name_copies(Case& one, std::span<const store::LookAnswer> answers) {
    std::vector<Copy> copies;
    std::optional<std::size_t> first_misplaced;
    for (std::size_t shard = 0; shard < answers.size(); ++shard) {
        const auto& answer = answers[shard];
        if (!answer.look) {
            if (!context_.stop()) report_.outcome().fail_once(answer.node, answer.look.error());
            continue;
        }
        if (domain::is_absent(*answer.look)) continue;
        copies.push_back({answer.node.shard, &*answer.look, settings_.clock_at(answer.read_at)});
        if (is_misplaced(one.look.key, shard) && !first_misplaced) first_misplaced = shard;
    }
    if (copies.size() < 2 || (directory_.knows_homes() && first_misplaced != one.suspect.shard)) return;
    one.findings.push_back({FindingClass::duplicate, describe_copies(copies)});
}

void WindowSurvey::deliver(const Case& one) {
    const auto around = surroundings_.of(one.meaning, one.node, one.read_at);
    for (const auto& finding : one.findings) {
        FindingRow row;
        row.finding = finding;
        row.key = one.look.key;
        row.shard = one.node.shard;
        row.node = one.node.name();
        if (one.meaning.match) row.policy = one.meaning.match->policy->name;
        row.window = domain::stored_window(one.look);
        row.layout = one.look.limiter->layout();
        row.window.expires = domain::expiries_of(one.look, around.server_now);
        take_(std::move(row), one.suspect.shard);
    }
}

/// Only where the sweep has listed every key there is.
void WindowSurvey::count_masked(const store::ScanStream& stream) {
    const auto question = scan_question();
    if (question_.offline || question_.sample || question.glob != "*" || !question.orphan_counters) return;
    for (const auto& each : stream.progress()) {
        if (!each.complete || !each.node || each.keys == 0) continue;
        const auto counted = servers_.keys_of(*each.node);
        if (!counted) continue;
        if (auto found = masked_keys(*counted, each.keys)) take_(server_row(*each.node, std::move(*found)), each.shard);
    }
}

}  // namespace ratectl::commands::doctor
