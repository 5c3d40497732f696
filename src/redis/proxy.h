// What goes through a proxy that shares keys out itself (twemproxy, Envoy): scripts, each to the server that has its
// first key; and how such a proxy is known.
// Anything else would be refused there (SCAN, INFO, TIME; twemproxy closes the connection over it), or would ask
// another server than the scripts do: the second key of a window is hashed by itself when it comes first.
#pragma once

#include <optional>
#include <string_view>

#include "redis/outcome.h"
#include "redis/request.h"

namespace ratectl::redis {

/// How a user says that there is one.
inline constexpr std::string_view kProxyHint =
    "if it is a proxy (twemproxy, Envoy), its URL has to say so: redis://HOST:PORT?proxy=true";

/// The fault for a request with a command that is not to be sent to a proxy; null: all of it may go.
std::optional<Fault> not_through_proxy(const Request& request, std::string_view where);

/// An error reply to INFO as Envoy gives it.
bool is_word_of_proxy(std::string_view error_text);

/// An error reply in which a proxy says that it has not reached the server of a key. `surely`: before the command was
/// handed over.
enum class BehindProxy { no, surely, perhaps };
BehindProxy unreached_behind(std::string_view error_text);

}  // namespace ratectl::redis
