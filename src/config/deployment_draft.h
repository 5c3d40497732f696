// One deployment's table as read, before anything outside the file has been asked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/password_source.h"
#include "config/settings.h"
#include "config/table_view.h"

namespace ratectl::config {

struct DeploymentDraft {
    Settings settings;                     // without policies, passwords from elsewhere
    std::vector<domain::Policy> policies;  // class_file absolute, members not read
    std::optional<PasswordSource> password;
    domain::Credentials sentinel_login;
    std::optional<PasswordSource> sentinel_password;
    std::optional<Origin> inline_secret;  // a password that stands in the file itself
};

/// Throws Failure (configuration). `folder` is where relative paths start.
DeploymentDraft read_deployment(const TableView& table, const std::string& name, const std::string& folder);

// Its parts, each in a file of its own.
void read_shards(const TableView& table, const std::string& folder, DeploymentDraft& draft);
void read_nodes(const TableView& table, DeploymentDraft& draft);
void read_sentinels(const TableView& table, const std::string& folder, DeploymentDraft& draft);
void read_policies(const TableView& table, const std::string& folder, DeploymentDraft& draft);
/// A user, and where the password is; `prefix` stands before their names in origins.
void read_login(const TableView& table, const std::string& folder, const std::string& prefix,
                domain::Credentials& login, std::optional<PasswordSource>& password, DeploymentDraft& draft);

/// The table `tls` of this one, if it has one; `prefix` as above.
std::optional<domain::TlsOptions> read_tls(const TableView& table, std::string_view schema, const std::string& folder,
                                           const std::string& prefix, Settings& settings);

/// `path` if it is absolute, else below `folder`.
std::string path_from(const std::string& folder, const std::string& path);

}  // namespace ratectl::config
