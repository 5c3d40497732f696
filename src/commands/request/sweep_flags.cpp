// The flags that commands with a sweep share, and the question to the store that they make.
#include "commands/request/sweep_flags.h"

#include <string_view>

#include "support/error.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::commands {
namespace {

/// A flag that dump files know nothing of, or empty.
std::string flag_for_servers(const SweepFlags& flags, const Context& context) {
    if (flags.pace.max_latency) return "--max-latency";
    if (flags.pace.ops) return "--ops";
    return context.options().overrides.read_from ? "--from" : "";
}

}  // namespace

using support::ExitCode;

void bind_pace(Syntax syntax, PaceFlags& flags) {
    syntax
        .add_option("--max-latency", flags.max_latency,
                    "how long a page may keep a server's other clients waiting; pages get as large as that allows "
                    "(default: 1ms)")
        .type_name("DURATION");
    syntax.add_option("--ops", flags.ops, "at most so many commands a second to each server").type_name("N/s");
}

std::chrono::microseconds max_latency_of(const PaceFlags& flags) {
    return support::duration_of("--max-latency", flags.max_latency.value_or("1ms"));
}

std::optional<std::uint64_t> ops_of(const PaceFlags& flags) {
    if (!flags.ops) return std::nullopt;
    std::string_view number = *flags.ops;
    if (number.ends_with("/s")) number.remove_suffix(2);
    const auto ops = support::parse_unsigned(number, UINT32_MAX);
    if (ops && *ops > 0) return *ops;
    throw support::Failure(ExitCode::usage, "--ops '" + *flags.ops + "' is not a number of commands a second",
                           "for example --ops 200/s");
}

void bind_swept_keys(Syntax syntax, SweepFlags& flags) {
    syntax.add_option("glob", flags.glob, "only keys that match this pattern, whatever the policies say")
        .type_name("GLOB");
    syntax.add_option("--match", flags.selection.match, "the same as GLOB").type_name("GLOB").group("Selection");
    bind_filters(syntax, flags.selection);
}

void bind_sweep_source(Syntax syntax, SweepFlags& flags) {
    syntax.add_flag("--orphans", flags.orphans, "counters without an expiry half too, if a policy matches them");
    syntax
        .add_option(
            "--rdb", flags.rdb,
            "read this dump file instead of a server, as a picture of its moment; gzip is unpacked, `-` is standard "
            "input, several are one shard each")
        .type_name("[NAME=]FILE");
    bind_pace(syntax, flags.pace);
    syntax
        .add_option("--look", flags.look,
                    "light reads both values; full adds types and TTLs, at about twice the cost (always for "
                    "--exit-status of stats, what --state takes, and windows of which a half is missing)")
        .type_name("light|full");
}

Selection selection_of(const SweepFlags& flags) {
    Selection selection = flags.selection;
    if (flags.glob && selection.match)
        throw support::Failure(ExitCode::usage, "GLOB and --match are the same thing", "give one of them");
    if (flags.glob) selection.match = flags.glob;
    check_selection(selection);
    return selection;
}

SweepQuestion question_of(const SweepFlags& flags, const Selection& selection, domain::LookDepth depth,
                          Context& context, RdbDeployment* dumps) {
    const auto& settings = context.settings();
    SweepQuestion question;
    question.glob = selection.match;
    question.from = settings.from_given ? settings.read_from : settings.scan_from;
    question.orphans = flags.orphans;
    question.depth = depth;
    question.max_latency = max_latency_of(flags.pace);
    question.ops = ops_of(flags.pace);
    if (dumps == nullptr) return question;
    if (!selection.states.empty()) question.depth = domain::LookDepth::full;  // a second look would cost more
    question.from = {};
    question.source = [dumps](store::ScanQuestion scan) { return dumps->scan(std::move(scan)); };
    return question;
}

ExitCode on_servers_or_dumps(const SweepFlags& flags, const std::string& servers_only, Context& context,
                             const std::function<ExitCode(Context&, RdbDeployment*)>& run) {
    if (flags.rdb.empty()) return run(context, nullptr);
    const std::string flag = servers_only.empty() ? flag_for_servers(flags, context) : servers_only;
    if (!flag.empty()) {
        throw support::Failure(ExitCode::usage, flag + " is about servers, and --rdb reads files",
                               "leave out one of them");
    }
    RdbDeployment dumps(flags.rdb, context);
    return run(dumps.context(), &dumps);
}

}  // namespace ratectl::commands
