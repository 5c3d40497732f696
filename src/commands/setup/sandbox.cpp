// sandbox up, status, down and run: the folder with the servers' state is found through --dir or RATECTL_CONFIG.
#include "commands/all_commands.h"

#include <csignal>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/report/fields/sandbox_fields.h"
#include "commands/report/row_writer.h"
#include "output/field.h"
#include "sandbox/sandbox.h"
#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::commands {

namespace {

using support::Failure;

enum class Action { up, status, down, run };

struct SandboxRequest {
    Action action = Action::status;
    std::string kind = "shards";
    std::optional<std::string> shards;  // by kind unless said
    std::string replicas = "1";
    std::string folder;
    std::vector<std::string> command;
};

void bind_size(Syntax syntax, SandboxRequest& request) {
    syntax
        .add_option(
            "--kind", request.kind,
            "shards alone, shards whose failovers three sentinels see to, or a Redis Cluster; shards unless said")
        .type_name("shards|sentinel|cluster");
    syntax.add_option("--shards", request.shards, "how many shards, 3 unless said, 2 with sentinels").type_name("N");
    syntax.add_option("--replicas", request.replicas, "how many replicas each shard has, 1 unless said").type_name("N");
}

void bind_sandbox(Syntax syntax, SandboxRequest& request) {
    auto up =
        syntax.add_subcommand("up", "start servers and print how to make ratectl use them", request.action, Action::up);
    bind_size(up, request);
    up.add_option("--dir", request.folder, "keep everything in this new folder instead of a temporary one")
        .type_name("DIR");
    auto status = syntax.add_subcommand("status", "which of its servers are running", request.action, Action::status);
    status.add_option("--dir", request.folder, "the sandbox's folder, instead of RATECTL_CONFIG's").type_name("DIR");
    auto down = syntax.add_subcommand("down", "end its servers, and only them, and remove its files", request.action,
                                      Action::down);
    down.add_option("--dir", request.folder, "the sandbox's folder, instead of RATECTL_CONFIG's").type_name("DIR");
    auto run =
        syntax.add_subcommand("run", "start servers, run a command on them, end them", request.action, Action::run);
    bind_size(run, request);
    run.add_option("COMMAND", request.command, "the command and its arguments, after --").required();
}

unsigned number_of(const std::string& text, const char* flag, unsigned least, unsigned most) {
    const auto number = support::parse_unsigned(text, most);
    if (!number || *number < least) {
        throw Failure(ExitCode::usage, std::string(flag) + " needs a number from " + std::to_string(least) + " to " +
                                           std::to_string(most) + ", not '" + text + "'");
    }
    return static_cast<unsigned>(*number);
}

sandbox::Kind kind_of(const std::string& text) {
    for (const auto kind : {sandbox::Kind::shards, sandbox::Kind::sentinel, sandbox::Kind::cluster}) {
        if (text == sandbox::name_of(kind)) return kind;
    }
    throw Failure(ExitCode::usage, "--kind is shards, sentinel or cluster, not '" + text + "'");
}

std::string search_path(const Context& context) { return context.env("PATH").value_or("/usr/local/bin:/usr/bin:/bin"); }

sandbox::SandboxOptions options_for(const SandboxRequest& request, Context& context) {
    sandbox::SandboxOptions options;
    options.kind = kind_of(request.kind);
    const auto* const usual = options.kind == sandbox::Kind::sentinel ? "2" : "3";
    options.shards = number_of(request.shards.value_or(usual), "--shards", 1, sandbox::kMostShards);
    options.replicas = number_of(request.replicas, "--replicas", 0, sandbox::kMostReplicas);
    const auto program = sandbox::find_program("redis-server", search_path(context));
    if (!program) {
        throw Failure(ExitCode::local_io, "a sandbox needs the program redis-server, and there is none on the PATH",
                      "on Debian: apt-get install redis-server");
    }
    options.program = *program;
    options.parent = context.temporary_folder();
    options.folder = request.folder;
    options.password = domain::Secret(context.new_operation_id());
    options.stop = &context.stop();
    // Sentinels and nodes of a cluster tell one another of themselves every few seconds.
    if (options.kind != sandbox::Kind::shards) options.patience = std::chrono::seconds(60);
    return options;
}

std::string folder_of(const SandboxRequest& request, const Context& context) {
    if (!request.folder.empty()) return request.folder;
    const auto config = context.env("RATECTL_CONFIG");
    if (!config || config->empty()) {
        throw Failure(ExitCode::usage, "which sandbox? RATECTL_CONFIG is not set",
                      "name its folder with --dir, or run the export line that sandbox up printed");
    }
    return std::filesystem::absolute(*config).parent_path().string();
}

std::string described(const sandbox::SandboxOptions& options) {
    const bool cluster = options.kind == sandbox::Kind::cluster;
    auto text = support::counted(options.shards, cluster ? "primary" : "shard");
    if (cluster) text = "a cluster of " + (options.shards == 1 ? text : std::to_string(options.shards) + " primaries");
    text += " with " + support::counted(options.replicas, "replica") + " each";
    if (options.kind == sandbox::Kind::sentinel) text += ", under " + support::counted(sandbox::kSentinels, "sentinel");
    return text;
}

ExitCode up(const SandboxRequest& request, Context& context) {
    const auto options = options_for(request, context);
    auto box = support::value_or_throw(sandbox::Sandbox::up(options));
    context.out().write("export RATECTL_CONFIG=" + support::shell_quoted(box.config_file()) + "\n");
    context.out().flush();
    box.release();
    context.messages().notice(described(options) + " in " + box.folder() + ", on loopback only",
                              "the line on standard output, run in a shell, makes ratectl use it there; then "
                              "`ratectl nodes` shows it and `ratectl sandbox down` ends it");
    return ExitCode::done;
}

ExitCode show_status(const SandboxRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(sandbox_fields()))) return ExitCode::done;
    const auto options = context.sink_options("ratectl.sandbox.v1");
    const auto fields = support::value_or_throw(output::choose_fields(
        sandbox_fields(), context.options().columns.value_or(""), output::breadth_of(options.format)));
    const auto columns = output::columns_of(std::span<const output::Field<sandbox::MemberStatus>>(fields));
    const auto members = support::value_or_throw(sandbox::status(folder_of(request, context)));
    const auto sink = output::make_row_sink(options, columns, context.out());
    output::Row row;
    bool all_there = true;
    for (const auto& member : members) {
        output::fill_row(fields, member, row);
        sink->row(row);
        all_there = all_there && member.answers;
    }
    sink->end({});
    context.out().flush();
    return all_there ? ExitCode::done : ExitCode::attention;
}

ExitCode down(const SandboxRequest& request, Context& context) {
    const std::string folder = folder_of(request, context);
    const auto ended = support::value_or_throw(sandbox::down(folder));
    for (const auto& stranger : ended.strangers) {
        context.messages().warning("process " + std::to_string(stranger.mark.pid) +
                                   ", which sandbox.state names, is not " +
                                   "a server of this sandbox; it was left alone");
    }
    const std::string servers =
        std::to_string(ended.servers) + (ended.servers == 1 ? " server" : " servers") + " ended";
    if (ended.left.empty()) {
        context.messages().notice(servers + ", " + folder + " removed");
    } else {
        context.messages().notice(fmt::format("{}; {} stays, because something in it is not the sandbox's: {}", servers,
                                              folder, fmt::join(ended.left, ", ")));
    }
    return ExitCode::done;
}

/// Waits for the command and passes on to it what asks us to stop, unless the terminal has done so.
sandbox::ExitStatus attend(sandbox::ChildProcess child, const support::StopSignal& stop) {
    const bool terminal_tells = sandbox::in_foreground();
    int passed_on = 0;
    for (;;) {
        if (auto status = child.wait_for(support::Milliseconds(100))) return *status;
        for (; passed_on < stop.count(); ++passed_on) {
            if (stop.signal() == SIGTERM || !terminal_tells) child.signal(stop.signal());
        }
    }
}

ExitCode run_in(const SandboxRequest& request, Context& context) {
    auto options = options_for(request, context);
    options.die_with_parent = true;
    const std::string path = sandbox::own_program_folder() + ":" + search_path(context);
    const auto program = sandbox::find_program(request.command.front(), path);
    if (!program)
        throw Failure(ExitCode::local_io,
                      "no program '" + request.command.front() + "' on the PATH; nothing was started");

    const auto box = support::value_or_throw(sandbox::Sandbox::up(options));
    sandbox::Spawn spawn;
    spawn.program = *program;
    spawn.arguments.assign(request.command.begin() + 1, request.command.end());
    spawn.environment = {"RATECTL_CONFIG=" + box.config_file(), "PATH=" + path};
    spawn.inherit_environment = true;
    spawn.in = STDIN_FILENO;
    spawn.out = STDOUT_FILENO;
    spawn.err = STDERR_FILENO;
    const auto status = attend(support::value_or_throw(sandbox::ChildProcess::start(spawn)), context.stop());
    return static_cast<ExitCode>(status.as_shell());
}

ExitCode run_sandbox(const SandboxRequest& request, Context& context) {
    switch (request.action) {
        case Action::up: return up(request, context);
        case Action::status: return show_status(request, context);
        case Action::down: return down(request, context);
        case Action::run: return run_in(request, context);
    }
    throw Failure(ExitCode::bug, "no such action");
}

}  // namespace

Command sandbox_command() {
    return {"sandbox", Group::set_up, "throw-away shards, Sentinel or Redis Cluster to try things on",
            "# start one for this shell, look at it, end it\n"
            "eval \"$(ratectl sandbox up --shards 3 --replicas 1)\"\n"
            "ratectl nodes\n"
            "ratectl sandbox down\n"
            "# a Redis Cluster; --kind sentinel: shards that Sentinel fails over\n"
            "eval \"$(ratectl sandbox up --kind cluster)\"\n"
            "ratectl increment '{core:42}'\n"
            "ratectl sandbox down\n"
            "# around one command\n"
            "ratectl sandbox run -- sh -c 'ratectl increment core:42 && ratectl scan'",
            bind_request<SandboxRequest, bind_sandbox, run_sandbox>};
}

}  // namespace ratectl::commands
