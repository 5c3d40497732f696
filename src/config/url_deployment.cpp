// A deployment made of URLs alone.
#include "config/url_deployment.h"

#include <fmt/format.h>

#include "config/servers.h"

namespace ratectl::config {
namespace {

constexpr std::string_view kVariablePrefix = "env:";

std::vector<Given> split(const Given& list) {
    std::vector<Given> parts;
    std::size_t at = 0;
    while (at < list.text.size()) {
        const auto end = std::min(list.text.find_first_of(", \t\n", at), list.text.size());
        if (end > at) parts.push_back({list.text.substr(at, end - at), list.label, list.origin});
        at = end + 1;
    }
    return parts;
}

domain::Endpoint endpoint_of(const Given& url, const World& world) {
    auto endpoint = url.take(domain::parse_endpoint(url.text));
    if (endpoint.credentials.password) {
        if (url.origin.kind == Origin::Kind::flag) {
            url.fail("a password on the command line can be seen by every user of this machine",
                     "put the URL into a variable and write -u env:REDIS_URL, or the password into REDISCLI_AUTH");
        }
        endpoint.credentials.source = url.origin.text;
    } else if (endpoint.protocol == domain::Protocol::memcached) {
        return endpoint;
    } else if (auto password = world.env("REDISCLI_AUTH"); password && !password->empty()) {
        endpoint.credentials.password = domain::Secret(std::move(*password));
        endpoint.credentials.source = "environment REDISCLI_AUTH";
    }
    return endpoint;
}

}  // namespace

std::string words_to_name(const std::string& deployment) {
    const bool is_address = deployment.find(':') != std::string::npos;
    return (is_address ? "-u names its servers: " : "-d ") + deployment;
}

Given looked_up(const Given& url, const World& world) {
    if (!url.text.starts_with(kVariablePrefix)) return url;
    const std::string name = url.text.substr(kVariablePrefix.size());
    const auto text = world.env(name);
    if (!text || text->empty()) url.fail(fmt::format("the environment variable '{}' is not set", name));
    return {*text, fmt::format("{} env:{}", url.label, name), {Origin::Kind::environment, "environment " + name}};
}

std::vector<Given> given_urls(const Overrides& overrides, const World& world) {
    std::vector<Given> urls;
    for (const auto& url : overrides.urls) urls.push_back({url, "--url", {Origin::Kind::flag, "flag --url"}});
    if (!urls.empty()) {
        if (overrides.deployment)
            urls.front().fail("--url and --deployment both say which servers are meant", "give one of them");
        return urls;
    }
    if (overrides.deployment || overrides.config_file) return {};
    const auto list = given_in_environment("url", world);
    if (!list) return {};
    for (const std::string_view other : {"config", "deployment"}) {
        if (const auto contrary = given_in_environment(other, world)) {
            list->fail(fmt::format("{} is set, too: they name different servers", contrary->label),
                       "unset one of them");
        }
    }
    urls = split(*list);
    if (urls.empty()) list->fail("no URL in it");
    return urls;
}

Settings settings_from_urls(const std::vector<Given>& urls, const World& world) {
    Settings settings;
    settings.origins["deployment"] = urls.front().origin;
    for (const auto& given_url : urls) {
        const Given url = looked_up(given_url, world);
        ShardSettings shard = make_shard(endpoint_of(url, world), {});
        const bool is_memcached = shard.shard.primary.protocol == domain::Protocol::memcached;
        if (settings.shards.empty() && is_memcached) {
            settings.kind = DeploymentKind::memcached;
            settings.layout = memcached_layout();
        }
        if (is_memcached != (settings.kind == DeploymentKind::memcached))
            url.fail("one deployment has Redis servers, or memcached servers, and not both");
        settings.origins[fmt::format("shards.{}.primary", shard.shard.name)] = url.origin;
        settings.deployment += (settings.deployment.empty() ? "" : ",") + shard.shard.name;
        settings.shards.push_back(std::move(shard));
    }
    return settings;
}

}  // namespace ratectl::config
