// The deployments of a configuration file, and the settings of the one that was chosen.
#include "config/deployment_file.h"

#include <filesystem>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "config/class_file.h"
#include "config/deployment_draft.h"
#include "config/servers.h"
#include "config/table_view.h"
#include "config/url_deployment.h"
#include "support/suggest.h"

namespace ratectl::config {
namespace {

using support::ExitCode;
using support::Failure;

std::vector<std::string> names_of(const std::vector<DeploymentDraft>& drafts) {
    std::vector<std::string> names;
    names.reserve(drafts.size());
    for (const auto& draft : drafts) names.push_back(draft.settings.deployment);
    return names;
}

std::vector<DeploymentDraft> read_all(const TableView& top, const ConfigFile& file, Complaints complaints = nullptr) {
    const toml::table* deployments = top.free_table("deployments");
    if (!deployments || deployments->empty()) {
        throw Failure(ExitCode::configuration, fmt::format("{}: no deployment in this file", file.path),
                      "'ratectl config init' writes a file to start from");
    }
    std::vector<DeploymentDraft> drafts;
    for (const auto& [key, node] : *deployments) {
        const std::string name{key.str()};
        const std::string path = "deployments." + name;
        const auto valid = check_name(name);
        if (!valid) top.fail_at(node, path, valid.error().message, valid.error().hint);
        if (!node.is_table()) top.fail_at(node, path, "must be a table");
        drafts.push_back(read_deployment(TableView(*node.as_table(), file.path, path, "deployments.NAME", complaints),
                                         name, file.folder));
    }
    return drafts;
}

void refuse_readable_secrets(const ConfigFile& file, const std::vector<DeploymentDraft>& drafts) {
    for (const auto& draft : drafts) {
        if (!draft.inline_secret) continue;
        const std::string what = fmt::format("{}: a password stands in the file, and ", draft.inline_secret->text);
        if (file.readable_by_others) {
            throw Failure(
                ExitCode::configuration, what + "other users can read or change the file; nothing was done",
                fmt::format("chmod 600 {} (or use password_file, password_env or password_command)", file.path));
        }
        if (file.foreign_owner) {
            throw Failure(ExitCode::configuration, what + "the file belongs to another user; nothing was done",
                          "the owner must be you or root (or use password_file, password_env or password_command)");
        }
    }
}

/// What only this user or root may have written down. Throws Failure (configuration) where another could have.
void require_own_file(const ConfigFile& file, const Origin& origin, std::string_view key) {
    if (!file.foreign_owner && file.open_to_others.empty()) return;
    const std::string what = fmt::format("{}: {} is not obeyed, because ", origin.text, key);
    if (file.foreign_owner) {
        throw Failure(ExitCode::configuration, what + "the file belongs to another user; nothing was done",
                      "a copy of your own is obeyed, and so is a file of root's");
    }
    throw Failure(ExitCode::configuration, what + words_of_open_place(file) + "; nothing was done",
                  hint_to_close(file));
}

/// A command runs with this user's rights, and a file's or a variable's content is sent to the servers that the file
/// names: neither is for another user to write down here.
void refuse_foreign_sources(const ConfigFile& file, const std::vector<DeploymentDraft>& drafts) {
    for (const auto& draft : drafts) {
        for (const auto& password : {draft.password, draft.sentinel_password}) {
            if (!password || password->kind == PasswordSource::Kind::text) continue;
            require_own_file(file, password->origin, key_of(password->kind));
        }
    }
}

/// A file is made there with this user's rights.
std::optional<JournalPlace> journal_in(const TableView& top, const ConfigFile& file) {
    const auto path = top.text("journal");
    if (!path) return std::nullopt;
    const auto origin = top.origin("journal");
    require_own_file(file, origin, "journal");
    return JournalPlace{(std::filesystem::path(file.folder) / *path).lexically_normal().string(), origin};
}

std::size_t choose(const TableView& top, const std::vector<DeploymentDraft>& drafts,
                   const std::optional<Given>& wanted) {
    const std::vector<std::string> names = names_of(drafts);
    const auto index_of = [&](const std::string& name) {
        return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    };
    const auto by_default = top.text("default");
    if (by_default && index_of(*by_default) == names.size()) {
        top.fail("default", fmt::format("there is no deployment '{}'", *by_default),
                 support::did_you_mean(*by_default, names));
    }
    if (wanted) {
        if (index_of(wanted->text) == names.size()) {
            std::string hint = support::did_you_mean(wanted->text, names);
            if (hint.empty()) hint = fmt::format("deployments: {}", fmt::join(names, ", "));
            wanted->fail(fmt::format("there is no deployment '{}' in {}", wanted->text, top.file()), hint);
        }
        return index_of(wanted->text);
    }
    if (by_default) return index_of(*by_default);
    if (names.size() == 1) return 0;
    throw Failure(ExitCode::usage,
                  fmt::format("{} has several deployments and no default: {}", top.file(), fmt::join(names, ", ")),
                  fmt::format("name one: -d {}", names.front()));
}

void give_login(domain::Endpoint& endpoint, const domain::Credentials& login) {
    domain::Credentials& own = endpoint.credentials;
    if (own.password) return;
    if (own.username.empty()) own.username = login.username;
    own.password = login.password;
    own.source = login.source;
}

/// Clients as the policy's keys hold them, from the file and from those beside it.
void read_clients(domain::Policy& policy) {
    const std::string hole = domain::PolicyBook::client_hole(policy);
    const auto in_keys = [&](std::string_view client) { return policy.key.filtered(hole, client); };
    if (!policy.class_file.empty()) policy.members = read_class_file(policy.class_file, policy.classes, in_keys);
    std::set<std::string, std::less<>> exempt;
    if (!policy.exempt_file.empty()) exempt = read_exempt_file(policy.exempt_file, in_keys);
    for (const auto& client : policy.exempt) exempt.insert(in_keys(client));
    policy.exempt = std::move(exempt);
}

/// Everything that lies outside the file: the password, the clients of policies.
Settings complete(DeploymentDraft draft, const World& world) {
    Settings settings = std::move(draft.settings);
    if (draft.password && world.logs_in) settings.login.password = fetch_password(*draft.password, world);
    for (auto& node : settings.cluster.nodes) give_login(node, settings.login);
    if (draft.sentinel_password && world.logs_in)
        draft.sentinel_login.password = fetch_password(*draft.sentinel_password, world);
    for (auto& sentinel : settings.sentinels) give_login(sentinel, draft.sentinel_login);
    for (auto& shard : settings.shards) {
        give_login(shard.shard.primary, settings.login);
        for (auto& replica : shard.shard.replicas) give_login(replica, settings.login);
    }
    for (auto& policy : draft.policies) go_past(world.complaints, [&policy] { read_clients(policy); });
    settings.policies = domain::PolicyBook(std::move(draft.policies));
    return settings;
}

}  // namespace

Settings settings_from_file(const ConfigFile& file, const std::optional<Given>& wanted, const World& world) {
    const toml::table document = parse_toml(file);
    const TableView top(document, file.path, "", "", world.complaints);
    std::vector<DeploymentDraft> drafts = read_all(top, file, world.complaints);
    go_past(world.complaints, [&] { refuse_readable_secrets(file, drafts); });
    go_past(world.complaints, [&] { refuse_foreign_sources(file, drafts); });
    go_past(world.complaints, [&] { journal_in(top, file); });
    // Which one was meant is no question while the file is wrong.
    if (!wanted && world.complaints != nullptr && !world.complaints->empty() && drafts.size() > 1) {
        throw Failure(world.complaints->front());
    }
    const std::size_t chosen = choose(top, drafts, wanted);
    DeploymentDraft& draft = drafts[chosen];
    Origin& origin = draft.settings.origins["deployment"];
    if (wanted) {
        origin = wanted->origin;
    } else if (top.has("default")) {
        origin = top.origin("default");
    } else {
        origin = {Origin::Kind::file, file.path};
    }
    return complete(std::move(draft), world);
}

std::optional<JournalPlace> configured_journal(const Overrides& overrides, const World& world) {
    if (!given_urls(overrides, world).empty()) return std::nullopt;
    const auto file = find_config_file(overrides, world);
    if (!file) return std::nullopt;
    const toml::table document = parse_toml(*file);
    std::vector<support::Error> elsewhere;  // told where a deployment is chosen
    return journal_in(TableView(document, file->path, "", "", &elsewhere), *file);
}

std::vector<std::string> deployment_names(const ConfigFile& file) {
    const toml::table document = parse_toml(file);
    return names_of(read_all(TableView(document, file.path, "", ""), file));
}

std::vector<std::string> deployments_without_default(const ConfigFile& file) {
    const toml::table document = parse_toml(file);
    std::vector<support::Error> elsewhere;  // told where one of them is chosen
    const TableView top(document, file.path, "", "", &elsewhere);
    const std::vector<DeploymentDraft> drafts = read_all(top, file, &elsewhere);
    if (!elsewhere.empty()) return {};
    if (drafts.size() < 2 || top.has("default")) return {};
    return names_of(drafts);
}

}  // namespace ratectl::config
