// What the commands that sweep take alike: which windows, from where, how deep and how gently.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commands/context.h"
#include "commands/dumps/rdb_stream.h"
#include "commands/request/selection.h"
#include "commands/request/syntax.h"
#include "commands/sweep/sweep.h"

namespace ratectl::commands {

/// As given.
struct PaceFlags {
    std::optional<std::string> max_latency;
    std::optional<std::string> ops;
};

void bind_pace(Syntax syntax, PaceFlags& flags);
/// What a page may keep the servers' other clients waiting; 1 ms unless given. Throws Failure (usage).
std::chrono::microseconds max_latency_of(const PaceFlags& flags);
/// Commands a second to each server, `N` or `N/s`; null: as many as it answers. Throws Failure (usage).
std::optional<std::uint64_t> ops_of(const PaceFlags& flags);

/// As given.
struct SweepFlags {
    std::optional<std::string> glob;
    Selection selection;
    std::optional<std::string> look;
    PaceFlags pace;
    bool orphans = false;
    std::vector<std::string> rdb;
};

/// GLOB, --match and the filters.
void bind_swept_keys(Syntax syntax, SweepFlags& flags);
/// --orphans, --rdb, --max-latency, --ops, --look.
void bind_sweep_source(Syntax syntax, SweepFlags& flags);

/// The selection, GLOB as its --match. Throws Failure (usage).
Selection selection_of(const SweepFlags& flags);
/// `full`: the full look, unless --look says otherwise. `dumps` in the place of servers, or null; they outlive the
/// question. Throws Failure (usage).
SweepQuestion question_of(const SweepFlags& flags, const Selection& selection, domain::LookDepth depth,
                          Context& context, RdbDeployment* dumps);

/// Runs it on the servers, or on the dumps of --rdb and a context of theirs. `servers_only`: a flag that was given and
/// that dumps know nothing of, or empty. Throws Failure (usage).
ExitCode on_servers_or_dumps(const SweepFlags& flags, const std::string& servers_only, Context& context,
                             const std::function<ExitCode(Context&, RdbDeployment*)>& run);

}  // namespace ratectl::commands
