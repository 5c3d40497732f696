// Works out the ACL rules that are needed: templates become patterns; of those that say the same, the widest stays.
#include "commands/setup/acl_rules.h"

#include <algorithm>

#include <fmt/format.h>

#include "commands/context.h"
#include "commands/request/throttle_names.h"
#include "domain/governor/lease.h"
#include "domain/key_template.h"
#include "domain/operation.h"
#include "store/directory.h"

namespace ratectl::commands {
namespace {

constexpr std::string_view kPlaceholder = "<sha256-of-the-password>";
constexpr std::string_view kAllKeys = "*";

/// Keys that an account may touch.
struct KeyPattern {
    std::string glob;
    std::string sample;  // a key that it is about, with nothing in its holes that another pattern could be about
    std::string needed_for;
    bool only_read = false;  // even by an account that changes windows
};

/// Neither redis-cli nor a file of users can be given the others as they are.
bool is_pastable(char byte) { return byte > ' ' && byte < '\x7f' && byte != '"' && byte != '\''; }

std::string pastable(std::string glob) {
    std::replace_if(
        glob.begin(), glob.end(), [](char byte) { return !is_pastable(byte); }, '?');
    return glob;
}

/// A key of the template that belongs to no other pattern by chance.
std::string sample_of(const domain::KeyTemplate& key) {
    domain::Captures holes;
    for (const auto& name : key.placeholders()) holes.emplace(name, std::string(64, '\x01'));
    return support::value_or_throw(key.expand(holes));
}

bool covers(const KeyPattern& wide, const KeyPattern& narrow) { return domain::glob_matches(wide.glob, narrow.sample); }

/// Without those that another one covers.
std::vector<KeyPattern> widest(const std::vector<KeyPattern>& all) {
    std::vector<KeyPattern> kept;
    for (std::size_t i = 0; i < all.size(); ++i) {
        bool covered = false;
        for (std::size_t other = 0; other < all.size() && !covered; ++other) {
            covered = other != i && covers(all[other], all[i]) && (other < i || !covers(all[i], all[other]));
        }
        if (!covered) kept.push_back(all[i]);
    }
    return kept;
}

void add_own(std::string_view prefix, std::string_view needed_for, std::vector<KeyPattern>& into) {
    const std::string own(prefix);
    into.push_back({domain::escape_glob(own) + "*", own + "\x01", std::string(needed_for)});
}

std::vector<KeyPattern> key_patterns(domain::Rights rights, const config::Settings& settings) {
    if (settings.policies.empty()) return {{std::string(kAllKeys), "", "all keys: no policy says which are windows"}};
    std::vector<KeyPattern> all;
    for (const auto& policy : settings.policies.policies()) {
        const std::string sample = sample_of(policy.key);
        const auto& limiter = limiter_of(settings).of(sample);
        all.push_back({policy.key.glob(), sample, fmt::format("windows of policy '{}'", policy.name)});
        for (std::size_t part = 1; part < limiter.parts().size(); ++part) {
            const auto& named = limiter.parts()[part];
            const auto glob = limiter.part_glob(policy.key.glob(), part);
            const auto key = limiter.part_key(sample, part);
            all.push_back({glob, key, fmt::format("windows of policy '{}', their {}", policy.name, named.plural)});
            if (!limiter.reset_part()) continue;
            all.push_back({limiter.part_glob(glob, part), limiter.part_key(key, part),
                           fmt::format("doctor: is an {} of policy '{}' itself a counter", named.name, policy.name),
                           true});
        }
    }
    add_own(domain::kReservedPrefix,
            "the records that changes leave of themselves; history --on-servers and undo read them", all);
    if (rights == domain::Rights::change)
        add_own(domain::kProbePrefix, "nodes --probe: windows that it makes and removes", all);
    if (throttle::has_throttles(settings))
        add_own(domain::governor::kGovernorPrefix, "governor: who governs a throttle, and its memory", all);
    return widest(all);
}

bool has_other_db(const config::Settings& settings) {
    const auto directory = directory_of(settings);
    return std::ranges::any_of(directory->places(), [](const domain::Shard& place) {
        return place.primary.db != 0 ||
               std::ranges::any_of(place.replicas, [](const auto& replica) { return replica.db != 0; });
    });
}

std::set<std::string_view> types_of_keys(const config::Settings& settings) {
    std::set<std::string_view> types;
    const auto& all = limiter_of(settings);
    for (const auto& part : all.parts()) types.insert(part.type);
    for (const auto& policy : settings.policies.policies()) {
        for (const auto& part : all.of(sample_of(policy.key)).parts()) types.insert(part.type);
    }
    return types;
}

std::string joined(const std::vector<AclRule>& rules) {
    std::string line;
    for (const auto& rule : rules) line += " " + rule.rule;
    return line;
}

using output::Cell;
using output::CellType;
using Shown = output::Column::Shown;

Cell kind_of(const AclRow& row) {
    switch (row.rule.kind) {
        case AclRule::Kind::login: return output::Word{"login"};
        case AclRule::Kind::keys: return output::Word{"keys"};
        case AclRule::Kind::command: break;
    }
    return output::Word{"command"};
}

}  // namespace

std::vector<AclRule> acl_rules(const AclAccount& account, const config::Settings& settings) {
    const auto password = account.password_sha256.empty() ? std::string(kPlaceholder) : account.password_sha256;
    std::vector<AclRule> rules{{AclRule::Kind::login, "on", "the account may log in"},
                               {AclRule::Kind::login, "#" + password, "with the password whose SHA-256 this is"}};
    for (auto& [glob, sample, needed_for, only_read] : key_patterns(account.rights, settings)) {
        const bool apart = account.generation >= domain::kReadsKeysApart;
        const bool changed = account.rights == domain::Rights::change && !only_read;
        rules.push_back({AclRule::Kind::keys, (apart && !changed ? "%R~" : "~") + pastable(std::move(glob)),
                         std::move(needed_for)});
    }
    const domain::CommandsAround around{has_other_db(settings), types_of_keys(settings),
                                        settings.kind == config::DeploymentKind::cluster};
    for (const auto& command : domain::commands_for(account.rights, account.generation, around)) {
        rules.push_back({AclRule::Kind::command, fmt::format("+{}", command.name), std::string(command.needed_for)});
    }
    return rules;
}

bool has_unpastable_bytes(const config::Settings& settings) {
    const auto patterns = key_patterns(domain::Rights::look, settings);
    return std::any_of(patterns.begin(), patterns.end(),
                       [](const KeyPattern& pattern) { return pastable(pattern.glob) != pattern.glob; });
}

std::string acl_setuser_line(const AclAccount& account, const std::vector<AclRule>& rules) {
    return "ACL SETUSER " + account.user + " reset" + joined(rules);
}

std::string acl_file_line(const AclAccount& account, const std::vector<AclRule>& rules) {
    return "user " + account.user + joined(rules);
}

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
