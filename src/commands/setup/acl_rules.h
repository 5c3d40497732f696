// What an account on the servers has to be allowed, rule by rule, each with its reason; and the columns of a rule.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "domain/server_commands.h"
#include "output/field.h"

namespace ratectl::commands {

struct AclAccount {
    domain::Rights rights = domain::Rights::look;
    std::string user;
    std::string password_sha256;               // in hex; empty: a placeholder, which no server accepts
    int generation = domain::kReadsKeysApart;  // of the servers' ACLs: 6 or 7
};

/// One rule as ACL SETUSER takes it, free of blanks.
struct AclRule {
    enum class Kind { login, keys, command };
    Kind kind = Kind::command;
    std::string rule;
    std::string needed_for;
};

/// Login first, then keys, then commands. Keys are those of the deployment's policies, both halves, and ratectl's own;
/// all keys where there is not a policy. A byte of a template that cannot be pasted is a `?`, which stands for any one
/// byte.
std::vector<AclRule> acl_rules(const AclAccount& account, const config::Settings& settings);

/// Whether a template has such bytes.
bool has_unpastable_bytes(const config::Settings& settings);

/// `ACL SETUSER NAME reset on ...`, for redis-cli and every other client.
std::string acl_setuser_line(const AclAccount& account, const std::vector<AclRule>& rules);
/// `user NAME on ...`, for the file that the server's aclfile names.
std::string acl_file_line(const AclAccount& account, const std::vector<AclRule>& rules);

struct AclRow {
    const AclAccount& account;
    const AclRule& rule;
};

std::span<const output::Field<AclRow>> acl_fields();

}  // namespace ratectl::commands
