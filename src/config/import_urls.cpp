// Makes a deployment of a list of URLs, in the application's order.
#include <algorithm>

#include <fmt/format.h>

#include "config/import.h"
#include "config/servers.h"
#include "config/table_view.h"
#include "config/url_deployment.h"
#include "sharding/options.h"
#include "sharding/preset.h"
#include "support/suggest.h"

namespace ratectl::config {
namespace {

/// The ring of django-redis goes by the LOCATION strings, every byte of them.
constexpr std::string_view kWholeUrlIsLabel = "django-redis";

/// `NAME=URL` or `NAME=env:VARIABLE`; an = after the colon belongs to the URL.
std::pair<std::optional<std::string>, Given> split_name(const Given& given) {
    const auto equals = given.text.find('=');
    if (equals == std::string::npos || equals > given.text.find(':')) return {std::nullopt, given};
    const auto name = given.take(check_name(given.text.substr(0, equals)));
    return {name, {given.text.substr(equals + 1), given.label, given.origin}};
}

domain::Endpoint endpoint_of(const Given& url) {
    auto endpoint = url.take(domain::parse_endpoint(url.text));
    if (endpoint.credentials.password && url.origin.kind == Origin::Kind::flag) {
        url.fail("a password on the command line can be seen by every user of this machine",
                 "put the URL into a variable and write env:NAME, or give the URLs on standard input: -");
    }
    return endpoint;
}

sharding::Options rule_of(const std::string& text) {
    auto rule = sharding::parse_options(text);
    if (rule && !sharding::find_preset(rule->preset)) {
        rule = support::failure(support::ExitCode::usage, fmt::format("there is no preset '{}'", rule->preset),
                                support::did_you_mean(rule->preset, sharding::preset_names()));
    }
    if (!rule)
        throw support::Failure(support::ExitCode::usage, "--sharding: " + rule.error().message, rule.error().hint);
    return *rule;
}

/// The label that the library would use and no rule can find.
void take_label(const Given& url, const domain::Endpoint& endpoint, ImportedShard& shard,
                ImportedDeployment& deployment) {
    const auto* rules = sharding::find_preset(std::string{kWholeUrlIsLabel});
    const auto by_rule = rules->node(make_shard(endpoint, {}).server, 0);
    if (by_rule == url.text) return;
    if (!endpoint.credentials.password) {
        shard.label = url.text;
        return;
    }
    shard.remark = "label = the whole LOCATION, password included: see below";
    deployment.notes.push_back(
        {fmt::format("{}: django-redis places keys by the whole LOCATION, the password in it included, which is not "
                     "copied: the shard's label is missing",
                     url.label),
         "write label = \"LOCATION\" into the shard, and keep the file to yourself (chmod 600)"});
}

/// One user for all: the deployment's. Several: only the user can write that.
void settle_user(const std::vector<std::string>& users, ImportedDeployment& deployment) {
    if (std::all_of(users.begin(), users.end(), [&](const auto& user) { return user == users.front(); })) {
        deployment.username = users.front();
        return;
    }
    deployment.notes.push_back({"the URLs log in as different users: none is copied",
                                "write redis://USER@HOST:PORT where the users differ, or username = \"USER\" for all"});
}

}  // namespace

ImportedDeployment import_urls(const std::vector<Given>& urls, const std::optional<std::string>& sharding,
                               const World& world) {
    ImportedDeployment deployment;
    deployment.source = fmt::format("{} URL{}", urls.size(), urls.size() == 1 ? "" : "s, in the application's order");
    if (sharding == kAllShards) {
        deployment.all_shards = true;
    } else if (sharding) {
        deployment.rule = rule_of(*sharding);
    }
    std::vector<std::string> users;
    for (const auto& text : urls) {
        const auto [name, named] = split_name(text);
        const Given url = looked_up(named, world);
        const domain::Endpoint endpoint = endpoint_of(url);
        ImportedShard shard{.primary = endpoint.url(), .name = name, .label = {}, .weight = 1, .remark = {}};
        if (deployment.rule && deployment.rule->preset == kWholeUrlIsLabel)
            take_label(url, endpoint, shard, deployment);
        deployment.password = deployment.password || endpoint.credentials.password.has_value();
        users.push_back(endpoint.credentials.username);
        deployment.shards.push_back(std::move(shard));
    }
    settle_user(users, deployment);
    if (deployment.password) {
        deployment.notes.push_back({"the password in the URLs is not copied: without it the servers will refuse",
                                    "put it into a file of its own and name that: password_file"});
    }
    if (!sharding && deployment.shards.size() > 1) {
        deployment.notes.push_back(
            {"several shards and no --sharding: nothing can be changed until the file names the application's",
             "`ratectl sharding list` prints the presets"});
    }
    return deployment;
}

}  // namespace ratectl::config
