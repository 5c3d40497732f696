// doctor's sweep over windows: which keys it is about, which are suspect, when it is over.
#include "commands/doctor/windows.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "commands/sweep/sweep.h"
#include "commands/sweep/sweep_progress.h"
#include "store/directory.h"

namespace ratectl::commands::doctor {
namespace {

using domain::FindingClass;

constexpr std::size_t kSuspectsAtOnce = 200;
constexpr std::size_t kSuspectBytesAtOnce = 1u << 20;

SubjectRules rules_for(const WindowQuestion& question) {
    SubjectRules rules;
    rules.glob = question.glob;
    rules.others = SubjectRules::Others::counted;
    rules.lone_keys = true;  // if they hold a number; judged later
    return rules;
}

}  // namespace

WindowSurvey::WindowSurvey(WindowQuestion question, const Servers& servers, const Classes& wanted,
                           FindingReport& report, Take take, Context& context)
    : question_(std::move(question)),
      servers_(servers),
      wanted_(wanted),
      report_(report),
      take_(std::move(take)),
      context_(context),
      settings_(context.settings()),
      directory_(context.directory()),
      everything_({}, settings_, directory_),
      subject_(rules_for(question_), everything_, settings_),
      surroundings_(settings_, servers) {
    const bool several = directory_.places().size() > 1 && question_.shards.size() != 1;
    compares_ = several && (!directory_.knows_homes() || question_.offline) && wanted.has(FindingClass::duplicate);
}

void WindowSurvey::run() {
    started_ = last_progress_ = context_.wall_clock();
    set_quotas();
    find_stranded();
    do {
        auto question = scan_question();
        const auto stream =
            question_.offline ? question_.offline(std::move(question)) : context_.store().scan(std::move(question));
        read(*stream);
        examine();
        deliver_kept();
        if (!only_copies_) note_end(*stream);
        only_copies_ = true;
    } while (compares_ && filter_.next_part() && !context_.stop());
    if (!context_.stop()) report_stranded();
    context_.messages().clear_progress();
}

store::ScanQuestion WindowSurvey::scan_question() {
    store::ScanQuestion scan = subject_.question();
    scan.shards = question_.shards;
    scan.from = question_.scan_from;
    scan.depth = question_.offline ? domain::LookDepth::full : domain::LookDepth::expiries;
    scan.max_latency = question_.max_latency;
    scan.ops = question_.ops;
    using enum FindingClass;
    const bool lone_counters = wanted_.has(orphan_counter) || wanted_.has(corrupt);
    if (!lone_counters && !wanted_.has(masked_keys)) return scan;
    // Every key is listed, so that those which a server counts and does not list are known.
    scan.orphan_counters = [this, lone_counters](std::string_view key) {
        return lone_counters && (question_.glob || settings_.policies.match(key).has_value());
    };
    return scan;
}

void WindowSurvey::set_quotas() {
    if (!question_.sample) return;
    const auto shards = directory_.places().size();
    const auto chosen = question_.shards.empty() ? shards : question_.shards.size();
    for (std::size_t shard = 0; shard < shards; ++shard) {
        auto& quota = quotas_[shard];
        if (const auto windows = question_.sample->windows) {
            quota = (*windows + chosen - 1) / chosen;
            continue;
        }
        // What else is in the db makes the sample larger, never smaller.
        const auto parts = static_cast<double>(limiter_of(settings_).parts().size());
        for (const auto& report : servers_.reports()) {
            if (report.node.shard != directory_.name_of(shard) || !report.facts || !report.facts->keys) continue;
            const auto windows = static_cast<double>(*report.facts->keys) / parts * *question_.sample->percent / 100;
            quota = std::max(quota, static_cast<std::uint64_t>(std::ceil(windows)));
        }
    }
}

bool WindowSurvey::sample_is_full(std::size_t shard) const {
    const auto quota = quotas_.find(shard);
    if (quota == quotas_.end()) return false;
    const auto taken = taken_.find(shard);
    return (taken == taken_.end() ? 0 : taken->second) >= quota->second;
}

bool WindowSurvey::whole_sample_is_full(const store::ScanStream& stream) const {
    if (quotas_.empty()) return false;
    const auto& shards = stream.progress();
    return std::all_of(shards.begin(), shards.end(),
                       [this](const auto& each) { return each.complete || sample_is_full(each.shard); });
}

void WindowSurvey::read(store::ScanStream& stream) {
    while (const auto* page = stream.next()) {
        for (const auto& look : page->looks) take(look, *page);
        if (context_.stop() || whole_sample_is_full(stream)) return;
        after_page(stream);
    }
}

void WindowSurvey::take(const domain::WindowLook& look, const store::ScanPage& page) {
    if (sample_is_full(page.shard)) return;
    if (domain::is_absent(look) && look.limiter->corruption(look).empty()) return;  // knobs of a throttle that is full
    const auto meaning = meaning_of(look, settings_);
    if (!subject_.takes(look, meaning)) return;
    const bool sighted = compares_ && filter_.again(sighting_of(look.key));
    if (!only_copies_) {
        ++windows_;
        if (!quotas_.empty()) ++taken_[page.shard];
    }
    const bool misplaced = !only_copies_ && is_misplaced(look.key, page.shard);
    const auto around = surroundings_.of(meaning, page.node, page.read_at);
    const bool sound = only_copies_ || domain::looks_sound(look, around);
    if (sound && !misplaced && !sighted) return;
    if (question_.offline) {
        return take_final({{look.key, page.shard, misplaced, sighted}, look, page.node, page.read_at, meaning, {}});
    }
    suspects_.push_back({look.key, page.shard, misplaced, sighted});
    suspect_bytes_ += look.key.size();
    if (suspects_.size() >= kSuspectsAtOnce || suspect_bytes_ >= kSuspectBytesAtOnce) examine();
}

void WindowSurvey::after_page(const store::ScanStream& stream) {
    const auto now = context_.wall_clock();
    if (now - last_progress_ < output::kProgressEvery) return;
    if (context_.stdout_is_terminal() && report_.streams()) return;
    last_progress_ = now;
    context_.messages().progress(
        progress_line(stream.progress(), windows_, now - started_, fmt::format("{} findings", report_.total())));
}

void WindowSurvey::note_end(const store::ScanStream& stream) {
    for (const auto& [node, error] : stream.failures()) report_.outcome().fail_once(node, error);
    incomplete_.merge(failed_shards(stream));
    std::set<std::size_t> numbers;
    for (const auto& each : stream.progress()) {
        numbers.insert(each.shard);
        if (!each.complete && !sample_is_full(each.shard)) incomplete_.insert(directory_.name_of(each.shard));
    }
    shards_ = numbers.size();
    left_out_ = subject_.unknown();
    count_masked(stream);
}

}  // namespace ratectl::commands::doctor
