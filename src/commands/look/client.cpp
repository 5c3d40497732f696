// client ID, which is check --client ID; -o github prints what GET /rate_limit would.
#include "commands/all_commands.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "commands/look/check.h"
#include "commands/look/rate_limit_document.h"

namespace ratectl::commands {
namespace {

struct ClientRequest {
    std::string id;
    bool sweep = false;
    CheckRequest check;
};

void bind_client(CLI::App& app, ClientRequest& request) {
    app.add_option("client", request.id, "the client's id, before any filter of a key's template")
        ->type_name("ID")
        ->required();
    bind_client_values(app, request.check.selection);
    app.add_flag(
        "--sweep", request.sweep,
        "read the name of every key of every shard, so as to find windows whose keys take more than the client");
    bind_filters(app, request.check.selection);
    bind_check_flags(app, request.check);
}

/// The API's answer has fields of its own and no rows.
void refuse_flags_of_rows(const CheckRequest& check, Context& context) {
    const std::array<std::pair<bool, std::string_view>, 5> given{
        {{check.look.has_value(), "--look"},
         {check.as_script, "--as-script"},
         {check.report.sort.has_value(), "--sort"},
         {check.report.reverse, "--reverse"},
         {context.options().columns.has_value(), "--columns"}}};
    for (const auto& [is_given, flag] : given) {
        if (!is_given) continue;
        throw support::Failure(ExitCode::usage, fmt::format("-o github is the API's answer, and {} changes rows", flag),
                               "leave it out, or choose another output");
    }
}

ExitCode run_client(const ClientRequest& request, Context& context) {
    CheckRequest check = request.check;
    if (!request.sweep) {
        check.selection.clients = {request.id};
    } else if (!check.selection.values.empty()) {
        throw support::Failure(ExitCode::usage, "--sweep finds the client's windows whatever else their keys hold",
                               "leave --set out, or --sweep");
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
