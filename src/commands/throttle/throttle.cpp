// throttle: LimitLion's throttles by their names.

#include "commands/all_commands.h"
#include "commands/throttle/throttle_list.h"
#include "commands/write/change.h"
#include "commands/write/write_run.h"

namespace ratectl::commands {
namespace {

struct ThrottleRequest {
    enum class Action { show, list, reset, remove };
    Action action = ThrottleRequest::Action::list;
    throttle::Names names;
    PaceFlags pace;
    ConsentFlags consent;
    OrderFlags order;
};

void bind_throttle_change(Syntax sub, ThrottleRequest& request) {
    throttle::bind_names(sub, request.names);
    bind_consent(sub, request.consent);
    bind_op_id(sub, request.order);
    bind_delivery(sub, request.order);
}

void bind_throttle(Syntax syntax, ThrottleRequest& request) {
    using Action = ThrottleRequest::Action;
    throttle::bind_names(
        syntax.add_subcommand("show", "named ones: what is left, and their knobs", request.action, Action::show),
        request.names);
    auto list = syntax.add_subcommand("list", "all that have a bucket or knobs", request.action, Action::list);
    throttle::bind_policy(list, request.names);
    bind_pace(list, request.pace);
    bind_throttle_change(
        syntax.add_subcommand("reset", "fill them: their buckets go, their knobs stay", request.action, Action::reset),
        request);
    bind_throttle_change(
        syntax.add_subcommand("delete", "remove them, buckets and knobs", request.action, Action::remove), request);
}

ExitCode run_removal(const ThrottleRequest& request, bool with_knobs, Context& context) {
    if (answer_columns_help(context, output::columns_of(write_fields()))) return ExitCode::done;
    if (!with_knobs) {
        const auto reset = make_reset("throttle reset", {"throttle", 1});
        return run_change(throttle::buckets_of(request.names, context), request.consent, request.order, *reset,
                          context);
    }
    const Consent before_reading(request.consent, context);
    Selection selection;  // without a policy: the knobs' keys may be of none
    selection.exact = throttle::keys_of(request.names, context);
    // As long as they are there they say how much of a bucket is used.
    for (std::size_t i = 0, count = selection.exact->size(); i < count; ++i)
        selection.exact->push_back(throttle::knobs_key(selection.exact->at(i)));
    const auto reset = make_reset(throttle::kDeleteCommand, {"throttle", 2});
    return run_change(selection, request.consent, request.order, *reset, context);
}

ExitCode run_throttle(const ThrottleRequest& request, Context& context) {
    switch (request.action) {
        case ThrottleRequest::Action::show:
            return throttle::run_show(request.names, throttle::Shown::throttles, context);
        case ThrottleRequest::Action::reset: return run_removal(request, false, context);
        case ThrottleRequest::Action::remove: return run_removal(request, true, context);
        case ThrottleRequest::Action::list: break;
    }
    return throttle::run_list(request.names, request.pace, context);
}

}  // namespace

Command throttle_command() {
    return {"throttle", Group::limiters, "throttles of LimitLion: show, list, reset, delete",
            "# what is left of this one, and what its knobs say\n"
            "ratectl throttle show search\n"
            "# all of them\n"
            "ratectl throttle list\n"
            "# let its callers in at once; its knobs stay\n"
            "ratectl throttle reset search",
            bind_request<ThrottleRequest, bind_throttle, run_throttle>};
}

}  // namespace ratectl::commands
