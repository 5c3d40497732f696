// config: the flags of init, import, check, show and names; and show itself.
#include "commands/all_commands.h"

#include "commands/report/fields/config_fields.h"
#include "commands/report/row_writer.h"
#include "commands/setup/config_request.h"
#include "config/deployment_file.h"

namespace ratectl::commands {
namespace {

using ConfigAction = ConfigRequest::Action;

/// The origin of a value; one part of a table may stand for all of it (`sharding = "modulo"`).
std::string origin_or_default(const config::Settings& settings, const std::string& name) {
    const auto found = settings.origins.find(name);
    return found == settings.origins.end() ? config::Origin{}.text : found->second.text;
}

/// Null: it is kept where it is kept for every deployment.
std::optional<ShownValue> shown_journal(Context& context) {
    const auto& options = context.options();
    if (options.journal) {
        const bool is_of_variable = context.env("RATECTL_JOURNAL") == options.journal;
        return ShownValue{"journal", *options.journal,
                          is_of_variable ? "environment RATECTL_JOURNAL" : "flag --journal"};
    }
    config::World world{[&context](const std::string& name) { return context.env(name); }};
    const auto place = config::configured_journal(options.overrides, world);
    if (!place) return std::nullopt;
    return ShownValue{"journal", place->path, place->origin.text};
}

/// Every value that is in force, and where it comes from.
ExitCode run_config_show(const ConfigRequest& request, Context& context) {
    const auto fields = shown_value_fields();
    if (answer_columns_help(context, output::columns_of(fields))) return ExitCode::done;
    const config::Settings& settings = context.settings();
    RowWriter<ShownValue> writer(context, fields, "ratectl.config.v1", {}, true, request.order);
    for (const auto& [name, value] : settings.shown()) writer.write({name, value, origin_or_default(settings, name)});
    if (const auto journal = shown_journal(context)) writer.write(*journal);
    return writer.end({});
}

void bind_config(Syntax syntax, ConfigRequest& request) {
    auto init = syntax.add_subcommand("init", "write a commented configuration to start from", request.action,
                                      ConfigAction::init);
    init.add_option("--file", request.file, "write this file instead of your own configuration; - is standard output")
        .type_name("FILE");
    init.add_flag("--force", request.force, "replace the file if it is there");
    init.add_option("--name", request.name, "the deployment's name, main unless said").type_name("NAME");
    init.add_option("--primary", request.primaries, "a shard's primary, redis://HOST:PORT or SHARD=redis://HOST:PORT")
        .type_name("URL");
    init.add_option("--replica", request.replicas,
                    "a replica, SHARD=URL or URL; auto instead of a URL asks the primary")
        .type_name("URL");
    init.add_option("--policy", request.policies, "a policy, for instance core=core:{client}:5000/1h")
        .type_name("POLICY");
    init.add_flag("--from-server", request.from_server,
                  "look at keys of the servers, and write policies of the limiters that surely wrote them");

    auto from_others = syntax.add_subcommand("import", "a configuration from a twemproxy pool, or from a list of URLs",
                                             request.action, ConfigAction::import);
    from_others.add_option("FORM", request.form, "what there is: a twemproxy file, or URLs")
        .type_name("twemproxy|urls")
        .required();
    from_others
        .add_option("SOURCE", request.sources,
                    "FILE [POOL] of twemproxy; or [NAME=]URL... in the application's order, env:VARIABLE for a URL, - "
                    "for standard input")
        .required();
    from_others.add_option("--name", request.name, "the deployment's name; the pool's, or main, unless said")
        .type_name("NAME");
    from_others.add_option("--file", request.file, "write this file, which must not be there yet; - is standard output")
        .type_name("FILE");
    from_others.add_option("--write", request.file, "the same as --file").type_name("FILE").group("");

    auto check = syntax.add_subcommand("check", "prove the configuration, and look for what is odd in it",
                                       request.action, ConfigAction::check);
    check.add_flag("--connect", request.connect, "ask every server, too: does it answer, is it what it should be");
    bind_row_order(check, request.order);

    auto show = syntax.add_subcommand("show", "every value that is in force, and where it comes from", request.action,
                                      ConfigAction::show);
    bind_row_order(show, request.order);

    auto names = syntax.add_subcommand("names", "what the configuration gives a name to; shells complete with it",
                                       request.action, ConfigAction::names);
    names.add_option("KIND", request.kind, "only these").type_name("deployments|policies|shards|classes|operations");
}

ExitCode run_config(const ConfigRequest& request, Context& context) {
    switch (request.action) {
        case ConfigAction::init: return run_config_init(request, context);
        case ConfigAction::import: return run_config_import(request, context);
        case ConfigAction::check: return run_config_check(request, context);
        case ConfigAction::names: return run_config_names(request, context);
        case ConfigAction::show: break;
    }
    return run_config_show(request, context);
}

}  // namespace

Command config_command() {
    return {"config", Group::set_up, "write, prove and show the configuration",
            "# start one, with two shards and a policy\n"
            "ratectl config init --primary redis://10.0.0.1 \\\n"
            "    --primary redis://10.0.0.2 --sharding twemproxy-ketama \\\n"
            "    --policy 'core=core:{client}:5000/1h'\n"
            "# from the pool that twemproxy serves\n"
            "ratectl config import twemproxy nutcracker.yml main\n"
            "# is it right, and do the servers answer?\n"
            "ratectl config check --connect\n"
            "# why is the timeout what it is?\n"
            "ratectl config show",
            bind_request<ConfigRequest, bind_config, run_config>};
}

}  // namespace ratectl::commands
