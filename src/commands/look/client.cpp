// client ID, which is check --client ID; -o github prints what GET /rate_limit would.
#include "commands/all_commands.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands/look/check.h"
#include "commands/looks/binding_limit.h"
#include "commands/outcome.h"
#include "commands/report/window_report.h"
#include "commands/request/refused_flags.h"
#include "commands/request/selection.h"
#include "domain/rate_headers.h"
#include "domain/verdict.h"
#include "output/formats/json_writer.h"

namespace ratectl::commands {
namespace {

std::string resource(const domain::ToldWindow& told) {
    std::optional<std::int64_t> reset;
    if (told.reset_at) reset = support::epoch_seconds(*told.reset_at);
    output::JsonWriter out;
    out.open('{');
    out.member("limit", told.limit);
    out.member("used", told.used);
    out.member("remaining", told.remaining);
    out.member("reset", reset);
    out.close('}');
    return out.take();
}

/// Policy and body of each.
using Resources = std::vector<std::pair<std::string, std::string>>;

std::string document(const Resources& resources) {
    output::JsonWriter out;
    const std::string* rate = nullptr;
    out.open('{');
    out.name("resources").open('{');
    for (const auto& [name, body] : resources) {
        out.name(name).raw(body);
        if (name == "core") rate = &body;
    }
    out.close('}');
    if (rate != nullptr) out.name("rate").raw(*rate);
    out.close('}');
    return out.take() + "\n";
}

/// {"resources":{"core":{"limit":..,"used":..,"remaining":..,"reset":..},..},"rate":{..}}. A window that is absent or
/// over is shown as the client would see it: nothing used, reset a period from now. What is unknown is null; of what a
/// client is exempt from, it is told nothing. With --org a resource is the window that binds, the client's own or its
/// organisation's. `exit_status`: ends with 1 when one of them is exhausted, with 3 when that cannot be told.
ExitCode print_rate_limit_document(const Selection& selection, bool exit_status, Context& context) {
    const auto& settings = context.settings();
    if (settings.read_from.which == domain::ReadFrom::Which::all) {
        throw support::Failure(ExitCode::usage, "-o github is one answer, and --from all gives one a node",
                               "name one node with --from, or choose another output");
    }
    const Filter filter(selection, settings, context.directory());
    KeyStream keys(selection, context);
    Resources resources;
    Outcome outcome(context);
    std::optional<std::string> unknown_limit_key;
    LookReceiver receiver;
    receiver.take = [&](const SeenLook& seen) {
        const auto& look = seen.look;
        const auto& meaning = seen.meaning;
        const std::string name(resource_of(meaning));
        if (meaning.exempt()) {
            context.messages().notice(
                fmt::format("the client is exempt from policy '{}', and told nothing of it", name));
            return outcome.answer();
        }
        const support::Moment now = settings.clock_at(seen.read_at);
        const auto told = domain::told_window(look, meaning.limit, period_of(meaning, settings), now);
        resources.emplace_back(name, resource(told));
        outcome.answer();
        const auto verdict = domain::rule_on(domain::judge(look, now, meaning.limit), now).verdict;
        if (verdict == domain::Verdict::broken) {
            context.messages().error(untold_of_corrupt(look.key));
            outcome.attend();
        }
        if (!exit_status) return;
        if (domain::calls_for_attention(verdict)) outcome.attend();
        if (verdict == domain::Verdict::limit_unknown) unknown_limit_key = look.key;
    };
    receiver.fail = [&](const domain::Node& node, const support::Error& error) { outcome.fail(node, error); };
    receiver.idle = [] {};
    auto question = question_of_named(filter, settings);
    if (exit_status) question.depth = domain::LookDepth::full;
    look_at_what_is_told(selection, keys, question, filter, context, receiver);

    context.out().write(document(resources));
    context.out().flush();
    keys.left_out().tell(outcome);
    if (exit_status) keys.tell_untold(outcome);
    if (unknown_limit_key) outcome.cannot_tell(unknown_for_exit_status(*unknown_limit_key));
    return outcome.code();
}

struct ClientRequest {
    std::string id;
    bool sweep = false;
    CheckRequest check;
};

void bind_client(Syntax syntax, ClientRequest& request) {
    syntax.add_option("client", request.id, "the client's id, before any filter of a key's template")
        .type_name("ID")
        .required();
    refuse_flags(syntax, {"--client"}, "the client is the argument", "`ratectl client ID`");
    bind_client_values(syntax, request.check.selection);
    syntax.add_flag(
        "--sweep", request.sweep,
        "read the name of every key of every shard, so as to find windows whose keys take more than the client");
    bind_filters(syntax, request.check.selection);
    bind_check_flags(syntax, request.check);
}

/// The API's answer has fields of its own and no rows.
void refuse_flags_of_rows(const CheckRequest& check, Context& context) {
    const std::array<std::pair<bool, std::string_view>, 6> given{
        {{check.look.has_value(), "--look"},
         {check.as_script, "--as-script"},
         {check.selection.path.has_value(), "--path"},
         {check.report.sort.has_value(), "--sort"},
         {check.report.reverse, "--reverse"},
         {context.options().columns.has_value(), "--columns"}}};
    for (const auto& [is_given, flag] : given) {
        if (!is_given) continue;
        throw support::Failure(ExitCode::usage, fmt::format("-o github is the API's answer, and {} is of rows", flag),
                               "leave it out, or choose another output");
    }
}

ExitCode run_client(const ClientRequest& request, Context& context) {
    CheckRequest check = request.check;
    if (!request.sweep) {
        check.selection.clients = {request.id};
    } else if (!check.selection.values.empty() || check.selection.path) {
        throw support::Failure(ExitCode::usage, "--sweep finds the client's windows whatever else their keys hold",
                               "leave --set and --path out, or --sweep");
    } else {
        check.selection.only_client = request.id;
    }
    if (request.sweep && context.options().output == "github") {
        throw support::Failure(ExitCode::usage, "-o github has one window a policy, and --sweep may find many",
                               "--set NAME=VALUE names one; or choose another output");
    }
    if (context.options().output == "github") {
        refuse_flags_of_rows(check, context);
        return print_rate_limit_document(check.selection, check.report.exit_status, context);
    }
    return run_check(check, context);
}

}  // namespace

Command client_command() {
    return {"client", Group::look, "show every window of one client",
            "# all windows of alice, over all policies\n"
            "ratectl client alice\n"
            "# and those that her organisation shares: which of them binds her?\n"
            "ratectl client alice --org acme\n"
            "# as the API's own GET /rate_limit would answer her\n"
            "ratectl client alice -o github\n",
            bind_request<ClientRequest, bind_client, run_client>};
}

}  // namespace ratectl::commands
