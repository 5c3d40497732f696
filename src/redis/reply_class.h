// What an error reply means: the first word (or the one nested in an old script error) decides, the rest is only for
// people.
#pragma once

#include <string>
#include <string_view>

#include "redis/outcome.h"

namespace ratectl::redis {

enum class ReplyClass {
    no_script,
    loading,
    busy,
    master_down,
    try_again,
    unblocked,  // transient, nothing happened (no_script: EVAL instead)
    read_only,
    no_replicas,
    misconf,
    oom,  // the server refuses writes; nothing happened
    no_auth,
    wrong_pass,
    no_permission,
    denied,
    auth_not_needed,  // access
    acl_in_script,    // access, but a script may have done half its work
    wrong_type,
    not_an_integer,
    overflow,  // the key's content
    moved,
    ask,
    cross_slot,
    cluster_down,
    redirect,      // a cluster, not a stand-alone shard
    cluster_mode,  // SELECT on a cluster node
    unknown_command,
    bad_database,
    max_clients,
    script_killed,
    exec_abort,
    protocol_error,  // the server could not read what we sent
    behind_proxy,    // a proxy has not reached the server of the key
    other,           // not in the list: a write may have happened
};

/// The hint of a server that wants a password and got none.
inline constexpr std::string_view kPasswordHint =
    "the password of -u stands in the variable REDISCLI_AUTH, that of a deployment where password_file, password_env "
    "or "
    "password_command says";

ReplyClass classify_error(std::string_view error_text);
/// True when one of a script's commands raised it, so that those before it have run; an error before the script began,
/// or one of another command, says nothing of the kind.
bool raised_inside_script(std::string_view error_text);

/// The fault for an error reply: exit code, words (`shard 'alpha' (10.0.0.7:6379): ...`), hint, and whether it may have
/// been carried out. `where` names shard and node. `command` is our own word for what was asked: `MGET`, or for a write
/// EVAL or the name of its domain::WriteKind; only for those, and only when the class proves it, the message ends with
/// `; nothing was written`. What the server said is quoted only where it adds something, and for AUTH never more than
/// its first word: AUTH's argument echo gets into no message.
Fault fault_from_reply(std::string_view error_text, std::string_view where, std::string_view command);

}  // namespace ratectl::redis
