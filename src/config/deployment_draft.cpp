// One deployment's table: everything but its shards and policies.
#include "config/deployment_draft.h"

#include <array>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "domain/key_template.h"
#include "sharding/options.h"

namespace ratectl::config {
namespace {

using support::Milliseconds;

constexpr Milliseconds kShortestTimeout{1};

const std::array<std::string, 2> kLookRoles{"primary", "replica"};
const std::array<std::string, 4> kWriteModes{"allow", "confirm", "confirm-all", "deny"};
// In the order of DeploymentKind.
const std::array<std::string, 4> kKinds{"shards", "cluster", "sentinel", "memcached"};

class Recorder {
public:
    Recorder(const TableView& table, Settings& settings) : table_(table), settings_(settings) {}
    /// Remembers where the key's value stands, under `name` in origins.
    void note(std::string_view key, const std::string& name) { settings_.origins[name] = table_.origin(key); }
    void note(std::string_view key) { note(key, std::string{key}); }

private:
    const TableView& table_;
    Settings& settings_;
};

/// An option's value as text, whatever TOML type it has.
std::optional<std::string> option_text(const TableView& view, const sharding::OptionRule& rule) {
    using Kind = sharding::OptionRule::Kind;
    if (rule.kind == Kind::text) return view.text(rule.name);
    if (rule.kind == Kind::boolean) {
        const auto value = view.boolean(rule.name);
        return value ? std::optional<std::string>(*value ? "true" : "false") : std::nullopt;
    }
    const auto number = view.integer(rule.name, 1, rule.most);
    return number ? std::optional<std::string>(std::to_string(*number)) : std::nullopt;
}

void read_sharding(const TableView& table, Settings& settings) {
    if (!table.has("sharding")) return;
    if (settings.kind == DeploymentKind::cluster)
        table.fail("sharding", "only shards have a rule of sharding", "a Redis Cluster tells which node has a key");
    sharding::Options options;
    if (!table.is_table("sharding")) {
        options.preset = *table.text("sharding");
        Recorder(table, settings).note("sharding", "sharding.preset");
    } else {
        const TableView view = *table.table("sharding", "deployments.NAME.sharding");
        Recorder recorder(view, settings);
        const auto preset = view.text("preset");
        if (!preset)
            table.fail("sharding", "needs a 'preset'",
                       fmt::format("presets: {}", fmt::join(sharding::preset_names(), ", ")));
        options.preset = *preset;
        recorder.note("preset", "sharding.preset");
        for (const sharding::OptionRule& rule : sharding::option_rules()) {
            const auto value = option_text(view, rule);
            if (!value) continue;
            view.take(rule.name, rule.set(options, *value));
            recorder.note(rule.name, fmt::format("sharding.{}", rule.name));
        }
    }
    settings.sharding = std::move(options);
}

void read_reading(const TableView& table, Settings& settings) {
    Recorder recorder(table, settings);
    const auto role = [](std::size_t i) {
        return domain::ReadFrom{i == 0 ? domain::ReadFrom::Which::primary : domain::ReadFrom::Which::replica, {}};
    };
    if (const auto word = table.word("read_from", kLookRoles)) {
        settings.read_from = role(*word);
        recorder.note("read_from");
    }
    if (const auto word = table.word("scan_from", kLookRoles)) {
        settings.scan_from = role(*word);
        recorder.note("scan_from");
    }
    if (const auto most = table.duration("max_staleness", kShortestStaleness, kLongestStaleness)) {
        settings.max_staleness = *most;
        recorder.note("max_staleness");
    }
    if (auto suffix = table.text("expiry_suffix")) {
        if (suffix->size() > kLongestSuffix)
            table.fail("expiry_suffix", fmt::format("has at most {} bytes", kLongestSuffix));
        settings.layout.expiry_suffix = std::move(*suffix);
        recorder.note("expiry_suffix");
    }
    if (auto scheme = table.text("scheme")) {
        settings.layout.scheme = std::move(*scheme);
        recorder.note("scheme");
    }
    if (const auto timeout = table.duration("timeout", kShortestTimeout, kLongestTimeout)) {
        settings.timeout = *timeout;
        recorder.note("timeout");
    }
}

void read_guards(const TableView& table, Settings& settings) {
    Recorder recorder(table, settings);
    if (const auto mode = table.word("writes", kWriteModes)) {
        settings.writes = static_cast<WriteMode>(*mode);
        recorder.note("writes");
    }
    if (const auto required = table.boolean("require_reason")) {
        settings.require_reason = *required;
        recorder.note("require_reason");
    }
    if (const auto most = table.integer("max_keys", 1, std::numeric_limits<std::int64_t>::max())) {
        settings.max_keys = static_cast<std::uint64_t>(*most);
        recorder.note("max_keys");
    } else if (settings.writes == WriteMode::allow) {
        settings.max_keys = std::numeric_limits<std::uint64_t>::max();
        recorder.note("writes", "max_keys");
    }
    settings.protect = table.texts("protect");
    for (const auto& glob : settings.protect) table.take("protect", domain::check_glob(glob));
    if (table.has("protect")) recorder.note("protect");
}

}  // namespace

std::optional<domain::TlsOptions> read_tls(const TableView& table, std::string_view schema, const std::string& folder,
                                           const std::string& prefix, Settings& settings) {
    const auto view = table.table("tls", schema);
    if (!view) return std::nullopt;
    Recorder recorder(*view, settings);
    domain::TlsOptions tls;
    tls.keys = prefix;
    for (auto [key, member] :
         {std::pair{"ca_file", &domain::TlsOptions::ca_file}, std::pair{"cert_file", &domain::TlsOptions::cert_file},
          std::pair{"key_file", &domain::TlsOptions::key_file}}) {
        const auto path = view->text(key);
        if (!path) continue;
        tls.*member = path_from(folder, *path);
        recorder.note(key, prefix + key);
    }
    if (auto name = view->text("server_name")) {
        tls.server_name = std::move(*name);
        recorder.note("server_name", prefix + "server_name");
    }
    if (const auto insecure = view->boolean("insecure")) {
        tls.insecure = *insecure;
        recorder.note("insecure", prefix + "insecure");
    }
    if (tls.cert_file.empty() != tls.key_file.empty()) table.fail("tls", "cert_file and key_file only work together");
    return tls;
}

std::string path_from(const std::string& folder, const std::string& path) {
    return (std::filesystem::path(folder) / path).lexically_normal().string();
}

void read_login(const TableView& table, const std::string& folder, const std::string& prefix,
                domain::Credentials& login, std::optional<PasswordSource>& password, DeploymentDraft& draft) {
    Recorder recorder(table, draft.settings);
    if (auto username = table.text("username")) {
        login.username = std::move(*username);
        recorder.note("username", prefix + "username");
    }
    using Kind = PasswordSource::Kind;
    for (const Kind kind : {Kind::text, Kind::file, Kind::environment, Kind::command}) {
        const std::string_view key = key_of(kind);
        auto value = table.text(key);
        if (!value) continue;
        if (password)
            table.fail(key, "the password has another source already",
                       "give one of password, password_file, password_env, password_command");
        PasswordSource source{kind, {}, {}, table.origin(key)};
        if (kind == Kind::text) {
            source.text = domain::Secret(std::move(*value));
            draft.inline_secret = source.origin;
        } else {
            source.from = kind == Kind::file ? path_from(folder, *value) : std::move(*value);
        }
        login.source = kind == Kind::command ? std::string{"password_command"} : fmt::format("{} {}", key, source.from);
        if (kind == Kind::text) login.source = fmt::format("password in {}", source.origin.text);
        draft.settings.origins[prefix + "password"] = source.origin;
        password = std::move(source);
    }
}

std::string_view name_of(DeploymentKind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }

DeploymentDraft read_deployment(const TableView& table, const std::string& name, const std::string& folder) {
    DeploymentDraft draft;
    draft.settings.deployment = name;
    draft.settings.file = table.file();
    table.part([&] {
        if (const auto kind = table.word("kind", kKinds)) draft.settings.kind = DeploymentKind(*kind);
        if (draft.settings.kind == DeploymentKind::memcached) draft.settings.layout = memcached_layout();
    });
    table.part([&] { read_reading(table, draft.settings); });
    table.part([&] { read_guards(table, draft.settings); });
    table.part([&] {
        if (auto tls = read_tls(table, "deployments.NAME.tls", folder, "tls.", draft.settings))
            draft.settings.tls = *std::move(tls);
    });
    table.part([&] { read_login(table, folder, "", draft.settings.login, draft.password, draft); });
    table.part([&] { read_sharding(table, draft.settings); });
    table.part([&] {
        const auto kind = draft.settings.kind;
        if (kind == DeploymentKind::shards || kind == DeploymentKind::memcached) read_shards(table, folder, draft);
        if (kind == DeploymentKind::cluster) read_nodes(table, draft);
        if (kind == DeploymentKind::sentinel) read_sentinels(table, folder, draft);
    });
    table.part([&] { read_policies(table, folder, draft); });
    return draft;
}

}  // namespace ratectl::config
