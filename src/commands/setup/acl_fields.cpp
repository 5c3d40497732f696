// The columns of an ACL rule: rule, kind, needed for, user, server.
#include "commands/setup/acl_fields.h"

namespace ratectl::commands {
namespace {

using output::Cell;
using output::CellType;
using Shown = output::Column::Shown;

Cell kind_of(const AclRow& row) {
    switch (row.rule.kind) {
        case AclRule::Kind::login:
            return output::Word{"login"};
        case AclRule::Kind::keys:
            return output::Word{"keys"};
        case AclRule::Kind::command:
            break;
    }
    return output::Word{"command"};
}

}  // namespace

std::span<const output::Field<AclRow>> acl_fields() {
    static const output::Field<AclRow> list[] = {
        {{"rule", CellType::text, "RULE", "as ACL SETUSER takes it", Shown::table},
         [](const AclRow& row) -> Cell { return output::TextView{row.rule.rule}; }},
        {{"kind", CellType::word, "KIND", "login, keys or command", Shown::wide}, kind_of},
        {{"needed_for", CellType::text, "NEEDED FOR", "which commands of ratectl need it", Shown::table},
         [](const AclRow& row) -> Cell { return output::TextView{row.rule.needed_for}; }},
        {{"user", CellType::text, "USER", "the account", Shown::machine},
         [](const AclRow& row) -> Cell { return output::TextView{row.account.user}; }},
        {{"server", CellType::integer, "SERVER", "6: for Redis 6; 7: for Redis 7 and later, and Valkey", Shown::wide},
         [](const AclRow& row) -> Cell { return std::int64_t{row.account.generation}; }},
    };
    return list;
}

}  // namespace ratectl::commands
