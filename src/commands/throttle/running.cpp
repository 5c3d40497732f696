// running: LimitLion's running counters. Each is so many buckets, a key each whose name ends in the number of its
// interval; what they say is summed up here, and nothing is written.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "commands/all_commands.h"
#include "commands/looks/named_looks.h"
#include "commands/looks/origins.h"
#include "commands/outcome.h"
#include "commands/report/fields/throttle_fields.h"
#include "commands/report/row_writer.h"
#include "support/number_text.h"
#include "support/quote.h"
#include "support/time_text.h"

namespace ratectl::commands {
namespace {

constexpr std::string_view kRunningSchema = "ratectl.running.v1";
constexpr std::string_view kPrefix = "rc:";
constexpr std::string_view kNamesOfGroup = "group_keys";
constexpr std::uint64_t kMostBuckets = 1000;
constexpr std::size_t kMostNames = 10'000;
constexpr std::size_t kNamesAtOnce = 100;

struct RunningRequest {
    std::vector<std::string> names;
    std::optional<std::string> group;
    std::string interval;
    std::string buckets;
    ColumnOrder order;
};

void bind_running(Syntax syntax, RunningRequest& request) {
    syntax.add_option("NAME", request.names, "a counter, as the application calls it; none: all of the group");
    syntax.add_option("--group", request.group, "the group that they are counted in").type_name("NAME");
    syntax.add_option("--interval", request.interval, "how long a bucket is, as the application has it")
        .type_name("DURATION")
        .required();
    syntax.add_option("--buckets", request.buckets, "how many buckets count, as the application has it")
        .type_name("N")
        .required();
    bind_row_order(syntax, request.order);
}

/// A number as INCRBYFLOAT writes it.
std::optional<double> count_in(std::string_view text) {
    double number = 0;
    const auto* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number);
    const bool whole = parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(number);
    return whole ? std::optional{number} : std::nullopt;
}

class RunningCounters {
public:
    RunningCounters(const RunningRequest& request, Context& context)
        : request_(request),
          context_(context),
          outcome_(context),
          from_(one_node(context.settings().read_from)),
          interval_(interval_of(request.interval)),
          buckets_(buckets_of(request.buckets)),
          rows_(context, running_fields(), kRunningSchema, {}, true, request.order) {}

    ExitCode run() {
        say_home_unknown(context_);
        auto names = request_.names;
        if (request_.group) read_group();
        if (names.empty()) {
            for (const auto& [name, at] : counted_at_) names.push_back(name);
        }
        for (std::size_t first = 0; first < names.size() && !context_.stop(); first += kNamesAtOnce)
            show(std::span(names).subspan(first, std::min(kNamesAtOnce, names.size() - first)));
        outcome_.add(rows_.end(outcome_.footer()));
        return outcome_.code();
    }

private:
    static support::Seconds interval_of(const std::string& text) {
        const auto interval = support::duration_of("--interval", text);
        if (interval.count() >= 1000 && interval.count() % 1000 == 0)
            return std::chrono::duration_cast<support::Seconds>(interval);
        throw support::Failure(ExitCode::usage, "--interval takes whole seconds, one or more",
                               "as the application has it: RunningCounter(interval, num_buckets)");
    }
    static std::int64_t buckets_of(const std::string& text) {
        const auto buckets = support::parse_unsigned(text, kMostBuckets);
        if (buckets && *buckets > 0) return static_cast<std::int64_t>(*buckets);
        throw support::Failure(ExitCode::usage, fmt::format("--buckets takes a number from 1 to {}", kMostBuckets),
                               "as the application has it: RunningCounter(interval, num_buckets)");
    }

    /// What stands behind the prefix.
    std::string key_of(std::string_view rest) const {
        std::string key(kPrefix);
        if (request_.group) key.append(*request_.group).append(":");
        return key.append(rest);
    }

    std::vector<store::HoldingAnswer> hold(std::span<const std::string> keys, std::vector<std::size_t>& owners) {
        std::vector<store::KeyAt> asked;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            for (const auto place : places_to_ask(keys[i], context_)) {
                asked.push_back({keys[i], place});
                owners.push_back(i);
            }
        }
        auto answers = context_.store().hold({asked, from_, kMostNames});
        for (const auto& [node, error] : context_.store().look_failures()) outcome_.fail_once(node, error);
        for (const auto& answer : answers) {
            if (!answer.holding && !context_.stop()) outcome_.fail_once(answer.node, answer.holding.error());
            if (answer.holding) outcome_.answer();
        }
        return answers;
    }

    void read_group() {
        const std::vector<std::string> keys{key_of(kNamesOfGroup)};
        std::vector<std::size_t> owners;
        for (const auto& answer : hold(keys, owners)) {
            if (!answer.holding || !answer.holding->key.is_there()) continue;
            const auto& key = answer.holding->key;
            if (key.type != domain::HeldKey::Type::zset)
                throw support::Failure(ExitCode::guard,
                                       fmt::format("key {} is a {}, and no group of running counters",
                                                   support::quoted(keys.front()), domain::name_of(key.type)),
                                       "is it the group's name?");
            if (key.length > static_cast<std::int64_t>(kMostNames)) outcome_.leave_undone();
            for (const auto& [name, at] : key.elements) {
                const auto second = count_in(at);
                counted_at_[name] = second ? std::optional{support::WallTime{support::Milliseconds{
                                                 static_cast<std::int64_t>(std::floor(*second * 1000))}}}
                                           : std::nullopt;
            }
        }
        if (counted_at_.empty())
            context_.messages().notice("group " + support::quoted(*request_.group) +
                                       " has no counter that was counted into lately");
    }

    void show(std::span<const std::string> names) {
        const auto newest = support::epoch_seconds(context_.now()) / interval_.count();
        std::vector<std::string> keys;
        for (const auto& name : names) {
            for (std::int64_t i = 0; i < buckets_; ++i) keys.push_back(key_of(fmt::format("{}:{}", name, newest - i)));
        }
        std::vector<std::size_t> owners;
        const auto answers = hold(keys, owners);
        std::vector<RunningRow> rows(names.size());
        for (std::size_t i = 0; i < names.size(); ++i) {
            rows[i].name = names[i];
            rows[i].group = request_.group ? std::string_view(*request_.group) : std::string_view();
            rows[i].span = interval_ * buckets_;
            rows[i].count = rows[i].newest = 0;
            const auto found = counted_at_.find(names[i]);
            if (found != counted_at_.end()) rows[i].counted_at = found->second;
        }
        for (std::size_t i = 0; i < answers.size(); ++i) {
            const auto bucket = static_cast<std::int64_t>(owners[i]);
            take(rows[static_cast<std::size_t>(bucket / buckets_)], bucket % buckets_ == 0, keys[owners[i]],
                 answers[i]);
        }
        for (const auto& row : rows) rows_.write(row);
    }

    void take(RunningRow& row, bool is_newest, const std::string& key, const store::HoldingAnswer& answer) {
        const auto fail = [&](std::string why) {
            row.count.reset();
            if (is_newest) row.newest.reset();
            if (row.fault.empty()) row.fault = std::move(why);
        };
        if (!answer.holding) return fail(answer.holding.error().message);
        const auto& held = answer.holding->key;
        if (held.hidden) return fail("this account may not read key " + support::quoted(key));
        if (!held.is_there()) return;
        const auto count = held.type == domain::HeldKey::Type::string ? count_in(held.value) : std::nullopt;
        if (!count) {
            outcome_.leave_undone();
            return fail("key " + support::quoted(key) + " holds no number");
        }
        ++row.buckets;
        if (row.count) *row.count += *count;
        if (is_newest && row.newest) *row.newest += *count;
    }

    const RunningRequest& request_;
    Context& context_;
    Outcome outcome_;
    domain::ReadFrom from_;
    support::Seconds interval_;
    std::int64_t buckets_;
    std::map<std::string, std::optional<support::WallTime>> counted_at_;  // of the group: name -> when
    RowWriter<RunningRow> rows_;
};

ExitCode run_running(const RunningRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(running_fields()))) return ExitCode::done;
    if (request.names.empty() && !request.group)
        throw support::Failure(ExitCode::usage, "which counters? none was named",
                               "NAME..., or --group NAME for all of it");
    return RunningCounters(request, context).run();
}

}  // namespace

Command running_command() {
    return {"running", Group::limiters, "what running counters have counted lately",
            "# the last ten minutes of one counter, in buckets of a minute\n"
            "ratectl running queries --interval 1m --buckets 10\n"
            "# every counter of a group\n"
            "ratectl running --group store --interval 1m --buckets 10",
            bind_request<RunningRequest, bind_running, run_running>};
}

}  // namespace ratectl::commands
