// config init: writes a file to start from, by flags or by the user's answers on the terminal.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "commands/looks/origins.h"
#include "commands/outcome.h"
#include "commands/setup/config_request.h"
#include "config/config_file.h"
#include "config/starter.h"
#include "domain/endpoint.h"
#include "support/suggest.h"

namespace ratectl::commands {
namespace {

using support::Failure;

constexpr std::string_view kExampleServer = "redis://127.0.0.1:6379";
constexpr std::string_view kPresetList = "`ratectl sharding list` lists the presets";

/// `SHARD=URL` or `URL`; a URL's own = comes after its ://.
std::pair<std::string, std::string> split_shard(const std::string& text) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals > text.find("://")) return {"", text};
    return {text.substr(0, equals), text.substr(equals + 1)};
}

void check_url(const std::string& label, const std::string& url) {
    const auto endpoint = domain::parse_endpoint(url);
    if (!endpoint) support::throw_usage(fmt::format("{}: {}", label, endpoint.error().message), endpoint.error().hint);
    if (endpoint->credentials.password) {
        support::throw_usage(
            fmt::format("{}: a password does not belong on the command line or on the screen", label),
            "leave it out, and name its place in the file: password_file, password_env or password_command");
    }
}

void add_replica(const std::string& text, std::vector<config::StarterShard>& shards) {
    const auto [name, url] = split_shard(text);
    const bool only_one = name.empty() && shards.size() == 1;
    const auto shard = std::find_if(shards.begin(), shards.end(),
                                    [&, &name = name](const auto& one) { return only_one || one.name == name; });
    if (shard == shards.end() || (name.empty() && !only_one)) {
        support::throw_usage(fmt::format("--replica {}: of which shard?", text),
                             "write --primary SHARD=URL and --replica SHARD=URL");
    }
    if (url == "auto") {
        shard->discover_replicas = true;
    } else {
        check_url("--replica", url);
        shard->replicas.push_back(url);
    }
    if (shard->discover_replicas && !shard->replicas.empty())
        support::throw_usage("--replica: replicas are either listed or auto");
}

config::Starter from_flags(const ConfigRequest& request, const Context& context) {
    config::Starter starter;
    if (request.name) starter.name = *request.name;
    for (const auto& text : request.primaries) {
        auto [name, url] = split_shard(text);
        check_url("--primary", url);
        starter.shards.push_back({name, url, {}, false});
    }
    for (const auto& text : request.replicas) add_replica(text, starter.shards);
    starter.sharding = context.options().overrides.sharding.value_or("");
    const auto presets = sharding::preset_names();
    if (!starter.sharding.empty() && std::find(presets.begin(), presets.end(), starter.sharding) == presets.end()) {
        const std::string near = support::did_you_mean(starter.sharding, presets);
        support::throw_usage(fmt::format("--sharding: there is no preset '{}'", starter.sharding),
                             near.empty() ? std::string(kPresetList) : near);
    }
    for (const auto& text : request.policies)
        starter.policies.push_back(support::value_or_throw(config::parse_starter_policy(text)));
    return starter;
}

/// Asks until the answer pleases `accept` (which says why not); null without a terminal.
template <class Accept>
std::optional<std::string> ask(Context& context, const std::string& question, const Accept& accept) {
    for (;;) {
        auto answer = context.ask(question);
        if (!answer) return std::nullopt;
        const support::Result<void> good = answer->empty() ? support::Result<void>{} : accept(*answer);
        if (good) return answer;
        context.messages().notice(good.error().message, good.error().hint);
    }
}

support::Result<void> good_shard(const std::string& text) {
    try {
        check_url("this address", split_shard(text).second);
    } catch (const Failure& failure) {
        return tl::make_unexpected(failure.error());
    }
    return {};
}

support::Result<void> good_preset(const std::string& text) {
    const auto presets = sharding::preset_names();
    if (std::find(presets.begin(), presets.end(), text) != presets.end()) return {};
    std::string hint = support::did_you_mean(text, presets);
    if (hint.empty()) hint = fmt::format("there are: {}", fmt::join(presets, ", "));
    return support::failure(ExitCode::usage, fmt::format("there is no preset '{}'", text), std::move(hint));
}

support::Result<void> good_policy(const std::string& text) {
    const auto policy = config::parse_starter_policy(text);
    if (!policy) return tl::make_unexpected(policy.error());
    return {};
}

/// The servers, until an empty answer. False without a terminal.
bool ask_for_shards(Context& context, config::Starter& starter) {
    for (;;) {
        const std::string question = starter.shards.empty()
                                         ? fmt::format("First shard's primary [{}]: ", kExampleServer)
                                         : std::string{"Next shard's primary, NAME=URL to name it (empty: no more): "};
        const auto answer = ask(context, question, good_shard);
        if (!answer) return false;
        if (answer->empty() && !starter.shards.empty()) return true;
        const auto [name, url] = split_shard(answer->empty() ? std::string{kExampleServer} : *answer);
        starter.shards.push_back({name, url, {}, true});
        if (answer->empty()) return true;
    }
}

void ask_for_the_rest(Context& context, config::Starter& starter) {
    if (starter.shards.size() > 1 && starter.sharding.empty()) {
        context.messages().notice("the application's own rule says which shard a key lives on", kPresetList);
        const auto preset = ask(context, "Sharding, for instance twemproxy-ketama (empty: later): ", good_preset);
        starter.sharding = preset.value_or("");
    }
    if (!starter.policies.empty()) return;
    std::string question = "A policy, for instance core=core:{client}:5000/1h (empty: later): ";
    for (;;) {
        const auto policy = ask(context, question, good_policy);
        if (!policy || policy->empty()) return;
        starter.policies.push_back(support::value_or_throw(config::parse_starter_policy(*policy)));
        question = "Next policy (empty: no more): ";
    }
}

/// Policies of the limiters that have surely written what the servers have. Throws Failure where one of them cannot be
/// asked: a policy would be missing, and nothing in the file would say so.
void add_policies_of_servers(config::Starter& starter, const std::string& path, const config::World& world,
                             Context& context) {
    constexpr std::size_t looked_at = 2000;
    const auto settings = config::check_starting_file(config::starting_file(starter), path, world);
    const auto store = context.store_of(settings);
    Outcome outcome(context);
    const auto kinds = sample_origins({settings, {}, settings.scan_from, looked_at}, *store, context, outcome);
    if (outcome.code() != ExitCode::done)
        outcome.end_by(
            {ExitCode::unavailable, "not every server could be asked for its keys; nothing was written", ""});
    OriginPolicies found(starter.name);
    std::vector<std::string> names;
    for (const auto& kind : kinds) {
        if (kind.origin.sureness != domain::Sureness::certain) continue;
        const auto* policy = found.policy_of(kind.origin);
        const auto is_it = [&](const auto& one) { return one.key == policy->key || one.name == policy->name; };
        if (policy == nullptr || std::ranges::any_of(starter.policies, is_it)) continue;
        starter.policies.push_back(*policy);
        names.push_back(policy->name);
    }
    context.messages().notice(
        fmt::format("{} keys looked at: {}", count_keys(kinds),
                    names.empty() ? "no limiter that ratectl can work with is sure to have written them"
                                  : fmt::format("policies {}", fmt::join(names, ", "))),
        "`ratectl identify --sample 2000` shows what else there is, and how sure that is");
}

/// What is about to be asked, and what for; nothing where no user can be asked.
void introduce(Context& context, const std::string& path) {
    if (!context.stdin_is_terminal() || context.options().no_input) return;
    context.messages().notice(fmt::format("a few questions, then {} is written", path),
                              "Enter takes what stands in brackets; Ctrl-C writes nothing");
}

std::string target_of(const ConfigRequest& request, const Context& context, const config::World& world) {
    if (request.file) return *request.file;
    if (context.options().overrides.config_file) return *context.options().overrides.config_file;
    const auto own = config::user_config_path(world);
    if (!own)
        support::throw_usage("where to? neither XDG_CONFIG_HOME nor HOME says where your configuration is",
                             "name it: --file FILE");
    return *own;
}

/// Before anything is asked; writing looks again.
void refuse_existing(const ConfigRequest& request, const Context& context, const std::string& path) {
    if (path.empty()) support::throw_usage("--file: the name is empty");
    if (path == "-" || request.force || context.options().dry_run) return;
    std::error_code ignored;
    if (std::filesystem::symlink_status(path, ignored).type() == std::filesystem::file_type::not_found) return;
    throw Failure(ExitCode::local_io, fmt::format("{} is there already; nothing was written", path),
                  "--force replaces it");
}

void write(const ConfigRequest& request, Context& context, const std::string& path, const std::string& text) {
    if (path == "-" || context.options().dry_run) {
        context.out().write(text);
        context.out().flush();
        return;
    }
    config::write_private_file(path, text, request.force);
    context.messages().notice(fmt::format("{} written", path), "look it through, then: ratectl config check --connect");
}

}  // namespace

ExitCode run_config_init(const ConfigRequest& request, Context& context) {
    if (!context.options().overrides.urls.empty())
        support::throw_usage("--url is for one command; a file needs --primary URL");
    const config::World world{[&context](const std::string& name) { return context.env(name); }, context.now()};
    const std::string path = target_of(request, context, world);
    refuse_existing(request, context, path);
    config::Starter starter = from_flags(request, context);
    if (starter.shards.empty() && path != "-") {
        introduce(context, path);
        if (ask_for_shards(context, starter)) ask_for_the_rest(context, starter);
    }
    if (starter.shards.empty()) starter.shards.push_back({"", std::string{kExampleServer}, {}, true});
    if (request.from_server) add_policies_of_servers(starter, path, world, context);
    const std::string text = config::starting_file(starter);
    config::check_starting_file(text, path, world);
    write(request, context, path, text);
    if (starter.shards.size() > 1 && starter.sharding.empty()) {
        context.messages().warning(
            "several shards and no sharding: nothing can be changed until the file names the application's",
            kPresetList);
    }
    return ExitCode::done;
}

}  // namespace ratectl::commands
