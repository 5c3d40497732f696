// Runs the program once: parses, runs the command, and turns every way it can end into an exit code.
#include "app/run.h"

#include <new>
#include <optional>
#include <vector>

#include "app/host.h"
#include "app/output_choice.h"
#include "app/program_context.h"
#include "cli/parse.h"
#include "commands/all_commands.h"
#include "commands/outcome.h"

namespace ratectl::app {
namespace {

using support::ExitCode;

/// How a part of the program ended.
struct Ending {
    ExitCode code = ExitCode::done;
    std::optional<support::Error> error;
};

Ending ended_by(support::Error error) {
    const ExitCode code = error.code;
    return {code, std::move(error)};
}

/// Runs `body`; whatever it throws becomes an Ending.
template <class Body>
Ending ending_of(Body body) {
    try {
        return body();
    } catch (const support::Failure& failure) {
        return ended_by(failure.error());
    } catch (const std::bad_alloc&) {
        return ended_by({ExitCode::bug, "out of memory", {}});
    } catch (const std::exception& error) {
        return ended_by({ExitCode::bug, std::string("this is a bug in ratectl: ") + error.what(),
                         "please report it, with the command line and without its secrets"});
    }
}

/// Says nothing where no message can be shown.
void report(const Ending& ending, output::Diagnostics& messages) {
    if (ending.error && ending.code != ExitCode::output_closed) messages.error(*ending.error);
}

Ending answer(const cli::Early& early, Host& host) {
    host.out().write(early.out);
    if (early.code != ExitCode::done) return ended_by(early.error);
    return {};
}

Ending execute(cli::Invocation invocation, Host& host, output::Diagnostics& messages) {
    fill_from_environment(invocation.options, &Host::env);
    messages.configure(choose_messages(invocation.options, host.terminal(), &Host::env));
    // Before a configuration is asked for: the command line is wrong, whatever else is.
    check_output(invocation.options, commands::own_formats(invocation.command), host.terminal(), &Host::env);
    ProgramContext context(std::move(invocation.options), host, messages);
    Ending ending = ending_of([&] { return Ending{invocation.run(context), std::nullopt}; });
    if (!ending.error) return ending;
    const Ending unprinted = ending_of([&] {
        context.print_ending(*ending.error);
        return Ending{};
    });
    report(unprinted, messages);
    return {support::graver(ending.code, unprinted.code), ending.error};
}

output::DiagnosticsOptions first_messages(std::span<const std::string_view> arguments, const Host& host) {
    output::DiagnosticsOptions options;
    options.json = cli::wants_json_messages(arguments) || Host::env("RATECTL_MESSAGES") == "json";
    options.color = color_of(host.terminal().err, ColorWish::automatic, &Host::env);
    options.terminal = host.terminal().err;
    return options;
}

cli::ParseWorld help_page(const Host& host) {
    const std::size_t width = width_of(host.terminal(), &Host::env);
    return {width == 0 ? 80 : width, color_of(host.terminal().out, ColorWish::automatic, &Host::env)};
}

}  // namespace

int run(int argc, char** argv) {
    Host host;
    const std::vector<std::string_view> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    output::Diagnostics messages(host.err(), first_messages(arguments, host));
    Ending course = ending_of([&] {
        auto parsed = cli::parse(arguments, help_page(host));
        if (const auto* early = std::get_if<cli::Early>(&parsed)) return answer(*early, host);
        return execute(std::get<cli::Invocation>(std::move(parsed)), host, messages);
    });
    messages.clear_progress();
    Ending end_of_output = ending_of([&] {
        host.out().close();
        return Ending{};
    });
    if (host.end_paging()) {
        messages.release();
        for (auto* ending : {&course, &end_of_output}) {
            if (ending->code == ExitCode::output_closed) *ending = {};  // its user has seen enough
        }
    }
    report(course, messages);
    report(end_of_output, messages);
    const ExitCode code =
        support::graver(support::graver(course.code, end_of_output.code), commands::stopped(host.stop()));
    messages.end(code);
    return static_cast<int>(code);
}

}  // namespace ratectl::app
