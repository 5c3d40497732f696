// Writes an imported deployment as a commented TOML text.
#include <fmt/format.h>

#include "config/import.h"
#include "config/toml_words.h"
#include "sharding/options.h"

namespace ratectl::config {
namespace {

std::string sharding_text(const ImportedDeployment& deployment) {
    std::string text;
    for (const auto& remark : deployment.remarks) text += fmt::format("# {}\n", remark);
    if (deployment.all_shards) {
        text += "sharding = \"all-shards\"\n";
        if (deployment.rule) text += fmt::format("# {}\n", sharding::toml_of(*deployment.rule));
    } else if (deployment.rule) {
        text += sharding::toml_of(*deployment.rule) + "\n";
    } else if (deployment.shards.size() > 1) {
        text +=
            "# How the application finds the shard of a key. Names: ratectl sharding list\n"
            "# sharding = \"PRESET\"\n";
    }
    return text;
}

std::string login_text(const ImportedDeployment& deployment) {
    std::string text;
    if (!deployment.username.empty()) text += fmt::format("username = {}\n", toml_text(deployment.username));
    if (deployment.password) {
        text +=
            "# The servers want a password, which is not copied here: put it into a file that only you can read.\n"
            "# password_file = \"/run/secrets/redis\"\n";
    }
    return text;
}

std::string shard_text(const ImportedShard& shard, const std::string& deployment) {
    std::string text = fmt::format("\n[[deployments.{}.shards]]\n", toml_key(deployment));
    if (!shard.remark.empty()) text += fmt::format("# {}\n", shard.remark);
    if (shard.name) text += fmt::format("name = {}\n", toml_text(*shard.name));
    if (shard.label) text += fmt::format("label = {}\n", toml_text(*shard.label));
    text += fmt::format("primary = {}\n", toml_text(shard.primary));
    if (shard.weight != 1) text += fmt::format("weight = {}\n", shard.weight);
    return text;
}

}  // namespace

std::string imported_file(const ImportedDeployment& deployment) {
    const std::string table = toml_key(deployment.name);
    std::string text = fmt::format(
        "# Imported from {}. Is it right? ratectl config check --connect, ratectl sharding verify\n"
        "[deployments.{}]\n{}",
        deployment.source, table, sharding_text(deployment));
    text +=
        "# confirm: several keys are asked about. Also: allow, confirm-all, deny.\n"
        "writes = \"confirm\"\n";
    text += login_text(deployment);
    for (const auto& shard : deployment.shards) text += shard_text(shard, deployment.name);
    text += fmt::format(
        "\n# What a key means: its limit comes from the first policy whose template matches the whole key.\n"
        "# [[deployments.{}.policies]]\n# name = \"core\"\n# key = \"core:{{client}}\"\n# limit = 5000\n"
        "# period = \"1h\"\n",
        table);
    return text;
}

}  // namespace ratectl::config
