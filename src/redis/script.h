// Lua scripts: constants of the binary, called by hash and, once, by text when the server does not know them yet.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <asio/awaitable.hpp>

#include "redis/channel.h"

namespace ratectl::redis {

/// A script embedded at build from lua/NAME.lua (see embedded_scripts.h); sha1 is of exactly `source`.
struct Script {
    std::string_view name;
    std::string_view source;
    std::string_view sha1;
};

struct ScriptCall {
    const Script* script = nullptr;
    std::vector<std::string> keys;
    std::vector<std::string> arguments;
    bool read_only = false;  // EVAL_RO / EVALSHA_RO where the server has them (7.0), EVAL below
};

/// Appends one call, by its hash or by its text.
void add_call(Request& request, const ServerFacts& facts, const ScriptCall& call, bool by_text);
/// The server does not know the script; nothing ran.
bool is_no_script(const Reply& reply);

/// Pipelines the calls as EVALSHA; those that answer NOSCRIPT are sent once more as EVAL (nothing ran the first time).
/// One reply a call, in order. A second NOSCRIPT is a protocol fault. Note for writers: a call that follows one that
/// got NOSCRIPT has already run when that one is re-sent; callers whose order matters put such calls into one exchange
/// only when their keys differ. `asking`: each behind an ASKING.
asio::awaitable<Outcome<std::vector<Reply>>> call_scripts(Channel& channel, std::span<const ScriptCall> calls,
                                                          support::Deadline deadline, bool asking = false);

}  // namespace ratectl::redis
