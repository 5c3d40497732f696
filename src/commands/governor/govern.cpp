// One decision for cron, or a loop of them until it is told to stop.
#include "commands/governor/subcommands.h"

#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::commands::governor {
namespace {

void bind_governing(Syntax syntax, GovernFlags& flags) {
    throttle::bind_names(syntax, flags.names, false);
    syntax.option("NAME").expected(1);
    bind_loads(syntax, flags.loads);
    bind_tuning(syntax, flags.tuning);
    syntax.add_flag("--apply", flags.apply, "write what is decided; without it nothing is written");
    syntax
        .add_option("--every", flags.every,
                    "how long from the beginning of one decision to that of the next (default 15s)")
        .type_name("DURATION");
    syntax
        .add_option("--lease", flags.lease,
                    "how long no other run may govern it (default: three times --every and 15s)")
        .type_name("DURATION");
    bind_consent(syntax, flags.consent);
}

std::uint64_t iterations_of(const GovernFlags& flags) {
    if (!flags.iterations) return UINT64_MAX;
    const auto count = support::parse_unsigned(*flags.iterations);
    if (!count || *count == 0)
        throw support::Failure(ExitCode::usage,
                               "--iterations takes a number from 1 on, and not " + support::quoted(*flags.iterations),
                               {});
    return *count;
}

/// A server that does not answer now may do so at the next decision.
void decide_or_wait(Governing& governing) {
    try {
        governing.decide();
    } catch (const support::Failure& failure) {
        const auto code = failure.error().code;
        if (code != ExitCode::unavailable && code != ExitCode::unknown) throw;
        governing.miss(failure.error());
    }
}

}  // namespace

void bind_step(Syntax syntax, GovernFlags& flags) { bind_governing(syntax, flags); }

void bind_run(Syntax syntax, GovernFlags& flags) {
    bind_governing(syntax, flags);
    syntax.add_option("--iterations", flags.iterations, "end after so many decisions (default: when told to stop)")
        .type_name("N");
}

ExitCode run_step(const GovernFlags& flags, Context& context) {
    if (answer_columns_help(context, output::columns_of(governor_fields()))) return ExitCode::done;
    Governing governing(flags, true, context);
    try {
        governing.decide();
    } catch (const support::Failure&) {
        governing.give_back();
        throw;
    }
    if (governing.is_blind()) governing.attend();
    return governing.end();
}

ExitCode run_run(const GovernFlags& flags, Context& context) {
    if (answer_columns_help(context, output::columns_of(governor_fields()))) return ExitCode::done;
    const auto most = iterations_of(flags);
    Governing governing(flags, false, context);
    try {
        for (std::uint64_t i = 0; i < most && !context.stop(); ++i) {
            if (governing.inputs_have_ended()) {
                governing.give_up();
                break;
            }
            if (i > 0) context.store().pause(governing.rest());
            if (context.stop() || context.patience().is_over()) break;
            decide_or_wait(governing);
        }
    } catch (const support::Failure& failure) {
        if (!context.stop()) {
            governing.give_back();
            throw;
        }
    }
    return governing.end();
}

}  // namespace ratectl::commands::governor
