// The commands that servers are sent, those within scripts among them, and who needs which: the one list behind `acl`
// and doctor's check of rights.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/node.h"

namespace ratectl::domain {

/// What an account on the servers is for. `change` includes `look`.
enum class Rights { none, look, change };

struct ServerCommand {
    std::string_view name;  // lower case, as ACL rules have it
    Rights on_6;            // the least rights that need it on Redis 6; none: not sent there
    Rights on_7;            // the same from Redis 7.0 on, and on Valkey
    std::string_view needed_for;
    std::string_view type = {};  // by limiters alone whose windows are keys of this type; empty: by all
    bool of_cluster = false;     // sent to nodes of a Redis Cluster alone
    bool spared = false;         // sent, and nothing lacks it where it is refused
};

/// Commands that every account may run (AUTH) are not among them.
std::span<const ServerCommand> server_commands();

/// Redis's ACLs are of two generations for us: 6 knows users, 7 (and Valkey) also keys that may only be read.
inline constexpr int kOldestWithUsers = 6;
inline constexpr int kReadsKeysApart = 7;
/// Whichever it is: what any of them needs.
inline constexpr int kAnyGeneration = 0;
/// That of a server; one that does not tell its version is taken for an old one.
int acl_generation(const std::optional<ServerVersion>& version);

/// What decides besides which commands are needed.
struct CommandsAround {
    bool other_db = false;                  // windows are in another db than 0
    std::set<std::string_view> types = {};  // of the keys that windows are
    bool cluster = false;                   // servers are nodes of a Redis Cluster
};
/// Those that an account needs, in the order of the list.
std::vector<ServerCommand> commands_for(Rights rights, int generation, const CommandsAround& around);

/// What an account lacks that was denied these commands: all of them; but one that may run nothing that only changes
/// need is there for looking, and does not lack these.
std::vector<std::string> lacking(const std::vector<std::string>& denied, int generation);

}  // namespace ratectl::domain
