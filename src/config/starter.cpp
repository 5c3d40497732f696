// The configuration file to start from.
#include "config/starter.h"

#include <fmt/format.h>

#include "config/config_file.h"
#include "config/deployment_file.h"
#include "config/servers.h"
#include "config/toml_words.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::config {
namespace {

using support::ExitCode;

std::string head(const Starter& starter) {
    std::string text =
        "# Which Redis servers hold the rate-limit windows, and what their limits are.\n"
        "# All keys: man 5 ratectl.toml. Is it right? ratectl config check\n\n";
    text += fmt::format("default = {}\n\n[deployments.{}]\n", toml_text(starter.name), toml_key(starter.name));
    text +=
        "# How the application finds the shard of a key; with one shard it does not matter.\n# Names: ratectl sharding "
        "list\n";
    text += starter.sharding.empty() ? "# sharding = \"twemproxy-ketama\"\n"
                                     : fmt::format("sharding = {}\n", toml_text(starter.sharding));
    text +=
        "\n# confirm: several keys are asked about. Also: allow, confirm-all, deny.\n"
        "writes = \"confirm\"\n"
        "# One command may change so many keys before it wants the deployment's name.\n"
        "max_keys = 500\n"
        "# Keys that no command may change.\n"
        "# protect = [\"internal:*\"]\n"
        "# How long one server may take to answer.\n"
        "timeout = \"2s\"\n\n"
        "# The login. The password itself is best kept elsewhere.\n"
        "# username = \"support\"\n"
        "# password_file = \"/run/secrets/redis\"\n"
        "# tls = { ca_file = \"ca.pem\" }\n";
    return text;
}

std::string shard_text(const StarterShard& shard, const std::string& deployment) {
    std::string text = fmt::format("\n[[deployments.{}.shards]]\n", toml_key(deployment));
    if (!shard.name.empty()) text += fmt::format("name = {}\n", toml_text(shard.name));
    text += fmt::format("primary = {}\n", toml_text(shard.primary));
    if (shard.discover_replicas) return text + "replicas = \"auto\"\n";
    if (shard.replicas.empty()) return text + "# replicas = \"auto\"    # ask the primary, or list their URLs\n";
    text += "replicas = [";
    for (std::size_t i = 0; i < shard.replicas.size(); ++i) text += (i == 0 ? "" : ", ") + toml_text(shard.replicas[i]);
    return text + "]\n";
}

tl::unexpected<support::Error> bad_policy(const std::string& text, const std::string& why) {
    return support::failure(ExitCode::usage, fmt::format("'{}' is not a policy: {}", text, why),
                            "write it as NAME=TEMPLATE:LIMIT/PERIOD, for instance core=core:{client}:5000/1h");
}

}  // namespace

support::Result<StarterPolicy> parse_starter_policy(const std::string& text) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return bad_policy(text, "it has no name");
    StarterPolicy policy{text.substr(0, equals), text.substr(equals + 1), "", ""};
    const auto slash = policy.key.rfind('/');
    const auto colon = slash == std::string::npos ? slash : policy.key.rfind(':', slash);
    const auto hole_end = policy.key.rfind('}');
    // A template may hold colons and slashes itself: limit and period come after its last hole.
    if (slash != std::string::npos && colon != std::string::npos &&
        (hole_end == std::string::npos || hole_end < colon)) {
        policy.limit = policy.key.substr(colon + 1, slash - colon - 1);
        policy.period = policy.key.substr(slash + 1);
        policy.key.resize(colon);
        if (!support::parse_unsigned(policy.limit, static_cast<std::uint64_t>(support::kMaxExactInteger))) {
            return bad_policy(text, fmt::format("'{}' is not a limit", policy.limit));
        }
        const auto period = support::parse_duration(policy.period);
        if (!period) return bad_policy(text, period.error().message);
    }
    if (const auto key = domain::KeyTemplate::parse(policy.key); !key) return bad_policy(text, key.error().message);
    return policy;
}

std::string policy_table(const StarterPolicy& policy, const std::string& deployment) {
    std::string text = policy.note.empty() ? "" : fmt::format("# {}\n", policy.note);
    text += fmt::format("[[deployments.{}.policies]]\n", toml_key(deployment));
    text += fmt::format("name = {}\nkey = {}\n", toml_text(policy.name), toml_text(policy.key));
    if (!policy.scheme.empty()) text += fmt::format("scheme = {}\n", toml_text(policy.scheme));
    text += policy.limit.empty() ? "# limit = 5000\n" : fmt::format("limit = {}\n", policy.limit);
    text += policy.period.empty() ? "# period = \"1h\"\n" : fmt::format("period = {}\n", toml_text(policy.period));
    return text;
}

std::string starting_file(const Starter& starter) {
    std::string text = head(starter);
    for (const auto& shard : starter.shards) text += shard_text(shard, starter.name);
    text += "\n# What a key means: its limit comes from the first policy whose template matches the whole key.\n";
    for (const auto& policy : starter.policies) text += "\n" + policy_table(policy, starter.name);
    if (starter.policies.empty()) {
        text += fmt::format(
            "# [[deployments.{}.policies]]\n# name = \"core\"\n# key = \"core:{{client}}\"\n# limit = 5000\n# period = "
            "\"1h\"\n",
            toml_key(starter.name));
    }
    return text;
}

Settings check_starting_file(const std::string& text, const std::string& path, const World& world) {
    ConfigFile file;
    file.path = path;
    file.folder = "/";
    file.text = text;
    Settings settings = settings_from_file(file, std::nullopt, world);
    if (settings.sharding && settings.sharding->preset == kAllShards) settings.sharding.reset();
    check_servers(settings);
    check_sharding(settings);
    return settings;
}

}  // namespace ratectl::config
