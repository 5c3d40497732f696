// The columns of an ACL rule.
#pragma once

#include <span>

#include "commands/setup/acl_rules.h"
#include "output/field.h"

namespace ratectl::commands {

struct AclRow {
    const AclAccount& account;
    const AclRule& rule;
};

std::span<const output::Field<AclRow>> acl_fields();

}  // namespace ratectl::commands
