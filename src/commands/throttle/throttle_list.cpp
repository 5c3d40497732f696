// Looks at throttles: those that are named, or all. A throttle that is full has no bucket, and may have knobs all the
// same, which a sweep over buckets does not see: so knobs are swept as if they were windows.
#include "commands/throttle/throttle_list.h"

#include <deque>
#include <set>
#include <string>
#include <string_view>

#include "commands/looks/named_looks.h"
#include "commands/report/fields/throttle_fields.h"
#include "commands/report/row_writer.h"
#include "commands/report/window_report.h"
#include "commands/sweep/sweep.h"

namespace ratectl::commands::throttle {
namespace {

constexpr std::string_view kSchemeOfKnobs = "limitlion-knobs";
constexpr std::string_view kThrottlesSchema = "ratectl.throttles.v1";

/// Windows of throttles as rows that have their knobs.
class ThrottleRows final : public RowReceiver {
public:
    /// `narrow`: as RowWriter has it.
    ThrottleRows(Context& context, std::string_view narrow)
        : rows_(context, throttle_fields(), kThrottlesSchema, narrow) {}

    void take(const WindowRow& row) override {
        auto shown = row;
        const auto format = rows_.options().format;
        if (row.stale && (format == output::Format::table || format == output::Format::wide))
            shown.shard = *stale_shards_.insert(std::string(row.shard) + " (stale)").first;
        rows_.write({shown, row.look.limiter->of(row.look.key).knobs_in(row.look)});
    }
    void take_kept(const WindowRow& /*row*/) override {}
    void finish(const output::Footer& footer, std::span<const store::ShardProgress> /*shards*/) override {
        code_ = rows_.end(footer);
    }
    ExitCode code() const { return code_; }

private:
    RowWriter<ThrottleRow> rows_;
    std::set<std::string> stale_shards_;  // as people see them
    ExitCode code_ = ExitCode::done;
};

domain::ReadFrom swept_from(const config::Settings& settings) {
    return settings.from_given ? settings.read_from : settings.scan_from;
}

/// Of one shard there may be several rows, or one that is not to be believed.
bool tells_nodes(const domain::ReadFrom& from, Context& context) {
    using Which = domain::ReadFrom::Which;
    return from.which == Which::all || from.which == Which::node || !context.directory().knows_homes();
}

/// The same servers, on which knobs are all there is.
config::Settings settings_of_knobs(const config::Settings& settings, const domain::Policy& throttles) {
    auto knobs = throttles;
    knobs.key = support::value_or_throw(domain::KeyTemplate::parse(knobs_key(throttles.key.text())));
    knobs.scheme = kSchemeOfKnobs;
    knobs.limit.reset();
    auto own = settings;
    own.policies = domain::PolicyBook({std::move(knobs)});
    own.limiter = &store::limiter_of(own.layout, own.policies.policies());
    return own;
}

/// An earlier policy has the key for a window of its own.
bool is_anothers(std::string_view knobs, const domain::Policy& throttles, Context& context) {
    const auto own = context.settings().policies.match(knobs);
    return own && own->policy < &throttles && own->policy->scheme != kSchemeOfKnobs;
}

/// The keys of all throttles that have knobs: a template makes others of the names in them.
std::set<std::string> keys_with_knobs(const domain::Policy& policy, const PaceFlags& pace, const Filter& filter,
                                      Outcome& outcome, Context& context) {
    const auto settings = settings_of_knobs(context.settings(), policy);
    const auto store = context.store_of(settings);
    store::ScanQuestion question;
    question.glob = settings.policies.policies().front().key.glob();
    question.from = swept_from(settings);
    question.max_latency = max_latency_of(pace);
    question.ops = ops_of(pace);
    std::set<std::string> keys;
    const auto stream = store->scan(std::move(question));
    while (const auto* page = stream->next()) {
        for (const auto& look : page->looks) {
            const auto key = throttle_of(look.key);
            const bool is_of_policy = settings.policies.match(look.key) && !is_anothers(look.key, policy, context);
            if (is_of_policy && filter.accepts_listed(meaning_of(key, context.settings()))) keys.emplace(key);
        }
        if (context.stop()) break;
    }
    for (const auto& [node, error] : stream->failures()) outcome.fail_once(node, error);
    return keys;
}

/// One look, and where it was taken.
struct IdleThrottle {
    domain::WindowLook look;
    KeyMeaning meaning;
    std::optional<domain::Node> node;
    support::WallTime read_at{};
    bool stale = false;
};

/// Of these, those without a bucket.
std::deque<IdleThrottle> idle_among(const std::set<std::string>& found, const Filter& filter, Outcome& outcome,
                                    Context& context) {
    std::deque<IdleThrottle> idle;
    if (found.empty()) return idle;
    const auto& settings = context.settings();
    Selection selection;
    selection.exact.emplace(found.begin(), found.end());
    KeyStream keys(selection, context);
    LookReceiver receiver;
    receiver.take = [&](const SeenLook& seen) {
        if (domain::is_there(seen.look.parts.front())) return;
        auto& one = idle.emplace_back();
        one.look = seen.look;
        one.meaning = meaning_of(one.look, settings);
        one.read_at = seen.read_at;
        one.stale = seen.stale;
        if (seen.node != nullptr) one.node = *seen.node;
    };
    receiver.fail = [&](const domain::Node& node, const support::Error& error) { outcome.fail_once(node, error); };
    receiver.idle = [] {};
    look_at_named(keys, {.from = swept_from(settings), .depth = domain::LookDepth::full}, filter, context, receiver);
    return idle;
}

}  // namespace

ExitCode run_show(const Names& names, Shown shown, Context& context) {
    if (answer_columns_help(context, output::columns_of(throttle_fields()))) return ExitCode::done;
    const auto selection = buckets_of(names, context);
    const auto& settings = context.settings();
    const Filter filter(selection, settings, context.directory());
    const bool with_node = tells_nodes(settings.read_from, context);
    const auto of_throttles = with_node ? kThrottleColumnsWithNode : std::string_view();
    const auto of_knobs = with_node ? kKnobColumnsWithNode : kKnobColumns;
    ThrottleRows rows(context, shown == Shown::knobs ? of_knobs : of_throttles);
    ReportOptions options;
    options.receiver = &rows;
    WindowReport report(context, filter, options, Attention::limited);
    KeyStream keys(selection, context);
    LookReceiver receiver;
    receiver.take = [&](const SeenLook& seen) { report.take(seen); };
    receiver.fail = [&](const domain::Node& node, const support::Error& error) {
        report.outcome().fail_once(node, error);
    };
    receiver.idle = [] {};
    look_at_named(keys, {.from = settings.read_from, .depth = domain::LookDepth::full}, filter, context, receiver);
    keys.left_out().tell(report.outcome());
    report.finish(true);
    report.outcome().add(rows.code());
    return report.outcome().code();
}

ExitCode run_list(const Names& names, const PaceFlags& pace, Context& context) {
    if (answer_columns_help(context, output::columns_of(throttle_fields()))) return ExitCode::done;
    const auto& policy = policy_of(names, context);
    const auto& settings = context.settings();
    Selection selection;
    selection.policies = {policy.name};
    const Filter filter(selection, settings, context.directory());
    ThrottleRows rows(context,
                      tells_nodes(swept_from(settings), context) ? kThrottleColumnsWithNode : std::string_view());
    ReportOptions options;
    options.receiver = &rows;
    WindowReport report(context, filter, options, Attention::limited);
    const auto idle =
        idle_among(keys_with_knobs(policy, pace, filter, report.outcome(), context), filter, report.outcome(), context);
    for (const auto& one : idle) {
        report.come_from(one.node ? &*one.node : nullptr, one.read_at, one.stale);
        report.take(one.look, one.meaning);
    }
    SweepQuestion question;
    question.idle = false;
    question.from = swept_from(settings);
    question.depth = domain::LookDepth::full;
    question.max_latency = max_latency_of(pace);
    question.ops = ops_of(pace);
    run_sweep(question, filter, report, context);
    report.outcome().add(rows.code());
    return report.outcome().code();
}

}  // namespace ratectl::commands::throttle
