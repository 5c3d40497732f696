// replay: its flags; the replay itself is in run.cpp.
#include "commands/all_commands.h"

#include <fmt/format.h>

#include "commands/replay/key_fields.h"
#include "commands/replay/run.h"
#include "commands/report/row_writer.h"
#include "commands/request/refused_flags.h"
#include "config/given.h"
#include "support/number_text.h"
#include "support/suggest.h"
#include "support/time_text.h"

namespace ratectl::commands {

namespace {

using support::Failure;

struct ReplayRequest {
    std::string log;
    std::optional<std::string> policy;
    std::vector<std::string> refund_status;
    bool enforce = false;
    std::optional<std::string> time;
    std::optional<std::string> since;
    std::optional<std::string> until;
    ConsentFlags consent;
    OrderFlags order;
};

void bind_replay(Syntax syntax, ReplayRequest& request) {
    syntax.add_option("log", request.log, "access log in Common or Combined format, gzip or not; - is standard input")
        .type_name("FILE")
        .required();
    syntax.add_option("--policy", request.policy, "count by this policy's key, limit and period instead of --key")
        .type_name("NAME");
    syntax.add_option("--refund-status", request.refund_status, "statuses whose requests are given back, such as 304")
        .type_name("STATUS")
        .delimiter(',');
    syntax.add_flag("--enforce", request.enforce, "look first, and do not count what is over its limit");
    syntax
        .add_option("--time", request.time,
                    "log moves the log's clock so that its first request is now; now is one time; by itself log, "
                    "and what would be written into windows to come is left out")
        .type_name("log|now");
    syntax.add_option("--since", request.since, "only requests logged at or after this").type_name("TIME");
    syntax.add_option("--until", request.until, "only requests logged before this").type_name("TIME");
    bind_consent(syntax, request.consent);
    bind_op_keys(syntax, request.order);
    bind_row_order(syntax, request.order.rows);
    refuse_other_nodes(syntax, "requests are counted on primaries");
    refuse_guards(syntax, "a log is counted into the windows that its own times name",
                  "--since and --until choose requests");
}

const domain::Policy& named_policy(const std::string& name, const config::Settings& settings) {
    if (const auto* named = settings.policies.find(name)) return *named;
    std::vector<std::string> names;
    for (const auto& policy : settings.policies.policies()) names.push_back(policy.name);
    std::string hint = support::did_you_mean(name, names);
    if (hint.empty()) hint = names.empty() ? "none is configured" : fmt::format("policies: {}", fmt::join(names, ", "));
    throw Failure(ExitCode::usage, fmt::format("there is no policy '{}'", name), std::move(hint));
}

const domain::Policy& chosen_policy(const ReplayRequest& request, Context& context) {
    if (request.policy && context.options().overrides.key) {
        throw Failure(ExitCode::usage, "--key and --policy both say which key to count", "give one of them");
    }
    const auto& settings = context.settings();
    if (request.policy) return named_policy(*request.policy, settings);
    if (const auto* key = settings.policies.find(config::kKeyPolicy)) return *key;
    throw Failure(ExitCode::usage, "nothing says which key a request counts for",
                  "--key 'core:{client}', or --policy NAME");
}

std::set<int> statuses_of(const std::vector<std::string>& texts) {
    std::set<int> statuses;
    for (const std::string& text : texts) {
        const auto status = support::parse_unsigned(text, 999);
        if (!status || *status < 100) {
            throw Failure(ExitCode::usage, fmt::format("--refund-status: '{}' is not an HTTP status", text),
                          "three digits, such as 304");
        }
        statuses.insert(static_cast<int>(*status));
    }
    return statuses;
}

std::optional<support::Instant> time_of(const std::optional<std::string>& text, std::string_view flag,
                                        support::Moment now) {
    if (!text) return std::nullopt;
    auto time = support::parse_time(*text, now);
    if (!time) throw Failure(ExitCode::usage, fmt::format("{}: {}", flag, time.error().message), time.error().hint);
    return *time;
}

/// The one policy of a replay; what its keys say about limit and period is above it, and what flags say above both.
replay::Play play_of(const ReplayRequest& request, Context& context) {
    const auto& settings = context.settings();
    const auto& policy = chosen_policy(request, context);
    replay::check_holes(policy.key);
    const auto quota = limiter_of(settings).quota_in(policy.key.text());
    const auto own_period = quota ? quota->period : policy.period;
    const auto period = settings.period ? settings.period : own_period;
    if (!period) throw Failure(ExitCode::configuration, "nothing says how long a window is", "--period 1h");
    if (!settings.limit && !quota && !policy.limit) {
        throw Failure(ExitCode::configuration, "nothing says what the limit is", "--limit 5000");
    }
    replay::Play play;
    play.log = request.log;
    play.policy = domain::PolicyBook({policy});
    play.period = *period;
    play.enforce = request.enforce;
    play.consent = request.consent;
    play.order = request.order;
    play.rules.key = policy.key;
    play.rules.policy = policy.name;
    play.rules.limiter = &limiter_of(settings);
    play.rules.refund_status = statuses_of(request.refund_status);
    play.rules.now = context.now();
    play.rules.since = time_of(request.since, "--since", play.rules.now);
    play.rules.until = time_of(request.until, "--until", play.rules.now);
    play.rules.log_clock = request.time.value_or("log") == "log";
    // Unasked, no window is written that ends later than any that an application can have open now.
    if (!request.time && !context.options().dry_run) play.rules.ends = play.rules.now + *period;
    return play;
}

ExitCode run_replay(const ReplayRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(replay::key_fields()))) return ExitCode::done;
    return replay::run(play_of(request, context), context);
}

}  // namespace

Command replay_command() {
    return {"replay", Group::change, "count a real access log into windows",
            "# who would have been limited, without writing anything\n"
            "ratectl replay access.log --key 'core:{client}' \\\n"
            "    --limit 5000 --period 1h -n\n"
            "# count it into a sandbox, giving back what was not modified\n"
            "ratectl replay access.log.gz --policy core --refund-status 304 -y\n"
            "# one hour of it, rejecting as a limiter would\n"
            "ratectl replay access.log --policy core --enforce -y \\\n"
            "    --since 2026-01-01T10:00:00Z --until 2026-01-01T11:00:00Z\n",
            bind_request<ReplayRequest, bind_replay, run_replay>};
}

}  // namespace ratectl::commands
