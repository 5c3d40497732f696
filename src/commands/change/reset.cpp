// ratectl reset: removes windows, guarded where a guard was given.

#include "commands/all_commands.h"
#include "commands/write/change.h"
#include "commands/write/write_run.h"

namespace ratectl::commands {

namespace {

struct ResetRequest {
    Selection selection;
    ConsentFlags consent;
    OrderFlags order;
};

void bind_reset(Syntax syntax, ResetRequest& request) {
    bind_selection(syntax, request.selection);
    bind_guards(syntax, request.order);
    bind_consent(syntax, request.consent);
    bind_op_id(syntax, request.order);
    bind_plan(syntax, request.order);
    bind_delivery(syntax, request.order);
}

ExitCode run_reset(const ResetRequest& request, Context& context) {
    const auto change = make_reset();
    return run_change(request.selection, request.consent, request.order, *change, context);
}

}  // namespace

Command reset_command() {
    return {"reset", Group::change, "remove windows",
            "# one window; what it held is printed\n"
            "ratectl reset core:42\n"
            "# every exhausted window of a policy, after a question\n"
            "ratectl reset --policy core --state exhausted\n"
            "# exactly the windows that were listed, and no newer ones\n"
            "ratectl scan 'core:*' -o ndjson | ratectl reset - --input ndjson -y",
            bind_request<ResetRequest, bind_reset, run_reset>};
}

}  // namespace ratectl::commands
