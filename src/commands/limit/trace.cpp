// limit trace: the chain of limits that a request of a client meets, from one moment, and which of them bind it.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands/all_commands.h"
#include "commands/limit/trace_fields.h"
#include "commands/looks/binding_limit.h"
#include "commands/looks/named_looks.h"
#include "commands/outcome.h"
#include "commands/report/fields/window_fields.h"
#include "commands/report/row_writer.h"
#include "commands/report/window_report.h"
#include "commands/report/wording.h"
#include "commands/request/refused_flags.h"
#include "domain/verdict.h"
#include "output/field.h"
#include "support/time_text.h"

namespace ratectl::commands {
namespace {

using domain::Verdict;

constexpr std::string_view kTraceSchema = "ratectl.limit.v1";

struct TraceRequest {
    std::string client;
    Selection selection;
    bool exit_status = false;
};

void bind_limit(Syntax syntax, TraceRequest& request) {
    auto trace = syntax.add_subcommand("trace", "every limit that a request of the client meets, in order");
    trace.add_option("client", request.client, "the client's id, before any filter of a key's template")
        .type_name("CLIENT")
        .required();
    refuse_flags(trace, {"--client"}, "the client is the argument", "`ratectl limit trace CLIENT`");
    bind_client_values(trace, request.selection);
    trace.add_flag("--exit-status", request.exit_status,
                   "1 where the request is refused or a window is corrupt, 3 where a limit is unknown, 9 where one "
                   "could not be asked for");
}

/// One limit of the chain, judged.
struct Link {
    const WaitingLook* look = nullptr;
    KeyMeaning meaning;
    domain::Window window;
    Verdict verdict = Verdict::unknown;
    std::optional<bool> binding;
    bool told = false;
    std::string address = look->node ? look->node->name() : "";

    std::string name() const { return meaning.match ? meaning.match->policy->name : std::string("no policy"); }
};

std::vector<std::string> names_of(std::span<const Link> chain, Verdict verdict) {
    std::vector<std::string> names;
    for (const Link& link : chain)
        if (link.verdict == verdict) names.push_back(link.name());
    return names;
}

class Trace {
public:
    Trace(const TraceRequest& request, Context& context)
        : request_(request),
          context_(context),
          settings_(context.settings()),
          outcome_(context),
          rows_(context, trace_fields(), kTraceSchema) {}

    ExitCode run() {
        const Selection& selection = request_.selection;
        const Filter filter(selection, settings_, context_.directory());
        KeyStream keys(selection, context_);
        LookReceiver receiver;
        receiver.fail = [this](const domain::Node& node, const support::Error& error) {
            outcome_.fail_once(node, error);
            ++silent_;
        };
        receiver.idle = [] {};
        NamedQuestion question = question_of_named(filter, settings_);
        question.depth = domain::LookDepth::full;
        looks_ = look_at_all(keys, question, filter, context_, receiver);
        judge();
        for (const Link& link : chain_) print(link);
        keys.left_out().tell(outcome_);
        const auto& unasked = keys.left_out().unbuilt();
        unasked_ = unasked.size();
        if (unasked_ > 0) outcome_.add(ExitCode::partial);
        auto footer = outcome_.footer(unasked_ == 0);
        footer.left_out.insert(footer.left_out.end(), unasked.begin(), unasked.end());
        footer.left_out_count += unasked_;
        outcome_.add(rows_.end(footer));
        return close();
    }

private:
    /// All limits at the moment at which the last of them was seen.
    void judge() {
        support::WallTime last{};
        for (const auto& look : looks_) last = std::max(last, look.read_at);
        for (auto& look : looks_) look.read_at = last;
        now_ = settings_.clock_at(last);
        const auto binding = binding_of(looks_, Stack::request, settings_);
        const auto told = told_of(looks_, Stack::request, settings_);
        for (std::size_t i = 0; i < looks_.size(); ++i) {
            Link link{&looks_[i], meaning_of(looks_[i].look, settings_), {}, {}, binding[i], told[i]};
            link.window = domain::judge(looks_[i].look, now_, link.meaning.limit);
            link.verdict = link.meaning.exempt() ? Verdict::allowed : domain::rule_on(link.window, now_).verdict;
            chain_.push_back(std::move(link));
        }
        if (!chain_.empty()) outcome_.answer();
    }

    void print(const Link& link) {
        const auto& look = *link.look;
        WindowRow row{look.look, link.window, link.meaning, settings_.deployment, {},          {},
                      {},        now_,        look.read_at, look.stale,           link.binding};
        if (look.node) {
            row.shard = look.node->shard;
            row.node = link.address;
            row.role = look.node->role;
        }
        rows_.write({++step_, row, link.verdict, link.told});
    }

    /// When the last of those that refuse lets a request through; null: it is not known, or never.
    std::optional<support::Instant> passes_at() const {
        std::optional<support::Instant> latest;
        for (const Link& link : chain_) {
            if (link.verdict != Verdict::limited) continue;
            const auto end = link.window.passes_at ? link.window.passes_at : link.window.reset_at;
            if (!end) return std::nullopt;
            latest = std::max(latest.value_or(*end), *end);
        }
        return latest;
    }

    std::string sentence() const {
        if (chain_.empty() && unasked_ == 0) return "no limit was seen";
        const auto refusing = names_of(chain_, Verdict::limited);
        if (!refusing.empty()) {
            const auto end = passes_at();
            const auto until =
                end ? fmt::format(" until {}{}", support::format_time(*end), beside(*end, now_, {})) : std::string();
            return fmt::format("the request is refused by {}{}", listed(refusing), until);
        }
        auto doubtful = names_of(chain_, Verdict::limit_unknown);
        for (auto& name : names_of(chain_, Verdict::broken)) doubtful.push_back(std::move(name));
        if (!doubtful.empty())
            return "whether the request passes cannot be told: " + listed(doubtful) + " may refuse it";
        if (silent_ > 0) return "whether the request passes cannot be told: not every limit was seen";
        if (unasked_ > 0) return "whether the request passes cannot be told: not every limit could be asked for";
        std::vector<std::string> closest;
        std::optional<std::int64_t> left;
        for (const Link& link : chain_) {
            if (link.binding != true) continue;
            closest.push_back(link.name());
            left = link.window.remaining;
        }
        if (!left) return "the request passes";
        return fmt::format("the request passes; {} {} the closest, with {} left", listed(closest),
                           closest.size() == 1 ? "is" : "are", requests(*left));
    }

    ExitCode close() {
        const auto refusing = names_of(chain_, Verdict::limited).size();
        if (request_.exit_status) {
            for (const Link& link : chain_) {
                if (domain::calls_for_attention(link.verdict)) outcome_.attend();
                if (link.verdict == Verdict::limit_unknown)
                    outcome_.cannot_tell(unknown_for_exit_status(link.look->look.key));
            }
        }
        return outcome_.close(sentence(), {{"limits", static_cast<std::int64_t>(chain_.size())},
                                           {"refusing", static_cast<std::int64_t>(refusing)}});
    }

    const TraceRequest& request_;
    Context& context_;
    const config::Settings& settings_;
    Outcome outcome_;
    RowWriter<TraceRow> rows_;
    std::vector<WaitingLook> looks_;
    std::vector<Link> chain_;
    support::Moment now_{};
    std::int64_t step_ = 0;
    std::size_t silent_ = 0;   // nodes
    std::size_t unasked_ = 0;  // policies
};

/// What the chain may lack is said before it.
void say_what_is_not_asked(const Selection& selection, Context& context) {
    const auto& policies = context.settings().policies.policies();
    const auto shared = [&](const domain::Policy& policy) {
        return !policy.shared_by.empty() && (!selection.path || domain::holes_of_request(policy, *selection.path));
    };
    if (!selection.org && std::ranges::any_of(policies, shared))
        context.messages().notice("limits of organisations are not among these", "--org ID names the client's");
    const auto has_paths = [](const domain::Policy& policy) { return !policy.paths.empty(); };
    if (!selection.path && std::ranges::any_of(policies, has_paths))
        context.messages().notice("no single request meets all of these limits: some are of certain paths",
                                  "--path PATH names the request's");
}

ExitCode run_limit(const TraceRequest& given, Context& context) {
    if (answer_columns_help(context, output::columns_of(trace_fields()))) return ExitCode::done;
    TraceRequest request = given;
    request.selection.clients = {request.client};
    request.selection.is_chain = true;
    check_selection(request.selection);
    check_organisation(request.selection);
    if (request.client == "-")
        throw support::Failure(ExitCode::usage, "limit trace follows one request, and `-` may name many clients",
                               "name one; `ratectl check --client -` looks at many");
    say_what_is_not_asked(request.selection, context);
    return Trace(request, context).run();
}

}  // namespace

Command limit_command() {
    return {"limit", Group::limiters, "trace the chain of limits that a request meets",
            "# which limit refuses alice's requests, and until when?\n"
            "ratectl limit trace alice --org acme\n"
            "# of those for this path alone\n"
            "ratectl limit trace alice --org acme --path /api/v1/lead/\n",
            bind_request<TraceRequest, bind_limit, run_limit>};
}

}  // namespace ratectl::commands
