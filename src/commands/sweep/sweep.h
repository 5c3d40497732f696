// A sweep over the windows of all shards into a report: what `scan` is, and `check --match`.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "commands/report/window_report.h"
#include "commands/request/selection.h"
#include "commands/sweep/subject.h"
#include "domain/node.h"
#include "domain/window.h"

namespace ratectl::commands {

struct SweepQuestion {
    std::optional<std::string>
        glob;  // null: windows that some policy's template matches; without policies: whole pairs
    domain::ReadFrom from;
    domain::LookDepth depth = domain::LookDepth::light;
    bool orphans = false;                         // counters without an expiry half too
    bool idle = true;                             // see SubjectRules
    bool duplicates = false;                      // only keys that are on several shards
    std::chrono::microseconds max_latency{1000};  // what a page may cost the servers' other clients
    std::optional<std::uint64_t> ops;             // commands a second to each server
    /// Where an earlier sweep of the same question stopped.
    std::vector<store::ScanCursor> resume;
    store::SlotRecord resume_slots = {};
    /// Told how far the sweep is, about every second and at its end, whatever that end is; all rows before have been
    /// flushed. May be unset.
    std::function<void(const store::ScanMark&)> note_progress;
    /// Where the windows come from instead of the store: dump files.
    std::function<std::unique_ptr<store::ScanStream>(store::ScanQuestion)> source;
};

/// What the servers are asked for; `scan` and `top` ask alike. Throws Failure (usage) as SweepSubject::check_orphans().
store::ScanQuestion scan_question(const SweepQuestion& question, SweepSubject& subject);
/// The keys that the question is about.
SubjectRules rules_of(const SweepQuestion& question);
/// Runs the sweep, finishes the report, says the summary. Throws Failure where the question itself is wrong.
ExitCode run_sweep(const SweepQuestion& question, const Filter& filter, WindowReport& report, Context& context);

/// Whose node that was read did not answer, or not for all of its windows, whether it was read to its end or not.
std::set<std::string> failed_shards(const store::ScanStream& stream);
/// `shard 'beta' is incomplete`, a few by name; for a summary.
std::string incomplete_words(const std::set<std::string>& shards);
/// A notice for a GLOB without a wildcard that finds nothing.
void say_no_such_window(const std::string& glob, Context& context);

/// `--look light|full`; unset: as is wanted. Full whatever it says where an answer by a light look would be another
/// one: a window without a TTL looks sound to it, and another type like nothing at all.
domain::LookDepth look_depth(const std::optional<std::string>& flag, bool needs_full, bool wants_full);
/// Columns named in --columns or --sort that a light look leaves empty.
bool columns_need_full_look(const Context& context, const std::optional<std::string>& sort);

}  // namespace ratectl::commands
