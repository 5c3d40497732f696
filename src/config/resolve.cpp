// Flags, environment and file become the settings of one run.
#include <fmt/format.h>

#include "config/config_file.h"
#include "config/deployment_file.h"
#include "config/given.h"
#include "config/servers.h"
#include "config/settings.h"
#include "config/url_deployment.h"

namespace ratectl::config {
namespace {

using support::ExitCode;
using support::Failure;

Settings chosen_deployment(const Overrides& overrides, const World& world) {
    const auto urls = given_urls(overrides, world);
    if (!urls.empty()) return settings_from_urls(urls, world);
    const auto file = find_config_file(overrides, world);
    if (!file) {
        throw Failure(ExitCode::configuration, "no configuration: which Redis servers hold the windows?",
                      "three ways to begin:\n"
                      "`ratectl config init` asks a few questions and writes a configuration file\n"
                      "`ratectl check KEY -u redis://HOST:PORT --limit N` asks that one server\n"
                      "`eval \"$(ratectl sandbox up)\"` starts servers to play with");
    }
    return settings_from_file(*file, given(overrides.deployment, "deployment", world), world);
}

/// `all-shards` in the place of a preset is the answer that there is none.
void settle_placement(Settings& settings) {
    if (!settings.sharding || settings.sharding->preset != kAllShards) return;
    sharding::Options alone;
    alone.preset = kAllShards;
    if (*settings.sharding != alone) {
        fail_at_origin(origin_of(settings, "sharding.preset"), "sharding: all-shards has no options",
                       "without a rule there is nothing to adjust");
    }
    settings.all_shards = true;
    settings.sharding.reset();
}

}  // namespace

std::vector<std::string> undecided_deployments(const Overrides& overrides, const World& world) {
    if (given(overrides.deployment, "deployment", world) || !given_urls(overrides, world).empty()) return {};
    const auto file = find_config_file(overrides, world);
    return file ? deployments_without_default(*file) : std::vector<std::string>{};
}

Settings resolve(const Overrides& overrides, const World& world) {
    Settings settings = chosen_deployment(overrides, world);
    apply_given(settings, overrides, world);
    settle_placement(settings);
    // With one server every preset gives the same answer, so none needs to be named.
    if (!settings.sharding && settings.shards.size() == 1) settings.sharding.emplace().preset = "modulo";
    // Of what is not whole these would say what is not so.
    if (world.complaints != nullptr && !world.complaints->empty()) return settings;
    go_past(world.complaints, [&settings] { check_servers(settings); });
    go_past(world.complaints, [&settings] { check_kind(settings); });
    go_past(world.complaints, [&settings] { check_sharding(settings); });
    go_past(world.complaints, [&settings] { check_read_from(settings); });
    return settings;
}

std::vector<support::Error> errors_of(const Overrides& overrides, World world) {
    std::vector<support::Error> errors;
    world.logs_in = false;
    world.complaints = &errors;
    go_past(&errors, [&] { resolve(overrides, world); });
    return errors;
}

bool is_configured(const Overrides& overrides, const World& world) {
    const bool named = given(overrides.deployment, "deployment", world) || !given_urls(overrides, world).empty();
    return named || find_config_file(overrides, world);
}

Settings resolve_without_servers(const Overrides& overrides, World world) {
    world.logs_in = false;
    if (is_configured(overrides, world)) return resolve(overrides, world);
    Settings settings;
    apply_given(settings, overrides, world);
    return settings;
}

}  // namespace ratectl::config
