// client ID is check --client ID; -o github prints what GET /rate_limit would.
#include "commands/client.h"

#include <CLI/CLI.hpp>

#include "commands/check.h"
#include "commands/rate_limit_document.h"

namespace ratectl::commands {
namespace {

struct ClientRequest {
    std::string id;
    CheckRequest check;
};

void bind_client(CLI::App& app, ClientRequest& request) {
    app.add_option("client", request.id, "the client, as it stands in keys")->type_name("ID")->required();
    bind_filters(app, request.check.selection);
    bind_check_flags(app, request.check);
}

ExitCode run_client(const ClientRequest& request, Context& context) {
    CheckRequest check = request.check;
    check.selection.clients = {request.id};
    if (context.options().output == "github") return print_rate_limit_document(check.selection, context);
    return run_check(check, context);
}

}  // namespace

Command client_command() {
    return {"client", Group::look, "show every window of one client",
            "# all windows of alice, over all policies\n"
            "ratectl client alice\n"
            "# as the API's own GET /rate_limit would answer her\n"
            "ratectl client alice -o github\n",
            bind_request<ClientRequest, bind_client, run_client>};
}

}  // namespace ratectl::commands
